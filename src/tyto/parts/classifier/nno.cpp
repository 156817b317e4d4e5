// SPDX-License-Identifier: Apache-2.0
// Nearest Non-Outlier: nearest class mean within balls of one radius.
#include <array>
#include <cmath>

#include <Eigen/Cholesky>

#include "tyto/core/parallel.hpp"
#include "tyto/math/covariance.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/parts/extremes/cross_class_radius.hpp"
#include "tyto/parts/joint_learner.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/parts/running_statistics.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kNnoMetrics{"whitened", "euclidean"};
constexpr std::array<std::string_view, 2> kThresholds{"own", "held_out"};
constexpr std::size_t kFewestForRadius = 30;  // with fewer the radius is set on the fit samples

struct NnoOptions {
  std::string metric = "whitened", threshold = "own";
  double shrinkage = 0.0;

  void describe(OptionVisitor& v) {
    v.field("metric", metric, kNnoMetrics,
            "whitened: distances in units of the covariance shared by the classes; euclidean: "
            "of the mean variance");
    v.field("shrinkage", shrinkage, {0.0, 1.0},
            "weight of a sphere in the covariance; 0: chosen from the data by OAS");
    v.field("threshold", threshold, kThresholds,
            "own: the published rule, novel outside the radius set by cross-class validation; "
            "held_out: at the accepted error");
  }
};

// f_c = 1 - d(x, mean_c) / radius; the paper's factor that normalises the volume of the balls is
// one for all classes and left out. Novelty is -max f. Logits are -d^2 / 2 with d in within-class
// deviations, log densities that order the classes as f does.
class NearestNonOutlier final : public Part, public JointLearner {
 public:
  explicit NearestNonOutlier(NnoOptions options)
      : options_(std::move(options)), statistics_(scatter()) {}

  void classify(Evidence& evidence) const override {
    evidence.classes = class_labels(statistics_);
    if (evidence.classes.empty() || evidence.size() == 0) {
      evidence.logits = Matrix(evidence.size(), static_cast<Index>(evidence.classes.size()));
      return;
    }
    evidence.logits = -0.5F * squared(evidence.features);
  }

  void detect(Evidence& evidence) const override {
    if (statistics_.classes() == 0) {
      throw Error(ErrorKind::state, "detector nno has seen no labelled sample to fit on");
    }
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() == 0) {
      return;
    }
    const Vector nearest = squared(evidence.features).rowwise().minCoeff().cwiseSqrt();
    Vector::Map(evidence.novelty.data(), nearest.size()) =
        nearest.array() / static_cast<float>(radius_) - 1.0F;
  }

  [[nodiscard]] std::optional<float> own_threshold() const override {
    if (options_.threshold == "own") {
      return 0.0F;
    }
    return {};
  }

  void save(State& state) const override {
    statistics_.save(state.make_child("statistics"));
    state.set("radius", radius_);
  }

  void load(const State& state, const Shelf&) override {
    statistics_.load(state.child("statistics"));
    radius_ = state.get<double>("radius");
    prepare();
  }

 private:
  [[nodiscard]] bool whitens() const { return options_.metric == "whitened"; }

  [[nodiscard]] Scatter scatter() const { return whitens() ? Scatter::full : Scatter::diagonal; }

  void study(const Experience& experience, Work& work) override {
    learn_statistics(statistics_, scatter(), experience, work);
    prepare();
    set_radius(experience, work);
  }

  // Of the statistics alone, so that a loaded part equals the saved one.
  void prepare() {
    if (statistics_.classes() == 0) {
      return;
    }
    const Dense<double> means = statistics_.means();
    const Eigen::RowVectorXd centre = means.colwise().mean();
    centre_ = centre.cast<float>();
    const Dense<double> about = means.rowwise() - centre_.row(0).cast<double>();
    if (whitens()) {
      const auto factor = shrunk_factor(statistics_, options_.shrinkage, "nno");
      const Index width = about.cols();
      const Eigen::MatrixXd inverse =
          factor.matrixL().solve(Eigen::MatrixXd::Identity(width, width));
      to_metric_ = inverse.transpose().cast<float>();
      means_ = (about * inverse.transpose()).cast<float>();
      return;
    }
    double variance = statistics_.variance();
    if (!(variance > 0.0)) {  // one sample per class: the spread of the means stands in
      variance = about.squaredNorm() / static_cast<double>(about.size());
    }
    scale_ = static_cast<float>(variance > 0.0 ? 1.0 / std::sqrt(variance) : 1.0);
    means_ = about.cast<float>() * scale_;
  }

  // Squared distances to the class means, in the metric.
  [[nodiscard]] Matrix squared(const Matrix& features) const {
    Matrix shifted = features.rowwise() - centre_.row(0);
    if (whitens()) {
      return squared_distances(shifted * to_metric_, means_);
    }
    shifted *= scale_;
    return squared_distances(shifted, means_);
  }

  void set_radius(const Experience& experience, Work& work) {
    const auto held = experience.labelled(Role::hold).size();
    const Role role = held >= kFewestForRadius ? Role::hold : Role::fit;
    const std::vector<Label> known = class_labels(statistics_);
    CrossClassRadius search(static_cast<Index>(known.size()));
    experience.each_block(role, 0, [&](const Evidence& block, std::span<const Label> labels) {
      if (block.features.rows() == 0) {
        return;
      }
      const Matrix distance = squared(block.features).cwiseSqrt();
      for (Index i = 0; i < distance.rows(); ++i) {
        const Label label = labels[static_cast<std::size_t>(i)];
        const auto found = std::lower_bound(known.begin(), known.end(), label);
        if (found != known.end() && *found == label) {
          search.add(distance.row(i), static_cast<Index>(found - known.begin()));
        }
      }
      work.progress.pulse();
    });
    // What a memory no longer shows cannot set a radius: one class alone leaves it as it was.
    if (search.classes_seen() > 1 || radius_ == 0.0) {
      const double found = search.best(work.rng.fork("radius"));
      radius_ = found > 0.0 ? found : 1.0;
    }
  }

  NnoOptions options_;
  ClassStatistics statistics_;
  Matrix centre_, to_metric_, means_;  // means in the metric, about the centre
  float scale_ = 1.0F;
  double radius_ = 0.0;
};

}  // namespace

PartSpec nno_spec() {
  return part_spec<NnoOptions, NearestNonOutlier>(
      "nno", {Slot::classifier, Slot::detector},
      "nearest class mean, new outside a radius set by treating a third of the classes as unknown",
      "O(n d^2) to learn and O(d^3) per lesson, O(n (d^2 + k d)) to classify, O(d^2 + k d) memory",
      "Bendale & Boult, Towards Open World Recognition, CVPR 2015",
      "squared distance to the class means in a shared metric (closed form)");
}

}  // namespace tyto
