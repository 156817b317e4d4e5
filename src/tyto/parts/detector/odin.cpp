// SPDX-License-Identifier: Apache-2.0
// Softmax at a high temperature, after a small step towards the predicted class.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tyto/math/class_statistics.hpp"
#include "tyto/math/softmax.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kOdinForms{"sound", "paper", "released"};
constexpr std::array<float, 3> kPictureMean{0.485F, 0.456F, 0.406F};  // of R, G and B, of 0 to 1
constexpr float kBrightest = 255.0F;

struct OdinOptions {
  std::string form = "sound";
  double temperature = 1000.0, step = 0.05;

  void describe(OptionVisitor& v) {
    v.field("form", form, kOdinForms,
            "what a step is. sound: of every feature, in its standard deviations. Of pictures, R, "
            "G and B planes of 0 to 255: paper: of every pixel, in full brightness; released: the "
            "same, with the direction passed through the normalisation of pictures, as the "
            "program of NovelCraft does, which makes all of them darker or brighter too");
    v.field("temperature", temperature, {1e-3, 1e6}, "divides the logits");
    v.field("step", step, {0.0, 10.0},
            "how far a sample is moved towards its class before it is scored (see form); 0: not at "
            "all");
  }
};

// x' = x + step s sign(d log max softmax(v / T) / dx), s the spread of each feature, of pictures
// 255; as released x' = x - step s (g - m), g = 1 where the loss does not fall with x, else -1, and
// m the mean of the channel. The score is
// T (log sum exp(v' / T) - log k) - max v', which falls as the softmax of x' rises and keeps its
// digits at high T.
class Odin final : public Part, public Detector {
 public:
  explicit Odin(OdinOptions options) : options_(std::move(options)) {}

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
      moved.features += step(gradient(evidence));
    }
    if (evidence.frames.features.rows() == evidence.size()) {  // for classifiers of frames
      moved.frames = {moved.features, evidence.frames.first};
    }
    evidence.classifier->classify(moved);
    score(moved, evidence);
  }

  void save(State& state) const override { features_.save(state); }

  void load(const State& state, const Shelf&) override { features_.load(state); }

 private:
  // Along the gradient of the belief, a row per sample.
  [[nodiscard]] Matrix step(const Matrix& gradient) const {
    const auto length = static_cast<float>(options_.step);
    if (options_.form == "sound") {
      const auto freedom = static_cast<double>(std::max<Index>(1, features_.count() - 1));
      const Vector spread = (features_.diagonal() / freedom).cwiseSqrt().cast<float>() * length;
      return (gradient.array().sign().rowwise() * spread.transpose().array()).matrix();
    }
    if (gradient.cols() % 3 != 0) {
      throw Error(ErrorKind::data,
                  fmt::format("detector odin: form {} is for pictures, and rows of {} numbers are "
                              "no three planes",
                              options_.form, gradient.cols()));
    }
    if (options_.form == "paper") {
      return kBrightest * length * gradient.array().sign().matrix();
    }
    Matrix out(gradient.rows(), gradient.cols());
    const Index plane = gradient.cols() / 3;
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index j = 0; j < out.cols(); ++j) {
        const float sign = gradient(i, j) <= 0.0F ? 1.0F : -1.0F;  // of the loss
        out(i, j) = -kBrightest * length * (sign - kPictureMean[at(j / plane)]);
      }
    }
    return out;
  }

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
