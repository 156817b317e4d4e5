// SPDX-License-Identifier: Apache-2.0
// ReAct and VRA: energy after cutting off unusual activations.
#include <array>

#include "tyto/math/quantile.hpp"
#include "tyto/parts/detector/activation_shaping.hpp"
#include "tyto/parts/detector/fit_sample.hpp"
#include "tyto/parts/detector/head_inputs.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kTooLowForms{"clip", "zero"};

struct ReactOptions {
  double upper = 0.9, lower = 0.0;
  std::string below = "clip";
  Index rows = 10000;

  void describe(OptionVisitor& v) {
    v.field("upper", upper, {0.0, 1.0},
            "activations are cut off at this quantile of all activations of the fit rows");
    v.field("lower", lower, {0.0, 1.0},
            "and below at this one (VRA, which takes 0.1); 0: not at all");
    v.field("below", below, kTooLowForms,
            "what becomes of an activation below the lower quantile: clip: raised to it; zero: 0");
    v.field("rows", rows, {1, 1e6},
            "fit rows the quantiles are taken of at most, chosen by a hash of their ids");
  }
};

// Energy of the last layer on activations cut off where few fit rows go.
class RectifiedActivations final : public Part, public Detector {
 public:
  explicit RectifiedActivations(ReactOptions options) : options_(std::move(options)) {
    if (options_.lower > options_.upper) {
      throw Error(ErrorKind::config,
                  fmt::format("detector react cuts off below at `lower`, which must not exceed "
                              "`upper`: {} and {}",
                              options_.lower, options_.upper));
    }
  }

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = needs.head = true;
    return needs;
  }

  // The classifier has moved, so all rows shown are looked at anew.
  void profile(const Experience& experience, Work& work) override {
    if (!key_) {
      key_ = work.rng.fork("react").key();
    }
    const FitSample sample(experience, options_.rows, *key_);
    if (sample.rows().empty()) {
      return;
    }
    const Matrix inputs = sample.head_inputs(experience, work);
    const std::span<const float> all(inputs.data(), at(inputs.size()));
    bounds_.resize(1, 2);
    bounds_(0, 0) = options_.lower > 0.0 ? quantile(all, options_.lower) : 0.0;
    bounds_(0, 1) = quantile(all, options_.upper);
  }

  void detect(Evidence& evidence) const override {
    if (bounds_.size() == 0) {
      throw Error(ErrorKind::state, "detector react has seen no labelled sample to fit on");
    }
    Dense<double> shaped = head_inputs(evidence).cast<double>();
    if (options_.lower > 0.0) {
      const double least = bounds_(0, 0);
      const double instead = options_.below == "zero" ? 0.0 : least;
      shaped = (shaped.array() < least).select(instead, shaped);
    }
    score_by_energy(evidence, shaped.cwiseMin(bounds_(0, 1)));
  }

  void save(State& state) const override {
    if (key_) {
      state.set("key", static_cast<std::int64_t>(*key_));
      state.set("bounds", bounds_);
    }
  }

  void load(const State& state, const Shelf&) override {
    if (state.has("key")) {
      key_ = static_cast<std::uint64_t>(state.get<std::int64_t>("key"));
      bounds_ = state.get<Dense<double>>("bounds");
    }
  }

 private:
  ReactOptions options_;
  std::optional<std::uint64_t> key_;  // of the choice of rows; drawn once
  Dense<double> bounds_;              // lower and upper
};

}  // namespace

PartSpec react_spec() {
  return part_spec<ReactOptions, RectifiedActivations>(
      "react", {Slot::detector},
      "energy after cutting off activations that are higher than most fit samples have; with "
      "`lower` also those that are lower (VRA)",
      "with m the width the last layer sees: one classification of all samples shown to learn, "
      "O(n m k) to detect, no memory to speak of",
      "Sun et al., ReAct: Out-of-distribution Detection With Rectified Activations, NeurIPS 2021; "
      "Xu et al., VRA: Variational Rectified Activation, NeurIPS 2023");
}

}  // namespace tyto
