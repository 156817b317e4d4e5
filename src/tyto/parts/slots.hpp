// SPDX-License-Identifier: Apache-2.0
// The slots of a predictor. A part is an object that fills one slot or several. Function names
// differ from slot to slot, so that a joint model overrides each once.
//
// Evidence holds finite features of the width first learned: the composition checks for all. (A
// representation sees raw rows, before that check.)
// Learning calls are not thread safe; the const ones may run concurrently. A part starts again
// when the experience says so: then the features have moved, and it is shown all that is
// remembered.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/parts/change.hpp"
#include "tyto/parts/experience.hpp"
#include "tyto/sample/prediction.hpp"
#include "tyto/sample/saved.hpp"

namespace tyto {

struct Needs {  // checked when a predictor is put together; refused with a sentence if unmet
  // Of the samples, besides the features that all parts see; checked at every lesson.
  std::vector<std::string> sources;
  bool frames = false;         // Evidence::frames
  bool classifier = false;     // logits, classes and probability in the evidence
  bool embedding = false;      // Evidence::embedding: the classifier gives one
  bool detector = false;       // novelty and p-values
  bool head = false;           // Classifier::head gives one
  bool gradient = false;       // Classifier::pull_back works
  Index neighbours = 0;        // remembered ones, in Evidence::near
  bool rivals = false;         // and the nearest of another class
  Index batch_neighbours = 0;  // within the batch; discover and order see it whole
};

struct Holding {  // samples a part keeps, in the three units a budget may have
  Index samples = 0, frames = 0, bytes = 0;
};

Holding holding_of(const Matrix& features);  // copied, a row per sample

struct Part : Saved {
  [[nodiscard]] virtual Needs needs() const { return {}; }

  // What it keeps of the samples it was shown, copied or referred to: the experience it draws on.
  // Sums, means and weights are the model and do not count.
  [[nodiscard]] virtual Holding holding() const { return {}; }
};

struct StatelessPart : Part {  // there is nothing to save

  void save(State&) const override {}

  void load(const State&, const Shelf&) override {}
};

struct Representation : Interface {  // features -> features, row by row

  // True: the features have moved, and everything below starts again from the memory. In the
  // experience passed here, features() are the raw rows.
  virtual bool adapt(const Experience&, Work&) { return false; }

  // Before it adapts, of one that sees a part of what the whole sees (docs/decisions/0012): what
  // was settled by a choice is settled alike. The whole is of the same kind.
  virtual void follow(const Representation& /*whole*/) {}

  // The one of several that it took, for the record; empty where there was nothing to choose.
  [[nodiscard]] virtual std::string settled() const { return {}; }

  // Of raw rows, each for itself: a row may be a sample or one of its frames. No row gives none.
  [[nodiscard]] virtual Matrix represent(const MatrixView& rows) const = 0;
};

struct MemoryTerms {             // what a memory goes by, for the record
  std::optional<Index> budget;   // in its unit, of all classes together; none: it has no bounds
  std::string unit = "samples";  // "samples", "frames" or "bytes"
  Index frames_each = 0;         // frames kept of a sample at most, 0: all of them
  // Of the samples it took from the last lesson: how far the mean of the kept frames lies from that
  // of all of them, as a share of the latter's length; a mean over samples. None: it thins nothing.
  std::optional<double> drift;
};

struct Memory : Interface {  // what the other parts are shown again
  // The evidence has class scores where the classifier looks nothing up in the memory.
  virtual void keep(const Experience& all, Work& work) = 0;
  [[nodiscard]] virtual const Samples& samples() const = 0;
  [[nodiscard]] virtual const std::vector<Label>& labels() const = 0;
  [[nodiscard]] virtual const std::vector<Role>& roles() const = 0;

  [[nodiscard]] virtual MemoryTerms terms() const { return {}; }
};

struct LinearHead {  // logits = inputs weight' + bias, up to a term common to a row's classes (ncm)
  Matrix weight;     // a row per entry of Evidence::classes
  Matrix bias;       // one row
  bool on_embedding;  // inputs are Evidence::embedding, otherwise Evidence::features
};

struct Classifier : Interface {  // features -> logits over known classes
  // Learns from rows with Role::fit; the remembered ones have been learned before.
  virtual void learn(const Experience& experience, Work& work) = 0;

