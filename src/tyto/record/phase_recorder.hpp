// SPDX-License-Identifier: Apache-2.0
// Makes phases of predictions, compactly: the k best entries and a few numbers per sample.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/record/record.hpp"

namespace tyto {

struct RecordOptions {
  Index top = 5;            // entries kept per sample
  bool full = false;        // whole probability rows as well
  bool states = false;      // the state after every increment
  bool reliability = true;  // what measures of confidence need
  bool epochs = false;      // and confidence by epoch of calibrators that train

  void describe(OptionVisitor& visitor);
};

class PhaseRecorder final : public Recorder {
 public:
  using Sink = std::function<void(const Phase&)>;

  // `truth` may be null; p_true is then left empty. The sink gets each phase when it ends.
  PhaseRecorder(RecordOptions options, const Truth* truth, Sink sink);

  void begin(const PhaseKey& key, const PhaseFacts& facts) override;
  void add(const Samples& samples, const Prediction& prediction,
           std::span<const float> changed) override;
  void end() override;

  [[nodiscard]] Ask ask() const override {
    return {.log_known = options_.reliability, .epochs = options_.reliability && options_.epochs};
  }

 private:
  // By name; none where the space does not have it, or there is no truth.
  [[nodiscard]] std::vector<std::optional<Label>> true_labels(const Samples& samples,
                                                              const LabelSpace& space) const;
  void add_given_known(const Samples& samples, const Prediction& prediction);

  RecordOptions options_;
  const Truth* truth_;
  Sink sink_;
  Phase phase_;
  std::vector<Matrix> full_, by_epoch_;  // one block per add
  std::vector<std::int32_t> top_;
  std::vector<float> top_probability_;
};

}  // namespace tyto
