// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/train/train_backbone.hpp"

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/extract/open_backbone.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Scratch;

constexpr Index kEdge = 16;

// Pictures that are red or blue; says so many rows, then that the program was ended.
class ColourStore final : public FeatureStore {
 public:
  ColourStore(std::vector<int> colour, Index last) : colour_(std::move(colour)), left_(last) {}

  [[nodiscard]] Index rows() const override { return std::ssize(colour_); }

  [[nodiscard]] std::vector<std::string> sources() const override { return {"rgb"}; }

  [[nodiscard]] std::vector<Index> shape(std::string_view) const override {
    return {3, kEdge, kEdge};
  }

  void gather(std::string_view, Rows rows, MatrixRef out) const override {
    left_ -= std::ssize(rows);
    if (left_ < 0) {
      throw Cancelled();
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Rng noise(static_cast<std::uint64_t>(rows[i]), "noise");
      for (Index k = 0; k < out.cols(); ++k) {
        const bool bright = k / (kEdge * kEdge) == 2 * colour_[at(rows[i])];
        out(static_cast<Index>(i), k) =
            static_cast<float>((bright ? 120 : 80) + 60 * noise.uniform());
      }
    }
  }

  [[nodiscard]] std::vector<std::string> column_names(std::string_view) const override {
    return {};
  }

  [[nodiscard]] std::string digest() const override { return "colours"; }

 private:
  std::vector<int> colour_;
  mutable Index left_;
};

Dataset colours(Index last = 1'000'000) {
  Dataset dataset;
  dataset.name = "colours";
  std::vector<int> colour;
  for (int i = 0; i < 40; ++i) {
    dataset.table.id.push_back("v" + std::to_string(i));
    dataset.table.label.push_back(i % 2 == 0 ? "red" : "blue");
    dataset.table.split.push_back(i < 24 ? "train" : i < 32 ? "validate" : "test");
    dataset.table.frames.push_back(3);
    colour.insert(colour.end(), 3, i % 2);
  }
  dataset.store = std::make_shared<ColourStore>(std::move(colour), last);
  return dataset;
}

TrainOptions brief() {
  TrainOptions options;
  options.epochs = 4;
  options.batch = 8;
  options.segments = 2;
  options.augment = "shift_flip";
  return options;
}

TEST(TrainBackbone, learns_and_writes_a_network_that_others_open) {
  const Scratch scratch;
  Progress silent;
  TrainOptions options = brief();
  options.epochs = 15;
  const TrainOutcome outcome =
      train_backbone(colours(), options, 1, scratch / "net.safetensors", silent);
  EXPECT_THAT(outcome.classes, ElementsAre("blue", "red"));
  EXPECT_EQ(outcome.train_samples, 24);
  EXPECT_EQ(outcome.accuracy, 1.0);
  EXPECT_EQ(outcome.test, 1.0);
  EXPECT_LT(outcome.epochs.back().loss, outcome.epochs.front().loss);
  EXPECT_FALSE(std::filesystem::exists(scratch / "net.safetensors.train"));
  const auto backbone = open_backbone({(scratch / "net.safetensors").string(), "", {}});
  EXPECT_EQ(backbone->name(), "cnn_small");
  EXPECT_THAT(backbone->classes(), ElementsAre("blue", "red"));
  EXPECT_EQ(backbone->recipe().crop_height, kEdge);
  // Pixel values as the recipe scales them, of a red and a blue picture.
  const Recipe& recipe = backbone->recipe();
  std::vector<float> inputs;
  for (const int colour : {0, 1}) {
    for (int c = 0; c < 3; ++c) {
      const double value = c == 2 * colour ? 150 : 110;
      inputs.insert(
          inputs.end(), kEdge * kEdge,
          static_cast<float>((value / 255 - recipe.mean[at(c)]) / recipe.deviation[at(c)]));
    }
  }
  const BackboneAnswer answer = backbone->run(inputs, 2, {.height = kEdge, .width = kEdge});
  EXPECT_GT(answer.logits(0, 1), answer.logits(0, 0));
  EXPECT_GT(answer.logits(1, 0), answer.logits(1, 1));
}

TEST(TrainBackbone, cut_short_ends_with_the_same_bytes) {
  const Scratch scratch;
  Progress silent;
  train_backbone(colours(), brief(), 1, scratch / "whole.safetensors", silent);
  Index cuts = 0;
  for (;; ++cuts) {
    ASSERT_LT(cuts, 20);
    try {
      train_backbone(colours(100), brief(), 1, scratch / "cut.safetensors", silent);
      break;
    } catch (const Cancelled&) {
      EXPECT_FALSE(std::filesystem::exists(scratch / "cut.safetensors"));
    }
  }
  EXPECT_GT(cuts, 1);
  EXPECT_EQ(read_file(scratch / "whole.safetensors"), read_file(scratch / "cut.safetensors"));
}

TEST(TrainBackbone, refuses_what_it_cannot_learn_from) {
  const Scratch scratch;
  Progress silent;
  const auto refusal = [&](const Dataset& dataset) -> std::string {
    try {
      train_backbone(dataset, brief(), 1, scratch / "net.safetensors", silent);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  };
  Dataset rows = colours();
  rows.store = std::make_shared<DenseStore>(Matrix(120, 4));
  EXPECT_THAT(refusal(rows), HasSubstr("no source \"rgb\""));
  Dataset one = colours();
  one.table.label.assign(40, "red");
  EXPECT_THAT(refusal(one), HasSubstr("to learn takes two"));
  Dataset untaught = colours();
  untaught.table.label[39] = "green";
  EXPECT_THAT(refusal(untaught), HasSubstr("\"green\" of colours has no sample to learn from"));
}

TEST(TrainBackbone, does_not_go_on_with_other_options) {
  const Scratch scratch;
  Progress silent;
  EXPECT_THROW(train_backbone(colours(100), brief(), 1, scratch / "n.safetensors", silent),
               Cancelled);
  TrainOptions other = brief();
  other.learning_rate = 0.5;
  EXPECT_THROW(train_backbone(colours(), other, 1, scratch / "n.safetensors", silent), Error);
}

}  // namespace
}  // namespace tyto
