// SPDX-License-Identifier: Apache-2.0
// What every backbone of torch promises, on small networks; and files of TorchScript.
#include "tyto/nn/backbone.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "nn/filled.hpp"
#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/module.hpp"

namespace tyto {

namespace {

using testing::AllOf;
using testing::HasSubstr;

std::unique_ptr<Backbone> filled_backbone(const char* network, Index classes,
                                          const BackboneSettings& settings = {}) {
  const BackboneSpec& spec = find_backbone(network);
  return nn_module().make_backbone(spec, filled::weights(spec.graph({.classes = classes})),
                                   settings);
}

template <class Call>
Error refused(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::state, "nothing was refused"};
}

double relative(const Matrix& a, const Matrix& b) {
  return static_cast<double>((a - b).norm() / b.norm());
}

TEST(Backbone, answers_each_input_of_a_batch_as_if_alone) {
  for (const char* name : {"cnn_small", "resnet_small_8", "i3d_small", "p3d_small"}) {
    const BackboneSpec& spec = find_backbone(name);
    const auto net = filled_backbone(name, 7);
    const Index size = spec.input.size();
    const std::vector<float> both =
        filled::input({2, 3, spec.input.frames, spec.input.height, spec.input.width});
    const BackboneAnswer answer = net->run(both, 2, spec.input);
    EXPECT_EQ(answer.features.rows(), 2);
    EXPECT_EQ(answer.features.cols(), spec.features) << name;
    EXPECT_EQ(answer.logits.cols(), 7) << name;
    for (Index i = 0; i < 2; ++i) {
      const auto one = net->run(std::span(both).subspan(at(i * size), at(size)), 1, spec.input);
      EXPECT_LT(relative(one.features, answer.features.row(i)), 2e-6) << name;
      EXPECT_LT(relative(one.logits, answer.logits.row(i)), 2e-6) << name;
    }
    EXPECT_GT(relative(answer.features.row(0), answer.features.row(1)), 1e-3) << name;
  }
}

TEST(Backbone, small_networks_take_pictures_of_16_to_64_pixels) {
  for (const char* name : {"cnn_small", "resnet_small_14"}) {
    const auto net = filled_backbone(name, 3);
    for (const Index side : {16, 33, 64}) {
      const auto answer = net->run(filled::input({1, 3, side, side}), 1, {3, 1, side, side});
      EXPECT_EQ(answer.features.cols(), 64) << name << side;
    }
  }
}

TEST(Backbone, p3d_takes_the_mean_over_the_frames_that_are_left) {
  const auto net = filled_backbone("p3d_small", 3);
  const ClipShape once{3, 8, 32, 32}, twice{3, 16, 32, 32};
  EXPECT_EQ(net->run(filled::input({1, 3, 8, 32, 32}), 1, once).features.cols(), 128);
  const auto whole = net->run(filled::input({1, 3, 16, 32, 32}), 1, twice);
  const BackboneSpec& spec = find_backbone("p3d_small");
  const auto rows = nn_module().make_backbone(spec, filled::weights(spec.graph({.classes = 3})),
                                              {.stage = "layer3"});
  const Matrix maps = rows->run(filled::input({1, 3, 16, 32, 32}), 1, twice).features;
  EXPECT_EQ(whole.features.cols(), 128);
  // Frame by frame (two are left), each a mean over its positions.
  const Index positions = maps.cols() / (2 * 128);
  const Matrix means = Eigen::Map<const Matrix>(maps.data(), 2 * 128, positions).rowwise().mean();
  const Matrix mean = (means.topRows(128) + means.bottomRows(128)).transpose() / 2;
  EXPECT_LT(relative(whole.features, mean), 1e-6);
}

TEST(Backbone, without_a_head_has_no_logits) {
  const auto net = filled_backbone("cnn_small", 0);
  EXPECT_EQ(net->run(filled::input({1, 3, 32, 32}), 1, {3, 1, 32, 32}).logits.cols(), 0);
}

TEST(Backbone, names_of_classes_must_be_as_many_as_logits) {
  EXPECT_THAT(filled_backbone("cnn_small", 2, {.classes = {"a", "b"}})->classes(),
              testing::ElementsAre("a", "b"));
  EXPECT_THAT(refused([] {
                filled_backbone("cnn_small", 3, {.classes = {"a", "b"}});
              }).what(),
              HasSubstr("names of 2 classes and the network has 3"));
}

TEST(Backbone, features_may_come_from_another_stage) {
  const std::vector<float> input = filled::input({1, 3, 32, 32});
  const auto net = filled_backbone("cnn_small", 3, {.stage = "layer2"});
  EXPECT_EQ(net->run(input, 1, {3, 1, 32, 32}).features.cols(), 32 * 8 * 8);
  EXPECT_NE(net->digest(), filled_backbone("cnn_small", 3)->digest());
  const Error error = refused([] { filled_backbone("cnn_small", 3, {.stage = "layer4"}); });
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("layer4"), HasSubstr("layer3")));
}

