// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/graph/autoencoder.hpp"

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/graph/chain.hpp"

namespace tyto {

namespace {

constexpr Index kSmallestMap = 4;  // side of what the decoder begins with
constexpr Activation kLeaky = Activation::leaky_relu;

void plain_block(Chain& net, std::string_view name) {
  Chain main = net.branch(name);
  main.conv("conv1", net.width(), square(3, 1, 1)).norm("bn1").act(kLeaky);
  main.conv("conv2", net.width(), square(3, 1, 1)).norm("bn2");
  net.residual(std::move(main)).act(kLeaky);
}

void halving_block(Chain& net, std::string_view name) {
  const Index out = 2 * net.width();
  Chain main = net.branch(name);
  main.conv("conv1", out, square(3, 2, 1)).norm("bn1").act(kLeaky);
  main.conv("conv2", out, square(3, 1, 1)).norm("bn2");
  Chain side = net.branch(name);
  side.conv("shortcut", out, square(1, 2)).norm("bn3");
  net.residual(std::move(main), std::move(side)).act(kLeaky);
}

void doubling_block(Chain& net, std::string_view name) {
  const Index out = net.width() / 2;
  Chain main = net.branch(name);
  main.transposed("conv1", out, {.kernel = 5, .stride = 2, .pad = 2, .more = 1});
  main.norm("bn1").act(kLeaky).conv("conv2", out, square(3, 1, 1)).norm("bn2");
  Chain side = net.branch(name);
  side.transposed("shortcut", out, {.kernel = 1, .stride = 2, .pad = 0, .more = 1}).norm("bn3");
  net.residual(std::move(main), std::move(side)).act(kLeaky);
}

Index halvings(Index side) {
  Index count = 0;
  while (side > kSmallestMap && side % 2 == 0) {
    side /= 2;
    ++count;
  }
  return side == kSmallestMap ? count : -1;
}

}  // namespace

Graph autoencoder_graph(const AutoencoderShape& shape) {
  const Index depth = halvings(shape.side);
  if (depth < 0) {
    throw Error(ErrorKind::config,
                fmt::format("an autoencoder of pictures takes sides of 4, 8, 16, 32, ... pixels, "
                            "not {}",
                            shape.side));
  }
  Chain net({.width = shape.channels, .conv_start = Start::fan_in, .linear_deviation = 0});
  Chain encoder = net.branch("encoder.");
  encoder.conv("conv", shape.width, square(3)).act(kLeaky);
  plain_block(encoder, "plain.");
  Index side = shape.side - 2;
  for (Index l = 0; l < depth; ++l) {
    halving_block(encoder, fmt::format("down{}.", l + 1));
    side = (side + 1) / 2;
  }
  const Index widest = encoder.width();
  encoder.flatten(widest * side * side).linear("fc1", shape.hidden).norm("bn").act(kLeaky);
  encoder.linear("fc2", shape.code).act(Activation::sigmoid).mark("code");
  net.then(std::move(encoder));

  Chain decoder = net.branch("decoder.");
  decoder.linear("fc1", shape.hidden).norm("bn1").act(kLeaky);
  decoder.linear("fc2", widest * kSmallestMap * kSmallestMap).norm("bn2").act(kLeaky);
  decoder.reshape(kSmallestMap, kSmallestMap);
  for (Index l = 0; l < depth; ++l) {
    doubling_block(decoder, fmt::format("up{}.", l + 1));
  }
  plain_block(decoder, "plain.");
  decoder.conv("conv", shape.channels, square(1)).mark("output");
  net.then(std::move(decoder));
  Graph graph = std::move(net).graph(2, "");
  graph.channels = shape.channels;
  return graph;
}

}  // namespace tyto
