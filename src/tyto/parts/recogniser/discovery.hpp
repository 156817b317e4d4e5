// SPDX-License-Identifier: Apache-2.0
// What all recognisers share: the pool of samples nobody could name, groups among them that keep
// their identity from batch to batch, the rule that promotes a group to a discovered class, and
// the names that feedback gives. A recogniser adds how to group and how to score membership.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/parts/recogniser/group_model.hpp"
#include "tyto/parts/recogniser/group_pool.hpp"
#include "tyto/parts/recogniser/learned_space.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

struct DiscoveryOptions {
  Index pool = 20000;
  Index guides = 3000;
  std::vector<std::string> promote{"size", "consistency"};
  Index fewest = 5;
  Index rounds = 2;
  Index sure = 50;
  double separation = 1.0;
  bool known = false;
  bool decide_all = false;
  ConfigNode cluster;

  void describe(OptionVisitor& v);
};

class Discovery : public Part, public Recogniser {
 public:
  // Groups are made and scored in `learned`, where there is one.
  Discovery(DiscoveryOptions options, std::unique_ptr<Clusterer> clusterer,
            std::unique_ptr<GroupModel> model, std::unique_ptr<LearnedSpace> learned = nullptr);

  void discover(const Evidence& batch, const Experience& past, LabelSpace& space,
                Work& work) override;
  void revise(const Experience& experience, LabelSpace& space, Work& work) override;
  void recognise(Evidence& evidence) const override;

  void expect_classes(Index classes) override { expected_ = classes; }

  [[nodiscard]] Holding holding() const override { return holding_of(pool_.rows()); }

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

 private:
  struct Group {
    Label label = Label::unknown;  // as long as it is a candidate
    Index rounds = 1;              // batches in a row in which it was found
    std::string origin;            // what is known of its beginning
  };

  struct Guides {
    Matrix rows;  // as they are grouped
    std::vector<std::int32_t> labels;
  };

  struct Regrouped {
    std::vector<std::int32_t> found;   // by row of the pool: a group of unknowns, none below 0
    std::vector<Label> known;          // by row of the pool: the known class it joined, if any
    std::vector<std::int32_t> number;  // by group of the clusterer: that of unknowns
    std::vector<Label> label;          // by group of the clusterer: the known class it is
    std::optional<GroupScores> scores;
  };

  void take_in(const Evidence& batch);
  [[nodiscard]] Guides pick_guides(const Experience& past, Work& work) const;
  // Rows as they are grouped and scored: these, or `room` filled with them in the learned space.
  const Matrix& seen(const Matrix& rows, Matrix& room) const;
  void learn_space(Guides& guides, Work& work);  // guides are seen in it afterwards
  // A new grouping of pool and guides.
  [[nodiscard]] Regrouped regroup(const Matrix& pool, const Guides& guides, Work& work) const;
  // `had`: members of the former groups before this batch.
  void follow(std::vector<std::int32_t> found, const std::vector<Index>& had, LabelSpace& space);
  [[nodiscard]] bool is_consistent(const Group& group, Index members) const;
  void promote(const Matrix& pool, const Guides& guides, LabelSpace& space);
  void rename(Label from, Label to);  // the columns of the clusterer's own model
  // Guides are scored too where known classes are, with the pool's rows that joined them.
  void refit(const Matrix& pool, const Guides& guides, std::span<const Label> joined = {});
  void refit(Regrouped& now, const Matrix& pool, const Guides& guides);

  DiscoveryOptions options_;
  std::unique_ptr<Clusterer> clusterer_;
  std::unique_ptr<GroupModel> model_;
  std::unique_ptr<LearnedSpace> learned_;  // null: rows are grouped as they come
  GroupPool pool_;
  std::vector<Group> groups_;
  std::vector<Label> scored_;          // labels of the model's columns
  std::optional<GroupScores> scores_;  // the clusterer's own model, in place of model_
  Index expected_ = 0;                 // classes there are, as somebody said; 0: nobody did
};

// A recogniser that groups by the clusterer of that name.
PartSpec discovery_spec(std::string name, std::string clusterer, std::string summary,
                        std::string cost, std::string paper,
                        std::function<std::unique_ptr<GroupModel>()> model);

}  // namespace tyto
