// SPDX-License-Identifier: Apache-2.0
// A predictor around another: passes every call on, for those that watch some of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tyto/predictor/predictor.hpp"

namespace tyto {

class PassingPredictor : public Predictor {
 public:
  explicit PassingPredictor(Predictor& inner) : inner_(inner) {}

  void learn(const Lesson& lesson, Work& work) override { inner_.learn(lesson, work); }

  std::vector<float> observe(const Samples& unlabelled, Work& work) override {
    return inner_.observe(unlabelled, work);
  }

  [[nodiscard]] Prediction predict(const Samples& samples, Ask ask = {}) const override {
    return inner_.predict(samples, ask);
  }

  std::vector<Index> request(const Samples& samples, Index budget, Work& work) const override {
    return inner_.request(samples, budget, work);
  }

  void hear(const std::map<std::string, double>& measures) override { inner_.hear(measures); }

  void expect_classes(Index classes) override { inner_.expect_classes(classes); }

  void change_labels(const std::vector<LabelChange>& changes) override {
    inner_.change_labels(changes);
  }

  [[nodiscard]] const LabelSpace& labels() const override { return inner_.labels(); }

  void tell(Notes& notes) const override { inner_.tell(notes); }

  void save(State& state) const override { inner_.save(state); }

  void load(const State& state, const Shelf& shelf) override { inner_.load(state, shelf); }

 protected:
  Predictor& inner_;
};

}  // namespace tyto
