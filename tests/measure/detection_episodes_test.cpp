// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/measure/detection/episodes.hpp"
#include "tyto/measure/detection/fusion.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const Error& problem) {
    return problem.what();
  }
  return "was taken";
}

EpisodeTypes three_types() {
  return read_episode_types(CsvTable::parse(
      "class,first_novel_episode,used_in_table\nnormal,-1,1\nfence,2,1\nthief,0,1\nrotten,0,0\n",
      "types.csv"));
}

ScoredEpisodes episodes_of(const std::string& rows, MissingFrames missing = MissingFrames::zero) {
  const CsvTable csv = CsvTable::parse("class,episode,frame,score\n" + rows, "scores.csv");
  return read_scored_episodes(csv, all_rows(csv), "score", three_types(), missing);
}

std::vector<std::vector<double>> scores_of(const ScoredEpisodes& read) {
  std::vector<std::vector<double>> out;
  for (const ScoredEpisode& episode : read.episodes) {
    out.push_back(episode.score);
  }
  return out;
}

TEST(ScoredEpisodes, are_novel_from_the_first_novel_number_on) {
  const ScoredEpisodes read = episodes_of(
      "fence,1,0,1\nfence,2,0,1\nfence,10,0,1\nnormal,5,0,1\nthief,0,0,1\nrotten,0,0,1\n");
  ASSERT_EQ(read.episodes.size(), 5U);
  const std::vector<bool> expected{false, true, true, false, true};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(read.episodes[i].is_novel, expected[i]) << i;
  }
  EXPECT_EQ(read.rows_left_out, 1);
}

TEST(ScoredEpisodes, order_frames_and_fill_those_missing_with_zero) {
  const std::string rows = "fence,2,4,0.4\nfence,2,1,0.1\nfence,2,2,0.2\n";
  const ScoredEpisodes filled = episodes_of(rows);
  EXPECT_THAT(filled.episodes[0].score, ElementsAre(0, 0.1, 0.2, 0, 0.4));
  EXPECT_EQ(filled.filled, 2);
  const ScoredEpisodes skipped = episodes_of(rows, MissingFrames::skip);
  EXPECT_THAT(skipped.episodes[0].score, ElementsAre(0.1, 0.2, 0.4));
  EXPECT_EQ(skipped.filled, 0);
}

TEST(ScoredEpisodes, name_the_line_of_what_cannot_be) {
  EXPECT_THAT(refusal_of([] { episodes_of("fence,2,1,0\nfence,2,1,0\n"); }),
              HasSubstr("line 3: frame 1"));
  EXPECT_THAT(refusal_of([] { episodes_of("dragon,2,1,0\n"); }), HasSubstr("\"dragon\""));
  EXPECT_THAT(refusal_of([] { episodes_of("fence,2,1,nan\n"); }),
              HasSubstr("line 2, column \"score\""));
  EXPECT_THAT(refusal_of([] { episodes_of("fence,2,1,\n"); }), HasSubstr("line 2"));
  EXPECT_THAT(refusal_of([] { episodes_of("fence,two,1,0\n"); }),
              HasSubstr("\"two\" is not a whole number"));
  EXPECT_THAT(refusal_of([] { episodes_of("fence,2,-1,0\n"); }), HasSubstr("below 0"));
  EXPECT_THAT(refusal_of([] { episodes_of("fence,2,2000000000,0\n"); }),
              HasSubstr("2000000000 frames that no row tells of"));
  EXPECT_THAT(
      refusal_of([] {
        read_episode_types(CsvTable::parse("class,first_novel_episode\na,1\na,2\n", "t.csv"));
      }),
      HasSubstr("\"a\" stands in the table before"));
}

TEST(EpisodeScore, leaves_the_last_frame_out_unless_it_is_the_only_one) {
  EXPECT_EQ(episode_score(std::vector<double>{1, 3, 2, 9}), 3);
  EXPECT_EQ(episode_score(std::vector<double>{9}), 9);
}

TEST(DetectionDelays, are_means_of_types_and_of_episodes) {
  // Fence: detected after 1 and 3 frames; thief: never, 2 frames long. At the last frame too.
  const ScoredEpisodes read = episodes_of(
      "normal,0,0,9\n"
      "fence,2,0,0\nfence,2,1,5\n"
      "fence,3,0,0\nfence,3,1,0\nfence,3,2,0\nfence,3,3,5\n"
      "fence,0,0,9\n"
      "thief,0,0,1\nthief,0,1,1\n");
  const EpisodeDelays delays = *detection_delays(read, scores_of(read), 5);
  ASSERT_EQ(delays.types.size(), 2U);
  EXPECT_EQ(delays.types[0].type, "fence");
  EXPECT_EQ(delays.types[0].episodes, 2);
  EXPECT_EQ(delays.types[0].mean, 2);
  EXPECT_EQ(delays.types[0].median_detected, 2.0);
  EXPECT_EQ(delays.types[1].undetected, 1);
  EXPECT_EQ(delays.types[1].mean, 2);
  EXPECT_FALSE(delays.types[1].median_detected);
  EXPECT_DOUBLE_EQ(delays.published, 4.0 / 3.0);  // the type without novelty counts 0
  EXPECT_DOUBLE_EQ(delays.over_types, 2.0);
  EXPECT_DOUBLE_EQ(delays.per_episode, 2.0);
  EXPECT_EQ(delays.undetected, 1);
  const ScoredEpisodes normal = episodes_of("normal,0,0,9\n");
  EXPECT_FALSE(detection_delays(normal, scores_of(normal), 5));
}

