// SPDX-License-Identifier: Apache-2.0
// Known classes and discovered groups as densities of one kind, in one object: classifier, detector
// and recogniser.
#pragma once

#include <memory>

#include "tyto/parts/gaussian/density_part.hpp"
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

class JointDensity : public DensityPart, public Recogniser {
 public:
  JointDensity(std::string name, CovarianceOptions covariance, PriorOptions prior,
               std::optional<ClassClusters> clusters, std::unique_ptr<Discovery> discovery)
      : DensityPart(std::move(name), std::move(covariance), std::move(prior), std::move(clusters)),
        discovery_(std::move(discovery)) {}

  [[nodiscard]] Needs needs() const override { return discovery_->needs(); }

  [[nodiscard]] Holding holding() const override { return discovery_->holding(); }

  void discover(const Evidence& batch, const Experience& past, LabelSpace& space,
                Work& work) override {
    discovery_->discover(batch, past, space, work);
  }

  void revise(const Experience& experience, LabelSpace& space, Work& work) override {
    discovery_->revise(experience, space, work);
  }

  void recognise(Evidence& evidence) const override { discovery_->recognise(evidence); }

  void save(State& state) const override {
    DensityPart::save(state.make_child("densities"));
    discovery_->save(state.make_child("discovery"));
  }

  void load(const State& state, const Shelf& shelf) override {
    DensityPart::load(state.child("densities"), shelf);
    discovery_->load(state.child("discovery"), shelf);
  }

 private:
  std::unique_ptr<Discovery> discovery_;
};

}  // namespace tyto
