// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tyto/math/class_statistics.hpp"
#include "tyto/math/softmax.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct OdinOptions {
  double temperature = 1000.0, step = 0.05;

  void describe(OptionVisitor& v) {
    v.field("temperature", temperature, {1e-3, 1e6}, "divides the logits");
    v.field("step", step, {0.0, 10.0},
            "how far a sample is moved towards its class before it is scored, in standard "
            "deviations of each feature; 0: not at all");
  }
};

// x' = x + step s sign(d log max softmax(v / T) / dx), s the spread of each feature; the score is
// T (log sum exp(v' / T) - log k) - max v', which falls as the softmax of x' rises and keeps its
// digits at high T.
class Odin final : public Part, public Detector {
 public:
  explicit Odin(OdinOptions options) : options_(options) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    needs.gradient = options_.step > 0.0;
    return needs;
  }

  void profile(const Experience& experience, Work& work) override {
    if (experience.starts_over()) {
      features_ = ClassStatistics(Scatter::diagonal);
    }
    experience.each_block(Role::fit, experience.fresh(),
                          [&](const Evidence& block, std::span<const Label>) {
                            features_.add(block.features);
                            work.progress.pulse();
                          });
  }

  void detect(Evidence& evidence) const override {
    if (options_.step == 0.0) {
      score(evidence, evidence);
      return;
    }
    if (features_.count() == 0) {
      throw Error(ErrorKind::state, "detector odin has seen no labelled sample to fit on");
    }
    Evidence moved;
    moved.samples = evidence.samples;
    moved.features = evidence.features;
    if (evidence.size() > 0) {
      const auto freedom = static_cast<double>(std::max<Index>(1, features_.count() - 1));
      const Vector spread = (features_.diagonal() / freedom).cwiseSqrt().cast<float>() *
                            static_cast<float>(options_.step);
      moved.features +=
          (gradient(evidence).array().sign().rowwise() * spread.transpose().array()).matrix();
    }
    evidence.classifier->classify(moved);
    score(moved, evidence);
  }

  void save(State& state) const override { features_.save(state); }

  void load(const State& state, const Shelf&) override { features_.load(state); }

 private:
  // Of the log of the highest softmax: e_best - p by the logits, nothing by that of `unknown`.
  [[nodiscard]] Matrix gradient(const Evidence& evidence) const {
    const std::vector<Index> columns = known_columns(evidence);
    const Matrix known = known_part(evidence, evidence.logits, "detector odin");
    const Matrix p = softmax(known / static_cast<float>(options_.temperature));
    Matrix weight = Matrix::Zero(evidence.logits.rows(), evidence.logits.cols());
    for (Index i = 0; i < known.rows(); ++i) {
      Index best = 0;
      known.row(i).maxCoeff(&best);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        weight(i, columns[c]) = -p(i, static_cast<Index>(c));
      }
      weight(i, columns[static_cast<std::size_t>(best)]) += 1.0F;
    }
    return evidence.classifier->pull_back(evidence, weight);
  }

  void score(const Evidence& from, Evidence& to) const {
    const Matrix known = known_part(from, from.logits, "detector odin");
    to.novelty.resize(static_cast<std::size_t>(known.rows()));
    const double t = options_.temperature;
    for (Index i = 0; i < known.rows(); ++i) {
      const Eigen::ArrayXd below =
          (known.row(i).cast<double>().array() - static_cast<double>(known.row(i).maxCoeff()));
      to.novelty[static_cast<std::size_t>(i)] =
          static_cast<float>(t * std::log((below / t).exp().mean()));
    }
  }

  OdinOptions options_;
  ClassStatistics features_{Scatter::diagonal};
};

}  // namespace

PartSpec odin_spec() {
  return part_spec<OdinOptions, Odin>(
      "odin", {Slot::detector},
      "softmax at a high temperature, after a small step towards the predicted class",
      "O(n d) to learn, two classifications and a gradient to detect, O(d) memory",
      "Liang et al., Enhancing the Reliability of Out-of-Distribution Image Detection in Neural "
      "Networks, ICLR 2018");
}

}  // namespace tyto
