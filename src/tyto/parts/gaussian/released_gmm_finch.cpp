// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/gaussian/released_gmm_finch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/quantile.hpp"

namespace tyto {

namespace {

constexpr Index kReleasedBlock = 1024;
constexpr double kInfiniteCost = std::numeric_limits<double>::infinity();

// A column per component.
Dense<double> component_scores(const std::vector<JitteredGaussian>& components,
                               const Dense<double>& rows) {
  Dense<double> out(rows.rows(), static_cast<Index>(components.size()));
  for (std::size_t k = 0; k < components.size(); ++k) {
    out.col(static_cast<Index>(k)) = components[k].log_density(rows);
  }
  return out;
}

// Log density of a mixture of equal weights.
Eigen::VectorXd mixture_scores(const Dense<double>& scores) {
  const Eigen::VectorXd highest = scores.rowwise().maxCoeff();
  const Eigen::ArrayXd sums = (scores.colwise() - highest).array().exp().rowwise().sum();
  return highest.array() + (sums / static_cast<double>(scores.cols())).log();
}

double lowest_best(const std::vector<JitteredGaussian>& components, const MatrixView& rows) {
  return component_scores(components, rows.cast<double>()).rowwise().maxCoeff().minCoeff();
}

std::vector<Index> unlabelled_rows(const Experience& experience) {
  std::vector<Index> rows;
  for (Index i = 0; i < experience.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (experience.labels()[at] == Label::unknown && experience.roles()[at] == Role::fit) {
      rows.push_back(i);
    }
  }
  return rows;
}

void save_components(const std::vector<JitteredGaussian>& components, State& state) {
  state.set("components", static_cast<std::int64_t>(components.size()));
  for (std::size_t k = 0; k < components.size(); ++k) {
    components[k].save(state.make_child(std::to_string(k)));
  }
}

std::vector<JitteredGaussian> load_components(const State& state) {
  std::vector<JitteredGaussian> components;
  for (std::int64_t k = 0; k < state.get<std::int64_t>("components"); ++k) {
    components.emplace_back(state.child(std::to_string(k)));
  }
  return components;
}

}  // namespace

void ReleasedOptions::describe(OptionVisitor& v) {
  static constexpr std::string_view kThresholds[] = {"global", "per_class"};
  static constexpr std::string_view kQuantileRows[] = {"auto", "below", "all"};
  v.field("cov_epsilon", cov_epsilon, {1e-300, 1.0}, "jitter of a singular covariance");
  v.field(
      "min_samples", min_samples, {1, 1e6},
      "clusters below it get a sphere of the jitter's size; so many detections refit the groups");
  v.field("threshold", threshold, kThresholds,
          "lowest density of a fitted row under its best class, or per class under its own best "
          "component");
  v.field("min_error_tol", min_error_tol, {0.0, 1.0},
          "quantile of held-out rows to which the first lesson moves the global threshold");
  v.field("quantile_of", quantile_of, kQuantileRows,
          "below: of the rows below the threshold, so that it can only fall, as the code has it; "
          "all: of all of them, so that this share of known rows is called new; auto: below in "
          "the form `released`, all in the form `paper`");
}

ReleasedGmmFinch::ReleasedGmmFinch(ReleasedOptions options, ClassClusters clusters)
    : options_(std::move(options)), clusters_(std::move(clusters)) {}

ReleasedGmmFinch::Components ReleasedGmmFinch::fitted(const MatrixView& rows, Work& work) const {
  const Grouping groups = clusters_.of(rows, work);
  std::vector<std::vector<Index>> members(
      static_cast<std::size_t>(1 + *std::max_element(groups.begin(), groups.end())));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    members[static_cast<std::size_t>(groups[i])].push_back(static_cast<Index>(i));
  }
  Components components;
  for (const std::vector<Index>& own : members) {
    components.emplace_back(rows(own, Eigen::all), options_.cov_epsilon, options_.min_samples);
  }
  return components;
}

