// SPDX-License-Identifier: Apache-2.0
// Which frames of a sample stand for all of them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/math/class_statistics.hpp"
#include "tyto/parts/slots.hpp"

namespace tyto {

constexpr std::array<std::string_view, 5> kFrameChoices{"uniform", "k_centre", "typical",
                                                        "foreground", "condensed"};

// The centres of `count` equal parts of `all` frames.
std::vector<FrameMean> uniform_frames(Index all, Index count);

// The frame nearest to their mean, then again and again the one farthest from those taken; ties to
// the earlier, in time order. O(n count d).
std::vector<FrameMean> k_centre_frames(const MatrixView& frames, Index count);

// Those nearest to their mean, ties to the earlier, in time order.
std::vector<FrameMean> typical_frames(const MatrixView& frames, Index count);

// Those with the largest ratio of the distances to `everything` and to `own`, in time order: least
// like what all classes share, most like the own one.
std::vector<FrameMean> foreground_frames(const MatrixView& frames, Index count,
                                         const Eigen::RowVectorXd& own,
                                         const Eigen::RowVectorXd& everything);

// As many runs of equal length, each one frame: its mean, weighted by exp(-d^2 / s) with d the
// distance to `own` and s the mean of d^2 over the sample.
std::vector<FrameMean> condensed_frames(const MatrixView& frames, Index count,
                                        const Eigen::RowVectorXd& own);

// Mean of these frames, as the kept sample will have it.
Eigen::RowVectorXd mean_of(const MatrixView& frames, const std::vector<FrameMean>& kept);

// A rule by name, with what it must know of the frames of all classes so far. These come in with
// each lesson, of labelled samples to fit on alone.
class FrameChoice {
 public:
  explicit FrameChoice(std::string rule) : rule_(std::move(rule)) {}

  // True: it goes by the means of classes, so that it wants to see the frames of every lesson.
  [[nodiscard]] bool learns() const { return rule_ == "foreground" || rule_ == "condensed"; }

  void start_again();
  void add(Label label, const MatrixView& frames);
  void prepare();  // after the last of a lesson

  // Held-out samples get uniform frames whatever the rule: a threshold set on frames near a class
  // mean would promise too much. So does a sample whose frames nobody shows (no rows).
  [[nodiscard]] std::vector<FrameMean> pick(Label label, Role role, const MatrixView& frames,
                                            Index all, Index count) const;

  void save(State& state) const;
  void load(const State& state);

 private:
  std::string rule_;
  ClassStatistics seen_{Scatter::diagonal};
  std::map<Label, Eigen::RowVectorXd> means_;
  Eigen::RowVectorXd everything_;
};

}  // namespace tyto
