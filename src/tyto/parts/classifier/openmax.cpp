// SPDX-License-Identifier: Apache-2.0
// OpenMax: another classifier's logits, less where they are unlike those of the class.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tyto/math/softmax.hpp"
#include "tyto/parts/extremes/activation_tails.hpp"
#include "tyto/parts/joint_learner.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/nested_part.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 4> kOpenmaxForms{"sound", "shifted", "paper", "released"};
constexpr std::array<std::string_view, 3> kDistances{"eucos", "euclidean", "cosine"};
constexpr double kLeastProbability = 1e-30;  // probabilities below have no logarithm

struct OpenMaxOptions {
  ConfigNode base = ConfigNode::scalar("mlp");
  std::string form = "sound", distance = "eucos";
  Index tail = 20, alpha = 10;

  void describe(OptionVisitor& v) {
    v.field("base", base, "the classifier whose logits are taken, as in {name: mlp, epochs: 5}");
    v.field("form", form, kOpenmaxForms,
            "what is handed to unknown. sound: shares of the softmax probabilities. shifted: of "
            "the logits, less their row's lowest. released: of the raw logits, which raises "
            "negative ones and lets large ones drown all classes. paper: as released, with rank "
            "weights (alpha - i)/alpha instead of (alpha + 1 - i)/alpha");
    v.field("tail", tail, {1, 1e6},
            "distances to the mean activations fitted per class, the largest");
    v.field("alpha", alpha, {1, 1e6}, "classes that may lose, the highest; at most all of them");
    v.field("distance", distance, kDistances, "to the mean; eucos is euclidean / 200 + cosine");
  }

  void resolve_nested(std::string_view path) {
    base = resolved_nested(Slot::classifier, base, fmt::format("{}.base", path));
  }
};

// The last column is unknown. Novelty is the log odds of unknown against all known classes.
class OpenMax final : public Part, public JointLearner {
 public:
  OpenMax(OpenMaxOptions options, std::string_view path)
      : options_(std::move(options)),
        base_(make_nested(Slot::classifier, options_.base, fmt::format("{}.base", path))),
        tails_(0, options_.tail, kind()) {
    const Needs needs = base_.part->needs();
    if (needs.neighbours > 0 || needs.rivals) {
      throw Error(ErrorKind::config,
                  fmt::format("{}.base: openmax needs a classifier that learns; this one looks up "
                              "remembered neighbours",
                              path));
    }
  }

  [[nodiscard]] Needs needs() const override { return base_.part->needs(); }

  [[nodiscard]] Holding holding() const override { return base_.part->holding(); }

  void settle(const Experience& remembered, Work& work) override {
    base_.as->settle(remembered, work);
  }

  void classify(Evidence& evidence) const override {
    evidence.classes = classes_;
    if (classes_.empty()) {
      evidence.logits = Matrix(evidence.size(), 0);
      return;
    }
    const auto known = static_cast<Index>(classes_.size());
    Matrix out(evidence.size(), known + 1);
    if (evidence.size() > 0) {
      const Matrix activations = of_base(evidence);
      for (Index i = 0; i < evidence.size(); ++i) {
        out.row(i) = rescored(activations.row(i).cast<double>()).cast<float>();
      }
    }
    evidence.logits = std::move(out);
    evidence.classes.push_back(Label::unknown);
  }

  void detect(Evidence& evidence) const override {
    if (classes_.empty()) {
      throw Error(ErrorKind::state, "detector openmax has seen no labelled sample to fit on");
    }
    Matrix logits;
    if (evidence.classifier == static_cast<const Classifier*>(this)) {
      logits = evidence.logits;
    } else {
      Evidence own = evidence;
      classify(own);
      logits = std::move(own.logits);
    }
    const Index known = static_cast<Index>(classes_.size());
    evidence.novelty.resize(static_cast<std::size_t>(logits.rows()));
    if (logits.rows() > 0) {
      Vector::Map(evidence.novelty.data(), logits.rows()) =
          logits.col(known) - log_sum_exp(logits.leftCols(known));
    }
  }

  void save(State& state) const override {
    save_labels(state, "classes", classes_);
    tails_.save(state);
    base_.part->save(state.make_child("base"));
  }

  void load(const State& state, const Shelf& shelf) override {
    classes_ = load_labels(state, "classes");
    tails_.load(state);
    base_.part->load(state.child("base"), shelf);
  }

 private:
  [[nodiscard]] ActivationDistance kind() const {
    return options_.distance == "eucos"       ? ActivationDistance::eucos
           : options_.distance == "euclidean" ? ActivationDistance::euclidean
                                              : ActivationDistance::cosine;
  }

  [[nodiscard]] Evidence base_evidence(const Evidence& evidence) const {
    Evidence inner;
    inner.samples = evidence.samples;
    inner.features = evidence.features;
    base_.as->classify(inner);
    return inner;
  }