TEST(Backbone, released_features_are_never_negative) {
  const std::vector<float> input = filled::input({1, 3, 4, 160, 160});
  const auto plain = filled_backbone("x3d_xs", 400);
  const auto clipped = filled_backbone("x3d_xs", 400, {.released = true});
  const Matrix features = plain->run(input, 1, {3, 4, 160, 160}).features;
  EXPECT_LT(features.minCoeff(), 0.0F);
  EXPECT_EQ(clipped->run(input, 1, {3, 4, 160, 160}).features, Matrix(features.cwiseMax(0.0F)));
}

TEST(Backbone, the_digest_tells_weights_apart) {
  const BackboneSpec& spec = find_backbone("cnn_small");
  TensorFile weights = filled::weights(spec.graph({.classes = 3}));
  const std::string digest = nn_module().make_backbone(spec, weights)->digest();
  EXPECT_EQ(nn_module().make_backbone(spec, weights)->digest(), digest);
  weights.tensors[3].values[5] += 1e-6F;
  EXPECT_NE(nn_module().make_backbone(spec, weights)->digest(), digest);
}

TEST(Backbone, what_it_cannot_take_is_said_in_numbers) {
  const auto pictures = filled_backbone("cnn_small", 3);
  const Error frames = refused([&] {
    (void)pictures->run(filled::input({1, 3, 2, 32, 32}), 1, {3, 2, 32, 32});
  });
  EXPECT_EQ(frames.kind(), ErrorKind::data);
  EXPECT_THAT(frames.what(), AllOf(HasSubstr("3 x 2 x 32 x 32"), HasSubstr("single pictures")));
  EXPECT_THAT(refused([&] {
                (void)pictures->run(filled::input({1, 1, 32, 32}), 1, {1, 1, 32, 32});
              }).what(),
              HasSubstr("it sees 3 channels"));
  const Error small = refused([&] {
    (void)pictures->run(filled::input({1, 3, 4, 4}), 1, {3, 1, 4, 4});
  });
  EXPECT_EQ(small.kind(), ErrorKind::data);
  EXPECT_THAT(small.what(), HasSubstr("3 x 1 x 4 x 4"));
  EXPECT_EQ(pictures->run({}, 0, {3, 1, 32, 32}).features.rows(), 0);
}

TEST(Backbone, from_nothing_depends_on_the_stream_alone) {
  const BackboneSpec& spec = find_backbone("resnet_small_8");
  const auto make = [&](std::uint64_t seed) {
    return nn_module().make_backbone(spec, Rng(seed, "weights"), {.width = 4});
  };
  const std::vector<float> input = filled::input({1, 3, 32, 32});
  const BackboneAnswer first = make(1)->run(input, 1, spec.input);
  EXPECT_EQ(first.logits.cols(), 4);
  EXPECT_EQ(make(1)->run(input, 1, spec.input).logits, first.logits);
  EXPECT_NE(make(2)->run(input, 1, spec.input).logits, first.logits);
  // He's start keeps activations alive through the layers.
  EXPECT_GT(first.features.mean(), 0.05F);
  EXPECT_LT(first.features.mean(), 20.0F);
}

TEST(Backbone, x3d_xs_has_the_values_of_the_reference_sheet) {
  const auto answer =
      filled_backbone("x3d_xs", 400)->run(filled::input({1, 3, 4, 160, 160}), 1, {3, 4, 160, 160});
  EXPECT_NEAR(answer.features.norm(), 20.6866495, 2e-5);
  EXPECT_NEAR(answer.features.cast<double>().sum(), 13.0903828, 2e-4);
  EXPECT_NEAR(answer.features(0, 0), 0.47715118, 2e-6);
  EXPECT_NEAR(answer.features(0, 3), -0.45855965, 2e-6);
  EXPECT_NEAR(answer.logits.norm(), 6.69249935, 1e-5);
  Index largest = 0;
  answer.logits.row(0).maxCoeff(&largest);
  EXPECT_EQ(largest, 74);
}

