// SPDX-License-Identifier: Apache-2.0
// The Extreme Value Machine as classifier, as detector, or as both at once.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "tyto/parts/extremes/extreme_vectors.hpp"
#include "tyto/parts/joint_learner.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kEvmForms{"paper", "libmr"};
constexpr std::array<std::string_view, 2> kMetrics{"euclidean", "cosine"};
constexpr double kLargestExponent = 30.0;    // of u = ln(-ln P) in a logit
constexpr double kLeastStrangeness = -87.0;  // its exponential is the least float

struct EvmOptions {
  std::string form = "paper", metric = "euclidean";
  Index tail = 50, fuse = 1;
  double multiplier = 0.5, cover = 0.7, delta = 0.0;
  bool tail_is_ratio = false, unknown = false;

  void describe(OptionVisitor& v) {
    v.field("form", form, kEvmForms,
            "psi, the chance that a point belongs with a known one. paper: exp(-(d/scale)^shape), "
            "fitted to the smallest margins. libmr: as released code has it, on reversed margins "
            "shifted by 1; it depends on the scale of the features");
    v.field("tail", tail, {1, 1e5},
            "margins fitted per point, the smallest; where other classes have fewer points, all");
    v.field("tail_is_ratio", tail_is_ratio,
            "margins fitted per point are tail times the number of classes, as released code has "
            "it; all points are then fitted anew at every lesson, from a memory that keeps them");
    v.field("multiplier", multiplier, {1e-6, 1e6}, "from distance to margin; the paper takes half");
    v.field("metric", metric, kMetrics,
            "euclidean, or cosine: 1 - cos; a row of zeros is at 0.5 from all others");
    v.field("cover", cover, {1e-9, 1e9},
            "psi from which one point of a class stands for another, which is dropped; 1 or more: "
            "all points are kept");
    v.field("fuse", fuse, {1, 1e5},
            "psi of a class: the mean of so many largest (of all, where it keeps fewer)");
    v.field("unknown", unknown,
            "a column for unknown, 1 - the largest psi, before the columns are divided by their "
            "sum");
    v.field("delta", delta, {0.0, 0.999999},
            "novel where no psi reaches this; 0: by the held-out samples at the accepted error");
  }

  [[nodiscard]] EvmSettings settings(Index classes = 1) const {
    const Index margins = tail_is_ratio ? tail * std::max<Index>(1, classes) : tail;
    return {
        {form == "libmr", metric == "cosine"}, margins, multiplier, cover, fuse, !tail_is_ratio};
  }
};

// ln P from u = ln(-ln P). Far beyond any float P it goes on linearly in u, so that the classes of
// a very strange point still compare.
double log_probability(double u) {
  const double last = std::exp(kLargestExponent);
  return u <= kLargestExponent ? -std::exp(u) : -last * (1.0 + u - kLargestExponent);
}

double strangeness_of(double log_probability) {
  const double share = -log_probability / std::exp(kLargestExponent);
  return kLargestExponent + (share <= 1.0 ? std::log(share) : share - 1.0);
}

// Logits are ln P(class), so that probabilities are P(class) over their sum. Novelty is ln(-ln P)
// of the best class: monotone in P, and fine where P is all but 0 or 1.
class ExtremeValueMachine final : public Part, public JointLearner {
 public:
  explicit ExtremeValueMachine(EvmOptions options)
      : options_(std::move(options)), vectors_(options_.settings()) {}

  [[nodiscard]] Holding holding() const override { return holding_of(vectors_.points()); }

  void classify(Evidence& evidence) const override {
    evidence.classes.clear();
    for (const std::int32_t key : vectors_.classes()) {
      evidence.classes.push_back(static_cast<Label>(key));
    }
    const Dense<double> strange = vectors_.strangeness_of(evidence.features);
    const bool extra = options_.unknown && strange.cols() > 0;
    evidence.logits.resize(evidence.size(), strange.cols() + (extra ? 1 : 0));
    for (Index i = 0; i < evidence.size(); ++i) {
      for (Index c = 0; c < strange.cols(); ++c) {
        evidence.logits(i, c) = static_cast<float>(log_probability(strange(i, c)));
      }
    }
    if (extra) {
      evidence.classes.push_back(Label::unknown);
      for (Index i = 0; i < evidence.size(); ++i) {
        const double log_best = log_probability(strange.row(i).minCoeff());
        const double rest = std::max(-std::expm1(log_best), std::exp(kLeastStrangeness));  // 1 - P
        evidence.logits(i, strange.cols()) = static_cast<float>(std::log(rest));
      }
    }
  }

