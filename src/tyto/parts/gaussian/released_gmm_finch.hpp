// SPDX-License-Identifier: Apache-2.0
// GMM FINCH as its authors released it: full covariances in double with a tiny jitter, components
// of equal weight, thresholds at the lowest density of a fitted row, and groups of unknown samples
// that are fitted anew and renumbered each time.
#pragma once

#include <map>

#include "tyto/parts/gaussian/class_clusters.hpp"
#include "tyto/parts/gaussian/jittered_gaussian.hpp"
#include "tyto/parts/joint_learner.hpp"
#include "tyto/parts/slots.hpp"

namespace tyto {

struct ReleasedOptions {
  double cov_epsilon = 1e-12;
  Index min_samples = 2;
  std::string threshold = "global";
  double min_error_tol = 5e-3;
  std::string quantile_of = "auto";  // "below" or "all" by the time a model is made

  void describe(OptionVisitor& v);
};

class ReleasedGmmFinch final : public Part, public JointLearner, public Recogniser {
 public:
  ReleasedGmmFinch(ReleasedOptions options, ClassClusters clusters);

  void classify(Evidence& evidence) const override;

  // Novelty: how far the best class or group stays below the threshold.
  void detect(Evidence& evidence) const override;

  [[nodiscard]] std::optional<float> own_threshold() const override { return 0.0F; }

  void discover(const Evidence& batch, const Experience& past, LabelSpace& space,
                Work& work) override;
  void revise(const Experience& experience, LabelSpace& space, Work& work) override;
  void recognise(Evidence& evidence) const override;

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

 private:
  using Components = std::vector<JitteredGaussian>;

  [[nodiscard]] Components fitted(const MatrixView& rows, Work& work) const;
  void study(const Experience& experience, Work& work) override;
  [[nodiscard]] double lowest_density(const Experience& experience) const;
  void calibrate(const Experience& experience);

  [[nodiscard]] bool global() const { return options_.threshold == "global"; }

  // Log density of each class, and how far the best class is above its threshold.
  [[nodiscard]] Dense<double> class_scores(const MatrixView& rows) const;
  [[nodiscard]] Vector known_margin(const MatrixView& rows, const Matrix& logits) const;
  [[nodiscard]] Vector group_margin(const Matrix& membership) const;
  [[nodiscard]] Matrix group_scores(const MatrixView& rows) const;
  void regroup(const MatrixView& pool, LabelSpace& space, Work& work);

  ReleasedOptions options_;
  ClassClusters clusters_;
  std::map<Label, Components> classes_;
  std::map<Label, double> class_threshold_;  // per class
  double threshold_ = 0, slack_ = 0;         // global; slack included
  Components groups_;
  std::vector<Label> group_labels_;
  double group_threshold_ = 0;
};

}  // namespace tyto
