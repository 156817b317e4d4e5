// SPDX-License-Identifier: Apache-2.0
// Generalised entropy of the highest probabilities.
#include <algorithm>
#include <cmath>

#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct GenOptions {
  double gamma = 0.1;
  Index top = 100;

  void describe(OptionVisitor& v) {
    v.field("gamma", gamma, {1e-3, 10.0},
            "power of p (1 - p); below 1 a small doubt counts nearly as much as a great one");
    v.field("top", top, {1, 1e6}, "so many of the highest probabilities count");
  }
};

class GeneralisedEntropy final : public StatelessPart, public Detector {
 public:
  explicit GeneralisedEntropy(GenOptions options) : options_(options) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  void detect(Evidence& evidence) const override {
    const Matrix probability = own_probability(evidence);
    const Matrix known = known_part(evidence, probability, "detector gen");
    evidence.novelty.resize(static_cast<std::size_t>(known.rows()));
    const Index top = std::min(options_.top, known.cols());
    for (Index i = 0; i < known.rows(); ++i) {
      double rejected = 0.0;  // the share of `unknown`
      for (Index c = 0; c < probability.cols(); ++c) {
        if (evidence.classes[static_cast<std::size_t>(c)] == Label::unknown) {
          rejected += probability(i, c);
        }
      }
      Eigen::VectorXd p = known.row(i).transpose().cast<double>();
      std::partial_sort(p.data(), p.data() + top, p.data() + p.size(), std::greater<>());
      // 1 - p of the first as the sum of the others: near p = 1 the difference has no digits left.
      double sum = std::pow(p[0] * (rejected + p.tail(p.size() - 1).sum()), options_.gamma);
      for (Index j = 1; j < top; ++j) {
        sum += std::pow(p[j] * (1.0 - p[j]), options_.gamma);
      }
      evidence.novelty[static_cast<std::size_t>(i)] = static_cast<float>(sum);
    }
  }

 private:
  GenOptions options_;
};

}  // namespace

PartSpec gen_spec() {
  return part_spec<GenOptions, GeneralisedEntropy>(
      "gen", {Slot::detector},
      "generalised entropy: the sum of p^gamma (1 - p)^gamma over the highest probabilities",
      "O(n k) time, no memory",
      "Liu et al., GEN: Pushing the Limits of Softmax-Based Out-of-Distribution Detection, CVPR "
      "2023");
}

}  // namespace tyto
