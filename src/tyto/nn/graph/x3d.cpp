// SPDX-License-Identifier: Apache-2.0
// X3D (Feichtenhofer 2020) in the names of SlowFast, PyTorchVideo and X3D-Multigrid, which differ
// in a little more than names.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph/chain.hpp"

namespace tyto {

namespace {

enum class Dialect { slowfast, pytorchvideo, multigrid };

struct Names {
  std::string_view stem_xy, stem_t, stem_norm;
  std::string_view shortcut, shortcut_norm;
  std::string_view a, a_norm, b, b_norm, squeeze, excite, c, c_norm;
  std::string_view head, head_norm, feature, logits;
};

constexpr Names kSlowFast{"s1.pathway0_stem.conv_xy",
                          "s1.pathway0_stem.conv",
                          "s1.pathway0_stem.bn",
                          "branch1",
                          "branch1_bn",
                          "branch2.a",
                          "branch2.a_bn",
                          "branch2.b",
                          "branch2.b_bn",
                          "branch2.se.fc1",
                          "branch2.se.fc2",
                          "branch2.c",
                          "branch2.c_bn",
                          "head.conv_5",
                          "head.conv_5_bn",
                          "head.lin_5",
                          "head.projection"};
constexpr Names kPyTorchVideo{"blocks.0.conv.conv_t",  // over space, though called t
                              "blocks.0.conv.conv_xy",
                              "blocks.0.norm",
                              "branch1_conv",
                              "branch1_norm",
                              "branch2.conv_a",
                              "branch2.norm_a",
                              "branch2.conv_b",
                              "branch2.norm_b.0",
                              "branch2.norm_b.1.block.0",
                              "branch2.norm_b.1.block.2",
                              "branch2.conv_c",
                              "branch2.norm_c",
                              "blocks.5.pool.pre_conv",
                              "blocks.5.pool.pre_norm",
                              "blocks.5.pool.post_conv",
                              "blocks.5.proj"};
constexpr Names kMultigrid{"conv1_s", "conv1_t", "bn1", "downsample.0", "downsample.1", "conv1",
                           "bn1",     "conv2",   "bn2", "fc1",          "fc2",          "conv3",
                           "bn3",     "conv5",   "bn5", "fc1",          "fc2"};

struct Size {
  std::array<int, 4> blocks;
  Index frames, side;
};

constexpr Size kXs{{3, 5, 11, 7}, 4, 160}, kS{{3, 5, 11, 7}, 13, 160}, kM{{3, 5, 11, 7}, 16, 224},
    kL{{5, 10, 25, 15}, 16, 312};

constexpr Index round8(Index x) {
  const Index rounded = std::max(Index{8}, (x + 4) / 8 * 8);
  return 10 * rounded < 9 * x ? rounded + 8 : rounded;
}

class Writer {
 public:
  Writer(Dialect dialect, const Size& size) : dialect_(dialect), size_(size) {}

  [[nodiscard]] Graph graph(const GraphSettings& settings) const {
    Chain net({.axes = 3});
    net.conv(n_.stem_xy, 24, square(3, 2, 1));
    norm(net.conv(n_.stem_t, 24, along_time(5, 1, 2), {.groups = 24}), n_.stem_norm).act();
    net.mark(stage(0));
    for (int k = 1; k <= 4; ++k) {
      for (int i = 0; i < size_.blocks[at(k - 1)]; ++i) {
        block(net, k, i);
      }
      net.mark(stage(k));
    }
    norm(net.conv(n_.head, 432, cube(1)), n_.head_norm).mark(n_.head_norm).act();
    const Index side = (size_.side + 31) / 32;
    if (dialect_ == Dialect::multigrid) {
      net.node({GlobalPoolNode{.keep_axes = true}});
    } else {  // of the size it was made for: larger crops leave several positions
      net.average_pool({.kernel = {size_.frames, side, side}});
    }
    net.mark("head.avg_pool").conv(n_.feature, 2048, cube(1)).mark("feature").act();
    if (settings.classes > 0) {
      net.dropout(0.5).linear(n_.logits, settings.classes);
      net.mark("positions").mark("logits", dialect_ == Dialect::slowfast);
    }
    return std::move(net).graph(3, n_.logits);
  }

 private:
  void block(Chain& net, int k, int i) const {
    const Index out = Index{24} << (k - 1);
    const Index inner = out * 9 / 4;
    const Index stride = i == 0 ? 2 : 1;
    Chain main = net.branch(stage(k) + inside(i));
    Chain shortcut = main.branch();
    norm(main.conv(n_.a, inner, cube(1)), n_.a_norm).act();
    norm(main.conv(n_.b, inner, {{3, 3, 3}, {1, stride, stride}, {1, 1, 1}}, {.groups = inner}),
         n_.b_norm);
    if (i % 2 == 0) {
      main.gate(n_.squeeze, n_.excite, round8(inner / 16));
      main.listed(dialect_ == Dialect::multigrid ? 1 : 0);
    }
    norm(main.act(Activation::swish).conv(n_.c, out, cube(1)), n_.c_norm);
    if (i == 0) {
      shortcut.conv(n_.shortcut, out, square(1, 2));
      if (dialect_ != Dialect::pytorchvideo || k > 1) {
        norm(shortcut, n_.shortcut_norm);
      }
    }
    net.residual(std::move(main), std::move(shortcut), dialect_ != Dialect::multigrid).act();
  }