  // Logits of the known classes, in the order of classes_.
  [[nodiscard]] Matrix of_base(const Evidence& evidence) const {
    const Evidence inner = base_evidence(evidence);
    return known_part(inner, inner.logits, "openmax");
  }

  void study(const Experience& experience, Work& work) override {
    Work inner = work.fork("base");
    base_.as->learn(experience, inner);
    fit_tails(experience, work);
  }

  // All samples shown count, remembered and new: the base has moved, and so have their activations.
  void fit_tails(const Experience& experience, Work& work) {
    bool first = true;
    ActivationTails tails(0, options_.tail, kind());
    const auto pass = [&](bool distances) {
      experience.each_block(
          Role::fit, 0, [&](const Evidence& block, std::span<const Label> labels) {
            if (block.size() == 0) {
              return;
            }
            if (first) {
              name_columns(block);
              tails = ActivationTails(static_cast<Index>(classes_.size()), options_.tail, kind());
              first = false;
            }
            const Matrix activations = of_base(block);
            for (Index i = 0; i < activations.rows(); ++i) {
              const auto found =
                  std::find(classes_.begin(), classes_.end(), labels[static_cast<std::size_t>(i)]);
              if (found == classes_.end()) {
                continue;
              }
              const Index own = found - classes_.begin();
              Index best = 0;
              activations.row(i).maxCoeff(&best);
              const Eigen::RowVectorXd row = activations.row(i).cast<double>();
              distances ? tails.add_distance(own, row, best == own)
                        : tails.add_to_mean(own, row, best == own);
            }
            work.progress.pulse();
          });
    };
    pass(false);
    pass(true);
    if (!first) {
      tails.fit();
      tails_ = std::move(tails);
    }
  }

  void name_columns(const Evidence& block) {
    const Evidence inner = base_evidence(block);
    classes_.clear();
    for (const Index column : known_columns(inner)) {
      classes_.push_back(inner.classes[static_cast<std::size_t>(column)]);
    }
  }

  // What each class keeps: 1 - alpha_i times the chance of an outlier, for the i-th highest.
  [[nodiscard]] Eigen::RowVectorXd kept_shares(const Eigen::RowVectorXd& logits) const {
    const Index known = logits.size();
    const Index alpha = std::min(options_.alpha, known);
    std::vector<Index> order(static_cast<std::size_t>(known));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return logits[a] > logits[b]; });
    const Eigen::RowVectorXd outlier = tails_.outlier(logits);
    Eigen::RowVectorXd share = Eigen::RowVectorXd::Ones(known);
    const double first = options_.form == "paper" ? -1.0 : 0.0;
    for (Index i = 0; i < alpha; ++i) {
      const double weight = (static_cast<double>(alpha - i) + first) / static_cast<double>(alpha);
      const Index c = order[static_cast<std::size_t>(i)];
      share[c] = 1.0 - weight * outlier[c];
    }
    return share;
  }

  [[nodiscard]] Eigen::RowVectorXd rescored(const Eigen::RowVectorXd& logits) const {
    const Index known = logits.size();
    const Eigen::RowVectorXd share = kept_shares(logits);
    Eigen::RowVectorXd out(known + 1);
    if (options_.form == "sound") {
      const double top = logits.maxCoeff();
      const double sum = (logits.array() - top).exp().sum();
      const Eigen::RowVectorXd log_p = logits.array() - top - std::log(sum);
      out.head(known) = log_p.array() + share.array().max(kLeastProbability).log();
      const double unknown = (log_p.array().exp() * (1.0 - share.array())).sum();
      out[known] = std::log(std::max(unknown, kLeastProbability));
      return out;
    }
    const Eigen::RowVectorXd v = options_.form == "shifted"
                                     ? Eigen::RowVectorXd(logits.array() - logits.minCoeff())
                                     : logits;
    out.head(known) = v.cwiseProduct(share);
    out[known] = (v.array() * (1.0 - share.array())).sum();
    return out;
  }

  OpenMaxOptions options_;
  Nested<Classifier> base_;
  std::vector<Label> classes_;  // known ones, as the base has them
  ActivationTails tails_;
};

}  // namespace

PartSpec openmax_spec() {
  PartSpec spec = nesting_part_spec<OpenMaxOptions, OpenMax>(
      "openmax", {Slot::classifier, Slot::detector},
      "a classifier's logits, part of which go to unknown where they are unlike the class's mean; "
      "classes no longer remembered lose nothing",
      "the base's, twice more for the samples learned; O(n k^2) to classify, O(k^2) memory",
      "Bendale & Boult, Towards Open Set Deep Networks, CVPR 2016");
  spec.objective = "that of its base; a Weibull per class over distances to the mean logits";
  return spec;
}

}  // namespace tyto
