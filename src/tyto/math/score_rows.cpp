// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/score_rows.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr double kInfiniteScore = std::numeric_limits<double>::infinity();

}  // namespace

void expect_scores(const Scores& scores, std::string_view what) {
  if (scores.cols() == 0) {
    throw Error(ErrorKind::data, fmt::format("{}: has no columns, so no classes", what));
  }
  std::atomic<bool> fine = true;
  for_each_index(scores.rows(), [&](Index i) {
    const double highest = scores.row(i).maxCoeff<Eigen::PropagateNaN>();
    if (!std::isfinite(highest)) {
      fine = false;
    }
  });
  if (fine) {
    return;
  }
  for (Index i = 0; i < scores.rows(); ++i) {
    bool possible = false;
    for (Index j = 0; j < scores.cols(); ++j) {
      const double score = scores(i, j);
      if (std::isnan(score) || score == kInfiniteScore) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: row {}, column {} (from 1): {} is no score; finite numbers "
                                "and -inf (an impossible class) are",
                                what, i + 1, j + 1, score));
      }
      possible = possible || score > -kInfiniteScore;
    }
    if (!possible) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: row {} (from 1): every class has the score -inf, so none is "
                              "possible",
                              what, i + 1));
    }
  }
}

void expect_truth(std::span<const Index> truth, const Scores& scores, std::string_view what) {
  if (std::ssize(truth) != scores.rows()) {
    throw Error(ErrorKind::data, fmt::format("{}: {} labels for {} rows of scores", what,
                                             truth.size(), scores.rows()));
  }
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] < 0 || truth[i] >= scores.cols()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: row {} (from 1): the label {} is no column of the scores, which "
                              "are 0 to {}",
                              what, i + 1, truth[i], scores.cols() - 1));
    }
  }
}

Eigen::VectorXd row_log_sums(const Scores& scores) {
  Eigen::VectorXd out(scores.rows());
  for_each_index(scores.rows(), [&](Index i) {
    const double highest = scores.row(i).maxCoeff();
    out[i] = highest + std::log((scores.row(i).array() - highest).exp().sum());
  });
  return out;
}

Dense<double> score_probabilities(const Scores& scores) {
  Dense<double> out(scores.rows(), scores.cols());
  for_each_index(scores.rows(), [&](Index i) {
    const double highest = scores.row(i).maxCoeff();
    auto row = out.row(i).array();
    row = (scores.row(i).array() - highest).exp();
    // The vector exponential ends at the smallest normal number.
    row = (scores.row(i).array() - highest < kLeastLog).select(0.0, row);
    row /= row.sum();
  });
  return out;
}

Dense<double> score_log_probabilities(const Scores& scores) {
  Dense<double> out = scores;
  out.colwise() -= row_log_sums(scores);
  return out;
}

Dense<double> finite_scores(const Scores& scores, double least_log) {
  Dense<double> out = scores;
  for_each_index(out.rows(), [&](Index i) {
    if (out.row(i).minCoeff() > -kInfiniteScore) {
      return;
    }
    double lowest = out.row(i).maxCoeff() + least_log;
    for (Index j = 0; j < out.cols(); ++j) {
      if (out(i, j) > -kInfiniteScore) {
        lowest = std::min(lowest, out(i, j));
      }
    }
    out.row(i) = out.row(i).cwiseMax(lowest);
  });
  return out;
}

Index best_column(const Scores& scores, Index row) {
  Index best = 0;
  for (Index j = 1; j < scores.cols(); ++j) {
    if (scores(row, j) > scores(row, best)) {
      best = j;
    }
  }
  return best;
}

}  // namespace tyto
