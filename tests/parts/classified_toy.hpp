// SPDX-License-Identifier: Apache-2.0
// An experience whose evidence has class scores, and a classifier given by its weights.
#pragma once

#include "parts/toy_experience.hpp"

#include "tyto/math/softmax.hpp"

namespace tyto {

// Classes c1, c2, ... with logits x W' + b.
struct GivenHead final : Classifier {
  Matrix weight, bias;

  GivenHead(Matrix w, Matrix b) : weight(std::move(w)), bias(std::move(b)) {}

  void learn(const Experience&, Work&) override {}

  void classify(Evidence& evidence) const override {
    evidence.logits = evidence.features * weight.transpose();
    evidence.logits.rowwise() += bias.row(0);
    evidence.classes.clear();
    for (Index c = 0; c < weight.rows(); ++c) {
      evidence.classes.push_back(static_cast<Label>(c + 1));
    }
  }

  [[nodiscard]] bool has_head() const override { return true; }

  [[nodiscard]] bool has_gradient() const override { return true; }

  [[nodiscard]] LinearHead head() const override { return {weight, bias, false}; }

  [[nodiscard]] Matrix pull_back(const Evidence&, const Matrix& by) const override {
    return by * weight;
  }
};

inline void classify_fully(const Classifier& classifier, Evidence& evidence) {
  evidence.classifier = &classifier;
  classifier.classify(evidence);
  evidence.probability = softmax(evidence.logits);
}

inline Evidence fully_classified(const Classifier& classifier, const Matrix& features,
                                 std::uint32_t first_id = 100000) {
  Evidence evidence;
  evidence.samples = toy_samples(features, first_id);
  evidence.features = features;
  classify_fully(classifier, evidence);
  return evidence;
}

class ClassifiedToy final : public Experience {
 public:
  ClassifiedToy(const Classifier& classifier, const Matrix& features,
                const std::vector<int>& labels, std::vector<Role> roles = {}, Index fresh = 0)
      : classifier_(classifier), rows_(features, labels, std::move(roles), fresh) {}

  [[nodiscard]] Index size() const override { return rows_.size(); }

  [[nodiscard]] Index fresh() const override { return rows_.fresh(); }

  [[nodiscard]] std::span<const Label> labels() const override { return rows_.labels(); }

  [[nodiscard]] std::span<const Role> roles() const override { return rows_.roles(); }

  [[nodiscard]] const LabelSpace& space() const override { return rows_.space(); }

  [[nodiscard]] bool starts_over() const override { return rows_.starts_over(); }

  [[nodiscard]] Samples samples(Rows which) const override { return rows_.samples(which); }

  [[nodiscard]] Matrix features(Rows which) const override { return rows_.features(which); }

  void each_block(Role role, Index from, const Visit& visit) const override {
    rows_.each_block(role, from, [&](const Evidence& block, std::span<const Label> labels) {
      Evidence evidence = block;
      classify_fully(classifier_, evidence);
      visit(evidence, labels);
    });
  }

 private:
  const Classifier& classifier_;
  ToyExperience rows_;
};

}  // namespace tyto
