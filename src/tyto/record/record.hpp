// SPDX-License-Identifier: Apache-2.0
// Everything a measure may see of a run. Nothing here depends on the clock or on thread timing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/sample/prediction.hpp"
#include "tyto/sample/samples.hpp"

namespace tyto {

constexpr Index kTopRanks = 5;  // of top-k accuracy

struct PhaseKey {
  Index step = 0;
  std::string phase;  // "pre", "post"
  std::string split;  // "train", "validate", "test"
  Index batch = 0;    // of the increment, from 1; 0: the increment was shown at once

  [[nodiscard]] std::string name() const;  // "003_pre_test", "003-0001_pre_test"
  auto operator<=>(const PhaseKey&) const = default;
};

// A split seen under a nuisance: "test:blur".
std::string nuisance_split(std::string_view nuisance);
// The nuisance of such a split; "": it is seen as it is.
std::string_view nuisance_of(std::string_view split);

// The belief about each sample given that it is of a known class, for measures of confidence. All
// columns are empty where the predictor has no classifier or this was not to be kept.
struct GivenKnown {
  std::vector<std::int32_t> best;  // entry of the space
  std::vector<float> confidence;   // its probability
  std::vector<float> log_true;     // log probability of the true class; NaN where it is not known
  std::vector<float> squares;      // sum of the squared probabilities
  std::vector<float> temperature;  // of a calibrator that gives each sample its own, else empty
  // Where each answer came with a set of classes: its size, and whether the true one is in it.
  std::vector<float> set_size, in_set;
  double set_promise = 0;  // probability with which it should be
  ByEpoch by_epoch;        // on request, of calibrators that train
};

// What the feedback of this step came to so far, where it is more than labels at 1 apiece.
struct FeedbackFacts {
  double spent = 0;  // of the budget
  Index asked = 0;   // answers paid for, also where none came
  Index wrong = 0;   // of the labels granted, those that are not the truth
};

struct Phase {  // one evaluation of one split
  PhaseKey key;
  LabelSpace space;                            // the predictor's, at that moment
  std::vector<std::string> known;              // novel to the predictor: every class not in here
  std::vector<std::string> granted;            // class names granted at this step so far
  std::vector<std::string> shown;              // novel to the evaluator: every class not in here
  std::vector<Index> last_shown;               // as in PhaseFacts
  Index labels_granted = 0;                    // grants at this step so far
  std::optional<FeedbackFacts> feedback;       // of this step, too
  std::map<std::string, Index> task_of_class;  // as in PhaseFacts
  std::vector<SampleId> sample;
  Dense<std::int32_t> top;  // entries of `space`: the decision, then by probability, ties to lower
  Matrix top_probability;
  std::vector<float> p_true;  // 0 for a class the predictor does not know
  // For those who open the archive by other means, as docs/tutorial.md does; no measure reads
  // them, nor `probability` below.
  std::vector<float> p_unknown;  // on the entry `unknown` alone
  std::vector<float> novelty, p_value;
  std::vector<float> confidence;  // probability of the decision
  std::vector<float> changed;     // p(the world has changed); may be empty
  Matrix probability;             // on request
  GivenKnown given_known;

  [[nodiscard]] Index size() const { return static_cast<Index>(sample.size()); }

  [[nodiscard]] const std::string& decision(Index i) const {
    return space.name(static_cast<Label>(top(i, 0)));
  }
};

// By SampleId; joined when measuring, since a remote world may never reveal it.
struct Truth {
  std::vector<std::string> name, label;
  std::map<std::string, std::vector<std::string>> annotations;
  std::vector<double> time;        // as the data have it; empty: they have none
  std::vector<std::string> group;  // subject, source video; empty: they have none

  [[nodiscard]] const std::string& label_of(SampleId id) const {
    return label.at(static_cast<std::size_t>(id));
  }
};

// The annotation `task` by SampleId, 0 where a sample has none. Nothing where there is no such
// column, or it holds other words than whole numbers from 1.
std::vector<Index> annotated_tasks(const Truth& truth);

// Of a run, of another system's table, of rows posted to a server.
struct RunRecord : Interface {
  [[nodiscard]] virtual std::vector<PhaseKey> phases() const = 0;
  [[nodiscard]] virtual Phase phase(const PhaseKey& key) const = 0;
  [[nodiscard]] virtual const Truth* truth() const = 0;  // null: never revealed
};

// What is known besides the predictions when a phase begins.
struct PhaseFacts {
  std::vector<std::string> granted, shown;
  Index labels_granted = 0;
  // The task, from 0, that first brought each class learned so far; empty: the run has no tasks.
  std::map<std::string, Index> task_of_class = {};
  std::optional<FeedbackFacts> feedback = {};
  // The last step before this one at which each class of `shown` was shown; -1: it belongs to the
  // start, and this is the start. Empty: the world does not say.
  std::vector<Index> last_shown = {};
};

struct Recorder : Interface {
  virtual void begin(const PhaseKey& key, const PhaseFacts& facts) = 0;
  // May be called several times per phase: batches of one split.
  virtual void add(const Samples& samples, const Prediction& prediction,
                   std::span<const float> changed) = 0;
  virtual void end() = 0;

  [[nodiscard]] virtual Ask ask() const { return {}; }  // what predictions should hold
};

}  // namespace tyto

// Example:
//
//   const auto predictions = [](const RunRecord& record) {
//     Index count = 0;
//     for (const PhaseKey& key : record.phases()) {
//       count += record.phase(key).size();
//     }
//     return count;
//   };
