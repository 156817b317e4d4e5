// SPDX-License-Identifier: Apache-2.0
// p-values of several detectors among held-out samples, combined into one score.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "tyto/parts/detector/committee.hpp"
#include "tyto/parts/detector/held_ranks.hpp"
#include "tyto/parts/pooled_scale.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 4> kCombinations{"fisher", "harmonic", "minimum",
                                                        "smallest"};
constexpr std::string_view kDefaultScores = "[{name: knn, k: 1}, gauss, osnn_ratio, max_logit]";

struct ConformalOptions {
  ConfigNode scores = parse_yaml(kDefaultScores, "");
  std::string combine = "fisher";
  Index smallest = 2, tail = 10, fewest = 50;
  double tail_shape = 0.25;
  bool by_class = false;

  void describe(OptionVisitor& v) {
    v.field("scores", scores,
            fmt::format("detectors whose p-values are combined, each a name or {{name: ..., "
                        "options}}; unless given {}",
                        kDefaultScores));
    v.field("combine", combine, kCombinations,
            "fisher: the sum of -log p; harmonic: -log of the harmonic mean; minimum: -log of the "
            "least; smallest: -log of the mean of the least few");
    v.field("smallest", smallest, {1, 1e3}, "how many p-values count with combine: smallest");
    v.field("by_class", by_class,
            "rank a sample among the held-out ones of its predicted class, where there are enough");
    v.field("fewest", fewest, {2, 1e6},
            "so many are enough; a class with fewer is ranked with all");
    v.field("tail", tail, {0, 1e5},
            "greatest held-out scores that set how fast p falls beyond them; below 2 it stays at 1 "
            "/ (held + 1)");
    v.field("tail_shape", tail_shape, {0.0, 10.0},
            "of the generalised Pareto tail beyond: 0 exponential, higher: one far score counts "
            "for less");
  }

  void resolve_nested(std::string_view path) {
    scores = resolved_committee(scores, fmt::format("{}.scores", path));
  }
};

// A value combined from p-values, higher is newer; monotone in each.
double combined(std::vector<double> log_p, const ConformalOptions& options) {
  if (options.combine == "fisher") {
    double sum = 0.0;
    for (const double value : log_p) {
      sum -= value;
    }
    return sum;
  }
  std::sort(log_p.begin(), log_p.end());
  const double least = log_p.front();
  const auto count = static_cast<double>(log_p.size());
  if (options.combine == "harmonic") {  // log of the mean of 1 / p
    double sum = 0.0;
    for (const double value : log_p) {
      sum += std::exp(least - value);
    }
    return std::log(sum / count) - least;
  }
  if (options.combine == "minimum") {
    return -least;
  }
  const auto few = std::min(log_p.size(), static_cast<std::size_t>(options.smallest));
  const double most = log_p[few - 1];
  double sum = 0.0;
  for (std::size_t i = 0; i < few; ++i) {
    sum += std::exp(log_p[i] - most);
  }
  return -(std::log(sum / static_cast<double>(few)) + most);
}

// The value combined from p-values is itself ranked among the held-out samples by the composition's
// threshold. A held-out sample is recognised and has its p-values among the held-out ones alone
// (see HeldRanks), so that a known sample exchangeable with them is called novel no more often than
// accepted, whatever the scores and however many are held out.
class Conformal final : public Part, public Detector, public PooledScale {
 public:
  Conformal(ConformalOptions options, std::string_view path)
      : options_(std::move(options)), committee_(options_.scores, fmt::format("{}.scores", path)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs = committee_.needs();
    needs.classifier = needs.classifier || options_.by_class;
    return needs;
  }

  [[nodiscard]] Holding holding() const override { return committee_.holding(); }

  void profile(const Experience& experience, Work& work) override {
    committee_.profile(experience, work);
    rank();
  }

  void detect(Evidence& evidence) const override {
    const PValues found = p_values(evidence);
    evidence.novelty.resize(found.log_p.size());
    for (std::size_t i = 0; i < found.log_p.size(); ++i) {
      evidence.novelty[i] = static_cast<float>(combined(found.log_p[i], options_));
    }
  }

  std::vector<float> pool(std::span<const Detector* const> folds) override {
    committee_.pool(folds, &Conformal::committee_);
    rank();
    std::vector<float> novelty;
    for (Index i = 0; i < committee_.held().scores.rows(); ++i) {
      novelty.push_back(static_cast<float>(combined(of_held(i), options_)));
    }
    return novelty;
  }

