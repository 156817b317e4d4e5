// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/gaussian/density_part.hpp"

#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

void PriorOptions::describe(OptionVisitor& v) {
  static constexpr std::string_view kPriors[] = {"equal", "counts"};
  v.field("prior", prior, kPriors, "classes equally likely, or by their number of samples");
}

DensityPart::DensityPart(std::string name, CovarianceOptions covariance, PriorOptions prior,
                         std::optional<ClassClusters> clusters)
    : name_(std::move(name)),
      prior_by_counts_(prior.prior == "counts"),
      clusters_(std::move(clusters)),
      densities_(std::move(covariance)) {}

void DensityPart::study(const Experience& experience, Work& work) {
  densities_.learn(experience, clusters_ ? &*clusters_ : nullptr, work);
}

void DensityPart::classify(Evidence& evidence) const {
  evidence.classes = densities_.labels();
  evidence.logits = densities_.log_density(evidence.features);
  if (prior_by_counts_) {
    evidence.logits.rowwise() += densities_.log_prior().transpose();
  }
}

void DensityPart::detect(Evidence& evidence) const {
  if (densities_.components() == 0) {
    throw Error(ErrorKind::state,
                fmt::format("detector {} has seen no labelled sample to fit on", name_));
  }
  evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
  if (evidence.size() == 0) {
    return;
  }
  Matrix density;
  if (evidence.classifier == this) {  // it has just been computed
    density = evidence.logits;
    if (prior_by_counts_) {
      density.rowwise() -= densities_.log_prior().transpose();
    }
  } else {
    density = densities_.log_density(evidence.features);
  }
  Vector::Map(evidence.novelty.data(), evidence.size()) = -density.rowwise().maxCoeff();
}

void DensityPart::save(State& state) const {
  densities_.save(state);
}

void DensityPart::load(const State& state, const Shelf&) {
  densities_.load(state);
}

}  // namespace tyto
