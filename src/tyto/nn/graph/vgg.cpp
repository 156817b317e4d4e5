// SPDX-License-Identifier: Apache-2.0
// VGG-16 (Simonyan and Zisserman 2015), names of torchvision.
#include <array>

#include <fmt/format.h>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph/chain.hpp"

namespace tyto {

namespace {

Graph vgg16_graph(const GraphSettings& settings) {
  Chain net({});
  Index place = 0;  // convolutions, activations and pools are numbered alike
  const auto name = [&] { return fmt::format("features.{}", place); };
  const std::array<std::pair<Index, int>, 5> stages{
      {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}};
  for (const auto& [width, convs] : stages) {
    for (int i = 0; i < convs; ++i) {
      net.conv(name(), width, square(3, 1, 1), {.bias = true}).act();
      place += 2;
    }
    net.max_pool(square(2, 2)).mark(name());
    ++place;
  }
  net.adaptive_pool(7, 7).flatten(512 * 7 * 7);  // does nothing to pictures of 224 x 224
  net.linear("classifier.0", 4096).mark("classifier.0").act().dropout(0.5);
  net.linear("classifier.3", 4096).mark("classifier.3").act().mark("feature");
  if (settings.classes > 0) {
    net.dropout(0.5).linear("classifier.6", settings.classes).mark("logits");
  }
  return std::move(net).graph(2, "classifier.6");
}

}  // namespace

std::vector<BackboneSpec> vgg_backbones() {
  return {{.name = "vgg16",
           .summary = "thirteen convolutions and three linear layers; names of torchvision",
           .paper = "Simonyan and Zisserman 2015",
           .recipe = {},
           .input = {},
           .parameters = 138'357'544,
           .features = 4096,
           .classes = 1000,
           .graph = vgg16_graph}};
}

}  // namespace tyto
