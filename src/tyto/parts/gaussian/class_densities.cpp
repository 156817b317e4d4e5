// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/gaussian/class_densities.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/hash_bytes.hpp"
#include "tyto/math/covariance.hpp"
#include "tyto/parts/running_statistics.hpp"

namespace tyto {

namespace {

constexpr Index kFullRank = 64;  // columns up to which all directions of a covariance are kept
constexpr Index kLowRank = 16;   // and how many beyond

std::map<std::int32_t, std::vector<Index>> by_key(std::span<const std::int32_t> keys) {
  std::map<std::int32_t, std::vector<Index>> members;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    members[keys[i]].push_back(static_cast<Index>(i));
  }
  return members;
}

// The last answer of any model, by a hash of the model and of the rows it was asked of.
class LastDensities {
 public:
  std::optional<Matrix> find(std::uint64_t asked, Index rows) {
    const std::scoped_lock lock(mutex_);
    if (asked_ != asked || density_.rows() != rows) {
      return std::nullopt;
    }
    return density_;
  }

  void keep(std::uint64_t asked, const Matrix& density) {
    constexpr Index kMostNumbers = Index{8} << 20;
    const std::scoped_lock lock(mutex_);
    asked_ = asked;
    density_ = density.size() <= kMostNumbers ? density : Matrix();
  }

 private:
  std::mutex mutex_;
  std::uint64_t asked_ = 0;
  Matrix density_;
};

// Mean variance of the means: what stands in where no component has two different rows.
double spread_of(const Dense<double>& means) {
  const Dense<double> about = means.rowwise() - means.colwise().mean();
  const double variance = about.squaredNorm() / static_cast<double>(about.size());
  return variance > 0.0 ? variance : 1.0;
}

}  // namespace

void CovarianceOptions::describe(OptionVisitor& v) {
  static constexpr std::string_view kKinds[] = {"own", "shared", "diagonal"};
  v.field("covariance", covariance, kKinds,
          "own: each component's, shrunk towards the shape that all share; shared: one for all; "
          "diagonal: own variances of the columns, shrunk towards those all share");
  v.field("shrinkage", shrinkage, {0.0, 1.0},
          "weight of what is shared in an own covariance; 0: chosen for each, more where rows are "
          "few (OAS; diagonal: 4 / (n + 3))");
  v.field("rank", rank, {0, 1e4},
          "directions kept of an own covariance, what remains being spread evenly; 0: all of up to "
          "64 columns, 16 of more");
}

ClassDensities::ClassDensities(CovarianceOptions options)
    : options_(std::move(options)), statistics_(scatter()) {}

Scatter ClassDensities::scatter() const {
  return options_.covariance == "diagonal" ? Scatter::diagonal : Scatter::full;
}

Index ClassDensities::rank(Index width) const {
  if (options_.covariance != "own") {
    return 0;
  }
  return options_.rank > 0 ? options_.rank : width <= kFullRank ? width : kLowRank;
}

void ClassDensities::start_again() {
  statistics_ = ClassStatistics(scatter());
  components_.clear();
}

void ClassDensities::learn(const Experience& experience, const ClassClusters* clusters,
                           Work& work) {
  if (experience.starts_over()) {
    start_again();
  }
  learn_statistics(statistics_, scatter(), experience, work);
  if (clusters == nullptr) {
    experience.each_block(
        Role::fit, experience.fresh(), [&](const Evidence& block, std::span<const Label> labels) {
          std::vector<std::int32_t> keys;
          for (const Label label : labels) {
            keys.push_back(static_cast<std::int32_t>(label));
          }
          for (const auto& [key, rows] : by_key(keys)) {
            auto& components = components_[key];
            components.resize(1);
            components.front().add(block.features(rows, Eigen::all), rank(block.features.cols()));
          }
          work.progress.pulse();
        });
  } else {
    std::map<Label, std::vector<Index>> rows;
    std::set<Label> remembered;
    std::set<Label> touched;
    for (const Index i : experience.labelled(Role::fit)) {
      const Label label = experience.labels()[static_cast<std::size_t>(i)];
      rows[label].push_back(i);
      (i < experience.fresh() ? remembered : touched).insert(label);
    }
    for (const Label label : touched) {
      const auto key = static_cast<std::int32_t>(label);
      if (remembered.contains(label)) {
        components_[key].clear();
      }
      Work own = work.fork(fmt::format("class {}", key));
      add(key, experience.features(rows.at(label)), *clusters, own);
      work.progress.pulse();
    }
  }
  solve();
}