TEST(FrameEvidence, by_running_mean_is_of_the_last_frames) {
  const FrameEvidence mean({OverFrames::running_mean, 2}, {});
  EXPECT_THAT(mean.of(std::vector<double>{4, 0, 2, 2}), ElementsAre(4, 2, 1, 2));
  EXPECT_THAT(mean.of(std::vector<double>{}), ElementsAre());
  EXPECT_THAT(mean.of(std::vector<double>{3}), ElementsAre(3));
}

TEST(FrameEvidence, by_cusum_counts_deviations_above_the_drift) {
  // Normal frames 1 and 3: mean 2, deviation 1.
  const FrameEvidence cusum({OverFrames::cusum, 5, 0.5}, std::vector<double>{1, 3});
  EXPECT_THAT(cusum.of(std::vector<double>{2, 4, 3, 0, 3}), ElementsAre(0, 1.5, 2, 0, 0.5));
  EXPECT_THAT(refusal_of([] {
                FrameEvidence({OverFrames::cusum, 5, 0.5}, std::vector<double>{1, 1});
              }),
              HasSubstr("2 normal frames have a deviation of 0"));
}

TEST(FrameEvidence, by_martingale_grows_on_new_frames_and_keeps_its_word_on_normal_ones) {
  Rng rng(8, "martingale");
  std::vector<double> normal;
  for (int i = 0; i < 500; ++i) {
    normal.push_back(rng.normal());
  }
  const FrameEvidence bets({OverFrames::martingale}, normal);
  EXPECT_GT(bets.of(std::vector<double>(20, 4.0)).back(), std::log(100.0));
  // By Ville at most 5 in 100 normal episodes ever reach ln 20; 400 of them, so 20 +- 3 * 4.4.
  int reached = 0;
  for (int episode = 0; episode < 400; ++episode) {
    std::vector<double> frames;
    for (int t = 0; t < 60; ++t) {
      frames.push_back(rng.normal());
    }
    const auto evidence = bets.of(frames);
    reached += *std::max_element(evidence.begin(), evidence.end()) >= std::log(20.0) ? 1 : 0;
  }
  EXPECT_LE(reached, 33);
  EXPECT_GT(reached, 0);
  EXPECT_THAT(refusal_of([] { FrameEvidence({OverFrames::martingale}, {}); }),
              HasSubstr("there is none"));
}

TEST(FrameEvidence, of_the_first_frame_by_martingale_worked_by_hand) {
  // The score is above all 9 normal ones: p = 1 / 10, so the bets below 0.1 and 0.25 win.
  std::vector<double> normal(9, 0.0);
  const double first =
      FrameEvidence({OverFrames::martingale}, normal).of(std::vector<double>{1.0}).front();
  double sum = 0;
  for (const double a : {0.1, 0.35}) {
    sum += 3 * (1 - a) + (1 - a + a / 0.1) + (1 - a + a / 0.25);
  }
  EXPECT_NEAR(first, std::log(sum / 10), 1e-12);
}

TEST(Fusion, by_range_adds_what_each_has_of_its_range) {
  EXPECT_THAT(fuse_by_range(std::vector<double>{1, 4}, {0, 2}, std::vector<double>{3, 5}, {3, 7}),
              ElementsAre(0.5, 2.5));
  EXPECT_THROW(fuse_by_range(std::vector<double>{1}, {2, 2}, std::vector<double>{1}, {0, 1}),
               Error);
  EXPECT_THROW(fuse_by_range(std::vector<double>{1}, {0, 1}, {}, {0, 1}), Error);
}

TEST(Fusion, leaves_out_the_first_frame_of_the_longer_list) {
  const std::vector<double> three{1, 2, 3}, two{8, 9};
  EXPECT_THAT(aligned_frames(three, two).first, ElementsAre(2, 3));
  EXPECT_THAT(aligned_frames(two, three).second, ElementsAre(2, 3));
  EXPECT_THAT(aligned_frames(two, two).first, ElementsAre(8, 9));
  EXPECT_THROW(aligned_frames(three, std::span(two).first(1)), Error);
}

TEST(Fusion, by_rank_does_not_know_the_units) {
  const std::vector<double> normal_a{0, 1, 2}, normal_b{0, 10, 20};
  // p 1/4 and 2/4; then p 4/4 and 1/4.
  const auto fused =
      fuse_by_rank(std::vector<double>{3, 0}, normal_a, std::vector<double>{15, 99}, normal_b);
  EXPECT_DOUBLE_EQ(fused[0], std::log(4.0) + std::log(2.0));
  EXPECT_DOUBLE_EQ(fused[1], std::log(4.0));
  EXPECT_THROW(fuse_by_rank(std::vector<double>{3}, {}, std::vector<double>{3}, normal_b), Error);
}

}  // namespace
}  // namespace tyto
