// SPDX-License-Identifier: Apache-2.0
// ResNets (He et al. 2016), names of torchvision, and TSN (Wang et al. 2016), which runs one over
// every frame and takes the mean of the logits.
#include <array>

#include <fmt/format.h>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph/chain.hpp"

namespace tyto {

namespace {

struct Depth {
  std::array<int, 4> blocks;
  bool bottleneck;
};

constexpr Depth kResNet18{{2, 2, 2, 2}, false}, kResNet34{{3, 4, 6, 3}, false},
    kResNet50{{3, 4, 6, 3}, true};

void resnet_block(Chain& net, const std::string& prefix, Index width, Index stride,
                  bool bottleneck) {
  Chain main = net.branch(prefix);
  Chain shortcut = net.branch(prefix);
  const Index out = bottleneck ? 4 * width : width;
  if (bottleneck) {
    main.conv("conv1", width, square(1)).norm("bn1").act();
    main.conv("conv2", width, square(3, stride, 1)).norm("bn2").act();
    main.conv("conv3", out, square(1)).norm("bn3");
  } else {
    main.conv("conv1", out, square(3, stride, 1)).norm("bn1").act();
    main.conv("conv2", out, square(3, 1, 1)).norm("bn2");
  }
  if (stride != 1 || net.width() != out) {
    shortcut.conv("downsample.0", out, square(1, stride)).norm("downsample.1");
  }
  net.residual(std::move(main), std::move(shortcut)).act();
}

void resnet_trunk(Chain& net, const Depth& depth) {
  net.conv("conv1", 64, square(7, 2, 3)).norm("bn1").act().max_pool(square(3, 2, 1));
  net.mark(net.name("maxpool"));
  for (std::size_t l = 0; l < 4; ++l) {
    for (int b = 0; b < depth.blocks[l]; ++b) {
      resnet_block(net, fmt::format("layer{}.{}.", l + 1, b), Index{64} << l,
                   l > 0 && b == 0 ? 2 : 1, depth.bottleneck);
    }
    net.mark(net.name(fmt::format("layer{}", l + 1)));
  }
  net.global_pool();
}

template <const Depth& kDepth>
Graph resnet_graph(const GraphSettings& settings) {
  Chain net({.linear_deviation = 0});
  resnet_trunk(net, kDepth);
  net.mark("feature");
  if (settings.classes > 0) {
    net.linear("fc", settings.classes).mark("logits");
  }
  return std::move(net).graph(2, "fc");
}

template <const Depth& kDepth>
Graph tsn_graph(const GraphSettings& settings) {
  Chain net({.axes = 3, .linear_deviation = 0.001});
  net.fold_time();
  Chain trunk = net.branch("base_model.");
  resnet_trunk(trunk, kDepth);
  net.then(std::move(trunk)).mark("segments").mark("feature");
  if (settings.classes > 0) {
    net.dropout(0.5).linear("new_fc", settings.classes).mark("new_fc").mark("logits");
  }
  return std::move(net).graph(3, "new_fc");
}

// CIFAR-like: three stages of 16, 32 and 64 channels, no pool after the first convolution.
template <int kBlocks>
Graph resnet_small_graph(const GraphSettings& settings) {
  Chain net({.linear_deviation = 0});
  net.conv("conv1", 16, square(3, 1, 1)).norm("bn1").act();
  for (Index l = 0; l < 3; ++l) {
    for (int b = 0; b < kBlocks; ++b) {
      resnet_block(net, fmt::format("layer{}.{}.", l + 1, b), Index{16} << l,
                   l > 0 && b == 0 ? 2 : 1, false);
    }
    net.mark(fmt::format("layer{}", l + 1));
  }
  net.global_pool().mark("feature");
  if (settings.classes > 0) {
    net.linear("fc", settings.classes).mark("logits");
  }
  return std::move(net).graph(2, "fc");
}

BackboneSpec resnet(std::string name, Index parameters, Index features,
                    Graph (*graph)(const GraphSettings&)) {
  return {.name = name,
          .summary = name + "; names of torchvision",
          .paper = "He et al. 2016",
          .recipe = {},
          .input = {},
          .parameters = parameters,
          .features = features,
          .classes = 1000,
          .graph = graph};
}

BackboneSpec tsn(std::string depth, Index parameters, Index features,
                 Graph (*graph)(const GraphSettings&)) {
  return {.name = "tsn_resnet" + depth,
          .summary = "resnet" + depth + " over eight frames of a video, mean of the logits",
          .paper = "Wang et al. 2016; Villa et al. 2022 (vCLIMB)",
          .recipe = {.sampling = "segments", .frames = 8, .clips = 1},
          .input = {.frames = 8},
          .parameters = parameters,
          .features = features,
          .classes = 101,
          .graph = graph};
}

BackboneSpec small_resnet(std::string depth, Index parameters,
                          Graph (*graph)(const GraphSettings&)) {
  return {.name = "resnet_small_" + depth,
          .summary = "ResNet-" + depth + " for pictures of 16 to 64 pixels, to be trained here",
          .paper = "He et al. 2016, section 4.2",
          .recipe = {.height = 32, .width = 32, .crop_height = 32, .crop_width = 32},
          .input = {.height = 32, .width = 32},
          .parameters = parameters,
          .features = 64,
          .classes = 10,
          .graph = graph};
}

}  // namespace

std::vector<BackboneSpec> resnet_backbones() {
  return {
      resnet("resnet18", 11'689'512, 512, resnet_graph<kResNet18>),
      resnet("resnet34", 21'797'672, 512, resnet_graph<kResNet34>),
      resnet("resnet50", 25'557'032, 2048, resnet_graph<kResNet50>),
      tsn("18", 11'228'325, 512, tsn_graph<kResNet18>),
      tsn("34", 21'336'485, 512, tsn_graph<kResNet34>),
      tsn("50", 23'714'981, 2048, tsn_graph<kResNet50>),
      small_resnet("8", 78'042, resnet_small_graph<1>),
      small_resnet("14", 175'258, resnet_small_graph<2>),
  };
}

}  // namespace tyto
