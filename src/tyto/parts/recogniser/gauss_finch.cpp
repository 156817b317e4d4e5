// SPDX-License-Identifier: Apache-2.0
// Discovery by FINCH, each group a Gaussian that samples must fit to belong.
#include "tyto/parts/gaussian/group_models.hpp"
#include "tyto/parts/gaussian/joint_density.hpp"

namespace tyto {

namespace {

struct GaussFinchOptions {
  CovarianceOptions covariance;
  PriorOptions prior;
  DiscoveryOptions discovery;

  void describe(OptionVisitor& v) {
    covariance.describe(v);
    prior.describe(v);
    v.section(
        "discovery", [this](OptionVisitor& inner) { discovery.describe(inner); },
        "of groups among unknown samples; `cluster` has options of finch");
  }
};

class GaussFinch final : public JointDensity {
 public:
  explicit GaussFinch(const GaussFinchOptions& o)
      : JointDensity(
            "gauss_finch", o.covariance, o.prior, std::nullopt,
            std::make_unique<Discovery>(
                o.discovery,
                find_clusterer("finch").make(o.discovery.cluster, "gauss_finch.discovery.cluster"),
                gaussian_group_model(o.covariance))) {}
};

}  // namespace

PartSpec gauss_finch_spec() {
  return part_spec<GaussFinchOptions, GaussFinch>(
      "gauss_finch", {Slot::recogniser, Slot::classifier, Slot::detector},
      "one Gaussian per class and per group of unknown samples, the groups by FINCH",
      "that of gauss, and FINCH's over the pool of unknown samples",
      "Prijatelj et al., Human Activity Recognition in an Open World, JAIR 2024 (released code)");
}

}  // namespace tyto
