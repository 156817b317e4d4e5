// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/sampling.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Recipe sampling(const std::string& rule, Index frames, Index stride, Index clips) {
  Recipe recipe;
  recipe.sampling = rule;
  recipe.frames = frames;
  recipe.stride = stride;
  recipe.clips = clips;
  return recipe;
}

ClipFrames singles(const std::vector<ClipFrames>& clips) {
  ClipFrames frames;
  for (const ClipFrames& clip : clips) {
    EXPECT_EQ(clip.size(), 1U);
    frames.push_back(clip.at(0));
  }
  return frames;
}

TEST(Sampling, takes_every_nth_frame_and_all) {
  EXPECT_THAT(singles(sampled_clips(sampling("every", 1, 4, 8), 10, 25)), ElementsAre(0, 4, 8));
  EXPECT_THAT(singles(sampled_clips(sampling("every", 1, 4, 8), 1, 25)), ElementsAre(0));
  EXPECT_THAT(singles(sampled_clips(sampling("all", 1, 4, 8), 3, 25)), ElementsAre(0, 1, 2));
}

TEST(Sampling, takes_the_middles_of_equal_parts) {
  // floor((k + 0.5) 20 / 8): 1.25 3.75 6.25 8.75 11.25 13.75 16.25 18.75
  EXPECT_THAT(singles(sampled_clips(sampling("uniform", 1, 1, 8), 20, 25)),
              ElementsAre(1, 3, 6, 8, 11, 13, 16, 18));
  EXPECT_THAT(singles(sampled_clips(sampling("uniform", 1, 1, 3), 1, 25)), ElementsAre(0, 0, 0));
  EXPECT_THAT(sampled_clips(sampling("segments", 4, 1, 1), 16, 25),
              ElementsAre(ElementsAre(2, 6, 10, 14)));
}

TEST(Sampling, lays_clips_one_after_another_and_repeats_the_last_frame) {
  EXPECT_THAT(sampled_clips(sampling("clips", 3, 2, 1), 9, 25),
              ElementsAre(ElementsAre(0, 2, 4), ElementsAre(6, 8, 8)));
  EXPECT_THAT(sampled_clips(sampling("clips", 4, 1, 1), 2, 25),
              ElementsAre(ElementsAre(0, 1, 1, 1)));
}

TEST(Sampling, starts_strided_clips_as_the_released_extraction_does) {
  // Every 5th of 103 frames are 20; q = floor((20 - 4) / 4) = 4, so clips begin at 0, 20, 40, 60.
  const auto clips = sampled_clips(sampling("strided", 4, 5, 4), 103, 25);
  EXPECT_THAT(clips, ElementsAre(ElementsAre(0, 5, 10, 15), ElementsAre(20, 25, 30, 35),
                                 ElementsAre(40, 45, 50, 55), ElementsAre(60, 65, 70, 75)));
  // Shorter than a clip: four times the same, padded by the last frame.
  EXPECT_THAT(sampled_clips(sampling("strided", 4, 5, 2), 12, 25),
              ElementsAre(ElementsAre(0, 5, 10, 11), ElementsAre(0, 5, 10, 11)));
}

TEST(Sampling, cuts_a_snippet_from_the_middle) {
  EXPECT_THAT(sampled_clips(sampling("snippet", 4, 1, 1), 11, 25),
              ElementsAre(ElementsAre(3, 4, 5, 6)));  // floor((11 - 4) / 2)
  EXPECT_THAT(sampled_clips(sampling("snippet", 4, 1, 1), 3, 25),
              ElementsAre(ElementsAre(0, 1, 2, 2)));
  const auto clip = sampled_clips(sampling("snippet", 64, 1, 1), 300, 25).at(0);
  EXPECT_EQ(clip.front(), 118);
  EXPECT_EQ(clip.back(), 181);
}

struct SpreadCase {
  Index frames, stride, clips, n;
  double fps;
  std::size_t clip;
  ClipFrames expected;
};

