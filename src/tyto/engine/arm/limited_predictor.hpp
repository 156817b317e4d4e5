// SPDX-License-Identifier: Apache-2.0
// A predictor that is held to limits: what it learned in a call that took too much is undone.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "tyto/engine/arm/limits.hpp"
#include "tyto/engine/arm/passing_predictor.hpp"
#include "tyto/engine/arm/properties.hpp"
#include "tyto/world/world.hpp"

namespace tyto {

// Passes every call on. The first lesson stays, whatever it took: there is no state before it. What
// was predicted too slowly stands, since predicting changes nothing. One thread at a time.
class LimitedPredictor final : public PassingPredictor {
 public:
  using Seconds = std::function<double()>;  // a clock

  LimitedPredictor(Predictor& inner, const Limits& limits, Seconds clock = steady_seconds)
      : PassingPredictor(inner), limits_(limits), clock_(std::move(clock)) {}

  // Before any other call: where a state that is put back finds its samples, whose increments
  // these are, and where breaches are noted.
  void begin(const Shelf& shelf, const World& world, LimitBreaches& breaches) {
    shelf_ = &shelf;
    world_ = &world;
    breaches_ = &breaches;
  }

  void learn(const Lesson& lesson, Work& work) override {
    limited("learn", [&] { inner_.learn(lesson, work); });
  }

  std::vector<float> observe(const Samples& unlabelled, Work& work) override {
    std::vector<float> changed;
    limited("observe", [&] { changed = inner_.observe(unlabelled, work); });
    return changed;
  }

  [[nodiscard]] Prediction predict(const Samples& samples, Ask ask = {}) const override {
    const double start = limits_.predict_seconds > 0 ? clock_() : 0;
    Prediction prediction = inner_.predict(samples, ask);
    if (limits_.predict_seconds > 0) {
      (void)note("predict", "predict_seconds", limits_.predict_seconds, clock_() - start, false);
    }
    return prediction;
  }

 private:
  static double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  template <class Call>
  void limited(const char* name, const Call& call) {
    if (limits_.learn_seconds <= 0 && limits_.memory_bytes <= 0) {
      call();
      return;
    }
    const bool is_first = inner_.labels().known().empty();
    State before;
    if (!is_first) {
      inner_.save(before);
    }
    const double start = clock_();
    call();
    const double seconds = clock_() - start;
    bool beyond = note(name, "learn_seconds", limits_.learn_seconds, seconds, !is_first);
    if (limits_.memory_bytes > 0) {
      State after;
      inner_.save(after);
      const auto bytes = static_cast<double>(state_bytes(after));
      beyond = note(name, "memory_bytes", limits_.memory_bytes, bytes, !is_first) || beyond;
    }
    if (beyond && !is_first) {
      inner_.load(before, *shelf_);
    }
  }

  bool note(const char* call, const char* limit, double allowed, double used, bool undone) const {
    if (allowed <= 0 || used <= allowed) {
      return false;
    }
    breaches_->add({world_->deal().step, call, limit, allowed, used, undone});
    return true;
  }

  Limits limits_;
  Seconds clock_;
  const Shelf* shelf_ = nullptr;
  const World* world_ = nullptr;
  LimitBreaches* breaches_ = nullptr;
};

}  // namespace tyto
