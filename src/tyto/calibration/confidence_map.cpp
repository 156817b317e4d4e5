// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/confidence_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr double kMostOdds = 700.0;
constexpr double kNothing = -std::numeric_limits<double>::infinity();

double safe_log(double p) {
  return p > 0.0 ? std::log(p) : kNothing;
}

}  // namespace

double logistic(double log_odds) {
  return log_odds >= 0.0 ? 1.0 / (1.0 + std::exp(-log_odds))
                         : std::exp(log_odds) / (1.0 + std::exp(log_odds));
}

Eigen::VectorXd row_log_odds(const Scores& logits, Index row) {
  const Index best = best_column(logits, row);
  const double highest = logits(row, best);
  double others = 0.0;  // than the best, in units of the best
  for (Index j = 0; j < logits.cols(); ++j) {
    others += j == best ? 0.0 : std::exp(logits(row, j) - highest);
  }
  Eigen::VectorXd out(logits.cols());
  for (Index j = 0; j < logits.cols(); ++j) {
    const double below = logits(row, j) - highest;
    // Of any but the best p <= 1/2, so that 1 - p keeps its digits.
    const double rest = j == best ? others : 1.0 + (others - std::exp(below));
    out[j] = std::clamp(below - safe_log(rest), -kMostOdds, kMostOdds);
  }
  return out;
}

MappedConfidence::MappedConfidence(std::string_view route, MakeMap make)
    : top_label_(route == kRoutes[0]), make_(std::move(make)) {}

void MappedConfidence::do_fit(const CalibrationSet& known, Work& work) {
  const Index n = known.logits.rows();
  const Index columns = top_label_ ? 1 : known.logits.cols();
  Dense<double> odds(columns, n);
  for_each_index(n, [&](Index i) {
    const Eigen::VectorXd row = row_log_odds(known.logits, i);
    if (top_label_) {
      odds(0, i) = row[best_column(known.logits, i)];
    } else {
      odds.col(i) = row;
    }
  });
  std::vector<std::unique_ptr<ConfidenceMap>> maps;
  for (Index k = 0; k < columns; ++k) {
    std::vector<std::uint8_t> hit(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Index wanted = top_label_ ? best_column(known.logits, i) : k;
      hit[at] = known.truth[at] == wanted ? 1 : 0;
    }
    auto& map = maps.emplace_back();
    if (std::find(hit.begin(), hit.end(), 1) != hit.end()) {
      map = make_();
      map->fit({odds.row(k).data(), static_cast<std::size_t>(n)}, hit);
    } else {
      note(top_label_
               ? "no prediction is right, so confidences were left as they are"
               : fmt::format("no sample is of class {}, whose probability was left as it is", k));
    }
    work.progress.pulse();
  }
  maps_ = std::move(maps);
}

Dense<double> MappedConfidence::apply_top(const Scores& logits) const {
  Dense<double> out = score_log_probabilities(logits);
  if (maps_.front() == nullptr || logits.cols() == 1) {
    return out;
  }
  for_each_index(out.rows(), [&](Index i) {
    const Index best = best_column(logits, i);
    const double log_odds = row_log_odds(logits, i)[best];
    double second = kNothing;
    for (Index j = 0; j < out.cols(); ++j) {
      second = j == best ? second : std::max(second, out(i, j));
    }
    if (second == kNothing) {
      return;
    }
    const double log_rest = out(i, best) - log_odds;  // log(1 - p)
    const double share = std::exp(second - log_rest);
    constexpr double kAhead = 1e-9;  // so that rounding cannot turn the order
    const double floor = std::min(1.0, (1.0 + kAhead) * share / (1.0 + share));
    const double p = std::clamp(maps_.front()->probability(log_odds), floor, 1.0 - 1e-16);
    out.row(i).array() += std::log1p(-p) - log_rest;
    out(i, best) = std::log(p);
  });
  return out;
}

Dense<double> MappedConfidence::apply_all(const Scores& logits) const {
  if (logits.cols() != std::ssize(maps_)) {
    throw Error(ErrorKind::data,
                fmt::format("the scores have {} columns, but the calibrator was fitted on {}",
                            logits.cols(), maps_.size()));
  }
  Dense<double> out(logits.rows(), logits.cols());
  for_each_index(out.rows(), [&](Index i) {
    const Eigen::VectorXd odds = row_log_odds(logits, i);
    bool possible = false;
    for (Index k = 0; k < out.cols(); ++k) {
      const auto& map = maps_[static_cast<std::size_t>(k)];
      const double p = logits(i, k) == kNothing ? 0.0
                       : map == nullptr         ? logistic(odds[k])
                                                : map->probability(odds[k]);
      out(i, k) = safe_log(p);
      possible = possible || p > 0.0;
    }
    if (!possible) {
      out.row(i) = logits.row(i);  // every class was ruled out: as if not calibrated
    }
  });
  return out;
}

Dense<double> MappedConfidence::do_apply(const Scores& logits, const Dense<double>*) const {
  if (maps_.empty()) {
    return logits;
  }
  return top_label_ ? apply_top(logits) : apply_all(logits);
}

// Lists of several lengths stand in one table, filled up with NaN; a class without a map has none.
Parameters MappedConfidence::parameters() const {
  std::map<std::string, std::size_t> widths;
  for (const auto& map : maps_) {
    if (map != nullptr) {
      for (const auto& [name, values] : map->numbers()) {
        widths[name] = std::max(widths[name], values.size());
      }
    }
  }
  Parameters out;
  out.emplace("columns", as_parameter(static_cast<double>(maps_.size())));
  for (const auto& [name, width] : widths) {
    auto& table = out[name];
    table = Dense<double>::Constant(std::ssize(maps_), static_cast<Index>(width),
                                    std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < maps_.size(); ++k) {
      if (maps_[k] != nullptr) {
        const auto numbers = maps_[k]->numbers();
        const std::vector<double>& values = numbers.at(name);
        table.row(static_cast<Index>(k)).head(std::ssize(values)) =
            Eigen::Map<const Eigen::RowVectorXd>(values.data(), std::ssize(values));
      }
    }
  }
  return out;
}

void MappedConfidence::set(const Parameters& given) {
  const auto columns = static_cast<std::size_t>(number_parameter(given, "columns"));
  std::vector<std::unique_ptr<ConfidenceMap>> maps(columns);
  for (std::size_t k = 0; k < columns; ++k) {
    ConfidenceMap::Numbers numbers;
    bool any = false;
    for (const auto& [name, table] : given) {
      if (name == "columns") {
        continue;
      }
      auto& values = numbers[name];
      for (const double value : table.row(static_cast<Index>(k))) {
        if (!std::isnan(value)) {
          values.push_back(value);
          any = true;
        }
      }
    }
    if (any) {
      maps[k] = make_();
      maps[k]->set(numbers);
    }
  }
  maps_ = std::move(maps);
}

}  // namespace tyto
