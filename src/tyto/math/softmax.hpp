// SPDX-License-Identifier: Apache-2.0
// Row-wise log-sum-exp and softmax, shifted by the row's maximum so that nothing overflows.
#pragma once

#include "tyto/core/matrix.hpp"

namespace tyto {

// log(sum(exp(row))); minus infinity for a matrix without columns.
Vector log_sum_exp(const MatrixView& logits);

Matrix log_softmax(const MatrixView& logits);

Matrix softmax(const MatrixView& logits);

}  // namespace tyto
