// SPDX-License-Identifier: Apache-2.0
// P3D (Qiu et al. 2017): bottlenecks over space and over time, in series or side by side; names of
// qijiezhao's port, whose pools and sums it follows.
#include <fmt/format.h>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph/chain.hpp"

namespace tyto {

namespace {

void over_space(Chain& net, Index planes) {
  net.conv("conv2", planes, square(3, 1, 1)).norm("bn2").act();
}

void over_time(Chain& net, Index planes) {
  net.conv("conv3", planes, along_time(3, 1, 1)).norm("bn3").act();
}

// `number` counts the blocks of the whole network: A, B, C in turn.
void p3d_block(Chain& net, const std::string& prefix, Index planes, Index stride, int number,
               bool first) {
  Chain main = net.branch(prefix);
  Chain shortcut = net.branch(prefix);
  main.conv("conv1", planes, square(1, stride)).norm("bn1").act();
  Chain space = main.branch();
  over_space(space, planes);
  Chain time = main.branch();
  over_time(time, planes);
  switch (number % 3) {
    case 0: main.then(std::move(space)).then(std::move(time)); break;
    case 1: main.sum({std::move(space), std::move(time)}); break;
    default: main.then(std::move(space)).residual(std::move(time));
  }
  main.conv("conv4", 4 * planes, square(1)).norm("bn4");
  if (first) {
    shortcut.conv("downsample.0", 4 * planes, square(1, stride)).norm("downsample.1");
  }
  net.residual(std::move(main), std::move(shortcut), true).act();
}

void flat_block(Chain& net, const std::string& prefix, Index planes, Index stride, bool first) {
  Chain main = net.branch(prefix);
  Chain shortcut = net.branch(prefix);
  main.conv("conv1", planes, square(1, stride)).norm("bn1").act();
  main.conv("conv_normal", planes, square(3, 1, 1)).norm("bn_normal").act();
  main.conv("conv4", 4 * planes, square(1)).norm("bn4");
  if (first) {
    shortcut.conv("downsample.0", 4 * planes, square(1, stride)).norm("downsample.1");
  }
  net.residual(std::move(main), std::move(shortcut), true).act();
}

// Layers over clips halve the frames at their end; what is left goes through the last one as
// pictures.
struct P3dShape {
  std::vector<int> blocks;
  Index planes;
  int flat_blocks;
};

Graph p3d_network(Chain net, const P3dShape& shape, const GraphSettings& settings) {
  int number = 0;
  Index planes = shape.planes;
  std::size_t layer = 0;
  for (; layer < shape.blocks.size(); ++layer, planes *= 2) {
    for (int b = 0; b < shape.blocks[layer]; ++b, ++number) {
      const std::string name = fmt::format("layer{}.{}", layer + 1, b);
      p3d_block(net, name + ".", planes, layer > 0 && b == 0 ? 2 : 1, number, b == 0);
      net.mark(name);
    }
    net.mark(fmt::format("layer{}", layer + 1)).max_pool(along_time(2, 2));
  }
  net.fold_time();
  for (int b = 0; b < shape.flat_blocks; ++b) {
    flat_block(net, fmt::format("layer{}.{}.", layer + 1, b), planes, b == 0 ? 2 : 1, b == 0);
  }
  net.mark(fmt::format("layer{}", layer + 1)).global_pool().mark("feature");
  if (settings.classes > 0) {
    net.dropout(0.5).linear("fc", settings.classes).mark("logits");
  }
  return std::move(net).graph(3, "fc");
}

Graph p3d_199_graph(const GraphSettings& settings) {
  Chain net({.axes = 3, .linear_deviation = 0});
  net.conv("conv1_custom", 64, square(7, 2, 3)).norm("bn1").act();
  net.max_pool({{2, 3, 3}, {2, 2, 2}, {0, 1, 1}}).mark("maxpool");
  return p3d_network(std::move(net), {{3, 8, 36}, 64, 3}, settings);
}

Graph p3d_small_graph(const GraphSettings& settings) {
  Chain net({.axes = 3, .linear_deviation = 0});
  net.conv("conv1_custom", 16, square(3, 1, 1)).norm("bn1").act();
  net.max_pool({{2, 3, 3}, {2, 2, 2}, {0, 1, 1}});
  return p3d_network(std::move(net), {{3, 3}, 8, 1}, settings);
}

}  // namespace

std::vector<BackboneSpec> p3d_backbones() {
  return {
      {.name = "p3d_199",
       .summary = "bottlenecks over space and over time; names of qijiezhao",
       .paper = "Qiu et al. 2017",
       .recipe =
           {.crop_height = 160, .crop_width = 160, .sampling = "snippet", .frames = 16, .clips = 1},
       .input = {3, 16, 160, 160},
       .parameters = 66'492'240,
       .features = 2048,
       .classes = 400,
       .graph = p3d_199_graph},
      {.name = "p3d_small",
       .summary = "blocks of P3D for clips of 32 x 32 pixels, to be trained here",
       .paper = "Qiu et al. 2017",
       .recipe = {.height = 32,
                  .width = 32,
                  .crop_height = 32,
                  .crop_width = 32,
                  .sampling = "snippet",
                  .frames = 16,
                  .clips = 1},
       .input = {3, 16, 32, 32},
       .parameters = 48'266,
       .features = 128,
       .classes = 10,
       .graph = p3d_small_graph}};
}

}  // namespace tyto
