// SPDX-License-Identifier: Apache-2.0
// The library's data layout, said once: row-major float32, one sample per row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace tyto {

using Index = Eigen::Index;
using Rows = std::span<const Index>;

template <class T>
using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

using Matrix = Dense<float>;
using Vector = Eigen::VectorXf;
using MatrixView = Eigen::Ref<const Matrix>;
using MatrixRef = Eigen::Ref<Matrix>;

// A row or column as a position in a std::vector.
constexpr std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

// An interface is held and destroyed through a pointer, never copied.
struct Interface {
  Interface() = default;
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  Interface(Interface&&) = delete;
  Interface& operator=(Interface&&) = delete;
  virtual ~Interface() = default;
};

}  // namespace tyto

// Example:
//
//   Matrix rows = Matrix::Zero(100, 8);           // a hundred samples of eight features
//   const MatrixView first = rows.topRows(10);    // a view: nothing is copied
