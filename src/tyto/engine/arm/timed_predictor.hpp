// SPDX-License-Identifier: Apache-2.0
// A predictor with a stopwatch: what it costs itself, apart from the exchange around it.
#pragma once

#include <chrono>

#include "tyto/engine/arm/passing_predictor.hpp"

namespace tyto {

struct PredictorSeconds {
  double learn = 0, predict = 0, other = 0;  // other: observe, request, hear
  Index learned = 0, predicted = 0;          // samples of the first two

  [[nodiscard]] double all() const { return learn + predict + other; }
};

// Passes every call on. One thread at a time.
class TimedPredictor final : public PassingPredictor {
 public:
  using PassingPredictor::PassingPredictor;

  void learn(const Lesson& lesson, Work& work) override {
    const Watch watch(seconds_.learn);
    inner_.learn(lesson, work);
    seconds_.learned += lesson.samples.size();
  }

  std::vector<float> observe(const Samples& unlabelled, Work& work) override {
    const Watch watch(seconds_.other);
    return inner_.observe(unlabelled, work);
  }

  [[nodiscard]] Prediction predict(const Samples& samples, Ask ask = {}) const override {
    const Watch watch(seconds_.predict);
    seconds_.predicted += samples.size();
    return inner_.predict(samples, ask);
  }

  std::vector<Index> request(const Samples& samples, Index budget, Work& work) const override {
    const Watch watch(seconds_.other);
    return inner_.request(samples, budget, work);
  }

  void hear(const std::map<std::string, double>& measures) override {
    const Watch watch(seconds_.other);
    inner_.hear(measures);
  }

  [[nodiscard]] const PredictorSeconds& so_far() const { return seconds_; }

  // Since the last call.
  PredictorSeconds take() { return std::exchange(seconds_, {}); }

 private:
  using Clock = std::chrono::steady_clock;

  class Watch {
   public:
    explicit Watch(double& sum) : sum_(sum) {}

    ~Watch() { sum_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    double& sum_;
    Clock::time_point start_ = Clock::now();
  };

  mutable PredictorSeconds seconds_;
};

}  // namespace tyto
