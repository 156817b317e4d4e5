// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/prediction_sets.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

Dense<double> known_scores(const Prediction& answers, const std::vector<Label>& known) {
  std::vector<Index> columns;
  for (const Label label : known) {
    columns.push_back(static_cast<Index>(label));
  }
  const Matrix chosen = answers.probability(Eigen::all, columns);
  Dense<double> out = chosen.cast<double>().array().log();
  for (Index i = 0; i < out.rows(); ++i) {
    if (!std::isfinite(out.row(i).maxCoeff())) {
      out.row(i).setZero();  // all of it went to `unknown`: no class is likelier than another
    }
  }
  return out;
}

}  // namespace

std::vector<double> PredictionSets::uniforms(const Samples& samples) const {
  std::vector<double> out;
  for (Index i = 0; i < samples.size(); ++i) {
    out.push_back(Rng(seed_, "sets", static_cast<std::uint32_t>(samples.id(i))).uniform());
  }
  return out;
}

void PredictionSets::fit(const Predictor& predictor, const Samples& held,
                         std::span<const std::string> names) {
  TYTO_ASSERT(std::ssize(names) == held.size());
  const std::vector<Label> known = predictor.labels().known();
  std::vector<Index> rows;
  std::vector<Index> truth;
  for (Index i = 0; i < held.size(); ++i) {
    const auto label = predictor.labels().find(names[static_cast<std::size_t>(i)]);
    const auto at = label ? std::find(known.begin(), known.end(), *label) : known.end();
    if (at != known.end()) {
      rows.push_back(i);
      truth.push_back(at - known.begin());
    }
  }
  if (rows.empty()) {
    throw Error(ErrorKind::data, "prediction sets need held-out samples of known classes");
  }
  const Samples chosen = held.pick(rows);
  sets_.fit(known_scores(predictor.predict(chosen), known), truth, uniforms(chosen));
  known_ = known;
}

std::vector<std::vector<Label>> PredictionSets::sets(const Predictor& predictor,
                                                     const Samples& samples) const {
  if (predictor.labels().known() != known_) {
    throw Error(ErrorKind::state,
                "the predictor knows other classes than when its prediction sets were fitted");
  }
  std::vector<std::vector<Label>> out;
  const Dense<double> scores = known_scores(predictor.predict(samples), known_);
  for (const ClassSet& columns : sets_.sets(scores, uniforms(samples))) {
    auto& labels = out.emplace_back();
    for (const Index column : columns) {
      labels.push_back(known_[static_cast<std::size_t>(column)]);
    }
  }
  return out;
}

}  // namespace tyto