  [[nodiscard]] std::vector<std::vector<ScoreNote>> explain(const Evidence& given) const override {
    Evidence evidence = given;
    const PValues found = p_values(evidence);
    std::vector<std::vector<ScoreNote>> notes(found.log_p.size());
    for (std::size_t i = 0; i < notes.size(); ++i) {
      for (std::size_t m = 0; m < committee_.names().size(); ++m) {
        notes[i].push_back({committee_.names()[m],
                            found.scores(static_cast<Index>(i), static_cast<Index>(m)),
                            static_cast<float>(std::exp(found.log_p[i][m]))});
      }
    }
    return notes;
  }

  void save(State& state) const override { committee_.save(state); }

  void load(const State& state, const Shelf& shelf) override {
    committee_.load(state, shelf);
    rank();
  }

 private:
  struct PValues {
    Matrix scores;
    std::vector<std::vector<double>> log_p;  // of each row, by member
  };

  void rank() {
    const HeldScores& held = committee_.held();
    const auto ranks_of = [&](const std::vector<Index>& rows) {
      std::vector<HeldRanks> ranks;
      for (Index m = 0; m < held.scores.cols(); ++m) {
        std::vector<float> values;
        for (const Index row : rows) {
          values.push_back(held.scores(row, m));
        }
        ranks.emplace_back(std::move(values), options_.tail, options_.tail_shape);
      }
      return ranks;
    };
    std::vector<Index> all;
    std::map<Label, std::vector<Index>> classes;
    for (Index i = 0; i < held.scores.rows(); ++i) {
      all.push_back(i);
      classes[held.predicted[static_cast<std::size_t>(i)]].push_back(i);
    }
    all_ = ranks_of(all);
    by_class_.clear();
    if (options_.by_class) {
      for (const auto& [label, rows] : classes) {
        // One short is enough for a new sample, which makes the class complete.
        if (static_cast<Index>(rows.size()) + 1 >= options_.fewest) {
          by_class_.emplace(label, ranks_of(rows));
        }
      }
    }
  }

  [[nodiscard]] PValues p_values(Evidence& evidence) const {
    if (committee_.held().ids.empty()) {
      throw Error(ErrorKind::state, "detector conformal has seen no held-out sample to rank among");
    }
    PValues out;
    out.scores = committee_.scores(evidence);
    const std::vector<Index> places = committee_.places_in_held(evidence, out.scores);
    const std::vector<Label> predicted =
        options_.by_class ? predicted_classes(evidence) : std::vector<Label>();
    for (std::size_t i = 0; i < places.size(); ++i) {
      out.log_p.push_back(places[i] >= 0
                              ? of_held(places[i])
                              : of_new(out.scores.row(static_cast<Index>(i)),
                                       options_.by_class ? predicted[i] : Label::unknown));
    }
    return out;
  }

  [[nodiscard]] std::vector<double> of_new(const Eigen::RowVectorXf& scores, Label label) const {
    const auto own = by_class_.find(label);
    const std::vector<HeldRanks>& ranks = own == by_class_.end() ? all_ : own->second;
    std::vector<double> log_p;
    for (std::size_t m = 0; m < ranks.size(); ++m) {
      log_p.push_back(ranks[m].log_p_new(scores[static_cast<Index>(m)]));
    }
    return log_p;
  }

  [[nodiscard]] std::vector<double> of_held(Index place) const {
    const HeldScores& held = committee_.held();
    const auto own = by_class_.find(held.predicted[static_cast<std::size_t>(place)]);
    std::vector<double> log_p;
    for (std::size_t m = 0; m < all_.size(); ++m) {
      const float score = held.scores(place, static_cast<Index>(m));
      if (own == by_class_.end()) {
        log_p.push_back(all_[m].log_p_held(score));
        continue;
      }
      log_p.push_back(own->second[m].log_p_held(score));
      if (own->second[m].size() + 1 == options_.fewest) {  // complete or not, as the new one goes
        log_p.back() = std::min(log_p.back(), all_[m].log_p_held(score));
      }
    }
    return log_p;
  }

  ConformalOptions options_;
  Committee committee_;
  std::vector<HeldRanks> all_;  // by member
  std::map<Label, std::vector<HeldRanks>> by_class_;
};

}  // namespace

PartSpec conformal_spec() {
  return nesting_part_spec<ConformalOptions, Conformal>(
      "conformal", {Slot::detector},
      "p-values of several detectors among held-out samples, combined into one score",
      "that of its detectors, O(log h) a score besides, O(h) memory, h the held-out samples",
      "Bates et al., Testing for Outliers with Conformal p-values, Annals of Statistics 2023");
}

}  // namespace tyto
