// SPDX-License-Identifier: Apache-2.0
// Distance to the nearest class mean under one shared covariance.
#include "tyto/parts/detector/shared_gaussians.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct MahalanobisOptions {
  double shrinkage = 0.0;

  void describe(OptionVisitor& v) {
    v.field("shrinkage", shrinkage, {0.0, 1.0},
            "weight of a sphere in the shared covariance; 0: chosen from the data by OAS");
  }
};

class Mahalanobis final : public Part, public Detector {
 public:
  explicit Mahalanobis(MahalanobisOptions options) : classes_(options.shrinkage, "mahalanobis") {}

  void profile(const Experience& experience, Work& work) override {
    classes_.learn(experience, work);
  }

  void detect(Evidence& evidence) const override {
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() > 0) {
      Vector::Map(evidence.novelty.data(), evidence.size()) =
          classes_.distances(evidence.features).rowwise().minCoeff().cwiseSqrt();
    }
  }

  void save(State& state) const override { classes_.save(state); }

  void load(const State& state, const Shelf&) override { classes_.load(state); }

 private:
  SharedGaussians classes_;
};

}  // namespace

PartSpec mahalanobis_spec() {
  return part_spec<MahalanobisOptions, Mahalanobis>(
      "mahalanobis", {Slot::detector},
      "Mahalanobis distance to the nearest class mean under one shared covariance",
      "O(n d^2) to learn and O(d^3) per lesson, O(n d (d + k)) to detect, O(d^2 + k d) memory",
      "Lee et al., A Simple Unified Framework for Detecting Out-of-Distribution Samples and "
      "Adversarial Attacks, NeurIPS 2018");
}

}  // namespace tyto
