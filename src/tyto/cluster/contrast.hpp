// SPDX-License-Identifier: Apache-2.0
// A projection of features learned by contrast: of two views of a row, and of labelled rows of one
// class, against the rest of the batch.
#pragma once

#include <cstdint>
#include <span>

#include "tyto/cluster/row_views.hpp"

namespace tyto {

struct ContrastOptions {
  ViewOptions views;
  double weight = 0.35;
  double temperature = 0.1;
  Index width = 128;
  double rate = 0.02;
  Index epochs = 40;
  Index batch = 256;

  void describe(OptionVisitor& v);
};

// d x width; the identity to begin with where the rows have no more columns than that, else drawn.
// `labels` has an entry per row, -1: none; or none at all.
Matrix learn_contrast(const Matrix& rows, std::span<const std::int32_t> labels,
                      const ContrastOptions& options, Work& work);

// Rows times projection, at unit length.
Matrix projected(const MatrixView& rows, const Matrix& projection);

struct ContrastLoss {
  double value = 0.0;
  Matrix by_one, by_two;  // gradients by the rows of both views
};

// (1 - weight) U + weight S of rows at unit length: U, the mean over rows i of
// logsumexp_{j != i} z_i.z_j / t - z_i.z'_i / t; S, the mean over labelled rows with a companion of
// logsumexp over the other labelled ones - mean over those of its class.
ContrastLoss contrast_loss(const Matrix& one, const Matrix& two,
                           std::span<const std::int32_t> labels, double weight, double temperature);

}  // namespace tyto
