// SPDX-License-Identifier: Apache-2.0
// The descriptions against the published names, shapes and counts; no torch is loaded.
#include "tyto/nn/backbones.hpp"

#include <fstream>

#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

Graph published(const BackboneSpec& spec) {
  return spec.graph({.classes = spec.classes});
}

std::string line_of(const std::string& name, const std::vector<Index>& shape) {
  std::string line = name;
  for (const Index n : shape) {
    line += " " + std::to_string(n);
  }
  return line;
}

TEST(Backbones, have_the_published_number_of_parameters) {
  for (const BackboneSpec& spec : backbone_specs()) {
    EXPECT_EQ(parameter_count(published(spec)), spec.parameters) << spec.name;
  }
}

TEST(Backbones, are_sorted_and_described) {
  const auto specs = backbone_specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_FALSE(specs[i].summary.empty()) << specs[i].name;
    EXPECT_EQ(specs[i].recipe.frames, specs[i].input.frames) << specs[i].name;
    EXPECT_EQ(specs[i].recipe.crop_height, specs[i].input.height) << specs[i].name;
    if (i > 0) {
      EXPECT_LT(specs[i - 1].name, specs[i].name);
    }
  }
}

TEST(Backbones, a_misspelt_name_gets_the_likeliest) {
  EXPECT_EQ(find_backbone("vgg16").features, 4096);
  try {
    find_backbone("resnet43");
    FAIL() << "found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean \"resnet34\"?"));
  }
}

TEST(Backbones, without_classes_lack_the_head_alone) {
  for (const BackboneSpec& spec : backbone_specs()) {
    const Graph whole = spec.graph({.classes = 7});
    const Graph headless = spec.graph({});
    EXPECT_THAT(mark_names(whole), testing::Contains("logits")) << spec.name;
    EXPECT_THAT(mark_names(headless), testing::Contains("feature")) << spec.name;
    EXPECT_THAT(mark_names(headless), testing::Not(testing::Contains("logits"))) << spec.name;
    Index heads = 0;
    for (const GraphTensor& tensor : whole.tensors) {
      heads += tensor.name.starts_with(whole.head + ".") ? 1 : 0;
    }
    EXPECT_EQ(heads, 2) << spec.name;
    EXPECT_EQ(whole.tensors.size(), headless.tensors.size() + 2) << spec.name;
  }
}

TEST(Backbones, name_and_shape_every_tensor_of_the_published_files_in_order) {
  std::ifstream file(testing_support::in_tree("/../shared/data/backbone/tensors.json"));
  if (!file) {
    GTEST_SKIP() << "the list of tensors, shared/data/backbone/tensors.json, is not here";
  }
  const auto nets = nlohmann::ordered_json::parse(file);
  EXPECT_EQ(nets.size(), 19U);
  for (const auto& [name, tensors] : nets.items()) {
    std::vector<std::string> want, have;
    for (const auto& [tensor, shape] : tensors.items()) {
      want.push_back(line_of(tensor, shape.get<std::vector<Index>>()));
    }
    for (const GraphTensor& tensor : published(find_backbone(name)).tensors) {
      have.push_back(line_of(tensor.name, tensor.shape));
    }
    EXPECT_EQ(have.size(), want.size()) << name;
    const auto [h, w] = std::mismatch(have.begin(), have.end(), want.begin(), want.end());
    if (h != have.end() && w != want.end()) {
      ADD_FAILURE() << name << ": " << *h << " instead of " << *w;
    }
  }
}

}  // namespace

}  // namespace tyto
