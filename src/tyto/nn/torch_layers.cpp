// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_layers.hpp"

#include <array>

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/max_pool3d.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>

#include "tyto/nn/kernels.hpp"
#include "tyto/nn/torch_tensors.hpp"

namespace tyto {

namespace {

std::vector<std::int64_t> of_axes(const Extent& extent, int axes) {
  return {extent.end() - axes, extent.end()};
}

// Zeros around x so that a window of TensorFlow's "same" kind fits, by x's own size.
at::Tensor same_padded(const Window& window, int axes, const at::Tensor& x) {
  std::vector<std::int64_t> pads;  // of the last axis first
  bool any = false;
  for (int axis = 2; axis >= 3 - axes; --axis) {
    const std::int64_t n = x.size(axis - 3);
    const std::int64_t k = window.kernel[at(axis)];
    const std::int64_t s = window.stride[at(axis)];
    const std::int64_t all = std::max<std::int64_t>(n % s == 0 ? k - s : k - n % s, 0);
    pads.push_back(all / 2);
    pads.push_back(all - all / 2);
    any = any || all > 0;
  }
  return any ? at::constant_pad_nd(x, pads) : x;
}

}  // namespace

at::Tensor GraphRun::dropped(const at::Tensor& x, double rate, bool rows) {
  if (!train || rate <= 0.0) {
    return x;
  }
  TYTO_ASSERT(rng != nullptr);
  std::vector<std::int64_t> shape = x.sizes().vec();
  if (rows) {
    std::fill(shape.begin() + 1, shape.end(), 1);
  }
  const at::Tensor ones = at::ones(shape, at::kFloat);
  at::Tensor mask = at::empty(shape, at::kFloat);
  dropout_slope(span_of(ones), rate, rng->key(), drawn++, span_of(mask));
  return at::mul(x, mask);
}

at::Tensor convolved(const ConvNode& node, NodeTensors tensors, bool bias, const at::Tensor& x) {
  const Window& window = node.window;
  const std::vector<std::int64_t> stride = of_axes(window.stride, node.axes);
  const std::vector<std::int64_t> pad = of_axes(window.pad, node.axes);
  const std::array<std::int64_t, 3> ones{1, 1, 1};
  const std::array<std::int64_t, 3> behind{node.more, node.more, node.more};
  const at::IntArrayRef dilation(ones.data(), static_cast<std::size_t>(node.axes));
  const at::IntArrayRef more(behind.data(), static_cast<std::size_t>(node.axes));
  return at::convolution(window.same ? same_padded(window, node.axes, x) : x, tensors[0],
                         bias ? tensors[1] : at::Tensor(), stride, pad, dilation, node.transposed,
                         more, node.groups);
}

at::Tensor pooled(const PoolNode& node, const at::Tensor& x) {
  const Window& window = node.window;
  const auto kernel = of_axes(window.kernel, node.axes);
  const auto stride = of_axes(window.stride, node.axes);
  const auto pad = of_axes(window.pad, node.axes);
  // Zeros for a maximum too: what is pooled so comes from a ReLU.
  const at::Tensor seen = window.same ? same_padded(window, node.axes, x) : x;
  if (node.kind == PoolKind::max) {
    return node.axes == 2 ? at::max_pool2d(seen, kernel, stride, pad)
                          : at::max_pool3d(seen, kernel, stride, pad);
  }
  return node.axes == 2 ? at::avg_pool2d(seen, kernel, stride, pad)
                        : at::avg_pool3d(seen, kernel, stride, pad);
}

at::Tensor adaptively_pooled(const AdaptivePoolNode& node, const at::Tensor& x) {
  if (x.size(-2) == node.height && x.size(-1) == node.width) {
    return x;
  }
  return at::adaptive_avg_pool2d(x, {node.height, node.width});
}

at::Tensor mean_over_positions(const at::Tensor& x, bool keep_axes) {
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 2; axis < x.dim(); ++axis) {
    axes.push_back(axis);
  }
  return axes.empty() ? x : x.mean(axes, keep_axes);
}

at::Tensor gated(NodeTensors tensors, const at::Tensor& x) {
  const auto layer = [](const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& bias) {
    return at::linear(rows, weight.flatten(1), bias);
  };
  const at::Tensor squeezed =
      at::relu(layer(mean_over_positions(x, false), tensors[0], tensors[1]));
  const at::Tensor gate = at::sigmoid(layer(squeezed, tensors[2], tensors[3]));
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  shape[0] = gate.size(0);
  shape[1] = gate.size(1);
  return at::mul(x, gate.view(shape));
}

at::Tensor linear(NodeTensors tensors, const at::Tensor& x) {
  if (x.dim() <= 2) {
    return at::linear(x, tensors[0], tensors[1]);
  }
  return at::linear(x.movedim(1, -1), tensors[0], tensors[1]).movedim(-1, 1);
}

}  // namespace tyto
