// SPDX-License-Identifier: Apache-2.0
// A density for each class, one Gaussian or a mixture, learned lesson by lesson. All covariances
// lean on the one shared within components, the more the fewer rows a component has.
#pragma once

#include <map>

#include "tyto/math/class_statistics.hpp"
#include "tyto/parts/gaussian/class_clusters.hpp"
#include "tyto/parts/gaussian/gaussian_mixture.hpp"
#include "tyto/parts/slots.hpp"

namespace tyto {

struct CovarianceOptions {
  std::string covariance = "own";
  double shrinkage = 0.0;
  Index rank = 0;

  void describe(OptionVisitor& v);
};

class ClassDensities {
 public:
  explicit ClassDensities(CovarianceOptions options);

  // One Gaussian per class: adds the new rows to its sums. Mixtures: classes that got new rows are
  // clustered again, with all that is remembered of them; where nothing is, the new rows add
  // components of their own.
  void learn(const Experience& experience, const ClassClusters* clusters, Work& work);
  // Starts anew from these rows; every group in [0, groups) has one.
  void fit(const MatrixView& rows, std::span<const std::int32_t> group, Index groups,
           const ClassClusters* clusters, Work& work);

  [[nodiscard]] std::vector<Label> labels() const;  // ascending; columns of log_density

  [[nodiscard]] Index components() const { return mixtures_.components(); }

  [[nodiscard]] Vector log_prior() const;  // by number of rows
  // Equal models that are asked of the same rows one after the other work them out once: those of
  // a classifier and of a detector, say.
  [[nodiscard]] Matrix log_density(const MatrixView& rows) const;

  void save(State& state) const;
  void load(const State& state);

 private:
  [[nodiscard]] Scatter scatter() const;
  [[nodiscard]] Index rank(Index width) const;
  void start_again();
  void add(std::int32_t key, const MatrixView& rows, const ClassClusters& clusters, Work& work);
  void solve();
  [[nodiscard]] Frame frame(const std::vector<const ScatterSketch*>& all,
                            std::span<const Index> owner) const;

  CovarianceOptions options_;
  ClassStatistics statistics_;
  std::map<std::int32_t, std::vector<ScatterSketch>> components_;
  GaussianMixtures mixtures_;
  std::uint64_t told_by_ = 0;  // a hash of all that decides the densities
};

}  // namespace tyto