void ClassDensities::fit(const MatrixView& rows, std::span<const std::int32_t> group, Index groups,
                         const ClassClusters* clusters, Work& work) {
  start_again();
  statistics_.add(rows, group);
  for (const auto& [key, members] : by_key(group)) {
    const Matrix own = rows(members, Eigen::all);
    if (clusters == nullptr) {
      components_[key].resize(1);
      components_[key].front().add(own, rank(rows.cols()));
    } else {
      add(key, own, *clusters, work);
    }
  }
  TYTO_ASSERT(static_cast<Index>(components_.size()) == groups);
  solve();
}

void ClassDensities::add(std::int32_t key, const MatrixView& rows, const ClassClusters& clusters,
                         Work& work) {
  const Grouping groups = clusters.of(rows, work);
  for (const auto& [group, members] : by_key(groups)) {
    ScatterSketch sketch;
    sketch.add(rows(members, Eigen::all), rank(rows.cols()));
    components_[key].push_back(std::move(sketch));
  }
}

Frame ClassDensities::frame(const std::vector<const ScatterSketch*>& all,
                            std::span<const Index> owner) const {
  const Index d = statistics_.width();
  const auto n = static_cast<Index>(all.size());
  Dense<double> means(n, d);
  for (Index k = 0; k < n; ++k) {
    means.row(k) = all[static_cast<std::size_t>(k)]->mean().transpose();
  }
  const Eigen::VectorXd centre = means.colwise().mean().transpose();
  // Scatter within components: that within classes, less that of the components about their class.
  Dense<double> about(n, d);
  for (Index first = 0; first < n;) {
    Index end = first;
    double count = 0.0;
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(d);
    for (;
         end < n && owner[static_cast<std::size_t>(end)] == owner[static_cast<std::size_t>(first)];
         ++end) {
      const auto rows = static_cast<double>(all[static_cast<std::size_t>(end)]->count());
      mean += rows * means.row(end);
      count += rows;
    }
    mean /= count;
    for (; first < end; ++first) {
      about.row(first) =
          (means.row(first) - mean) *
          std::sqrt(static_cast<double>(all[static_cast<std::size_t>(first)]->count()));
    }
  }
  const auto freedom = static_cast<double>(std::max<Index>(1, statistics_.count() - n));
  const auto within =
      static_cast<double>(std::max<Index>(1, statistics_.count() - statistics_.classes()));
  if (scatter() == Scatter::diagonal) {
    constexpr double kEven = 1e-3;  // share of the mean variance: a constant column has none
    const Eigen::VectorXd variances =
        (statistics_.diagonal() - about.colwise().squaredNorm().transpose()).cwiseMax(0.0) /
        freedom;
    const double mean = variances.mean();
    if (!(mean > 0.0)) {
      return Frame::standardising(centre, Eigen::VectorXd::Constant(d, spread_of(means)));
    }
    return Frame::standardising(centre, ((1.0 - kEven) * variances).array() + kEven * mean);
  }
  Eigen::MatrixXd covariance =
      (statistics_.covariance() * within - about.transpose() * about) / freedom;
  const double radius = covariance.trace() / static_cast<double>(d);
  // Means that explain all but the rounding leave nothing to be shared.
  if (!(radius > 1e-12 * statistics_.variance())) {
    return Frame::whitening(centre, Eigen::MatrixXd::Identity(d, d) * spread_of(means));
  }
  const double e = std::max(1e-6, oas_shrinkage(covariance, freedom));
  covariance *= 1.0 - e;
  covariance.diagonal().array() += e * radius;
  return Frame::whitening(centre, covariance);
}