TEST(SlowBackbone, multigrid_uses_the_statistics_of_its_splits) {
  const ClipShape shape{3, 16, 224, 224};
  const auto input = filled::input({1, 3, 16, 224, 224});
  const auto answer = filled_backbone("x3d_m_multigrid", 400)->run(input, 1, shape);
  EXPECT_NEAR(answer.features.norm(), 24.5152712, 3e-5);
  EXPECT_NEAR(answer.features(0, 0), 0.30388861, 2e-6);
  EXPECT_NEAR(answer.features(0, 1), -0.49268562, 2e-6);
  EXPECT_NEAR(answer.logits.norm(), 7.87165226, 1e-5);
  const auto clipped =
      filled_backbone("x3d_m_multigrid", 400, {.released = true})->run(input, 1, shape);
  EXPECT_NEAR(clipped.features.norm(), 17.193348, 3e-5);
  // A file without them has those of the norm itself.
  const BackboneSpec& spec = find_backbone("x3d_m_multigrid");
  TensorFile weights = filled::weights(spec.graph({.classes = 400}));
  std::erase_if(weights.tensors, [](const NamedTensor& tensor) {
    return tensor.name.find("split_bn") != std::string::npos;
  });
  const auto plain = nn_module().make_backbone(spec, weights)->run(input, 1, shape);
  EXPECT_NEAR(plain.features.norm(), 21.7208989, 3e-5);
}

// ---- TorchScript

const std::filesystem::path kScripts = testing_support::in_tree("/tests/golden");

TEST(TorchScript, returns_a_tensor_a_tuple_or_a_dictionary) {
  const std::vector<float> input = filled::input({2, 3, 4, 5});
  const ClipShape shape{3, 1, 4, 5};
  const Matrix means = Eigen::Map<const Matrix>(input.data(), 6, 20).rowwise().mean();
  const Matrix want = Eigen::Map<const Matrix>(means.data(), 2, 3);
  const auto one = nn_module().open_torchscript(kScripts / "torchscript_tensor.pt", {});
  EXPECT_LT(relative(one->run(input, 2, shape).features, want), 1e-6);
  EXPECT_EQ(one->run(input, 2, shape).logits.cols(), 0);
  EXPECT_EQ(one->name(), "torchscript_tensor.pt");
  const auto two = nn_module().open_torchscript(kScripts / "torchscript_tuple.pt", {});
  EXPECT_LT(relative(two->run(input, 2, shape).features, want), 1e-6);
  EXPECT_LT(relative(two->run(input, 2, shape).logits, (2 * want.array() - 1).matrix()), 1e-6);
  const auto named = nn_module().open_torchscript(kScripts / "torchscript_dictionary.pt", {},
                                                  {.feature = "pooled", .logits = "scores"});
  EXPECT_EQ(named->run(input, 2, shape).features, two->run(input, 2, shape).features);
  EXPECT_EQ(named->run(input, 2, shape).logits, two->run(input, 2, shape).logits);
}

TEST(TorchScript, what_is_wrong_is_said_with_the_file) {
  EXPECT_THAT(refused([] {
                nn_module().open_torchscript(testing_support::in_tree("/CMakeLists.txt"), {});
              }).what(),
              HasSubstr("CMakeLists.txt: is no TorchScript file"));
  EXPECT_THAT(refused([] { nn_module().open_torchscript("no/such.pt", {}); }).what(),
              HasSubstr("no/such.pt"));
  const auto named = nn_module().open_torchscript(kScripts / "torchscript_dictionary.pt", {});
  EXPECT_THAT(refused([&] {
                (void)named->run(filled::input({1, 3, 4, 5}), 1, {3, 1, 4, 5});
              }).what(),
              HasSubstr("torchscript_dictionary.pt: returns no tensor \"0\""));
  const auto one = nn_module().open_torchscript(kScripts / "torchscript_tensor.pt", {});
  EXPECT_THAT(refused([&] {
                (void)one->run(filled::input({1, 3, 2, 4, 5}), 1, {3, 2, 4, 5});
              }).what(),
              HasSubstr("single pictures"));
}

}  // namespace

}  // namespace tyto