void ReleasedGmmFinch::study(const Experience& experience, Work& work) {
  if (experience.starts_over()) {
    classes_.clear();
    class_threshold_.clear();
    slack_ = 0.0;
  }
  std::map<Label, std::vector<Index>> rows;
  std::set<Label> touched;  // the others would come out as they are
  for (const Index i : experience.labelled(Role::fit)) {
    const Label label = experience.labels()[static_cast<std::size_t>(i)];
    rows[label].push_back(i);
    if (i >= experience.fresh()) {
      touched.insert(label);
    }
  }
  for (const Label label : touched) {
    const Matrix own = experience.features(rows.at(label));
    Work class_work = work.fork(fmt::format("class {}", static_cast<int>(label)));
    classes_[label] = fitted(own, class_work);
    class_threshold_[label] = lowest_best(classes_[label], own);
    work.progress.pulse();
  }
  if (!classes_.empty() && global()) {
    threshold_ = lowest_density(experience) + slack_;
    if (experience.starts_over()) {
      calibrate(experience);
    }
  }
}

// A row matters only where its own class leaves it below the lowest best density found so far, so
// rows come in the order of their own class's density, and few are scored under all classes.
double ReleasedGmmFinch::lowest_density(const Experience& experience) const {
  std::vector<std::pair<double, Index>> rows;
  std::map<Label, std::vector<Index>> labelled;
  for (const Index i : experience.labelled(Role::fit)) {
    labelled[experience.labels()[static_cast<std::size_t>(i)]].push_back(i);
  }
  for (const auto& [label, which] : labelled) {
    const Eigen::VectorXd own = mixture_scores(
        component_scores(classes_.at(label), experience.features(which).cast<double>()));
    for (std::size_t i = 0; i < which.size(); ++i) {
      rows.emplace_back(own[static_cast<Index>(i)], which[i]);
    }
  }
  for (const Index i : unlabelled_rows(experience)) {
    rows.emplace_back(-kInfiniteCost, i);
  }
  std::sort(rows.begin(), rows.end());
  double lowest = kInfiniteCost;
  for (std::size_t begin = 0; begin < rows.size() && rows[begin].first < lowest;) {
    std::vector<Index> block;
    for (; begin < rows.size() && block.size() < 256; ++begin) {
      block.push_back(rows[begin].second);
    }
    lowest =
        std::min(lowest, class_scores(experience.features(block)).rowwise().maxCoeff().minCoeff());
  }
  return lowest;
}

void ReleasedGmmFinch::calibrate(const Experience& experience) {
  const bool all = options_.quantile_of == "all";
  std::vector<double> counted;
  experience.each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label>) {
    const Eigen::VectorXd best = class_scores(block.features).rowwise().maxCoeff();
    for (const double value : best) {
      if (all || value < threshold_) {
        counted.push_back(value);
      }
    }
  });
  if (!counted.empty()) {
    const double moved = quantile<double>(counted, options_.min_error_tol);
    slack_ = moved - threshold_;
    threshold_ = moved;
  }
}

Dense<double> ReleasedGmmFinch::class_scores(const MatrixView& rows) const {
  Dense<double> out(rows.rows(), static_cast<Index>(classes_.size()));
  in_blocks(rows.rows(), kReleasedBlock, [&](Index begin, Index count) {
    const Dense<double> block = rows.middleRows(begin, count).cast<double>();
    Index column = 0;
    for (const auto& [label, components] : classes_) {
      out.col(column++).segment(begin, count) = mixture_scores(component_scores(components, block));
    }
  });
  return out;
}

