// SPDX-License-Identifier: Apache-2.0
// Every network against outputs of its published code (shared/data/backbone/golden.json), and
// some against plain Python (tests/golden/make_networks.py), weights and inputs filled by
// rule. A looser bound than the README's would hide wrong paddings and epsilons.
#include <cmath>
#include <fstream>
#include <iostream>

#include "nn/filled.hpp"
#include "support/places.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/nn/module.hpp"

namespace tyto {

namespace {

constexpr double kAccept = 2e-6;

struct GoldenCase {
  const char* name;
  const char* network;
  const char* stage = "";      // where the golden feature is
  const char* positions = "";  // and the golden logits, where not the mean over them
  bool probabilities = false;  // the golden logits are
};

void PrintTo(const GoldenCase& golden, std::ostream* out) {
  *out << golden.name;
}

double distance(const float* values, const std::vector<double>& golden) {
  double difference = 0.0;
  double length = 0.0;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    difference += std::pow(static_cast<double>(values[i]) - golden[i], 2);
    length += golden[i] * golden[i];
  }
  return std::sqrt(difference / length);
}

// TSN's frames, R G B each, one after another, as C,T,H,W.
std::vector<float> frames_last(const std::vector<float>& values, Index frames) {
  std::vector<float> made(values.size());
  const std::size_t plane = values.size() / at(3 * frames);
  for (Index t = 0; t < frames; ++t) {
    for (Index c = 0; c < 3; ++c) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at(t * 3 + c) * plane), plane,
                  made.begin() + static_cast<std::ptrdiff_t>(at(c * frames + t) * plane));
    }
  }
  return made;
}

const nlohmann::json& goldens() {
  static const nlohmann::json all = [] {
    std::ifstream file(testing_support::in_tree("/../shared/data/backbone/golden.json"));
    return file ? nlohmann::json::parse(file) : nlohmann::json();
  }();
  return all;
}

class SmallGolden : public testing::TestWithParam<GoldenCase> {};

class Golden : public testing::TestWithParam<GoldenCase> {
 protected:
  void SetUp() override {
    if (goldens().is_null()) {
      GTEST_SKIP() << "the golden outputs, shared/data/backbone/golden.json, are not here";
    }
  }
};

class SlowGolden : public Golden {};

void check(const GoldenCase& golden, const nlohmann::json& all) {
  const auto& want = all["nets"][golden.name];
  const BackboneSpec& spec = find_backbone(golden.network);
  const auto shape = want["input"].get<std::vector<Index>>();
  std::vector<float> input = filled::input(shape);
  ClipShape clip{shape[1], 1, shape[shape.size() - 2], shape.back()};
  if (shape.size() == 5) {
    clip.frames = shape[2];
  } else if (shape[1] > 3) {
    clip = {3, shape[1] / 3, shape[2], shape[3]};
    input = frames_last(input, clip.frames);
  }
  const TensorFile weights = filled::weights(spec.graph({.classes = spec.classes}));
  const auto answer =
      nn_module().make_backbone(spec, weights, {.stage = golden.stage})->run(input, 1, clip);
  const auto feature = want["feature"]["all"].get<std::vector<double>>();
  ASSERT_EQ(answer.features.cols(), static_cast<Index>(feature.size()));
  const double off = distance(answer.features.data(), feature);
  EXPECT_LT(off, kAccept) << "feature";
  double logits_off = 0.0;
  if (want.contains("logits")) {
    const auto logits = want["logits"]["all"].get<std::vector<double>>();
    Matrix have = answer.logits;
    if (golden.positions[0] != '\0') {
      have = nn_module()
                 .make_backbone(spec, weights, {.stage = golden.positions})
                 ->run(input, 1, clip)
                 .features;
    }
    if (golden.probabilities) {
      have = have.array().exp();
    }
    ASSERT_EQ(have.cols(), static_cast<Index>(logits.size()));
    logits_off = distance(have.data(), logits);
    EXPECT_LT(logits_off, kAccept) << "logits";
  } else {
    EXPECT_EQ(answer.logits.cols(), 0);
  }
  testing::Test::RecordProperty("feature", std::to_string(off));
  std::cout << golden.name << ": feature " << off << ", logits " << logits_off << '\n';
}

TEST_P(SmallGolden, is_met) {
  std::ifstream file(testing_support::in_tree("/tests/golden/networks.json"));
  check(GetParam(), nlohmann::json::parse(file));
}

TEST_P(Golden, is_met) {
  check(GetParam(), goldens());
}

TEST_P(SlowGolden, is_met) {
  check(GetParam(), goldens());
}

const auto kCaseName = [](const testing::TestParamInfo<GoldenCase>& info) {
  return std::string(info.param.name);
};

INSTANTIATE_TEST_SUITE_P(networks, SmallGolden,
                         testing::Values(GoldenCase{"cnn_small", "cnn_small"},
                                         GoldenCase{"resnet_small_8", "resnet_small_8"},
                                         GoldenCase{"resnet18", "resnet18"}),
                         kCaseName);

INSTANTIATE_TEST_SUITE_P(networks, Golden,
                         testing::Values(GoldenCase{"resnet18", "resnet18"},
                                         GoldenCase{"mobilenet_v2", "mobilenet_v2"},
                                         GoldenCase{"mc3_18", "mc3_18"},
                                         GoldenCase{"x3d_s", "x3d_s"}),
                         kCaseName);

INSTANTIATE_TEST_SUITE_P(
    networks, SlowGolden,
    testing::Values(
        GoldenCase{"vgg16", "vgg16"}, GoldenCase{"resnet34", "resnet34"},
        GoldenCase{"resnet50", "resnet50"}, GoldenCase{"tsn_resnet34", "tsn_resnet34", "segments"},
        GoldenCase{"r3d_18", "r3d_18"}, GoldenCase{"r2plus1d_18", "r2plus1d_18"},
        GoldenCase{"vit_b_16", "vit_b_16"}, GoldenCase{"dino_vitb16", "dino_vitb16"},
        GoldenCase{"dino_vitb16_240x320", "dino_vitb16"}, GoldenCase{"timesformer", "timesformer"},
        GoldenCase{"timesformer_12x160x192", "timesformer"}, GoldenCase{"x3d_m", "x3d_m"},
        GoldenCase{"x3d_l", "x3d_l"}, GoldenCase{"x3d_m_256", "x3d_m", "head.avg_pool", "", true},
        GoldenCase{"x3d_m_pytorchvideo", "x3d_m_pytorchvideo"}, GoldenCase{"i3d", "i3d"},
        GoldenCase{"i3d_t19", "i3d", "avg_pool", "positions"}, GoldenCase{"p3d_199", "p3d_199"}),
    kCaseName);

}  // namespace

}  // namespace tyto