// Made by tests/golden/make_resized.py.
TEST(Sampling, spreads_clips_as_slowfast_does) {
  const std::vector<SpreadCase> cases{
      {8, 32, 1, 300, 30.0, 0, {0, 36, 72, 109, 145, 182, 218, 255}},
      {16, 5, 10, 300, 29.97, 0, {0, 5, 10, 15, 21, 26, 31, 36, 42, 47, 52, 57, 63, 68, 73, 78}},
      {16,
       5,
       10,
       250,
       25.0,
       9,
       {165, 169, 173, 178, 182, 186, 191, 195, 200, 204, 208, 213, 217, 221, 226, 230}},
      {16,
       5,
       10,
       250,
       25.0,
       5,
       {91, 96, 100, 104, 109, 113, 117, 122, 126, 131, 135, 139, 144, 148, 152, 157}},
      {13, 6, 3, 99, 9.83, 1, {24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 49}},
      {4, 12, 2, 20, 30.0, 1, {0, 15, 19, 19}},
      {8, 32, 3, 1000, 23.976, 2, {530, 559, 588, 617, 646, 675, 704, 733}},
  };
  for (const SpreadCase& c : cases) {
    const auto clips = sampled_clips(sampling("spread", c.frames, c.stride, c.clips), c.n, c.fps);
    ASSERT_EQ(clips.size(), static_cast<std::size_t>(c.clips));
    EXPECT_EQ(clips[c.clip], c.expected) << c.n << " frames at " << c.fps;
  }
  EXPECT_EQ(sampled_clips(sampling("spread", 8, 32, 1), 300, 0.0),  // a rate that is not known
            sampled_clips(sampling("spread", 8, 32, 1), 300, 30.0));
}

TEST(Sampling, of_every_rule_and_length_stays_within_the_video) {
  Rng rng(3, "lengths");
  for (const SamplingRule& rule : sampling_rules()) {
    const bool single = rule.name == "every" || rule.name == "uniform" || rule.name == "all";
    for (const Index n : {1, 2, 3, 7, 16, 63, 64, 65, 300}) {
      const Recipe recipe = sampling(rule.name, single ? 1 : 8, 3, 5);
      Rng again = rng;
      const auto drawn = drawn_clips(recipe, n, 29.97, rng);
      EXPECT_EQ(drawn_clips(recipe, n, 29.97, again), drawn) << rule.name;
      for (const auto& clips : {sampled_clips(recipe, n, 29.97), drawn}) {
        ASSERT_FALSE(clips.empty()) << rule.name;
        for (const ClipFrames& clip : clips) {
          EXPECT_EQ(std::ssize(clip), recipe.frames) << rule.name;
          EXPECT_TRUE(std::is_sorted(clip.begin(), clip.end())) << rule.name;
          EXPECT_GE(clip.front(), 0) << rule.name;
          EXPECT_LT(clip.back(), n) << rule.name;
        }
      }
    }
  }
}

TEST(Sampling, draws_every_place_of_a_snippet) {
  Rng rng(4);
  std::set<Index> starts;
  for (int i = 0; i < 400; ++i) {
    const auto clips = drawn_clips(sampling("snippet", 4, 1, 1), 9, 25, rng);
    ASSERT_EQ(clips.size(), 1U);
    ASSERT_EQ(clips[0].back(), clips[0].front() + 3);
    starts.insert(clips[0].front());
  }
  EXPECT_THAT(starts, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Sampling, names_the_likely_rule_and_refuses_numbers_that_make_no_clip) {
  const auto message = [](const Recipe& recipe) -> std::string {
    try {
      (void)sampled_clips(recipe, 10, 25);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(sampling("unifrom", 1, 1, 8)), HasSubstr("did you mean \"uniform\"?"));
  EXPECT_THAT(message(sampling("uniform", 8, 1, 8)), HasSubstr("clips of one frame"));
  EXPECT_THAT(message(sampling("every", 1, 0, 8)), HasSubstr("stride is 0"));
  EXPECT_THAT(message(sampling("spread", 8, 1, 0)), HasSubstr("clips is 0"));
}

}  // namespace
}  // namespace tyto