Vector ReleasedGmmFinch::known_margin(const MatrixView& rows, const Matrix& logits) const {
  if (global()) {
    // Both rounded to float: what was not below the threshold in double is not now.
    return logits.rowwise().maxCoeff().array() - static_cast<float>(threshold_);
  }
  Vector margin(rows.rows());
  in_blocks(rows.rows(), kReleasedBlock, [&](Index begin, Index count) {
    const Dense<double> block = rows.middleRows(begin, count).cast<double>();
    Eigen::VectorXd best = Eigen::VectorXd::Constant(count, -kInfiniteCost);
    for (const auto& [label, components] : classes_) {
      const Eigen::VectorXd own = component_scores(components, block).rowwise().maxCoeff().array() -
                                  class_threshold_.at(label);
      best = best.cwiseMax(own);
    }
    margin.segment(begin, count) = best.cast<float>();
  });
  return margin;
}

Matrix ReleasedGmmFinch::group_scores(const MatrixView& rows) const {
  Matrix out(rows.rows(), static_cast<Index>(groups_.size()));
  in_blocks(rows.rows(), kReleasedBlock, [&](Index begin, Index count) {
    out.middleRows(begin, count) =
        component_scores(groups_, rows.middleRows(begin, count).cast<double>()).cast<float>();
  });
  return out;
}

Vector ReleasedGmmFinch::group_margin(const Matrix& membership) const {
  const double threshold = global() ? threshold_ : group_threshold_;
  return membership.rowwise().maxCoeff().array() - static_cast<float>(threshold);
}

void ReleasedGmmFinch::classify(Evidence& evidence) const {
  evidence.classes.clear();
  for (const auto& [label, components] : classes_) {
    evidence.classes.push_back(label);
  }
  evidence.logits = class_scores(evidence.features).cast<float>();
}

void ReleasedGmmFinch::detect(Evidence& evidence) const {
  if (classes_.empty()) {
    throw Error(ErrorKind::state, "detector gmm_finch has seen no labelled sample to fit on");
  }
  evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
  if (evidence.size() == 0) {
    return;
  }
  const bool have = evidence.classifier == this || !global();
  Vector margin =
      known_margin(evidence.features,
                   have ? evidence.logits : Matrix(class_scores(evidence.features).cast<float>()));
  if (!groups_.empty()) {
    margin = margin.cwiseMax(group_margin(group_scores(evidence.features)));
  }
  Vector::Map(evidence.novelty.data(), margin.size()) = -margin;
}

void ReleasedGmmFinch::recognise(Evidence& evidence) const {
  evidence.groups = group_labels_;
  evidence.membership = group_scores(evidence.features);
}

void ReleasedGmmFinch::regroup(const MatrixView& pool, LabelSpace& space, Work& work) {
  const bool enough = pool.rows() >= std::max<Index>(1, options_.min_samples);
  for (const Label label : group_labels_) {
    space.retire(label, Label::unknown,
                 enough ? "renumbered by a refit" : "dropped: too few unknown samples are left");
  }
  group_labels_.clear();
  groups_.clear();
  if (enough) {
    groups_ = fitted(pool, work);
    group_threshold_ = lowest_best(groups_, pool);
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      group_labels_.push_back(space.add_discovered());
    }
  }
}