  // The memory has changed: `remembered` is all it holds now, for exemplar means. Its evidence has
  // neighbours and class scores as they are without this call.
  virtual void settle(const Experience& /*remembered*/, Work&) {}

  // After that, with neighbours in the evidence: held-out samples may weigh what was fitted.
  virtual void weigh(const Experience&, Work&) {}

  virtual void classify(Evidence& evidence) const = 0;

  [[nodiscard]] virtual bool has_head() const { return false; }  // known before it has learned

  [[nodiscard]] virtual bool has_gradient() const { return false; }

  [[nodiscard]] virtual bool has_embedding() const { return false; }  // classify fills it

  // The last layer, where it is linear. Throws where has_head() is false.
  [[nodiscard]] virtual LinearHead head() const;

  // Per row the gradient of sum_c weight(i, c) logit(i, c) by the features.
  [[nodiscard]] virtual Matrix pull_back(const Evidence& evidence, const Matrix& weight) const;
};

struct Calibrator : Interface {  // logits -> probabilities one can trust
  virtual void tune(const Experience& experience, Work& work) = 0;  // on Role::hold
  virtual void calibrate(Evidence& evidence) const = 0;

  // Of the last fit, for the record: a temperature, or a row of values by epoch. Empty without one.
  [[nodiscard]] virtual std::map<std::string, Dense<double>, std::less<>> fitted() const {
    return {};
  }

  // Of calibrators that train, with calibrated evidence. Empty without one.
  [[nodiscard]] virtual ByEpoch by_epoch(const Evidence&) const { return {}; }
};

struct ScoreNote {  // one score of a sample, for `tyto predict --why`
  std::string score;
  float value = 0, p_value = 1;
};

struct Detector : Interface {  // -> novelty score

  virtual void profile(const Experience&, Work&) {}  // learns what is normal from Role::fit

  virtual void detect(Evidence& evidence) const = 0;

  // A rule of the detector's own; none: the threshold comes from held-out samples.
  [[nodiscard]] virtual std::optional<float> own_threshold() const { return {}; }

  // Which scores speak for novelty, row by row; empty for a detector that has one score only.
  [[nodiscard]] virtual std::vector<std::vector<ScoreNote>> explain(const Evidence&) const {
    return {};
  }
};

struct Recogniser : Interface {  // unknown samples -> discovered classes with lasting identities
  // A batch without labels; `past` is what is remembered, nothing of it fresh.
  virtual void discover(const Evidence& batch, const Experience& past, LabelSpace& space,
                        Work& work) = 0;
  // After a lesson: a group whose members were named is retired into that class.
  virtual void revise(const Experience& experience, LabelSpace& space, Work& work) = 0;
  virtual void recognise(Evidence& evidence) const = 0;

  // So many classes there are, known and new, where somebody knows; 0: nobody does.
  virtual void expect_classes(Index /*classes*/) {}
};

struct Alarm : Interface {  // p(the world has changed) along a stream; observe feeds it
  virtual std::vector<float> watch(const Evidence& batch) = 0;
  [[nodiscard]] virtual Change change() const = 0;

  virtual void start_again() {}  // after a lesson: what was new may be known now
};

struct Requester : Interface {  // fills the slot `feedback`
  // Rows of the batch, the most wanted first; at least min(budget, rows) of them, none twice.
  virtual std::vector<Index> order(const Evidence& batch, Index budget, Work& work) const = 0;

  // False: the order has nothing to do with the samples, so they need not be examined.
  [[nodiscard]] virtual bool looks_at_samples() const { return true; }

  // Samples are examined block by block and put together to be ordered. What is dropped from a
  // block here is not kept for all of them.
  virtual void drop_unused(Evidence&) const {}
};

}  // namespace tyto

// Example:
//
//   struct Constant final : StatelessPart, Detector {  // everything is equally new
//     void detect(Evidence& evidence) const override {
//       evidence.novelty.assign(at(evidence.size()), 0.0F);
//     }
//   };