  void detect(Evidence& evidence) const override {
    if (vectors_.classes().empty()) {
      throw Error(ErrorKind::state, "detector evm has seen no labelled sample to fit on");
    }
    evidence.novelty.clear();
    const auto add = [&](double u) {
      evidence.novelty.push_back(static_cast<float>(std::max(u, kLeastStrangeness)));
    };
    if (evidence.classifier == static_cast<const Classifier*>(this)) {
      const auto known = static_cast<Index>(vectors_.classes().size());
      for (Index i = 0; i < evidence.size(); ++i) {
        add(strangeness_of(static_cast<double>(evidence.logits.row(i).head(known).maxCoeff())));
      }
      return;
    }
    const Dense<double> strange = vectors_.strangeness_of(evidence.features);
    for (Index i = 0; i < strange.rows(); ++i) {
      add(strange.row(i).minCoeff());
    }
  }

  [[nodiscard]] std::optional<float> own_threshold() const override {
    if (options_.delta > 0.0) {
      return static_cast<float>(std::log(-std::log(options_.delta)));
    }
    return {};
  }

  void save(State& state) const override { vectors_.save(state); }

  void load(const State& state, const Shelf&) override { vectors_.load(state); }

 private:
  void study(const Experience& experience, Work& work) override {
    const Index from = options_.tail_is_ratio ? 0 : experience.fresh();
    const std::vector<Index> rows = experience.labelled(Role::fit, from);
    const auto count = static_cast<Index>(rows.size());
    if (options_.tail_is_ratio) {
      start_again(experience, rows);
    } else if (experience.starts_over()) {
      vectors_ = ExtremeVectors(options_.settings());
    }
    Matrix points;
    std::vector<std::int32_t> classes;
    experience.each_block(
        Role::fit, from, [&](const Evidence& block, std::span<const Label> labels) {
          if (points.size() == 0) {
            points.resize(count, block.features.cols());
          }
          points.middleRows(static_cast<Index>(classes.size()), block.features.rows()) =
              block.features;
          for (const Label label : labels) {
            classes.push_back(static_cast<std::int32_t>(label));
          }
          work.progress.pulse();
        });
    vectors_.add(std::move(points), classes, [&] { work.progress.pulse(); });
  }

  // With more classes tails are longer, and a vector keeps no more than its own: nothing of the
  // lesson before can be taken over.
  void start_again(const Experience& experience, const std::vector<Index>& rows) {
    std::set<std::int32_t> shown;
    for (const Index row : rows) {
      shown.insert(static_cast<std::int32_t>(experience.labels()[static_cast<std::size_t>(row)]));
    }
    for (const std::int32_t before : vectors_.classes()) {
      if (!experience.starts_over() && !shown.contains(before)) {
        throw Error(ErrorKind::state,
                    fmt::format("evm: tail_is_ratio fits all samples anew, but none of the class "
                                "\"{}\" is remembered; take a memory that keeps them (memory: "
                                "unlimited)",
                                experience.space().name(static_cast<Label>(before))));
      }
    }
    vectors_ = ExtremeVectors(options_.settings(std::ssize(shown)));
  }

  EvmOptions options_;
  ExtremeVectors vectors_;
};

}  // namespace

PartSpec evm_spec() {
  return part_spec<EvmOptions, ExtremeValueMachine>(
      "evm", {Slot::classifier, Slot::detector},
      "Extreme Value Machine: each kept point draws in what is nearer than its margins to other "
      "classes",
      "with m kept points: O(n (n + m) d) to learn n samples, O(n m d) to classify, O(m (d + "
      "tail)) "
      "memory",
      "Rudd, Jain, Scheirer & Boult, The Extreme Value Machine, TPAMI 2018",
      "likelihood of one Weibull per point over its margins; greedy set cover");
}

}  // namespace tyto
