// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "tyto/parts/detector/committee.hpp"
#include "tyto/parts/detector/held_ranks.hpp"
#include "tyto/parts/pooled_scale.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kAverages{"scores", "ranks"};
constexpr std::string_view kDefaultDetectors = "[{name: knn, k: 1}, mahalanobis, max_logit]";
constexpr Index kRankTail = 10;

struct EnsembleOptions {
  ConfigNode detectors = parse_yaml(kDefaultDetectors, "");
  std::string average = "scores";

  void describe(OptionVisitor& v) {
    v.field("detectors", detectors,
            fmt::format("detectors to average, each a name or {{name: ..., options}}; unless given "
                        "{}",
                        kDefaultDetectors));
    v.field("average", average, kAverages,
            "scores: of scores less their mean on held-out samples, over their deviation; ranks: "
            "of the shares of held-out samples with a lower score");
  }

  void resolve_nested(std::string_view path) {
    detectors = resolved_nested_list(Slot::detector, detectors, fmt::format("{}.detectors", path));
  }
};

class Ensemble final : public Part, public Detector, public PooledScale {
 public:
  Ensemble(EnsembleOptions options, std::string_view path)
      : options_(std::move(options)),
        committee_(options_.detectors, fmt::format("{}.detectors", path)) {}

  [[nodiscard]] Needs needs() const override { return committee_.needs(); }

  [[nodiscard]] Holding holding() const override { return committee_.holding(); }

  void profile(const Experience& experience, Work& work) override {
    committee_.profile(experience, work);
    measure();
  }

  void detect(Evidence& evidence) const override {
    if (committee_.held().ids.empty()) {
      throw Error(ErrorKind::state,
                  "detector ensemble has seen no held-out sample to compare with");
    }
    const Matrix scores = committee_.scores(evidence);
    const std::vector<Index> places = committee_.places_in_held(evidence, scores);
    for (Index i = 0; i < scores.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      evidence.novelty[at] = average(scores.row(i), places[at]);
    }
  }

  std::vector<float> pool(std::span<const Detector* const> folds) override {
    committee_.pool(folds, &Ensemble::committee_);
    measure();
    std::vector<float> novelty;
    for (Index i = 0; i < committee_.held().scores.rows(); ++i) {
      novelty.push_back(average(committee_.held().scores.row(i), i));
    }
    return novelty;
  }

  [[nodiscard]] std::vector<std::vector<ScoreNote>> explain(const Evidence& given) const override {
    Evidence evidence = given;
    const Matrix scores = committee_.scores(evidence);
    const std::vector<Index> places = committee_.places_in_held(evidence, scores);
    std::vector<std::vector<ScoreNote>> notes(places.size());
    for (std::size_t i = 0; i < notes.size(); ++i) {
      for (std::size_t m = 0; m < ranks_.size(); ++m) {
        const float score = scores(static_cast<Index>(i), static_cast<Index>(m));
        const double log_p = log_p_of(score, static_cast<Index>(m), places[i]);
        notes[i].push_back({committee_.names()[m], score, static_cast<float>(std::exp(log_p))});
      }
    }
    return notes;
  }

  void save(State& state) const override { committee_.save(state); }

  void load(const State& state, const Shelf& shelf) override {
    committee_.load(state, shelf);
    measure();
  }

 private:
  // `place`: of the sample among the held-out ones, -1 where it is none of them.
  [[nodiscard]] float average(const Eigen::RowVectorXf& scores, Index place) const {
    double sum = 0.0;
    for (Index m = 0; m < scores.size(); ++m) {
      sum += options_.average == "ranks" ? rank(scores[m], m, place)
                                         : (scores[m] - mean_[m]) / deviation_[m];
    }
    return static_cast<float>(sum / static_cast<double>(scores.size()));
  }

  void measure() {
    const Dense<double> held = committee_.held().scores.cast<double>();
    ranks_.clear();
    if (held.rows() == 0) {
      return;
    }
    mean_ = held.colwise().mean();
    deviation_ = ((held.rowwise() - mean_).array().square().colwise().mean()).sqrt().matrix();
    for (Index m = 0; m < held.cols(); ++m) {
      if (!(deviation_[m] > 0.0)) {  // one held-out sample, or all alike
        deviation_[m] = 1.0;
      }
      const auto column = committee_.held().scores.col(m);
      ranks_.emplace_back(std::vector<float>(column.begin(), column.end()), kRankTail, 0.0);
    }
  }

  [[nodiscard]] double log_p_of(float score, Index member, Index place) const {
    const HeldRanks& ranks = ranks_[static_cast<std::size_t>(member)];
    return place < 0 ? ranks.log_p_new(score)
                     : ranks.log_p_held(committee_.held().scores(place, member));
  }

  // 1 - p; above all held-out scores it grows on by the logarithm of the tail, in steps of a rank.
  [[nodiscard]] double rank(float score, Index member, Index place) const {
    const double log_p = log_p_of(score, member, place);
    const auto steps = static_cast<double>(ranks_[static_cast<std::size_t>(member)].size() + 1);
    const double beyond = -log_p - std::log(steps);
    return beyond > 0.0 ? 1.0 + (beyond - 1.0) / steps : 1.0 - std::exp(log_p);
  }

  EnsembleOptions options_;
  Committee committee_;
  Eigen::RowVectorXd mean_, deviation_;  // of the held-out scores, by member
  std::vector<HeldRanks> ranks_;
};

}  // namespace

PartSpec ensemble_spec() {
  return nesting_part_spec<EnsembleOptions, Ensemble>(
      "ensemble", {Slot::detector}, "the average of several detectors, each on a common scale",
      "that of its detectors, O(log h) a score besides, O(h) memory, h the held-out samples");
}

}  // namespace tyto
