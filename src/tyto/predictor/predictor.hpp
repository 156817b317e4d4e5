// SPDX-License-Identifier: Apache-2.0
// What a protocol needs of a learner that may meet classes it has never seen.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/parts/experience.hpp"
#include "tyto/sample/label_change.hpp"
#include "tyto/sample/prediction.hpp"
#include "tyto/sample/saved.hpp"

namespace tyto {

struct Notes;

// Granted labels by name, "" for none: all that a predictor ever hears of classes.
struct Lesson {
  Samples samples;
  std::vector<std::string> names;
  std::vector<Role> roles;  // empty: the holdout rule decides; a validate split comes as hold
};

// learn and observe do all or nothing. predict and request may run concurrently.
struct Predictor : Saved {
  virtual void learn(const Lesson& lesson, Work& work) = 0;
  // Unlabelled samples as they arrive; p(the world has changed) per sample, empty without an alarm.
  virtual std::vector<float> observe(const Samples& unlabelled, Work& work) = 0;
  [[nodiscard]] virtual Prediction predict(const Samples& samples, Ask ask = {}) const = 0;
  // Rows of `samples` in the order in which their labels are wanted.
  virtual std::vector<Index> request(const Samples& samples, Index budget, Work& work) const = 0;

  // How its last predictions did, by name of the measure, where that is all an oracle tells.
  virtual void hear(const std::map<std::string, double>&) {}

  // So many classes there are, known and new, where somebody knows; 0: nobody does.
  virtual void expect_classes(Index /*classes*/) {}

  // Classes it was taught are called otherwise from now on. Who does nothing about it goes on with
  // the old names, which are wrong then.
  virtual void change_labels(const std::vector<LabelChange>&) {}

  [[nodiscard]] virtual const LabelSpace& labels() const = 0;

  // What it has to say of itself; a predictor without alarm, calibrator or memory says nothing.
  virtual void tell(Notes&) const {}
};

}  // namespace tyto

// Example:
//
//   const auto share_called_new = [](const Predictor& predictor, const Samples& samples) {
//     const Prediction answer = predictor.predict(samples);
//     Index called_new = 0;
//     for (const Label label : answer.label) {
//       called_new += answer.space->kind(label) == LabelKind::known ? 0 : 1;
//     }
//     return static_cast<double>(called_new) / static_cast<double>(samples.size());
//   };
