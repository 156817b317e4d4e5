// SPDX-License-Identifier: Apache-2.0
// GMM-FINCH: mixtures from FINCH's clusters, as the sound and as the released form.
#include <fmt/format.h>

#include "tyto/parts/gaussian/group_models.hpp"
#include "tyto/parts/gaussian/joint_density.hpp"
#include "tyto/parts/gaussian/released_gmm_finch.hpp"

namespace tyto {

namespace {

constexpr std::string_view kGmmFinchForms[] = {"sound", "paper", "released"};

struct GmmFinchOptions {
  std::string form = "sound";
  ClassClustersOptions clusters;
  CovarianceOptions covariance;
  PriorOptions prior;
  DiscoveryOptions discovery;
  ReleasedOptions released;

  void describe(OptionVisitor& v) {
    v.field("form", form, kGmmFinchForms,
            "sound: weighted mixtures with shrunk covariances, a threshold from held-out samples, "
            "groups that last; released: as the authors' code, by the options under `released`; "
            "paper: the same with the threshold that the text of the paper sets, at a share of all "
            "held-out samples of the first lesson");
    clusters.describe(v);
    covariance.describe(v);
    prior.describe(v);
    v.section(
        "discovery", [this](OptionVisitor& inner) { discovery.describe(inner); },
        "of groups among unknown samples, in the form `sound`; `cluster` has options of finch");
    v.section(
        "released", [this](OptionVisitor& inner) { released.describe(inner); },
        "what the forms `released` and `paper` go by; they take the coarsest level");
  }
};

std::unique_ptr<Clusterer> group_clusterer(const GmmFinchOptions& o, std::string_view path) {
  return find_clusterer("finch").make(o.discovery.cluster,
                                      fmt::format("{}.discovery.cluster", path));
}

class SoundGmmFinch final : public JointDensity {
 public:
  explicit SoundGmmFinch(const GmmFinchOptions& o, std::string_view path = "gmm_finch")
      : JointDensity("gmm_finch", o.covariance, o.prior, ClassClusters(o.clusters, path),
                     std::make_unique<Discovery>(
                         o.discovery, group_clusterer(o, path),
                         mixture_group_model(o.covariance, ClassClusters(o.clusters, path)))) {}
};

std::unique_ptr<Part> make_gmm_finch(const ConfigNode& node, std::string_view path) {
  auto options = read_options<GmmFinchOptions>(node, path);
  if (options.form == "sound") {
    return std::make_unique<SoundGmmFinch>(options, path);
  }
  if (options.released.quantile_of == "auto") {
    options.released.quantile_of = options.form == "paper" ? "all" : "below";
  }
  options.clusters.level = "coarsest";
  if (options.clusters.clustering.is_null()) {
    options.clusters.clustering = ConfigNode::empty_map();  // finch as released, by cosine
  }
  return std::make_unique<ReleasedGmmFinch>(options.released,
                                            ClassClusters(options.clusters, path));
}

}  // namespace

PartSpec gmm_finch_spec() {
  PartSpec spec = part_spec<GmmFinchOptions, SoundGmmFinch>(
      "gmm_finch", {Slot::classifier, Slot::detector, Slot::recogniser},
      "a mixture of Gaussians per class and per group of unknown samples, its components from "
      "FINCH "
      "clusters; needs a memory to cluster a class again when it grows",
      "FINCH's; with K components of rank r O(d^3 + K r d^2) per lesson, O(n d (d + K r)) to "
      "score, "
      "O(d^2 + K r d) memory; released: K d^2 instead of K r d",
      "Prijatelj et al., Human Activity Recognition in an Open World, JAIR 2024",
      "likelihood of a mixture per class (clusters, then closed form)");
  spec.make = make_gmm_finch;
  spec.resolve = [resolve = spec.resolve](const ConfigNode& node, std::string_view path) {
    const auto options = read_options<GmmFinchOptions>(node, path);
    (void)make_clusterer(options.clusters, path);  // checks its options
    (void)group_clusterer(options, path);
    return resolve(node, path);
  };
  return spec;
}

}  // namespace tyto
