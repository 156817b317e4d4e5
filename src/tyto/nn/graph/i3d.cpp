// SPDX-License-Identifier: Apache-2.0
// I3D (Carreira and Zisserman 2017): Inception over clips, names of piergiaj's port.
#include <array>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph/chain.hpp"

namespace tyto {

namespace {

using Widths = std::array<Index, 6>;

// Statistics as published need hundreds of steps to settle.
constexpr double kPublished = 0.01, kQuick = 0.1;

void i3d_unit(Chain& net, const std::string& name, Index out, Index kernel, double momentum,
              Index stride = 1) {
  net.conv(name + ".conv3d", out, tf_same({kernel, kernel, kernel}, {stride, stride, stride}));
  net.norm(name + ".bn", 1e-3, momentum).act();
}

void inception(Chain& net, const std::string& name, const Widths& c, double momentum = kPublished) {
  std::vector<Chain> branches(4, net.branch(name + "."));
  i3d_unit(branches[0], "b0", c[0], 1, momentum);
  i3d_unit(branches[1], "b1a", c[1], 1, momentum);
  i3d_unit(branches[1], "b1b", c[2], 3, momentum);
  i3d_unit(branches[2], "b2a", c[3], 1, momentum);
  i3d_unit(branches[2], "b2b", c[4], 3, momentum);
  branches[3].max_pool(tf_same({3, 3, 3}, {1, 1, 1}));
  i3d_unit(branches[3], "b3b", c[5], 1, momentum);
  net.side_by_side(std::move(branches)).mark(net.name(name));
}

void i3d_pool(Chain& net, const std::string& name, const Extent& kernel, const Extent& stride) {
  net.max_pool(tf_same(kernel, stride)).mark(net.name(name));
}

void i3d_end(Chain& net, const GraphSettings& settings) {
  net.mark("avg_pool").mark("feature");
  if (settings.classes > 0) {
    net.dropout(0.5);
    net.conv("logits.conv3d", settings.classes, cube(1), {.bias = true, .deviation = 0.01});
    net.listed(-1).mark("positions").mark("logits");
  }
}

Graph i3d_graph(const GraphSettings& settings) {
  Chain net({.axes = 3, .conv_start = Start::fan_in});
  i3d_unit(net, "Conv3d_1a_7x7", 64, 7, kPublished, 2);
  net.mark("Conv3d_1a_7x7");
  i3d_pool(net, "MaxPool3d_2a_3x3", {1, 3, 3}, {1, 2, 2});
  i3d_unit(net, "Conv3d_2b_1x1", 64, 1, kPublished);
  net.mark("Conv3d_2b_1x1");
  i3d_unit(net, "Conv3d_2c_3x3", 192, 3, kPublished);
  net.mark("Conv3d_2c_3x3");
  i3d_pool(net, "MaxPool3d_3a_3x3", {1, 3, 3}, {1, 2, 2});
  inception(net, "Mixed_3b", {64, 96, 128, 16, 32, 32});
  inception(net, "Mixed_3c", {128, 128, 192, 32, 96, 64});
  i3d_pool(net, "MaxPool3d_4a_3x3", {3, 3, 3}, {2, 2, 2});
  inception(net, "Mixed_4b", {192, 96, 208, 16, 48, 64});
  inception(net, "Mixed_4c", {160, 112, 224, 24, 64, 64});
  inception(net, "Mixed_4d", {128, 128, 256, 24, 64, 64});
  inception(net, "Mixed_4e", {112, 144, 288, 32, 64, 64});
  inception(net, "Mixed_4f", {256, 160, 320, 32, 128, 128});
  i3d_pool(net, "MaxPool3d_5a_2x2", {2, 2, 2}, {2, 2, 2});
  inception(net, "Mixed_5b", {256, 160, 320, 32, 128, 128});
  inception(net, "Mixed_5c", {384, 192, 384, 48, 128, 128});
  net.average_pool({.kernel = {2, 7, 7}});
  i3d_end(net, settings);
  return std::move(net).graph(3, "logits.conv3d");
}

// The same blocks for clips of 32 x 32 pixels and any number of frames.
Graph i3d_small_graph(const GraphSettings& settings) {
  Chain net({.axes = 3});
  i3d_unit(net, "Conv3d_1a_3x3", 16, 3, kQuick);
  i3d_pool(net, "MaxPool3d_2a_3x3", {1, 3, 3}, {1, 2, 2});
  inception(net, "Mixed_3b", {8, 12, 16, 4, 8, 8}, kQuick);
  i3d_pool(net, "MaxPool3d_4a_3x3", {3, 3, 3}, {2, 2, 2});
  inception(net, "Mixed_4b", {16, 24, 32, 8, 16, 16}, kQuick);
  i3d_pool(net, "MaxPool3d_5a_2x2", {2, 2, 2}, {2, 2, 2});
  inception(net, "Mixed_5b", {24, 24, 48, 8, 24, 32}, kQuick);
  net.node({GlobalPoolNode{.keep_axes = true}});
  i3d_end(net, settings);
  return std::move(net).graph(3, "logits.conv3d");
}

}  // namespace

std::vector<BackboneSpec> i3d_backbones() {
  return {{.name = "i3d",
           .summary = "Inception over clips of 64 frames; names of piergiaj and of hassony2",
           .paper = "Carreira and Zisserman 2017",
           .recipe = {.mean = {0.5F, 0.5F, 0.5F},
                      .deviation = {0.5F, 0.5F, 0.5F},
                      .sampling = "snippet",
                      .frames = 64,
                      .clips = 1},
           .input = {.frames = 64},
           .parameters = 12'697'264,
           .features = 1024,
           .classes = 400,
           .graph = i3d_graph},
          {.name = "i3d_small",
           .summary = "blocks of I3D for clips of 32 x 32 pixels, to be trained here",
           .paper = "Carreira and Zisserman 2017",
           .recipe = {.height = 32,
                      .width = 32,
                      .crop_height = 32,
                      .crop_width = 32,
                      .mean = {0.5F, 0.5F, 0.5F},
                      .deviation = {0.5F, 0.5F, 0.5F},
                      .sampling = "snippet",
                      .frames = 16,
                      .clips = 1},
           .input = {3, 16, 32, 32},
           .parameters = 79'914,
           .features = 128,
           .classes = 10,
           .graph = i3d_small_graph}};
}

}  // namespace tyto
