// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 (Sandler et al. 2018), names of torchvision.
#include <array>

#include <fmt/format.h>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph/chain.hpp"

namespace tyto {

namespace {

void inverted_residual(Chain& net, const std::string& prefix, Index expansion, Index out,
                       Index stride) {
  Chain main = net.branch(prefix + "conv.");
  const Index hidden = net.width() * expansion;
  int place = 0;
  if (expansion > 1) {
    main.conv("0.0", hidden, square(1)).norm("0.1").act(Activation::relu6);
    ++place;
  }
  main.conv(fmt::format("{}.0", place), hidden, square(3, stride, 1), {.groups = hidden});
  main.norm(fmt::format("{}.1", place)).act(Activation::relu6);
  main.conv(std::to_string(place + 1), out, square(1)).norm(std::to_string(place + 2));
  if (stride == 1 && net.width() == out) {
    net.residual(std::move(main));
  } else {
    net.then(std::move(main));
  }
}

Graph mobilenet_v2_graph(const GraphSettings& settings) {
  struct Stage {
    Index expansion, out;
    int blocks;
    Index stride;
  };

  constexpr std::array<Stage, 7> kStages{{{1, 16, 1, 1},
                                          {6, 24, 2, 2},
                                          {6, 32, 3, 2},
                                          {6, 64, 4, 2},
                                          {6, 96, 3, 1},
                                          {6, 160, 3, 2},
                                          {6, 320, 1, 1}}};
  Chain net({});
  net.conv("features.0.0", 32, square(3, 2, 1)).norm("features.0.1").act(Activation::relu6);
  net.mark("features.0");
  int place = 1;
  for (const Stage& stage : kStages) {
    for (int b = 0; b < stage.blocks; ++b, ++place) {
      inverted_residual(net, fmt::format("features.{}.", place), stage.expansion, stage.out,
                        b == 0 ? stage.stride : 1);
      net.mark(fmt::format("features.{}", place));
    }
  }
  net.conv("features.18.0", 1280, square(1)).norm("features.18.1").act(Activation::relu6);
  net.mark("features.18").global_pool().mark("feature");
  if (settings.classes > 0) {
    net.dropout(0.2).linear("classifier.1", settings.classes).mark("logits");
  }
  return std::move(net).graph(2, "classifier.1");
}

}  // namespace

std::vector<BackboneSpec> mobilenet_backbones() {
  return {{.name = "mobilenet_v2",
           .summary = "inverted residuals, small and quick; names of torchvision",
           .paper = "Sandler et al. 2018",
           .recipe = {},
           .input = {},
           .parameters = 3'504'872,
           .features = 1280,
           .classes = 1000,
           .graph = mobilenet_v2_graph}};
}

}  // namespace tyto
