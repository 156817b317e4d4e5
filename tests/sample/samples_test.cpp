// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/samples.hpp"

#include <array>
#include <numeric>

#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

// Row r of "features" is r, r + 0.5; of "logits" -r in as many columns as asked for.
std::shared_ptr<const FeatureStore> ramp(Index rows, Index logits = 3, float from = 0) {
  Matrix features(rows, 2);
  Matrix scores(rows, logits);
  for (Index r = 0; r < rows; ++r) {
    const float value = from + static_cast<float>(r);
    features.row(r) << value, value + 0.5F;
    scores.row(r).setConstant(-value);
  }
  std::vector<DenseStore::Source> sources;
  sources.push_back({"features", std::move(features), {"x", "y"}});
  if (logits > 0) {
    sources.push_back({"logits", std::move(scores), {}});
  }
  return std::make_shared<const DenseStore>(std::move(sources));
}

// One sample of these frames.
Samples clip(std::uint32_t id, std::vector<Index> rows, std::shared_ptr<const FeatureStore> store) {
  const auto count = static_cast<Index>(rows.size());
  return Samples(std::move(store), {{SampleId{id}}, std::move(rows), {0, count}, {}, {}});
}

std::vector<float> first_column(const Samples& samples) {
  const Matrix rows = samples.frame_rows();
  std::vector<float> values;
  for (Index i = 0; i < rows.rows(); ++i) {
    values.push_back(rows(i, 0));
  }
  return values;
}

TEST(Samples, mean_their_frames_and_count_them) {
  const Samples samples(ramp(9), {{SampleId{4}, SampleId{2}}, {1, 2, 3, 8}, {0, 3, 4}, {}, {}});
  EXPECT_EQ(samples.frame_count(0), 3);
  EXPECT_EQ(samples.frame_count(1), 1);
  Matrix means(2, 2);
  means << 2, 2.5F, 8, 8.5F;
  EXPECT_EQ(samples.rows(), means);
  EXPECT_EQ(samples.frame_rows().rows(), 4);
  const std::vector<Index> last{1, 1};
  EXPECT_EQ(first_column(samples.pick(last)), (std::vector<float>{8, 8}));
}

TEST(Samples, read_another_source_as_features_whatever_becomes_of_them) {
  const Samples clips(ramp(6), {{SampleId{1}, SampleId{2}}, {5, 4, 3}, {0, 2, 3}, {}, {}});
  const Samples reading = clips.reading("logits");
  EXPECT_EQ(reading.read_source(), "logits");
  EXPECT_EQ(reading.width(), 3);
  EXPECT_EQ(reading.rows(), clips.rows("logits"));
  EXPECT_EQ(reading.rows("logits"), clips.rows("logits"));
  EXPECT_EQ(reading.slice(1, 1).rows()(0, 0), -3.0F);
  EXPECT_EQ(reading.thinned(1).lent().width(), 3);
  EXPECT_EQ(Samples::joined(reading, reading).width(), 3);
  const Samples stacked = Samples::stacked(std::vector{reading, reading});
  EXPECT_EQ(stacked.width(), 3);
  EXPECT_EQ(stacked.reading("features").rows()(0, 0), 4.5F);  // both sources were copied
  EXPECT_EQ(reading.reading("features").rows(), clips.rows());
  EXPECT_THROW((void)clips.reading("pose").width(), Error);
}

