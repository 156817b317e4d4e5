// SPDX-License-Identifier: Apache-2.0
// Real clips and a real network, where they are at hand, against what OpenCV 4.6 with FFmpeg 5.1
// made of them.
#include <cmath>

#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/video/module.hpp"
#include "tyto/video/prepare.hpp"
#include "tyto/video/sampling.hpp"

namespace tyto {
namespace {

// Measured here: at most 3.2e-7, on other decoders and kernels perhaps more.
constexpr double kClipTolerance = 2e-6;

const std::filesystem::path kClips = testing_support::in_tree("/../shared/data/clips");
const std::filesystem::path kNetwork =
    testing_support::in_tree("/../shared/data/backbone/mobilenetv2_coco_backbone.onnx");

Recipe mobilenet_recipe() {
  Recipe recipe;
  recipe.resizer = Resizer::area;
  recipe.fit = Fit::stretch;
  recipe.width = recipe.height = 224;
  recipe.crop_width = recipe.crop_height = 0;
  recipe.mean = recipe.deviation = {0.5F, 0.5F, 0.5F};
  return recipe;
}

std::unique_ptr<Backbone> mobilenet() {
  return video_module().open_onnx(kNetwork, mobilenet_recipe(), {});
}

TEST(OnnxBackbone, gives_the_check_values_of_the_network) {
  if (!std::filesystem::exists(kNetwork)) {
    GTEST_SKIP() << kNetwork << ", the network of this test, is not here";
  }
  const auto network = mobilenet();
  const ClipShape shape{3, 1, 224, 224};
  std::vector<float> inputs(at(2 * shape.size()), 0.0F);  // zeros, then a ramp
  for (Index i = 0; i < shape.size(); ++i) {
    inputs[at(shape.size() + i)] = static_cast<float>(
        -1.0 + 2.0 * static_cast<double>(i) / static_cast<double>(shape.size() - 1));
  }
  const BackboneAnswer answer = network->run(inputs, 2, shape);
  ASSERT_EQ(answer.features.rows(), 2);
  ASSERT_EQ(answer.features.cols(), 1280);
  EXPECT_EQ(answer.logits.rows(), 2);
  EXPECT_EQ(answer.logits.cols(), 0);
  const std::vector<std::vector<double>> first{
      {0.197876, 0.142150, 0.130817, 0.102009, 0.224901, 0.155426},
      {0.209539, 0.170236, 0.104633, 0.024551, 0.194318, 0.127505}};
  const std::vector<double> sums{181.63988, 156.51382};
  for (Index row = 0; row < 2; ++row) {
    for (Index j = 0; j < 6; ++j) {
      EXPECT_NEAR(answer.features(row, j), first[at(row)][at(j)], 2e-6);
    }
    EXPECT_NEAR(answer.features.row(row).cast<double>().sum(), sums[at(row)], 2e-3);
    const auto one = std::span(inputs).subspan(at(row * shape.size()), at(shape.size()));
    EXPECT_LT((network->run(one, 1, shape).features - answer.features.row(row)).norm(), 1e-4);
  }
  Index largest = 0;
  EXPECT_NEAR(answer.features.row(0).maxCoeff(&largest), 1.884959, 2e-6);
  EXPECT_EQ(largest, 577);
  EXPECT_EQ(network->run(inputs, 2, shape).features, answer.features);
  EXPECT_EQ(network->name(), "mobilenetv2_coco_backbone");

  const ClipShape small{3, 1, 96, 128};
  EXPECT_EQ(network->run(std::vector<float>(at(small.size())), 1, small).features.cols(), 1280);
}

TEST(OnnxBackbone, tells_settings_apart_and_names_what_it_cannot_use) {
  if (!std::filesystem::exists(kNetwork)) {
    GTEST_SKIP() << kNetwork << ", the network of this test, is not here";
  }
  const auto network = mobilenet();
  Recipe other = mobilenet_recipe();
  other.blue_first = true;
  EXPECT_EQ(mobilenet()->digest(), network->digest());
  EXPECT_NE(video_module().open_onnx(kNetwork, other, {})->digest(), network->digest());
  const auto pooled = video_module().open_onnx(kNetwork, other, {"gap", ""});
  EXPECT_NE(pooled->digest(), network->digest());
  const ClipShape shape{3, 1, 64, 64};
  const std::vector<float> inputs(at(shape.size()), 0.25F);
  EXPECT_EQ(pooled->run(inputs, 1, shape).features, network->run(inputs, 1, shape).features);
  const auto both = video_module().open_onnx(
      kNetwork, other, {.feature_layer = "Conv_Relu6", .logits_layer = "features"});
  const BackboneAnswer answer = both->run(inputs, 1, shape);
  EXPECT_EQ(answer.features.cols(), 32 * 32 * 32);  // 32 channels of half the size
  EXPECT_EQ(answer.logits, network->run(inputs, 1, shape).features);

  const auto message = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([&] {
                (void)video_module().open_onnx(kNetwork, other, {"featurs", ""});
              }),
              testing::HasSubstr("it has no layer \"featurs\" (did you mean \"features\"?)"));
  EXPECT_THAT(message([&] {
                const std::vector<float> grey(at(64 * 64));
                (void)network->run(grey, 1, {1, 1, 64, 64});
              }),
              testing::HasSubstr("the network cannot take this input"));
  EXPECT_THAT(message([&] { (void)video_module().open_onnx(kClips / "index.csv", other, {}); }),
              testing::HasSubstr("OpenCV cannot read it as an ONNX network"));
}

// Frame counts, sizes and rates of all clips as listed, and the mean features of eight frames.
TEST(Clips, give_the_frames_and_features_that_are_expected) {
  if (!std::filesystem::exists(kClips / "index.csv") || !std::filesystem::exists(kNetwork)) {
    GTEST_SKIP() << kClips << ", the clips of this test, are not here";
  }
  const CsvTable index = CsvTable::load(kClips / "index.csv");
  const std::string bytes = read_file(kClips / "expected_mobilenetv2_mean8_f32.bin");
  const Eigen::Map<const Matrix> expected(reinterpret_cast<const float*>(bytes.data()),
                                          index.rows(), 1280);
  const auto network = mobilenet();
  double worst = 0.0;
  for (Index row = 0; row < index.rows(); ++row) {
    const std::string file(index.text(row, index.column("file")));
    const auto video = video_module().open_video(kClips / file);
    EXPECT_EQ(static_cast<double>(video->facts().frames),
              index.number(row, index.column("decoded_frames")))
        << file;
    EXPECT_EQ(static_cast<double>(video->facts().width), index.number(row, index.column("width")))
        << file;
    EXPECT_EQ(static_cast<double>(video->facts().height), index.number(row, index.column("height")))
        << file;
    EXPECT_NEAR(video->facts().fps, index.number(row, index.column("fps")), 0.006) << file;
    EXPECT_TRUE(video->facts().constant_rate) << file;
    std::vector<Index> wanted;
    for (const ClipFrames& clip :
         sampled_clips(network->recipe(), video->facts().frames, video->facts().fps)) {
      wanted.push_back(clip[0]);
    }
    std::vector<float> inputs;
    video->read(wanted, [&](Index, const Picture& picture) {
      prepare_clip(network->recipe(), std::span(&picture, 1), inputs);
    });
    const BackboneAnswer answer = network->run(inputs, 8, {3, 1, 224, 224});
    const Eigen::RowVectorXf mean = answer.features.colwise().mean();
    const double distance = static_cast<double>((mean - expected.row(row)).norm()) /
                            static_cast<double>(expected.row(row).norm());
    EXPECT_LT(distance, kClipTolerance) << file;
    worst = std::max(worst, distance);
  }
  RecordProperty("worst_relative_distance", std::to_string(worst));
}

}  // namespace
}  // namespace tyto
