// SPDX-License-Identifier: Apache-2.0
// EWC and MAS: weights that mattered for earlier tasks are held where they were; no sample is kept.
#pragma once

#include "tyto/parts/incremental/network_learner.hpp"
#include "tyto/parts/incremental/weight_anchors.hpp"

namespace tyto {

struct AnchoredOptions : LearnerOptions {
  double strength = 0.0;
  Index importance_samples = 1000;

  AnchoredOptions(double standard, Index epochs_released);
  void describe(OptionVisitor& visitor) override;
};

class AnchoredLearner : public NetworkLearner {
 protected:
  // `factor` of strength in form sound: a half in EWC.
  struct Rule {
    ImportanceKind sound, released;
    double factor;
  };

  AnchoredLearner(std::string name, const AnchoredOptions& options, Rule rule)
      : NetworkLearner(std::move(name), options), anchored_(options), rule_(rule) {}

  [[nodiscard]] bool rehearses() const override { return false; }

  void begin(const ClipLesson& lesson) override;
  void plan(const ClipLesson&, Training& training) override;
  void finish(const ClipLesson& lesson, const Training& training, Work& work) override;

  void save_more(State& state) const override { anchors_.save(state); }

  void load_more(const State& state, const Shelf&) override { anchors_.load(state); }

 private:
  const AnchoredOptions& anchored_;
  Rule rule_;
  WeightAnchors anchors_;
};

}  // namespace tyto