void ReleasedGmmFinch::discover(const Evidence& batch, const Experience& past, LabelSpace& space,
                                Work& work) {
  // Alone in the slot recogniser there are no classes, and the batch says what is novel.
  std::vector<std::uint8_t> novel = batch.novel;
  novel.resize(static_cast<std::size_t>(batch.size()), 0);
  if (!classes_.empty()) {
    const Vector margin =
        known_margin(batch.features, Matrix(class_scores(batch.features).cast<float>()));
    for (Index i = 0; i < batch.size(); ++i) {
      novel[static_cast<std::size_t>(i)] = margin[i] < 0.0F ? 1 : 0;
    }
  }
  const std::vector<Index> old = unlabelled_rows(past);
  std::set<SampleId> seen;
  if (!old.empty()) {
    const Samples samples = past.samples(old);
    for (Index i = 0; i < samples.size(); ++i) {
      seen.insert(samples.id(i));
    }
  }
  std::vector<Index> detected;
  for (Index i = 0; i < batch.size(); ++i) {
    if (novel[static_cast<std::size_t>(i)] != 0 && !seen.contains(batch.samples.id(i))) {
      detected.push_back(i);
    }
  }
  if (static_cast<Index>(detected.size()) < std::max<Index>(1, options_.min_samples)) {
    return;
  }
  // Earlier ones without a label join where they still count as unknown or as a group.
  std::vector<Index> joining;
  Matrix earlier;
  if (!old.empty()) {
    earlier = past.features(old);
    const Matrix scores = class_scores(earlier).cast<float>();
    const Matrix groups = group_scores(earlier);
    const Vector margin = classes_.empty() ? Vector(Vector::Constant(earlier.rows(), -1.0F))
                                           : known_margin(earlier, scores);
    for (Index i = 0; i < earlier.rows(); ++i) {
      const bool unknown = margin[i] < 0.0F;
      const bool grouped = groups.cols() > 0 && scores.cols() > 0 &&
                           groups.row(i).maxCoeff() > scores.row(i).maxCoeff();
      if (unknown || grouped) {
        joining.push_back(i);
      }
    }
  }
  Matrix pool(static_cast<Index>(detected.size() + joining.size()), batch.features.cols());
  pool.topRows(static_cast<Index>(detected.size())) = batch.features(detected, Eigen::all);
  if (!joining.empty()) {
    pool.bottomRows(static_cast<Index>(joining.size())) = earlier(joining, Eigen::all);
  }
  regroup(pool, space, work);
}

void ReleasedGmmFinch::revise(const Experience& experience, LabelSpace& space, Work& work) {
  const std::vector<Index> rows = unlabelled_rows(experience);
  Matrix pool(0, 0);
  if (!rows.empty() && !classes_.empty()) {
    const Matrix features = experience.features(rows);
    Vector margin = known_margin(features, class_scores(features).cast<float>());
    if (!groups_.empty()) {
      margin = margin.cwiseMax(group_margin(group_scores(features)));
    }
    std::vector<Index> flagged;
    for (Index i = 0; i < margin.size(); ++i) {
      if (margin[i] < 0.0F) {
        flagged.push_back(i);
      }
    }
    pool = features(flagged, Eigen::all);
  }
  regroup(pool, space, work);
}

void ReleasedGmmFinch::save(State& state) const {
  std::vector<Label> labels;
  Dense<double> thresholds(static_cast<Index>(classes_.size()), 1);
  State& classes = state.make_child("classes");
  for (const auto& [label, components] : classes_) {
    thresholds(static_cast<Index>(labels.size()), 0) = class_threshold_.at(label);
    labels.push_back(label);
    save_components(components, classes.make_child(std::to_string(static_cast<int>(label))));
  }
  save_components(groups_, state.make_child("groups"));
  save_labels(state, "labels", labels);
  state.set("class_threshold", std::move(thresholds));
  save_labels(state, "group_labels", group_labels_);
  state.set("group_threshold", double{group_threshold_});
  state.set("threshold", double{threshold_});
  state.set("slack", double{slack_});
}

void ReleasedGmmFinch::load(const State& state, const Shelf&) {
  classes_.clear();
  class_threshold_.clear();
  const auto& thresholds = state.get<Dense<double>>("class_threshold");
  Index row = 0;
  for (const Label label : load_labels(state, "labels")) {
    classes_[label] =
        load_components(state.child("classes").child(std::to_string(static_cast<int>(label))));
    class_threshold_[label] = thresholds(row++, 0);
  }
  group_labels_ = load_labels(state, "group_labels");
  groups_ = load_components(state.child("groups"));
  group_threshold_ = state.get<double>("group_threshold");
  threshold_ = state.get<double>("threshold");
  slack_ = state.get<double>("slack");
}

}  // namespace tyto
