// SPDX-License-Identifier: Apache-2.0
// Where novelty begins for a predictor: set after a lesson from known samples nobody fitted on,
// moved by the false alarms it is told of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/parts/slots.hpp"
#include "tyto/predictor/config.hpp"
#include "tyto/predictor/fusion.hpp"

namespace tyto {

struct HeldNovelty {  // of known samples, as a detector sees them that never fitted on them
  std::vector<std::uint32_t> ids;
  std::vector<float> novelty;
  std::vector<Label> labels;
  std::vector<std::uint32_t> groups;  // a person, a source video

  void add(const std::vector<float>& scores, std::span<const Label> names, const Samples& samples);
};

// How many samples of a group are worth one of another group, by how they exceed the (1 - error)
// quantile: the ratio of the variance of that share, whole groups being drawn, to that of samples
// drawn one by one; between 1, also where there is one group only, and the samples of the greatest
// group. `weight` as in Threshold.
double design_effect(const HeldNovelty& held, const std::vector<float>& weight, double error);

// How often each class came in a lesson, among samples nobody chose: all of the first lesson, the
// held-out ones of any later.
std::map<Label, Index> count_unchosen(std::span<const Label> labels, std::span<const Role> roles,
                                      bool is_first);

// Of the held-out samples of a lesson.
HeldNovelty score_held(const Experience& experience, const Detector& detector);

struct GroupEvidence;

struct HeldSamples {  // whom the threshold rests on, each with its novelty and what it counts
  std::vector<std::uint32_t> id;
  std::vector<float> novelty, weight;  // no weights: all alike
};

void save_threshold(const Threshold& threshold, State& state);
Threshold loaded_threshold(const State& state);

class NoveltyThreshold {
 public:
  explicit NoveltyThreshold(const PredictorConfig& config);

  [[nodiscard]] bool is_settled() const { return frozen_ && threshold_; }  // once and for all

  // `came`: how often each class did lately. `own`: the detector's own threshold, which goes before
  // the accepted error. False: nothing is held and nothing was before, so that there is no
  // threshold.
  [[nodiscard]] bool set(HeldNovelty held, const std::map<Label, Index>& came,
                         std::optional<float> own);

  // Moves the threshold towards the accepted error, unless it is frozen or the detector's own.
  void hear(const std::map<std::string, double>& measures, std::optional<float> own);

  // Sentences on what it cannot promise: an accepted error less than so few samples can show.
  [[nodiscard]] std::vector<std::string> cautions(std::optional<float> own) const;

  [[nodiscard]] const Threshold* get() const { return threshold_ ? &*threshold_ : nullptr; }

  [[nodiscard]] const HeldSamples& held() const { return held_; }

  // By these of the held-out samples alone, each in a group or not. Nothing where none is asked, or
  // where no more may be suspected than called new.
  [[nodiscard]] std::optional<GroupEvidence> with_groups(const std::vector<std::size_t>& which,
                                                         const std::vector<std::uint8_t>& in_group,
                                                         double suspected) const;

  // Among the values of its owner.
  void save(State& state) const;
  void load(const State& state);

 private:
  // At this error, by the rule.
  [[nodiscard]] Threshold placed(std::vector<float> held, double error, std::vector<float> weight,
                                 double alike) const;

  double accepted_error_, heed_;
  bool frozen_, plain_, by_groups_;
  ThresholdBy by_;
  double aim_;  // the error the threshold is set for: the accepted one, corrected by what was heard
  std::optional<Threshold> threshold_;
  HeldSamples held_;
};

}  // namespace tyto
