// SPDX-License-Identifier: Apache-2.0
// Ridge regression to the classes on a random projection of the features (RanPAC), from sums alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "tyto/calibration/temperature_fit.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/core/segments.hpp"
#include "tyto/parts/classifier/ridge_sums.hpp"
#include "tyto/parts/incremental/clip_frames.hpp"
#include "tyto/parts/incremental/clips.hpp"
#include "tyto/parts/pooled_weights.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr Index kScaleRows = 4096;  // held-out rows looked at for the scale
constexpr double kScaleWithoutHold = 10.0;
constexpr int kEnoughWorse = 3;  // penalties: those that are weaker still are not tried
constexpr int kLowestPower = -8, kHighestPower = 2, kPowerWithoutHold = -2;

struct RidgeOptions {
  Index projection = 2000;
  double strength = 0.0;
  std::string choose = "held_out";
  std::string balance = "samples";
  double scale = 0.0;
  std::string over = "means";
  Index segments = 16;

  void describe(OptionVisitor& v) {
    static constexpr std::array<std::string_view, 2> kChoices{"held_out", "gcv"};
    static constexpr std::array<std::string_view, 2> kBalances{"samples", "classes"};
    v.field("projection", projection, {0, 1e5},
            "width of the random projection with ReLU; 0: the features themselves");
    v.field("strength", strength, {0.0, 1e12},
            "ridge penalty; 0: the power of ten times the mean squared feature (1e-8 to 1e2) that "
            "does best by `choose`");
    v.field("choose", choose, kChoices,
            "held_out: by the squared error on all samples ever held out, 1e-2 where there are "
            "none; gcv: by generalised cross-validation of the fit samples. Both need sums alone, "
            "so that past lessons count and their order does not");
    v.field("balance", balance, kBalances,
            "samples: each counts alike; classes: each class does. Class means then weigh the "
            "same, while the spread about them is pooled over all samples");
    static constexpr std::array<std::string_view, 4> kOver{"means", "frames", "changes",
                                                           "means_and_changes"};
    v.field(
        "over", over, kOver,
        "means: of a sample's frames, projected; frames: each frame is projected, then the mean "
        "is taken; changes: the same of each frame beside its difference to the next one looked "
        "at, so that the order of frames tells too; means_and_changes: beside each other, half of "
        "the projection for either, so that noise in the changes costs less");
    v.field("segments", segments, {1, 1e4},
            "frames looked at, centres of as many equal parts; not for means");
    v.field("scale", scale, {0.0, 1e6},
            "factor from ridge scores to logits; 0: fitted by likelihood to the held-out samples "
            "of the lesson and those remembered, 10 where none are held out");
  }
};

class Ridge final : public Part, public Classifier, public PooledWeights {
 public:
  explicit Ridge(RidgeOptions options) : options_(std::move(options)) {}

  void learn(const Experience& experience, Work& work) override {
    if (experience.starts_over()) {
      fit_ = {};
      hold_ = {};
      projection_.resize(0, 0);
    }
    if (!key_) {
      key_ = work.rng.fork("projection").key();
    }
    const auto gather = [&](RidgeSums& sums) {
      return [&](const Evidence& block, std::span<const Label> labels) {
        if (block.features.rows() > 0) {
          draw_projection(block.features.cols() * (looks_at_changes() ? 2 : 1));
          sums.add(expanded(inputs_of(block.features, block.frames)), labels);
        }
        work.progress.pulse();
      };
    };
    experience.each_block(Role::fit, experience.fresh(), gather(fit_));
    if (chooses_by_hold()) {
      experience.each_block(Role::hold, experience.fresh(), gather(hold_));
    }
    if (fit_.count == 0) {
      return;
    }
    solve(work);
    scale_ = options_.scale > 0.0 ? options_.scale : fitted_scale(experience);
  }

