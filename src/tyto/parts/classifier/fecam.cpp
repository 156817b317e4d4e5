// SPDX-License-Identifier: Apache-2.0
// FeCAM: the nearest class mean by a distance of the class's own shape.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "tyto/core/parallel.hpp"
#include "tyto/math/class_scatters.hpp"
#include "tyto/math/correlation.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/math/unit_rows.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/parts/running_statistics.hpp"

namespace tyto {

namespace {

constexpr Index kFecamLearned = 2048;    // rows of a class added at once: bounds the copy in double
constexpr Index kFecamClassified = 256;  // rows solved for at once, by each thread
// Rows of unit length that lie about a mean of 0 differ from a direction by this, squared.
constexpr double kFecamWidest = 2.0;
// Share of its class's variance below which the square of a mean is rounding.
constexpr double kFecamCentred = 1e-10;

struct FecamOptions {
  std::string covariance = "classes";
  std::string form = "sound";
  std::string tukey = "auto";
  double power = 0.5;
  double diagonal = 1.0;
  double rest = 1.0;
  double scale = 0.0;

  void describe(OptionVisitor& v) {
    static constexpr std::array<std::string_view, 2> kCovariances{"classes", "shared"};
    static constexpr std::array<std::string_view, 2> kForms{"sound", "released"};
    static constexpr std::array<std::string_view, 3> kTukeys{"auto", "on", "off"};
    v.field("covariance", covariance, kCovariances,
            "classes: each has its own; shared: one for all, d times less to keep and to solve");
    v.field("form", form, kForms,
            "released: as in the authors' code for convolutional features, where the covariance is "
            "shrunk twice, zeros are left out of the mean of its off-diagonal and the root is "
            "taken of the mean instead of the mean of the roots");
    v.field("tukey", tukey, kTukeys,
            "features to the given power, which makes those of a rectifier less skewed; negative "
            "ones are refused. auto: if the first lesson has no negative feature");
    v.field("power", power, {0.01, 1.0}, "of the features where `tukey` takes effect");
    v.field("diagonal", diagonal, {0.0, 1e6},
            "times the mean variance, added to the diagonal of a covariance");
    v.field("rest", rest, {0.0, 1e6},
            "times the mean covariance, added off the diagonal; the paper takes 1 for "
            "convolutional features and 0 for those of transformers");
    v.field("scale", scale, {0.0, 1e9},
            "factor from distances to logits; 0: what makes them log densities if the columns are "
            "uncorrelated");
  }
};

// Logit of class c: - scale (x - mu_c)' R_c^-1 (x - mu_c), x and mu_c of unit length after the
// power, R_c the correlation matrix of the class (or of all) after shrinkage. The state is counts,
// means and scatters, so that the order of lessons does not matter.
class Fecam final : public Part, public Classifier {
 public:
  explicit Fecam(FecamOptions options) : options_(std::move(options)) {}

  void learn(const Experience& experience, Work& work) override {
    if (experience.starts_over()) {
      own_ = {};
      shared_ = ClassStatistics(Scatter::full);
      raw_ = ClassStatistics(Scatter::diagonal);
      models_.clear();
      takes_roots_ = options_.tukey == "on" ||
                     (options_.tukey == "auto" && is_never_negative(experience, work));
    }
    std::map<std::int32_t, std::vector<Index>> members;
    for (const Index row : experience.labelled(Role::fit, experience.fresh())) {
      members[static_cast<std::int32_t>(experience.labels()[at(row)])].push_back(row);
    }
    std::set<std::int32_t> changed;
    for (const auto& [key, rows] : members) {
      in_blocks(std::ssize(rows), kFecamLearned, [&](Index begin, Index count) {
        add(key, experience.features(Rows(rows).subspan(at(begin), at(count))));
        work.progress.pulse();
      });
      changed.insert(key);
    }
    prepare(changed);
  }

  void classify(Evidence& evidence) const override {
    evidence.classes.clear();
    for (const std::int32_t key : keys()) {
      evidence.classes.push_back(static_cast<Label>(key));
    }
    evidence.logits = Matrix(evidence.size(), std::ssize(evidence.classes));
    if (evidence.logits.size() == 0) {
      return;
    }
    const Matrix rows = unit_rows(powered(evidence.features));
    if (shares()) {
      // L^-1 of both sides of the difference: then all pairs are one product.
      evidence.logits = squared_distances(whitened(rows, shared_factor_), shared_means_);
    } else {
      set_own_distances(rows, evidence.logits);
    }
    evidence.logits *= -scale_;
  }