TEST(Stacked, lays_samples_of_several_stores_one_behind_the_other) {
  const Samples clips(ramp(6), {{SampleId{1}, SampleId{2}}, {5, 4, 0}, {0, 2, 3}, {7, 8}, {}});
  const Samples rows(ramp(3, 3, 100), {{SampleId{3}}, {2}, {}, {}, {0.25}}, Lifetime::lent);
  const Samples all = Samples::stacked(std::vector{clips, Samples(), rows});
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(first_column(all), (std::vector<float>{5, 4, 0, 102}));
  EXPECT_EQ(all.rows("logits")(0, 2), -4.5F);
  EXPECT_EQ(all.frame_count(0), 2);
  EXPECT_EQ(all.frame_count(2), 1);
  EXPECT_EQ(all.id(2), SampleId{3});
  EXPECT_EQ(all.group(1), 8U);
  EXPECT_EQ(all.group(2), 0U);  // it has none
  EXPECT_EQ(all.time(0), 0.0);
  EXPECT_EQ(all.time(2), 0.25);
  EXPECT_EQ(all.column_names("features"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(all.lifetime(), Lifetime::lasting);
}

TEST(Stacked, copies_the_shared_sources_or_those_asked_for) {
  const Samples both = clip(1, {0}, ramp(1));
  const Samples features_alone = clip(2, {0}, ramp(1, 0));
  const Samples shared = Samples::stacked(std::vector{both, features_alone});
  EXPECT_EQ(shared.width(), 2);
  EXPECT_THROW((void)shared.width("logits"), Error);
  const std::vector<std::string> wanted{"logits"};
  const Samples logits = Samples::stacked(std::vector{both, both}, wanted);
  EXPECT_EQ(logits.width("logits"), 3);
  EXPECT_THROW((void)logits.width(), Error);
  EXPECT_THROW(Samples::stacked(std::vector{both, features_alone}, wanted), Error);
}

std::string stack_refusal(const Samples& a, const Samples& b) {
  return refusal([&] { (void)Samples::stacked(std::vector{a, b}); });
}

TEST(Stacked, refuses_what_does_not_fit_with_source_and_both_widths) {
  const std::string widths = stack_refusal(clip(1, {0}, ramp(1, 3)), clip(2, {0}, ramp(1, 5)));
  EXPECT_THAT(widths, HasSubstr("\"logits\" has 3 columns in some of them and 5 in others"));
  std::vector<DenseStore::Source> named;
  named.push_back({"features", Matrix::Zero(1, 2), {"x", "z"}});
  const Samples other = clip(3, {0}, std::make_shared<const DenseStore>(std::move(named)));
  EXPECT_THAT(stack_refusal(clip(1, {0}, ramp(1)), other),
              HasSubstr("\"features\" have other names"));
  std::vector<DenseStore::Source> poses;
  poses.push_back({"pose", Matrix::Zero(1, 2), {}});
  const Samples pose = clip(4, {0}, std::make_shared<const DenseStore>(std::move(poses)));
  EXPECT_THAT(stack_refusal(clip(1, {0}, ramp(1)), pose),
              HasSubstr("share no source; some have features, logits, the last pose"));
}

TEST(Stacked, of_nothing_is_nothing) {
  EXPECT_TRUE(Samples::stacked({}).empty());
  EXPECT_TRUE(Samples::stacked(std::vector<Samples>(2)).empty());
  const Samples none = clip(1, {0}, ramp(1)).slice(0, 0);
  EXPECT_EQ(Samples::stacked(std::vector{none, none}).rows().cols(), 2);  // still of that width
}

TEST(Thinned, keeps_the_centre_frame_of_each_segment) {
  // Ten frames in two halves of five: frames 2 and 7. In three parts of 3 1/3: 1 2/3, 5, 8 1/3.
  std::vector<Index> ten(10);
  std::iota(ten.begin(), ten.end(), Index{0});
  const Samples samples = clip(1, ten, ramp(10));
  EXPECT_EQ(first_column(samples.thinned(1)), (std::vector<float>{5}));
  EXPECT_EQ(first_column(samples.thinned(2)), (std::vector<float>{2, 7}));
  EXPECT_EQ(first_column(samples.thinned(3)), (std::vector<float>{1, 5, 8}));
  EXPECT_EQ(first_column(samples.thinned(10)), first_column(samples));
  EXPECT_EQ(first_column(samples.thinned(11)), first_column(samples));
}

TEST(Thinned, leaves_what_is_short_and_what_has_one_row_alone) {
  const Samples samples(ramp(9),
                        {{SampleId{4}, SampleId{2}}, {6, 1, 2, 3, 4}, {0, 1, 5}, {3, 9}, {1, 2}});
  const Samples two = samples.thinned(2);
  EXPECT_EQ(first_column(two), (std::vector<float>{6, 2, 4}));  // frames 1 and 3 of four
  EXPECT_EQ(two.frame_count(0), 1);
  EXPECT_EQ(two.frame_count(1), 2);
  EXPECT_EQ(two.group(1), 9U);
  EXPECT_EQ(two.time(1), 2);
  const Samples single(ramp(2), {{SampleId{1}, SampleId{2}}, {1, 0}, {}, {}, {}});
  EXPECT_EQ(first_column(single.thinned(1)), (std::vector<float>{1, 0}));
}

// The frame that holds the middle of segment k of `kept`: the last one to begin at or before it.
Index centre(Index frames, Index kept, Index k) {
  Index frame = 0;
  while (2 * kept * (frame + 1) <= (2 * k + 1) * frames) {
    ++frame;
  }
  return frame;
}

TEST(Thinned, agrees_with_a_walk_along_the_frames) {
  Rng rng(3, "thinned");
  for (int trial = 0; trial < 200; ++trial) {
    const Index frames = 1 + rng.below(60);
    const Index most = 1 + rng.below(20);
    std::vector<Index> rows(static_cast<std::size_t>(frames));
    std::iota(rows.begin(), rows.end(), Index{0});
    const std::vector<float> kept = first_column(clip(1, rows, ramp(frames)).thinned(most));
    const Index count = std::min(frames, most);
    ASSERT_EQ(static_cast<Index>(kept.size()), count);
    for (Index k = 0; k < count; ++k) {
      EXPECT_EQ(kept[static_cast<std::size_t>(k)], static_cast<float>(centre(frames, count, k)))
          << frames << " frames, " << most << " kept";
    }
  }
}

TEST(Samples, keep_the_frames_they_are_told_to) {
  const auto store = ramp(9);
  const Samples both(store, {{SampleId{4}, SampleId{2}}, {1, 2, 3, 8, 7}, {0, 3, 5}, {6, 5}, {}});
  const std::vector<std::vector<FrameMean>> some{{{0, {1.0F}}, {2, {1.0F}}}, {}};
  const Samples picked = both.reframed(some);
  EXPECT_TRUE(Samples::share_store(picked, both));  // rows as they are need no copy
  EXPECT_EQ(first_column(picked), (std::vector<float>{1, 3, 8, 7}));
  EXPECT_EQ(picked.frame_count(0), 2);
  EXPECT_EQ(picked.id(0), SampleId{4});
  EXPECT_EQ(picked.group(1), 5U);
}

TEST(Samples, are_condensed_in_every_source) {
  const Samples both(ramp(9), {{SampleId{4}, SampleId{2}}, {1, 2, 3, 8, 7}, {0, 3, 5}, {}, {}});
  // 1/4 x 1 + 3/4 x 2 = 1.75; a single frame is copied to the bit.
  const std::vector<std::vector<FrameMean>> some{{{0, {0.25F, 0.75F}}, {2, {1.0F}}}, {}};
  const Samples condensed = both.reading("logits").reframed(some);
  EXPECT_FALSE(Samples::share_store(condensed, both));
  EXPECT_EQ(first_column(condensed.reading("features")), (std::vector<float>{1.75F, 3, 8, 7}));
  EXPECT_EQ(first_column(condensed), (std::vector<float>{-1.75F, -3, -8, -7}));
  EXPECT_EQ(condensed.read_source(), "logits");
  EXPECT_EQ(condensed.reading("features").column_names("features"),
            (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(condensed.lifetime(), Lifetime::lasting);
  // They go together with others that have other numbers of frames, or none.
  const Samples row(ramp(9), {{SampleId{9}}, {5}, {}, {}, {}});
  const Samples all = Samples::stacked(std::array{condensed.reading("features"), both, row});
  EXPECT_EQ(first_column(all), (std::vector<float>{1.75F, 3, 8, 7, 1, 2, 3, 8, 7, 5}));
  EXPECT_EQ(all.frame_count(0), 2);
  EXPECT_EQ(all.frame_count(2), 3);
  EXPECT_EQ(all.frame_count(4), 1);
}

}  // namespace
}  // namespace tyto
