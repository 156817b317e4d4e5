// SPDX-License-Identifier: Apache-2.0
// One Gaussian per class, its covariance shrunk towards the shared one; detects too.
#include "tyto/parts/gaussian/density_part.hpp"

namespace tyto {

namespace {

struct GaussOptions {
  CovarianceOptions covariance;
  PriorOptions prior;

  void describe(OptionVisitor& v) {
    covariance.describe(v);
    prior.describe(v);
  }
};

class Gauss final : public DensityPart {
 public:
  explicit Gauss(GaussOptions options)
      : DensityPart("gauss", std::move(options.covariance), std::move(options.prior)) {}
};

}  // namespace

PartSpec gauss_spec() {
  return part_spec<GaussOptions, Gauss>(
      "gauss", {Slot::classifier, Slot::detector},
      "one Gaussian per class, its covariance shrunk towards the shared one; new where no class "
      "has "
      "a high density",
      "with rank r: O(n d (d + r + 128)) to learn, O(d^3 + k r d^2) per lesson, O(n d (d + k r)) "
      "to "
      "score, O(d^2 + k r d) memory",
      "Friedman, Regularized Discriminant Analysis, JASA 1989; Chen et al., Shrinkage Algorithms "
      "for "
      "MMSE Covariance Estimation, IEEE TSP 2010",
      "likelihood of one Gaussian per class with shrunk covariances (closed form, streaming)");
}

}  // namespace tyto