  void save(State& state) const override {
    state.set("takes_roots", std::int64_t{takes_roots_});
    if (shares()) {
      shared_.save(state.make_child("shared"));
    } else {
      own_.save(state.make_child("own"));
    }
    if (is_released()) {
      raw_.save(state.make_child("raw"));
    }
  }

  void load(const State& state, const Shelf&) override {
    takes_roots_ = state.get<std::int64_t>("takes_roots") != 0;
    if (shares()) {
      shared_.load(state.child("shared"));
    } else {
      own_.load(state.child("own"));
    }
    if (is_released()) {
      raw_.load(state.child("raw"));
    }
    models_.clear();
    const auto all = keys();
    prepare({all.begin(), all.end()});
  }

 private:
  struct Model {             // of one class
    Eigen::VectorXf mean;    // of unit length
    Eigen::MatrixXf factor;  // of the correlation, lower triangle; empty where it is shared
  };

  [[nodiscard]] bool shares() const { return options_.covariance == "shared"; }

  [[nodiscard]] bool is_released() const { return options_.form == "released"; }

  [[nodiscard]] std::vector<std::int32_t> keys() const {
    return shares() ? shared_.keys() : own_.keys();
  }

  static bool is_never_negative(const Experience& experience, Work& work) {
    float least = 0.0F;
    experience.each_block(Role::fit, experience.fresh(),
                          [&](const Evidence& block, std::span<const Label>) {
                            if (block.features.size() > 0) {
                              least = std::min(least, block.features.minCoeff());
                            }
                            work.progress.pulse();
                          });
    return least >= 0.0F;
  }

  [[nodiscard]] Matrix powered(const Matrix& features) const {
    if (!takes_roots_ || features.size() == 0) {
      return features;
    }
    if (const float least = features.minCoeff(); least < 0.0F) {
      throw Error(ErrorKind::data,
                  fmt::format("fecam takes features to the power {}, but one of {} rows has a "
                              "feature of {}; set `tukey: off` for features that can be negative",
                              options_.power, features.rows(), least));
    }
    return features.array().pow(static_cast<float>(options_.power));
  }

  void add(std::int32_t key, const Matrix& features) {
    const std::vector<std::int32_t> key_of_rows(at(features.rows()), key);
    const Matrix rows = powered(features);
    if (shares()) {
      shared_.add(rows, key_of_rows);
    } else {
      own_.add(key, rows);
    }
    if (is_released()) {
      raw_.add(features, key_of_rows);
    }
  }

  [[nodiscard]] Eigen::MatrixXd factor_of(Eigen::MatrixXd covariance) const {
    if (!(covariance.trace() > 0.0)) {
      return Eigen::MatrixXd::Identity(covariance.rows(), covariance.cols());
    }
    const auto which = is_released() ? OffDiagonal::not_zero : OffDiagonal::all;
    for (int time = 0; time < (is_released() ? 2 : 1); ++time) {
      covariance =
          with_mean_entries(std::move(covariance), options_.diagonal, options_.rest, which);
    }
    return correlation_factor(correlation_of(std::move(covariance)));
  }

  // Of the sums alone, so that a loaded part equals the saved one. Factors of classes that have not
  // changed stay, but for those that take the covariance of all.
  void prepare(const std::set<std::int32_t>& changed) {
    const std::vector<std::int32_t> all = keys();
    if (all.empty()) {
      return;
    }
    set_means(all);
    set_scale(all);
    if (shares()) {
      shared_factor_ = factor_of(shared_.covariance()).cast<float>();
      Matrix means(std::ssize(all), shared_.width());
      for (std::size_t c = 0; c < all.size(); ++c) {
        means.row(static_cast<Index>(c)) = models_.at(all[c]).mean.transpose();
      }
      shared_means_ = whitened(means, shared_factor_);
      return;
    }
    std::vector<std::int32_t> without;
    std::vector<std::int32_t> due;
    for (const std::int32_t key : all) {
      if (own_.count(key) < 2) {
        without.push_back(key);
      } else if (changed.contains(key)) {
        due.push_back(key);
      }
    }
    for_each_index(std::ssize(due), [&](Index i) {
      models_.at(due[at(i)]).factor = factor_of(own_.covariance(due[at(i)])).cast<float>();
    });
    if (!without.empty()) {  // one sample has no spread: that within all classes stands in
      const Eigen::MatrixXf factor = factor_of(own_.pooled_covariance()).cast<float>();
      for (const std::int32_t key : without) {
        models_.at(key).factor = factor;
      }
    }
  }

