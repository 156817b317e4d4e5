// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/gaussian/group_models.hpp"

#include <algorithm>
#include <limits>

namespace tyto {

namespace {

class DensityGroups final : public GroupModel {
 public:
  DensityGroups(CovarianceOptions covariance, std::optional<ClassClusters> clusters)
      : clusters_(std::move(clusters)), densities_(std::move(covariance)) {}

  void fit(const MatrixView& rows, std::span<const std::int32_t> group, Index groups) override {
    Progress silent;
    Work work{Rng(0, "groups"), silent};
    densities_.fit(rows, group, groups, clusters_ ? &*clusters_ : nullptr, work);
    const Matrix scores = densities_.log_density(rows);
    none_ = std::numeric_limits<float>::max();
    for (Index i = 0; i < rows.rows(); ++i) {
      none_ = std::min(none_, scores(i, group[static_cast<std::size_t>(i)]));
    }
  }

  [[nodiscard]] Matrix score(const MatrixView& rows) const override {
    const Matrix scores = densities_.log_density(rows);
    Matrix out(rows.rows(), scores.cols() + 1);
    out.leftCols(scores.cols()) = scores;
    out.rightCols(1).setConstant(none_);
    return out;
  }

  void save(State& state) const override {
    densities_.save(state.make_child("densities"));
    state.set("none", double{none_});
  }

  void load(const State& state, const Shelf&) override {
    densities_.load(state.child("densities"));
    none_ = static_cast<float>(state.get<double>("none"));
  }

 private:
  std::optional<ClassClusters> clusters_;
  ClassDensities densities_;
  float none_ = 0;
};

}  // namespace

std::unique_ptr<GroupModel> gaussian_group_model(CovarianceOptions covariance) {
  return std::make_unique<DensityGroups>(std::move(covariance), std::nullopt);
}

std::unique_ptr<GroupModel> mixture_group_model(CovarianceOptions covariance,
                                                ClassClusters clusters) {
  return std::make_unique<DensityGroups>(std::move(covariance), std::move(clusters));
}

}  // namespace tyto
