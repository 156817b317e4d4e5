// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/score_fusion.hpp"

#include <array>
#include <cmath>

#include <Eigen/Cholesky>

namespace tyto {

namespace {

constexpr std::array<std::string_view, 5> kAverages{"scores", "ranks", "range", "conformal",
                                                    "learned"};
constexpr Index kRankTail = 10;
// What NovelCraft adds up: the scores of its patch autoencoder from 0 to the greatest, rounded, and
// those of its symbolic model of two steps over validation frames, for the model of five alike.
constexpr std::array<double, 2> kReleasedLeast{0.0, 0.2429}, kReleasedMost{0.0065, 29.5301};

}  // namespace

FusionOptions::FusionOptions(std::string_view usual_detectors, std::string_view usual_average)
    : detectors(parse_yaml(usual_detectors, "")),
      average(usual_average),
      standard(usual_detectors) {}

void FusionOptions::describe(OptionVisitor& v) {
  v.field("detectors", detectors,
          fmt::format("detectors to average, each a name or {{name: ..., options}}; with "
                      "`features: SOURCE` among them it reads that source of the samples, as it "
                      "is. Unless given {}",
                      standard));
  v.field("average", average, kAverages,
          "scores: of scores less their mean on held-out samples, over their deviation; ranks: "
          "of the shares of held-out samples with a lower score; range: of scores brought from the "
          "least and greatest held-out one to 0 and 1; conformal: of -log p, p the rank among "
          "held-out samples; learned: the same with weights that let held-out samples vary least, "
          "so that detectors that say the same count once");
  v.field("weights", weights, {0, 1e9},
          "of the detectors, in their order; none: all alike. May be searched where new classes "
          "are at hand");
}

void FusionOptions::resolve_nested(std::string_view path) {
  detectors = resolved_committee(detectors, fmt::format("{}.detectors", path));
  if (!weights.empty() && weights.size() != detectors.items.size()) {
    throw Error(ErrorKind::config, fmt::format("{}.weights: {} weights for {} detectors", path,
                                               weights.size(), detectors.items.size()));
  }
}

ScoreFusion::ScoreFusion(FusionOptions options, std::string_view path)
    : options_(std::move(options)),
      committee_(options_.detectors, fmt::format("{}.detectors", path)) {}

void ScoreFusion::profile(const Experience& experience, Work& work) {
  committee_.profile(experience, work);
  measure();
}

void ScoreFusion::detect(Evidence& evidence) const {
  if (committee_.held().ids.empty()) {
    throw Error(ErrorKind::state,
                "detectors to be averaged have seen no held-out sample to compare with");
  }
  const Matrix scores = committee_.scores(evidence);
  const std::vector<Index> places = committee_.places_in_held(evidence, scores);
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    evidence.novelty[at] = average(scores.row(i), places[at]);
  }
}

std::vector<float> ScoreFusion::pool(std::span<const Detector* const> folds) {
  committee_.pool(folds, &ScoreFusion::committee_);
  measure();
  std::vector<float> novelty;
  for (Index i = 0; i < committee_.held().scores.rows(); ++i) {
    novelty.push_back(average(committee_.held().scores.row(i), i));
  }
  return novelty;
}

std::vector<std::vector<ScoreNote>> ScoreFusion::explain(const Evidence& given) const {
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

void ScoreFusion::load(const State& state, const Shelf& shelf) {
  committee_.load(state, shelf);
  measure();
}

double ScoreFusion::on_scale(float score, Index member, Index place) const {
  if (options_.average == "scores") {
    return (score - mean_[member]) / deviation_[member];
  }
  if (options_.average == "ranks") {
    return rank(score, member, place);
  }
  if (options_.average == "range") {
    return (score - least_[member]) / range_[member];
  }
  return -log_p_of(score, member, place);
}

// `place`: of the sample among the held-out ones, -1 where it is none of them.
float ScoreFusion::average(const Eigen::RowVectorXf& scores, Index place) const {
  double sum = 0.0;
  for (Index m = 0; m < scores.size(); ++m) {
    sum += weight_[m] * on_scale(scores[m], m, place);
  }
  return static_cast<float>(options_.form == "released" ? sum : sum / weight_.sum());
}

void ScoreFusion::measure() {
  const Dense<double> held = committee_.held().scores.cast<double>();
  ranks_.clear();
  if (held.rows() == 0) {
    return;
  }
  mean_ = held.colwise().mean();
  deviation_ = ((held.rowwise() - mean_).array().square().colwise().mean()).sqrt().matrix();
  least_ = held.colwise().minCoeff();
  range_ = held.colwise().maxCoeff() - least_;
  if (options_.form == "released") {
    least_ = Eigen::RowVector2d(kReleasedLeast[0], kReleasedLeast[1]);
    range_ = Eigen::RowVector2d(kReleasedMost[0], kReleasedMost[1]) - least_;
  }
  for (Index m = 0; m < held.cols(); ++m) {
    if (!(deviation_[m] > 0.0)) {  // one held-out sample, or all alike
      deviation_[m] = 1.0;
      range_[m] = options_.form == "released" ? range_[m] : 1.0;
    }
    const auto column = committee_.held().scores.col(m);
    ranks_.emplace_back(std::vector<float>(column.begin(), column.end()), kRankTail, 0.0);
  }
  weigh();
}

void ScoreFusion::weigh() {
  const Matrix& held = committee_.held().scores;
  weight_ = Eigen::RowVectorXd::Ones(held.cols());
  for (std::size_t m = 0; m < options_.weights.size(); ++m) {
    weight_[static_cast<Index>(m)] = options_.weights[m];
  }
  if (options_.average == "learned" && held.rows() > held.cols()) {
    Dense<double> scaled(held.rows(), held.cols());
    for (Index i = 0; i < held.rows(); ++i) {
      for (Index m = 0; m < held.cols(); ++m) {
        scaled(i, m) = -log_p_of(held(i, m), m, i);
      }
    }
    const Dense<double> about = scaled.rowwise() - scaled.colwise().mean();
    Eigen::MatrixXd covariance = about.transpose() * about / static_cast<double>(held.rows());
    covariance.diagonal().array() += 1e-3 * (covariance.trace() / static_cast<double>(held.cols()));
    const Eigen::VectorXd best =
        covariance.ldlt().solve(Eigen::VectorXd::Ones(held.cols())).cwiseMax(0.0);
    weight_.array() *= best.transpose().array();
  }
  if (!(weight_.sum() > 0.0)) {  // nobody counts: all alike
    weight_.setOnes();
  }
}

double ScoreFusion::log_p_of(float score, Index member, Index place) const {
  const HeldRanks& ranks = ranks_[static_cast<std::size_t>(member)];
  return place < 0 ? ranks.log_p_new(score)
                   : ranks.log_p_held(committee_.held().scores(place, member));
}

// 1 - p; above all held-out scores it grows on by the logarithm of the tail, in steps of a rank.
double ScoreFusion::rank(float score, Index member, Index place) const {
  const double log_p = log_p_of(score, member, place);
  const auto steps = static_cast<double>(ranks_[static_cast<std::size_t>(member)].size() + 1);
  const double beyond = -log_p - std::log(steps);
  return beyond > 0.0 ? 1.0 + (beyond - 1.0) / steps : 1.0 - std::exp(log_p);
}

}  // namespace tyto
