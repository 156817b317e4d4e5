// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/recogniser/group_model.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tyto/math/distances.hpp"
#include "tyto/math/neighbours.hpp"
#include "tyto/math/quantile.hpp"

namespace tyto {

namespace {

constexpr double kReach = 0.98;  // of the members belong

// The scale of squared distances: 1 where all members stand on one place.
float scale_of(const std::vector<float>& squared) {
  double sum = 0.0;
  for (const float value : squared) {
    sum += static_cast<double>(value);
  }
  const double mean = squared.empty() ? 0.0 : sum / static_cast<double>(squared.size());
  return mean > 0.0 ? static_cast<float>(mean) : 1.0F;
}

float reach_of(std::vector<float> squared) {
  if (squared.empty()) {
    return 0.0F;
  }
  const auto at = static_cast<std::ptrdiff_t>(kReach * static_cast<double>(squared.size() - 1));
  std::nth_element(squared.begin(), squared.begin() + at, squared.end());
  return squared[static_cast<std::size_t>(at)];
}

class CentroidModel final : public GroupModel {
 public:
  void fit(const MatrixView& rows, std::span<const std::int32_t> group, Index groups) override {
    Dense<double> sums = Dense<double>::Zero(groups, rows.cols());
    std::vector<double> counts(static_cast<std::size_t>(groups), 0.0);
    for (Index i = 0; i < rows.rows(); ++i) {
      const auto g = static_cast<std::size_t>(group[static_cast<std::size_t>(i)]);
      sums.row(static_cast<Index>(g)) += rows.row(i).cast<double>();
      counts[g] += 1.0;
    }
    for (Index g = 0; g < groups; ++g) {
      sums.row(g) /= std::max(1.0, counts[static_cast<std::size_t>(g)]);
    }
    centres_ = sums.cast<float>();
    std::vector<float> squared;
    for (Index i = 0; i < rows.rows(); ++i) {
      const Index g = group[static_cast<std::size_t>(i)];
      // A member pulls its centre along; a newcomer is further away by (n + 1) / (n - 1).
      const double n = counts[static_cast<std::size_t>(g)];
      const auto fresh = static_cast<float>(n > 1.0 ? (n + 1.0) / (n - 1.0) : 1.0);
      squared.push_back(fresh * (rows.row(i) - centres_.row(g)).squaredNorm());
    }
    scale_ = scale_of(squared) / static_cast<float>(std::max<Index>(1, rows.cols()));
    reach_ = reach_of(std::move(squared));
  }

  [[nodiscard]] Matrix score(const MatrixView& rows) const override {
    Matrix out(rows.rows(), centres_.rows() + 1);
    out.rightCols(1).setConstant(-reach_ / (2.0F * scale_));
    const Eigen::RowVectorXf middle = centres_.colwise().mean();  // else large numbers cancel
    out.leftCols(centres_.rows()) =
        squared_distances(rows.rowwise() - middle, centres_.rowwise() - middle) / (-2.0F * scale_);
    return out;
  }

  void save(State& state) const override {
    state.set("centres", centres_);
    state.set("scale", double{scale_});
    state.set("reach", double{reach_});
  }

  void load(const State& state, const Shelf&) override {
    centres_ = state.get<Matrix>("centres");
    scale_ = static_cast<float>(state.get<double>("scale"));
    reach_ = static_cast<float>(state.get<double>("reach"));
  }

 private:
  Matrix centres_;
  float scale_ = 1, reach_ = 0;
};

class NearestMemberModel final : public GroupModel {
 public:
  void fit(const MatrixView& rows, std::span<const std::int32_t> group, Index groups) override {
    members_ = rows;
    group_.assign(group.begin(), group.end());
    groups_ = groups;
    // How far members stand from the nearest other member of their group.
    const Neighbours near = nearest_rows(members_, members_, kLook);
    std::vector<float> squared;
    for (Index i = 0; i < near.row.rows(); ++i) {
      for (Index j = 0; j < near.row.cols(); ++j) {
        const std::int32_t other = near.row(i, j);
        if (other != i &&
            group_[static_cast<std::size_t>(other)] == group_[static_cast<std::size_t>(i)]) {
          squared.push_back(near.distance(i, j));
          break;
        }
      }
    }
    scale_ = scale_of(squared);
    reach_ = reach_of(std::move(squared));
  }

  [[nodiscard]] Matrix score(const MatrixView& rows) const override {
    Matrix out(rows.rows(), groups_ + 1);
    if (rows.rows() == 0) {
      return out;
    }
    const Neighbours near = nearest_rows(rows, members_, kLook);
    out.rightCols(1).setConstant(-reach_ / (2.0F * scale_));
    for (Index i = 0; i < rows.rows(); ++i) {
      // A group without a member among the nearest is at least as far as the last of them.
      const Index last = near.row.cols() - 1;
      out.row(i).head(groups_).setConstant(-near.distance(i, last) / scale_ - kFar);
      for (Index j = last; j >= 0; --j) {
        out(i, group_[static_cast<std::size_t>(near.row(i, j))]) =
            -near.distance(i, j) / (2.0F * scale_);
      }
    }
    return out;
  }

  void save(State& state) const override {
    state.set("members", members_);
    state.set("group", std::vector<std::int64_t>(group_.begin(), group_.end()));
    state.set("groups", std::int64_t{groups_});
    state.set("scale", double{scale_});
    state.set("reach", double{reach_});
  }

  void load(const State& state, const Shelf&) override {
    members_ = state.get<Matrix>("members");
    const auto& group = state.get<std::vector<std::int64_t>>("group");
    group_.clear();
    for (const std::int64_t g : group) {
      group_.push_back(static_cast<std::int32_t>(g));
    }
    groups_ = static_cast<Index>(state.get<std::int64_t>("groups"));
    scale_ = static_cast<float>(state.get<double>("scale"));
    reach_ = static_cast<float>(state.get<double>("reach"));
  }

 private:
  static constexpr Index kLook = 15;
  static constexpr float kFar = 10.0F;

  Matrix members_;
  std::vector<std::int32_t> group_;
  Index groups_ = 0;
  float scale_ = 1, reach_ = 0;
};

}  // namespace

std::unique_ptr<GroupModel> centroid_model() {
  return std::make_unique<CentroidModel>();
}

std::unique_ptr<GroupModel> nearest_member_model() {
  return std::make_unique<NearestMemberModel>();
}

}  // namespace tyto
