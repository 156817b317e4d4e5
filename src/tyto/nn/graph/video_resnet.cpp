// SPDX-License-Identifier: Apache-2.0
// ResNets of 18 layers over clips: R3D, MC3 and R(2+1)D (Tran et al. 2018), names of torchvision.
#include <fmt/format.h>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph/chain.hpp"

namespace tyto {

namespace {

enum class Mixing { all_3d, first_3d, factored };

// A convolution over time and space, by `middle` channels between the two where they are factored.
void video_conv(Chain& net, const std::string& name, Index out, Mixing mixing, bool first_layer,
                Index stride, Index middle) {
  if (mixing == Mixing::factored) {
    net.conv(name + ".0", middle, square(3, stride, 1)).norm(name + ".1").act();
    net.conv(name + ".3", out, along_time(3, stride, 1));
  } else if (mixing == Mixing::all_3d || first_layer) {
    net.conv(name, out, cube(3, stride, 1));
  } else {
    net.conv(name, out, square(3, stride, 1));
  }
}

template <Mixing kMixing>
Graph video_resnet_graph(const GraphSettings& settings) {
  Chain net({.axes = 3});
  if (kMixing == Mixing::factored) {
    net.conv("stem.0", 45, square(7, 2, 3)).norm("stem.1").act();
    net.conv("stem.3", 64, along_time(3, 1, 1)).norm("stem.4").act();
  } else {
    net.conv("stem.0", 64, {{3, 7, 7}, {1, 2, 2}, {1, 3, 3}}).norm("stem.1").act();
  }
  net.mark("stem");
  for (Index l = 0; l < 4; ++l) {
    const Index out = Index{64} << l;
    for (int b = 0; b < 2; ++b) {
      const Index stride = l > 0 && b == 0 ? 2 : 1;
      const Index in = net.width();
      const Index middle = 27 * in * out / (9 * in + 3 * out);  // of the block, for both units
      Chain main = net.branch(fmt::format("layer{}.{}.", l + 1, b));
      Chain shortcut = main.branch();
      video_conv(main, "conv1.0", out, kMixing, l == 0, stride, middle);
      main.norm("conv1.1").act();
      video_conv(main, "conv2.0", out, kMixing, l == 0, 1, middle);
      main.norm("conv2.1");
      if (stride != 1) {
        const Window window = kMixing == Mixing::first_3d ? square(1, 2) : cube(1, 2);
        shortcut.conv("downsample.0", out, window).norm("downsample.1");
      }
      net.residual(std::move(main), std::move(shortcut)).act();
    }
    net.mark(fmt::format("layer{}", l + 1));
  }
  net.global_pool().mark("feature");
  if (settings.classes > 0) {
    net.linear("fc", settings.classes).mark("logits");
  }
  return std::move(net).graph(3, "fc");
}

BackboneSpec video_resnet(std::string name, std::string summary, Index parameters,
                          Graph (*graph)(const GraphSettings&)) {
  return {.name = std::move(name),
          .summary = std::move(summary) + ", clips of 16 frames; names of torchvision",
          .paper = "Tran et al. 2018",
          .recipe = {.resizer = Resizer::torch_bilinear,
                     .fit = Fit::stretch,
                     .height = 128,
                     .width = 171,
                     .crop_height = 112,
                     .crop_width = 112,
                     .mean = {0.43216F, 0.394666F, 0.37645F},
                     .deviation = {0.22803F, 0.22145F, 0.216989F},
                     .sampling = "clips",
                     .frames = 16},
          .input = {3, 16, 112, 112},
          .parameters = parameters,
          .features = 512,
          .classes = 400,
          .graph = graph};
}

}  // namespace

std::vector<BackboneSpec> video_resnet_backbones() {
  return {
      video_resnet("r3d_18", "convolutions over time and space", 33'371'472,
                   video_resnet_graph<Mixing::all_3d>),
      video_resnet("mc3_18", "over time and space in the first layer, then over space", 11'695'440,
                   video_resnet_graph<Mixing::first_3d>),
      video_resnet("r2plus1d_18", "convolutions over space, then over time", 31'505'325,
                   video_resnet_graph<Mixing::factored>),
  };
}

}  // namespace tyto