void ClassDensities::solve() {
  std::vector<const ScatterSketch*> all;
  std::vector<Index> owner;
  std::vector<double> weight;
  Index mixture = 0;
  for (const auto& [key, components] : components_) {
    for (const ScatterSketch& component : components) {
      all.push_back(&component);
      owner.push_back(mixture);
      weight.push_back(static_cast<double>(component.count()));
    }
    ++mixture;
  }
  if (all.empty()) {
    mixtures_ = {};
    told_by_ = 0;
    return;
  }
  const Frame shared = frame(all, owner);
  std::vector<Gaussian> gaussians;
  for (const ScatterSketch* sketch : all) {
    gaussians.push_back(
        options_.covariance == "own"        ? own_gaussian(*sketch, shared, options_.shrinkage)
        : options_.covariance == "diagonal" ? diagonal_gaussian(*sketch, shared, options_.shrinkage)
                                            : shared_gaussian(*sketch, shared));
  }
  told_by_ = hash_numbers(shared.centre, hash_numbers(shared.scale));
  for (std::size_t k = 0; k < all.size(); ++k) {
    told_by_ = hash_numbers(gaussians[k].mean, told_by_ + static_cast<std::uint64_t>(owner[k]));
    told_by_ = hash_numbers(gaussians[k].noise, told_by_);
    told_by_ = hash_numbers(gaussians[k].factor, told_by_);
  }
  told_by_ = hash_numbers(weight, told_by_);
  mixtures_ = GaussianMixtures(shared, gaussians, std::move(owner), weight);
}

std::vector<Label> ClassDensities::labels() const {
  std::vector<Label> labels;
  for (const auto& [key, components] : components_) {
    labels.push_back(static_cast<Label>(key));
  }
  return labels;
}

Vector ClassDensities::log_prior() const {
  Vector prior(static_cast<Index>(components_.size()));
  const std::vector<Index> counts = statistics_.counts();
  for (Index c = 0; c < prior.size(); ++c) {
    prior[c] =
        static_cast<float>(std::log(static_cast<double>(counts[static_cast<std::size_t>(c)]) /
                                    static_cast<double>(statistics_.count())));
  }
  return prior;
}

Matrix ClassDensities::log_density(const MatrixView& rows) const {
  if (rows.outerStride() != rows.cols() || rows.size() == 0) {
    return mixtures_.log_density(rows);
  }
  static LastDensities last;
  const std::uint64_t asked = hash_numbers(rows, told_by_);
  if (auto known = last.find(asked, rows.rows())) {
    return std::move(*known);
  }
  Matrix found = mixtures_.log_density(rows);
  last.keep(asked, found);
  return found;
}

void ClassDensities::save(State& state) const {
  statistics_.save(state.make_child("statistics"));
  std::vector<ScatterSketch> all;
  std::vector<std::int64_t> keys;
  for (const auto& [key, components] : components_) {
    for (const ScatterSketch& component : components) {
      all.push_back(component);
      keys.push_back(key);
    }
  }
  ScatterSketch::save(all, state.make_child("components"));
  state.set("keys", std::move(keys));
}

void ClassDensities::load(const State& state) {
  statistics_.load(state.child("statistics"));
  components_.clear();
  std::vector<ScatterSketch> all = ScatterSketch::loaded(state.child("components"));
  const auto& keys = state.get<std::vector<std::int64_t>>("keys");
  for (std::size_t k = 0; k < all.size(); ++k) {
    components_[static_cast<std::int32_t>(keys.at(k))].push_back(std::move(all[k]));
  }
  solve();
}

}  // namespace tyto