  void set_means(const std::vector<std::int32_t>& all) {
    const Dense<double> pooled = is_released() ? raw_.means() : shared_.means();
    for (std::size_t c = 0; c < all.size(); ++c) {
      Eigen::VectorXd mean = is_released() || shares()
                                 ? Eigen::VectorXd(pooled.row(static_cast<Index>(c)).transpose())
                                 : own_.mean(all[c]);
      if (is_released() && takes_roots_) {
        mean = mean.array().max(0.0).pow(options_.power);
      }
      double norm = mean.norm();
      // A class that features were centred on has no direction: what is left of its mean is
      // rounding, and stays at the centre.
      if (!is_released() && norm * norm <= kFecamCentred * spread_of(all[c])) {
        mean.setZero();
        norm = 0.0;
      }
      models_[all[c]].mean = (norm > 0.0 ? Eigen::VectorXd(mean / norm) : mean).cast<float>();
    }
  }

  [[nodiscard]] double spread_of(std::int32_t key) const {  // tr(S_c)
    return shares() ? shared_.variance() * static_cast<double>(shared_.width())
                    : own_.total_variance(key);
  }

  // A row of unit length differs from its class by a variance of about tr(S_c) / |mu_c|^2 in all,
  // and by no more than unit length allows where the mean is near 0; with uncorrelated columns that
  // is also its distance.
  void set_scale(const std::vector<std::int32_t>& all) {
    if (options_.scale > 0.0) {
      scale_ = static_cast<float>(options_.scale);
      return;
    }
    double sum = 0.0;
    double weight = 0.0;
    const auto count_in = [&](double freedom, double spread, double squared_length) {
      if (squared_length > 0.0) {
        sum += freedom * std::min(kFecamWidest, spread / squared_length);
        weight += freedom;
      }
    };
    const Dense<double> means = shared_.means();
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (shares()) {
        count_in(static_cast<double>(shared_.counts()[c]), spread_of(all[c]),
                 means.row(static_cast<Index>(c)).squaredNorm());
      } else {
        count_in(static_cast<double>(own_.count(all[c]) - 1), spread_of(all[c]),
                 own_.mean(all[c]).squaredNorm());
      }
    }
    const auto width = static_cast<double>(models_.begin()->second.mean.size());
    scale_ = sum > 0.0 ? static_cast<float>(0.5 * width * weight / sum) : 0.5F;
  }

  static Matrix whitened(const Matrix& rows, const Eigen::MatrixXf& factor) {
    Eigen::MatrixXf columns = rows.transpose();
    factor.triangularView<Eigen::Lower>().solveInPlace(columns);
    return columns.transpose();
  }

  void set_own_distances(const Matrix& rows, Matrix& out) const {
    std::vector<const Model*> models;
    for (const auto& [key, model] : models_) {
      models.push_back(&model);
    }
    for_each_index(std::ssize(models), [&](Index c) {
      const Model& model = *models[at(c)];
      in_blocks(rows.rows(), kFecamClassified, [&](Index begin, Index count) {
        Eigen::MatrixXf columns = rows.middleRows(begin, count).transpose();
        columns.colwise() -= model.mean;
        model.factor.triangularView<Eigen::Lower>().solveInPlace(columns);
        out.col(c).segment(begin, count) = columns.colwise().squaredNorm().transpose();
      });
    });
  }

  FecamOptions options_;
  bool takes_roots_ = false;
  ClassScatters own_;                       // covariance: classes
  ClassStatistics shared_{Scatter::full};   // covariance: shared
  ClassStatistics raw_{Scatter::diagonal};  // form: released, features without the power
  std::map<std::int32_t, Model> models_;
  Eigen::MatrixXf shared_factor_;
  Matrix shared_means_;  // whitened
  float scale_ = 0.5F;
};

}  // namespace

PartSpec fecam_spec() {
  return part_spec<FecamOptions, Fecam>(
      "fecam", {Slot::classifier},
      "nearest class mean by a distance of the class's own shape, for frozen features",
      "O(n d^2) to learn and O(d^3) per class that changed, O(n k d^2) to classify, 8 k d^2 bytes; "
      "with a shared covariance O(d^3) per lesson, O(n d (d + k)) and O(d^2 + k d)",
      "Goswami et al., FeCAM: Exploiting the Heterogeneity of Class Distributions in "
      "Exemplar-Free Continual Learning, NeurIPS 2023",
      "anisotropic distance to the class means (closed form, streaming)");
}

}  // namespace tyto
