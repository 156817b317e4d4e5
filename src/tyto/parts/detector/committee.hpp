// SPDX-License-Identifier: Apache-2.0
// Several detectors asked at once, and their scores of the held-out samples: what a combination of
// them stands on.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/parts/nested_part.hpp"

namespace tyto {

struct HeldScores {  // of the last lesson that showed held-out samples
  std::vector<std::uint32_t> ids;
  std::vector<Label> predicted;  // unknown where there is no classifier
  Matrix scores;                 // a column per member
};

// As resolved_nested_list; a detector may have a key `features` besides its options: the source of
// the samples that it reads as features.
ConfigNode resolved_committee(const ConfigNode& list, std::string_view path);

class Committee {
 public:
  // `list` holds detectors, as resolved_committee gives them; `path` is its dotted name. One with a
  // source sees the rows of that source as features.
  Committee(const ConfigNode& list, std::string_view path);

  [[nodiscard]] Needs needs() const;

  [[nodiscard]] Holding holding() const { return joined_holding(members_); }

  // Members learn what is normal, then score the held-out rows. Without any, scores stay.
  void profile(const Experience& experience, Work& work);

  // The held-out samples of the folds stand for its own from now on; these are detectors of one
  // kind, each with a committee like this.
  template <typename Kind>
  void pool(std::span<const Detector* const> folds, const Committee Kind::*committee) {
    std::vector<const HeldScores*> held;
    for (const Detector* fold : folds) {
      held.push_back(&(dynamic_cast<const Kind&>(*fold).*committee).held_);
    }
    take(held);
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  // all different

  [[nodiscard]] const HeldScores& held() const { return held_; }

  // A column per member; novelty is used up.
  [[nodiscard]] Matrix scores(Evidence& evidence) const;

  // For each row its place in held(), -1 where it is none of them. Ids of other data may meet by
  // chance, so that the scores must agree too.
  [[nodiscard]] std::vector<Index> places_in_held(const Evidence& evidence,
                                                  const Matrix& scores) const;

  void save(State& state) const;
  void load(const State& state, const Shelf& shelf);

 private:
  void take(std::span<const HeldScores* const> folds);
  void index_held();

  std::vector<Nested<Detector>> members_;
  std::vector<std::string> names_;
  std::vector<std::string> sources_;  // of each; "": the features
  HeldScores held_;
  std::map<std::uint32_t, Index> place_;  // by id
};

// The known class of the highest probability; unknown where there is none.
std::vector<Label> predicted_classes(const Evidence& evidence);

}  // namespace tyto
