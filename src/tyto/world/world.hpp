// SPDX-License-Identifier: Apache-2.0
// The truth, dealt out over time: increments, tasks, rounds or episodes; here or behind a wire.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/record/record.hpp"
#include "tyto/sample/label_change.hpp"
#include "tyto/sample/prediction.hpp"
#include "tyto/sample/saved.hpp"

namespace tyto {

struct Split {
  std::string name;  // "train", "validate", "test"
  Samples samples;
};

// Where a round stands in a world of tests. Every test begins with what was learned at the start.
struct Round {
  std::string protocol;   // that the tests are of: "OND", "CONDDA"
  std::string test;       // its id
  std::string setting;    // under which the test is taken: "system", "given"
  Index test_number = 0;  // of the tests of this world, from 1; the same in every setting
  Index number = 0;       // of the rounds of this test, from 0
  // Rows before this one are from before the change; the size of the round or more: so are all of
  // them. None: the moment is not told.
  std::optional<Index> changed_from = {};
};

struct Deal {  // what is shown at one step; a split may be empty
  Index step = 0;
  std::vector<Split> splits;
  std::optional<Round> round = {};

  [[nodiscard]] const Split* find(std::string_view name) const;
};

struct Brief {      // what is said before the start
  Index steps = 0;  // 0: not told
  // Classes among the samples that train and test, known and new together, where all are shown at
  // once; 0: not told.
  Index classes = 0;
};

struct Answer {
  const Split& split;
  const Prediction& prediction;
  std::span<const float> changed;
};

// labels: the class of each row. detection: is it novel, as a value of 0 or 1. score: how the
// answers did.
enum class FeedbackKind { labels, detection, score };

struct Feedback {
  std::vector<Index> row;         // of the split asked about; none for scores
  std::vector<std::string> name;  // of the class, "" where it is but said to be new; of the score
  std::vector<double> value;      // of the score, of detection
};

// What an oracle makes its answers of: the sample by the name the data give it, and its class.
struct LookedUp {
  std::vector<std::string> sample, label;
};

// The only way from the truth to a protocol. It keeps the budget: what is asked beyond it is not
// answered. State = position, grants and budget; resuming continues from there.
struct World : Saved {
  [[nodiscard]] virtual Brief brief() const = 0;
  virtual bool advance() = 0;  // to the first step, then the next; false: the end
  [[nodiscard]] virtual const Deal& deal() const = 0;

  virtual void post(const Answer&) {}  // some feedback depends on what was answered

  // Truth about rows of a split of the current deal, in this order, as far as the budget goes.
  virtual Feedback ask(FeedbackKind kind, const Split& split, Rows order) = 0;
  // How many rows of `split` may still be asked about at this step.
  [[nodiscard]] virtual Index budget(const Split& split) const = 0;

  // For an oracle that says something else than the label it is asked for: the truth about rows of
  // train, free of charge, since the predictor hears none of it as it is. What is said is charged.
  // Throws Error(config) where the world hands out labels alone.
  [[nodiscard]] virtual LookedUp look_up(const Split& split, Rows rows) const;
  // What may still be spent on answers at this step, a label being worth 1; never more than that
  // is charged.
  [[nodiscard]] virtual double purse(const Split& split) const;
  virtual void charge(const Split& split, double cost);

  // Classes shown before this step, as far as they are known here: for the recorder and the
  // measures alone.
  [[nodiscard]] virtual std::vector<std::string> shown_before() const { return {}; }

  // The last earlier step that showed each of these; -1: none yet, it belongs to the start. Empty:
  // this world does not say.
  [[nodiscard]] virtual std::vector<Index> last_shown() const { return {}; }

  // Classes that are called otherwise from this step on; who may hear of which is the protocol's
  // matter.
  [[nodiscard]] virtual std::vector<LabelChange> label_changes() const { return {}; }

  // The task, from 0, of each row of a split or of rows of one, test samples too: for a protocol
  // that is to tell answers within a task. Empty: this world does not say.
  [[nodiscard]] virtual std::vector<Index> tasks_of(const Split&) const { return {}; }
};

}  // namespace tyto

// Example:
//
//   const auto rows_shown = [](World& world) {
//     Index count = 0;
//     while (world.advance()) {
//       for (const Split& split : world.deal().splits) {
//         count += split.samples.size();
//       }
//     }
//     return count;
//   };
