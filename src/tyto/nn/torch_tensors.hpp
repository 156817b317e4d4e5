// SPDX-License-Identifier: Apache-2.0
// Inside the module only: torch tensors and our matrices, layers, and how many threads work.
#pragma once

#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>
#include <omp.h>

#include "tyto/core/error.hpp"
#include "tyto/core/matrix.hpp"

namespace tyto {

// Torch sets OpenMP's thread count to its own at the first call of each thread; ours shall stay.
void keep_thread_count();

// The calling thread works alone while this lives, in torch, BLAS and our loops, if work is small.
class FewThreads {
 public:
  explicit FewThreads(Index multiply_adds);
  ~FewThreads();
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;

 private:
  int before_;
};

inline at::Tensor view(const MatrixView& rows) {  // shares the rows, which must outlive it
  return at::from_blob(const_cast<float*>(rows.data()), {rows.rows(), rows.cols()},
                       {rows.outerStride(), 1}, at::kFloat);
}

inline at::Tensor view(std::span<const std::int64_t> values) {
  return at::from_blob(const_cast<std::int64_t*>(values.data()),
                       {static_cast<std::int64_t>(values.size())}, at::kLong);
}

inline at::Tensor view(std::span<const float> values) {
  return at::from_blob(const_cast<float*>(values.data()),
                       {static_cast<std::int64_t>(values.size())}, at::kFloat);
}

inline std::span<float> span_of(const at::Tensor& tensor) {
  TYTO_ASSERT(tensor.is_contiguous());
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

// A vector becomes one row; of more than two axes all but the first lie side by side.
inline Matrix matrix_of(const at::Tensor& tensor) {
  const Index rows = tensor.dim() < 2 ? 1 : tensor.size(0);
  return Eigen::Map<const Matrix>(span_of(tensor).data(), rows,
                                  rows == 0 ? 0 : tensor.numel() / rows);
}

struct Layer {
  at::Tensor weight, bias;  // outputs x inputs, outputs
};

inline std::string weight_name(std::size_t layer) {
  return fmt::format("weight_{}", layer);
}

inline std::string bias_name(std::size_t layer) {
  return fmt::format("bias_{}", layer);
}

// A tensor that is learned, by the name under which it is saved.
struct LearnedTensor {
  std::string name;
  at::Tensor tensor;
  bool grows = false;  // new rows come at its end
};

inline std::vector<LearnedTensor> learned_tensors(const std::vector<Layer>& layers) {
  std::vector<LearnedTensor> all;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const bool last = l + 1 == layers.size();
    all.push_back({weight_name(l), layers[l].weight, last});
    all.push_back({bias_name(l), layers[l].bias, last});
  }
  return all;
}

}  // namespace tyto
