// SPDX-License-Identifier: Apache-2.0
// A classifier and detector from class densities: logits are log densities, with the prior of the
// classes if wanted; novelty is the negative of the highest log density.
#pragma once

#include <optional>

#include "tyto/parts/gaussian/class_densities.hpp"
#include "tyto/parts/joint_learner.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

struct PriorOptions {
  std::string prior = "equal";

  void describe(OptionVisitor& v);
};

class DensityPart : public Part, public JointLearner {
 public:
  // `name` is for messages. Without clusters: one Gaussian per class.
  DensityPart(std::string name, CovarianceOptions covariance, PriorOptions prior,
              std::optional<ClassClusters> clusters = {});

  void classify(Evidence& evidence) const override;
  void detect(Evidence& evidence) const override;
  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

 private:
  void study(const Experience& experience, Work& work) override;

  std::string name_;
  bool prior_by_counts_;
  std::optional<ClassClusters> clusters_;
  ClassDensities densities_;
};

}  // namespace tyto