  Chain& norm(Chain& chain, std::string_view name) const {
    return dialect_ == Dialect::multigrid ? chain.split_norm(name) : chain.norm(name);
  }

  [[nodiscard]] std::string stage(int k) const {
    switch (dialect_) {
      case Dialect::slowfast: return fmt::format("s{}", k + 1);
      case Dialect::pytorchvideo: return fmt::format("blocks.{}", k);
      case Dialect::multigrid: break;
    }
    return fmt::format("layer{}", k);
  }

  [[nodiscard]] std::string inside(int i) const {
    switch (dialect_) {
      case Dialect::slowfast: return fmt::format(".pathway0_res{}.", i);
      case Dialect::pytorchvideo: return fmt::format(".res_blocks.{}.", i);
      case Dialect::multigrid: break;
    }
    return fmt::format(".{}.", i);
  }

  Dialect dialect_;
  const Size& size_;
  const Names& n_ = dialect_ == Dialect::slowfast       ? kSlowFast
                    : dialect_ == Dialect::pytorchvideo ? kPyTorchVideo
                                                        : kMultigrid;
};

template <Dialect kDialect, const Size& kSize>
Graph x3d_graph(const GraphSettings& settings) {
  return Writer(kDialect, kSize).graph(settings);
}

BackboneSpec x3d(std::string name, std::string summary, const Size& size, Index stride,
                 Index short_side, Index parameters, Graph (*graph)(const GraphSettings&)) {
  return {.name = "x3d_" + name,
          .summary = std::move(summary),
          .paper = "Feichtenhofer 2020",
          .recipe = {.resizer = Resizer::torch_bilinear,
                     .height = short_side,
                     .width = short_side,
                     .crop_height = size.side,
                     .crop_width = size.side,
                     .crop_rounding = CropRounding::ceil,
                     .mean = {0.45F, 0.45F, 0.45F},
                     .deviation = {0.225F, 0.225F, 0.225F},
                     .sampling = "spread",
                     .frames = size.frames,
                     .stride = stride,
                     .clips = 10},
          .input = {3, size.frames, size.side, size.side},
          .parameters = parameters,
          .features = 2048,
          .classes = 400,
          .graph = graph};
}

// As KOWL uses it: the middle square, its own constants.
BackboneSpec multigrid() {
  BackboneSpec spec =
      x3d("m_multigrid", "X3D-M; names of X3D-Multigrid, statistics of its split batch norms", kM,
          5, 224, 3'794'322, x3d_graph<Dialect::multigrid, kM>);
  spec.paper += "; Wu et al. 2020 (Multigrid)";
  Recipe& recipe = spec.recipe;
  recipe.resizer = Resizer::pillow_bilinear;
  recipe.fit = Fit::square_first;
  recipe.crop_rounding = CropRounding::half_even;
  recipe.mean = {110.63666788F / 255, 103.16065604F / 255, 96.29023126F / 255};
  recipe.deviation = {38.7568578F / 255, 37.88248729F / 255, 40.02898126F / 255};
  recipe.clips = 4;
  return spec;
}

}  // namespace

std::vector<BackboneSpec> x3d_backbones() {
  constexpr Index kParameters = 3'794'322;
  return {
      x3d("xs", "X3D-XS, 4 frames of 160; names of SlowFast", kXs, 12, 182, kParameters,
          x3d_graph<Dialect::slowfast, kXs>),
      x3d("s", "X3D-S, 13 frames of 160; names of SlowFast", kS, 6, 182, kParameters,
          x3d_graph<Dialect::slowfast, kS>),
      x3d("m", "X3D-M, 16 frames of 224; names of SlowFast", kM, 5, 256, kParameters,
          x3d_graph<Dialect::slowfast, kM>),
      x3d("l", "X3D-L, 16 frames of 312; names of SlowFast", kL, 5, 356, 6'153'432,
          x3d_graph<Dialect::slowfast, kL>),
      x3d("m_pytorchvideo", "X3D-M; names of PyTorchVideo", kM, 5, 256, 3'794'274,
          x3d_graph<Dialect::pytorchvideo, kM>),
      x3d("l_pytorchvideo", "X3D-L; names of PyTorchVideo", kL, 5, 356, 6'153'384,
          x3d_graph<Dialect::pytorchvideo, kL>),
      multigrid(),
  };
}

}  // namespace tyto