  void weigh_together(std::span<const FoldedClassifier> folds) override {
    if (chooses_by_hold()) {
      solve_for(folds);
      for (std::size_t f = 0; f < folds.size(); ++f) {
        ridge_of(folds[f]).solve_for(all_but(folds, f));
      }
    }
    if (options_.scale == 0.0) {
      for (const FoldedClassifier& fold : folds) {
        ridge_of(fold).scale_ = 1.0;
      }
      scale_ = fitted_scale(folds, scale_);
      std::vector<double> of_folds;
      for (std::size_t f = 0; f < folds.size(); ++f) {
        of_folds.push_back(fitted_scale(all_but(folds, f), scale_));
      }
      for (std::size_t f = 0; f < folds.size(); ++f) {
        ridge_of(folds[f]).scale_ = of_folds[f];
      }
    }
  }

  void classify(Evidence& evidence) const override {
    evidence.classes = classes_;
    if (classes_.empty() || evidence.size() == 0) {
      evidence.logits = Matrix(evidence.size(), static_cast<Index>(classes_.size()));
      return;
    }
    const Matrix inputs = inputs_of(evidence.features, evidence.frames);
    evidence.logits = logits(inputs);
    if (options_.projection > 0) {
      evidence.embedding = inputs;
    }
  }

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.frames = options_.over != "means";
    return needs;
  }

  // On features of its own making, where these are not those of the evidence.
  [[nodiscard]] bool has_head() const override {
    return options_.over == "means" || options_.projection > 0;
  }

  [[nodiscard]] bool has_gradient() const override { return options_.over == "means"; }

  [[nodiscard]] bool has_embedding() const override { return options_.projection > 0; }

  [[nodiscard]] LinearHead head() const override {
    const auto scale = static_cast<float>(scale_);
    return {slopes().transpose() * scale, weights_.bottomRows(1) * scale, options_.projection > 0};
  }

  [[nodiscard]] Matrix pull_back(const Evidence& evidence, const Matrix& weight) const override {
    Matrix back = weight * slopes().transpose() * static_cast<float>(scale_);
    if (options_.projection == 0) {
      return back;
    }
    const bool given =
        evidence.embedding.rows() == back.rows() && evidence.embedding.cols() == back.cols();
    const Matrix hidden =
        given ? evidence.embedding : projected(evidence.features, 0, options_.projection);
    back.array() *= (hidden.array() > 0.0F).cast<float>();
    return back * projection_.transpose();
  }

  void save(State& state) const override {
    if (!key_) {
      return;
    }
    state.set("key", static_cast<std::int64_t>(*key_));
    fit_.save(state.make_child("fit"));
    hold_.save(state.make_child("hold"));
    state.set("inputs", std::int64_t{inputs_});
    state.set("weights", weights_);
    state.set("scale", scale_);
    save_labels(state, "classes", classes_);
  }

  void load(const State& state, const Shelf&) override {
    if (!state.has("key")) {  // saved before the first lesson
      return;
    }
    key_ = static_cast<std::uint64_t>(state.get<std::int64_t>("key"));
    fit_ = RidgeSums::loaded(state.child("fit"));
    hold_ = RidgeSums::loaded(state.child("hold"));
    weights_ = state.get<Matrix>("weights");
    scale_ = state.get<double>("scale");
    classes_ = load_labels(state, "classes");
    projection_.resize(0, 0);
    if (const Index inputs = state.get<std::int64_t>("inputs"); inputs > 0) {
      draw_projection(inputs);
    }
  }

 private:
  // A column depends on the key and its number alone, so the state holds the key only.
  void draw_projection(Index inputs) {
    if (options_.projection == 0 || projection_.size() != 0) {
      return;
    }
    inputs_ = inputs;
    projection_.resize(inputs, options_.projection);
    for_each_index(options_.projection, [&](Index j) {
      Rng rng(*key_, "column", static_cast<std::uint64_t>(j));
      for (Index i = 0; i < inputs; ++i) {
        projection_(i, j) = static_cast<float>(rng.normal());
      }
    });
  }

  [[nodiscard]] bool looks_at_changes() const {
    return options_.over == "changes" || options_.over == "means_and_changes";
  }

  // By `count` columns of the projection from `first` on; as they are where there is none.
  [[nodiscard]] Matrix projected(const Matrix& rows, Index first, Index count) const {
    if (options_.projection == 0) {
      return rows;
    }
    Matrix out = rows * projection_.block(0, first, rows.cols(), count);
    out = out.cwiseMax(0.0F);
    return out;
  }

  // What the weights stand on, a row per sample: features, projected if so asked.
  [[nodiscard]] Matrix inputs_of(const Matrix& features, const Frames& frames) const {
    if (options_.over == "means") {
      return projected(features, 0, options_.projection);
    }
    if (options_.over != "means_and_changes") {
      return projected_clips(frames, 0, options_.projection);
    }
    const Index half = options_.projection / 2;
    const Matrix means = projected(features, 0, half);
    const Matrix changes = projected_clips(frames, half, options_.projection - half);
    Matrix out(means.rows(), means.cols() + changes.cols());
    out << means, changes;
    return out;
  }

  // Means over the frames of each clip, these projected as above.
  [[nodiscard]] Matrix projected_clips(const Frames& frames, Index first, Index count) const {
    const Index segments = options_.segments;
    Matrix rows = chosen_frames(frames, [&](Index, Index n) { return centre_frames(n, segments); });
    if (looks_at_changes()) {
      rows = with_changes(rows, segments);
    }
    // Clip by clip some at a time: projected frames are wide.
    constexpr Index kClips = 64;
    const Index clips = rows.rows() / segments;
    Matrix out(clips, options_.projection == 0 ? rows.cols() : count);
    for (Index begin = 0; begin < clips; begin += kClips) {
      const Index some = std::min(kClips, clips - begin);
      const Matrix hidden =
          projected(rows.middleRows(begin * segments, some * segments), first, count);
      for (Index i = 0; i < some; ++i) {
        out.row(begin + i) = hidden.middleRows(i * segments, segments).colwise().mean();
      }
    }
    return out;
  }

  [[nodiscard]] static Matrix expanded(const Matrix& inputs) {  // a constant 1 for the intercept
    Matrix out(inputs.rows(), inputs.cols() + 1);
    out.leftCols(inputs.cols()) = inputs;
    out.col(inputs.cols()).setOnes();
    return out;
  }

  // The weights without the intercepts.
  [[nodiscard]] MatrixView slopes() const { return weights_.topRows(weights_.rows() - 1); }

  // `inputs` are what the weights stand on.
  [[nodiscard]] Matrix logits(const Matrix& inputs) const {
    Matrix out = inputs * slopes();
    out.rowwise() += weights_.row(weights_.rows() - 1);
    return out * static_cast<float>(scale_);
  }

  [[nodiscard]] bool chooses_by_hold() const {
    return options_.strength == 0.0 && options_.choose == "held_out";
  }

  void solve(Work& work) {
    if (options_.balance == "classes") {
      solve(fit_.balanced(), hold_.balanced(), work);
    } else {
      solve(fit_, hold_, work);
    }
  }

  // Of the penalties tried.
  static double mean_square(const RidgeSums& fit) {
    return fit.gram.trace() / static_cast<double>(fit.gram.rows());
  }

  void solve(const RidgeSums& fit, const RidgeSums& hold, Work& work) {
    classes_ = fit.classes();
    const Eigen::MatrixXd targets = fit.targets(classes_);
    const double unit = mean_square(fit);
    errors_.clear();
    std::optional<Eigen::MatrixXd> best;
    if (options_.strength > 0.0) {
      best = ridge_weights(fit.gram, targets, options_.strength);
    } else if (options_.choose == "gcv") {
      std::vector<double> strengths;
      for (int power = kHighestPower; power >= kLowestPower; --power) {
        strengths.push_back(unit * std::pow(10.0, power));
      }
      best = ridge_weights(fit.gram, targets, least_gcv(fit, targets, strengths));
    } else if (hold.count == 0) {
      best = ridge_weights(fit.gram, targets, unit * std::pow(10.0, kPowerWithoutHold));
    } else {
      const Eigen::MatrixXd held_targets = hold.targets(classes_);
      double least = 0.0;
      int worse = 0;  // in a row
      // From strong to weak: the stronger penalty wins a tie.
      for (int power = kHighestPower; power >= kLowestPower && worse < kEnoughWorse; --power) {
        auto weights = ridge_weights(fit.gram, targets, unit * std::pow(10.0, power));
        work.progress.pulse();
        if (!weights) {
          break;
        }
        const double error = squared_error(*weights, hold.gram, held_targets);
        errors_[power] = error;
        worse = best && error >= least ? worse + 1 : 0;
        if (!best || error < least) {
          least = error;
          best = std::move(weights);
        }
      }
    }
    if (!best) {
      throw Error(ErrorKind::numeric,
                  fmt::format("ridge cannot solve for {} weights from {} samples with strength {}; "
                              "raise it, or set it to 0 to have it chosen",
                              fit.gram.rows(), fit.count, options_.strength));
    }
    weights_ = best->cast<float>();
  }

  static Ridge& ridge_of(const FoldedClassifier& fold) {
    return dynamic_cast<Ridge&>(*fold.classifier);
  }

  // With the penalty of the least error over all that these held out.
  void solve_for(std::span<const FoldedClassifier> folds) {
    std::optional<int> best;
    double least = 0.0;
    for (int power = kHighestPower; power >= kLowestPower; --power) {
      double sum = 0.0;
      bool all_tried = !folds.empty();
      for (const FoldedClassifier& fold : folds) {
        const std::map<int, double>& errors = ridge_of(fold).errors_;
        const auto found = errors.find(power);
        all_tried = all_tried && found != errors.end();
        sum += all_tried ? found->second : 0.0;
      }
      if (all_tried && (!best || sum < least)) {
        least = sum;
        best = power;
      }
    }
    if (!best || fit_.count == 0) {
      return;
    }
    const RidgeSums fit = options_.balance == "classes" ? fit_.balanced() : fit_;
    const double strength = mean_square(fit) * std::pow(10.0, *best);
    if (const auto weights = ridge_weights(fit.gram, fit.targets(classes_), strength)) {
      weights_ = weights->cast<float>();
    }
  }

  // By what these, at a scale of 1, say of what they held out.
  static double fitted_scale(std::span<const FoldedClassifier> folds, double otherwise) {
    const HeldLogits held = held_logits(folds);
    return held.truth.empty() ? otherwise
                              : fit_scale(held.logits, held.truth, luck(std::ssize(held.truth)));
  }

  // One answer in n + 1 is taken to be luck, so that faultless ones stay finite.
  static double luck(Index rows) { return 1.0 / static_cast<double>(rows + 1); }

  [[nodiscard]] double fitted_scale(const Experience& experience) const {
    std::map<Label, Index> columns;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      columns[classes_[c]] = static_cast<Index>(c);
    }
    std::vector<Index> rows;
    std::vector<Index> truth;
    const std::vector<Index> held = experience.labelled(Role::hold);
    const Index step = 1 + static_cast<Index>(held.size()) / kScaleRows;
    for (std::size_t i = 0; i < held.size(); i += static_cast<std::size_t>(step)) {
      const auto found = columns.find(experience.labels()[static_cast<std::size_t>(held[i])]);
      if (found != columns.end()) {
        rows.push_back(held[i]);
        truth.push_back(found->second);
      }
    }
    if (rows.empty()) {
      return kScaleWithoutHold;
    }
    const bool means = options_.over == "means" || options_.over == "means_and_changes";
    const Matrix inputs =
        inputs_of(means ? experience.features(rows) : Matrix{},
                  options_.over == "means" ? Frames{} : experience.frame_features(rows));
    return fit_scale(expanded(inputs) * weights_, truth, luck(std::ssize(rows)));
  }

  RidgeOptions options_;
  std::optional<std::uint64_t> key_;  // of the projection; drawn once, never again
  Index inputs_ = 0;
  Matrix projection_;
  RidgeSums fit_, hold_;
  std::vector<Label> classes_;
  Matrix weights_;
  std::map<int, double> errors_;  // of the held-out samples, by power of the penalty; of the lesson
  double scale_ = kScaleWithoutHold;
};

}  // namespace

PartSpec ridge_spec() {
  return part_spec<RidgeOptions, Ridge>(
      "ridge", {Slot::classifier},
      "ridge regression to the classes, on a random projection of the features",
      "with m the projected width: O(n m (d + m)) to learn and up to 11 m^3 / 3 per lesson, "
      "O(n m (d + k)) to classify, O(m^2 + m k) memory",
      "McDonnell et al., RanPAC: Random Projections and Pre-trained Models for Continual Learning, "
      "NeurIPS 2023",
      "squared error to one-hot classes plus a ridge penalty (closed form, streaming)");
}

}  // namespace tyto
