// SPDX-License-Identifier: Apache-2.0
// Tables of class scores in double: one row per sample, one column per class. Minus infinity is an
// impossible class; any other number that is not finite is refused.
#pragma once

#include <span>
#include <string_view>

#include "tyto/core/matrix.hpp"

namespace tyto {

using Scores = Eigen::Ref<const Dense<double>>;

// Throws Error(data) naming row and column (from 1) of a score that is NaN or +infinity, a row
// without any finite score, and a table without columns. `what` names the table.
void expect_scores(const Scores& scores, std::string_view what);

// Throws Error(data) naming the first row (from 1) whose class is no column, or a wrong count.
void expect_truth(std::span<const Index> truth, const Scores& scores, std::string_view what);

// Of each row, and shifted by the maximum: log(sum(exp(row))).
Eigen::VectorXd row_log_sums(const Scores& scores);

Dense<double> score_probabilities(const Scores& scores);
Dense<double> score_log_probabilities(const Scores& scores);  // -infinity where impossible

constexpr double kLeastLog = -708.0;       // log of the smallest normal number, about
constexpr double kLeastFloatLog = -103.0;  // log of the smallest positive float32, about

// Impossible classes moved to where a probability is exp(least_log) or less (no higher than the
// row's least finite score), so that a score may be multiplied by anything.
Dense<double> finite_scores(const Scores& scores, double least_log = kLeastLog);

// Column of the greatest score, the first of equals.
Index best_column(const Scores& scores, Index row);

}  // namespace tyto
