// SPDX-License-Identifier: Apache-2.0
// A mixture of Gaussians per class: new where no class has a high density.
#include "tyto/parts/gaussian/density_part.hpp"

namespace tyto {

namespace {

struct DensityOptions {
  ClassClustersOptions clusters;
  CovarianceOptions covariance;

  void describe(OptionVisitor& v) {
    clusters.describe(v);
    covariance.describe(v);
  }
};

class Density final : public DensityPart {
 public:
  explicit Density(DensityOptions options)
      : DensityPart("density", std::move(options.covariance), {},
                    ClassClusters(options.clusters, "density")) {}
};

}  // namespace

PartSpec density_spec() {
  PartSpec spec = part_spec<DensityOptions, Density>(
      "density", {Slot::detector},
      "a mixture of Gaussians per class from its clusters; new where no class has a high density. "
      "Classes with new samples are clustered again if remembered, and extended if not",
      "the clusterer's; with K components of rank r O(d^3 + K r d^2) per lesson, O(n d (d + K r)) "
      "to "
      "detect, O(d^2 + K r d) memory");
  spec.resolve = [resolve = spec.resolve](const ConfigNode& node, std::string_view path) {
    (void)make_clusterer(read_options<DensityOptions>(node, path).clusters, path);  // its options
    return resolve(node, path);
  };
  return spec;
}

}  // namespace tyto
