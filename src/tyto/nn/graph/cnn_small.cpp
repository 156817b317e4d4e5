// SPDX-License-Identifier: Apache-2.0
// The smallest network worth training on pictures: three convolutions.
#include <fmt/format.h>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph/chain.hpp"

namespace tyto {

namespace {

Graph cnn_small_graph(const GraphSettings& settings) {
  Chain net({.linear_deviation = 0});
  for (Index l = 0; l < 3; ++l) {
    net.conv(fmt::format("conv{}", l + 1), Index{16} << l, square(3, 1, 1));
    net.norm(fmt::format("bn{}", l + 1)).act().max_pool(square(2, 2));
    net.mark(fmt::format("layer{}", l + 1));
  }
  net.global_pool().mark("feature");
  if (settings.classes > 0) {
    net.linear("fc", settings.classes).mark("logits");
  }
  return std::move(net).graph(2, "fc");
}

}  // namespace

std::vector<BackboneSpec> cnn_small_backbones() {
  return {{.name = "cnn_small",
           .summary = "three convolutions for pictures of 16 to 64 pixels, to be trained here",
           .paper = "",
           .recipe = {.height = 32, .width = 32, .crop_height = 32, .crop_width = 32},
           .input = {.height = 32, .width = 32},
           .parameters = 24'346,
           .features = 64,
           .classes = 10,
           .graph = cnn_small_graph}};
}

}  // namespace tyto
