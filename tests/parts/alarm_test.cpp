// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/parts/alarm/stream_ranks.hpp"

namespace tyto {
namespace {

// Evidence as the composition makes it: scores and their p-values among the held-out ones.
Evidence scored(std::vector<float> held, const std::vector<float>& scores) {
  std::sort(held.begin(), held.end());
  Evidence evidence = toy_evidence(Matrix::Zero(static_cast<Index>(scores.size()), 1));
  evidence.novelty = scores;
  evidence.held = static_cast<Index>(held.size());
  for (const float score : scores) {
    const auto above = held.end() - std::lower_bound(held.begin(), held.end(), score);
    evidence.p_value.push_back((1.0F + static_cast<float>(above)) /
                               (1.0F + static_cast<float>(held.size())));
  }
  return evidence;
}

std::vector<float> normal_scores(Index n, Rng& rng, double mean = 0.0) {
  std::vector<float> out;
  for (Index i = 0; i < n; ++i) {
    out.push_back(static_cast<float>(mean + rng.normal()));
  }
  return out;
}

Made<Alarm> martingale(std::string_view options = "{}") {
  return make_part<Alarm>(Slot::alarm, "martingale", options);
}

TEST(StreamRanks, of_a_hand_worked_case) {
  // Held 1, 2, 3. 2.5: one above of 3, and itself: 2 / 4. 9: itself of 5: 1 / 5. 2.5 again: held 3,
  // earlier 9 and 2.5, itself: 4 / 6.
  StreamRanks ranks;
  const Evidence evidence = scored({1, 2, 3}, {2.5F, 9, 2.5F});
  EXPECT_NEAR(ranks.next(2.5F, evidence.p_value[0], 3), 2.0 / 4, 1e-12);
  EXPECT_NEAR(ranks.next(9.0F, evidence.p_value[1], 3), 1.0 / 5, 1e-12);
  EXPECT_NEAR(ranks.next(2.5F, evidence.p_value[2], 3), 4.0 / 6, 1e-12);
}

TEST(StreamRanks, agree_with_counting) {
  Rng rng(3, "stream");
  const std::vector<float> held = normal_scores(37, rng);
  std::vector<float> stream = normal_scores(900, rng);
  for (std::size_t i = 0; i < stream.size(); i += 3) {
    stream[i] = std::round(stream[i]);  // ties
  }
  const Evidence evidence = scored(held, stream);
  StreamRanks ranks;
  std::vector<float> all = held;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const auto above =
        std::count_if(all.begin(), all.end(), [&](float s) { return s >= stream[i]; });
    all.push_back(stream[i]);
    EXPECT_NEAR(ranks.next(stream[i], evidence.p_value[i], 37),
                static_cast<double>(1 + above) / static_cast<double>(all.size()), 1e-12);
  }
}

TEST(Martingale, keeps_its_promise_on_streams_without_a_change) {
  // The held-out samples are drawn once per stream; long streams would reveal their luck to bets on
  // p-values among them alone.
  for (const auto& [held, length] :
       {std::pair(Index{20}, Index{400}), std::pair(Index{100}, Index{600}),
        std::pair(Index{1000}, Index{400})}) {
    constexpr double kError = 0.05;
    Index alarms = 0;
    for (std::uint64_t stream = 0; stream < 1000; ++stream) {
      Rng rng(stream, "quiet", static_cast<std::uint64_t>(held));
      const std::vector<float> known = normal_scores(held, rng);
      auto alarm = martingale("{error: 0.05}");
      alarm->watch(scored(known, normal_scores(length, rng)));
      alarms += alarm->change().changed ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(alarms), 1000 * kError) << held;
  }
}

struct Watched {
  Index alarms = 0, early = 0;        // of 100 streams
  std::vector<Index> delays, begins;  // of those with an alarm
  std::map<ChangeKind, Index> kinds;
  double share = 0;
};

// `novel` of the samples from 200 on score 6 higher, all of them `shift` higher.
Watched watched(Index held, double novel, double shift) {
  Watched out;
  for (std::uint64_t stream = 0; stream < 100; ++stream) {
    Rng rng(stream, "change", static_cast<std::uint64_t>(held));
    const std::vector<float> known = normal_scores(held, rng);
    std::vector<float> scores = normal_scores(600, rng);
    for (std::size_t i = 200; i < scores.size(); ++i) {
      scores[i] += static_cast<float>(shift + (rng.uniform() < novel ? 6.0 : 0.0));
    }
    auto alarm = martingale();
    const std::vector<float> p = alarm->watch(scored(known, scores));
    const auto first = std::find_if(p.begin(), p.end(), [](float value) { return value >= 0.5F; });
    const Change change = alarm->change();
    EXPECT_EQ(change.changed, first != p.end());
    EXPECT_EQ(change.seen, 600);
    out.share += change.novel_share / 100.0;
    if (change.changed) {
      ++out.alarms;
      out.early += first - p.begin() < 200 ? 1 : 0;
      out.delays.push_back(first - p.begin() - 200);
      out.begins.push_back(change.since);
      ++out.kinds[change.kind];
    }
  }
  std::sort(out.delays.begin(), out.delays.end());
  std::sort(out.begins.begin(), out.begins.end());
  return out;
}

TEST(Martingale, notices_a_tenth_of_novel_samples_and_says_since_when) {
  for (const Index held : {100, 1000}) {
    Watched seen = watched(held, 0.1, 0.0);
    EXPECT_GE(seen.alarms, held == 100 ? 85 : 98) << held;
    EXPECT_LE(seen.early, 1) << held;
    ASSERT_FALSE(seen.delays.empty());
    const std::size_t middle = seen.delays.size() / 2;
    EXPECT_LE(seen.delays[middle], held == 100 ? 150 : 60) << held;
    EXPECT_NEAR(static_cast<double>(seen.begins[middle]), 205.0, 25.0) << held;
    EXPECT_GE(seen.kinds[ChangeKind::new_classes], 80) << held;
    EXPECT_LE(seen.kinds[ChangeKind::shift], 3) << held;
    EXPECT_NEAR(seen.share, 0.1 * 400 / 600, 0.05) << held;
  }
}

TEST(Martingale, tells_a_shift_of_all_samples_from_new_classes) {
  Watched seen = watched(1000, 0.0, 0.7);
  EXPECT_GE(seen.alarms, 95);
  EXPECT_GE(seen.kinds[ChangeKind::shift], 90);
  EXPECT_LE(seen.kinds[ChangeKind::new_classes], 2);
}

TEST(Martingale, says_none_on_a_quiet_stream) {
  Rng rng(1, "quiet one");
  auto alarm = martingale();
  EXPECT_EQ(alarm->change().log_evidence, 0.0);
  EXPECT_EQ(alarm->change().novel_share, 0.0);
  const std::vector<float> known = normal_scores(200, rng);
  const auto p = alarm->watch(scored(known, normal_scores(300, rng)));
  const Change change = alarm->change();
  EXPECT_FALSE(change.changed);
  EXPECT_EQ(change.kind, ChangeKind::none);
  EXPECT_EQ(change.since, -1);
  EXPECT_EQ(change.seen, 300);
  EXPECT_LT(change.log_evidence, 2.0);
  EXPECT_EQ(p.size(), 300U);
}

TEST(Martingale, has_the_evidence_of_a_hand_worked_bet) {
  // One sample above both held-out ones: p = 1/3, so only the bets on p <= 0.5 win: their factor is
  // 1 - a + a / 0.5 = 1 + a, the others' 1 - a. With the shares a = 0.03, 0.1, 0.35 (mean 0.16) and
  // 8 values of b the mean factor is 1 + 0.16 (1 - 7) / 8 = 0.88. A part 1 - 1 / sqrt 2 = 0.292893
  // of the capital bets.
  auto alarm = martingale();
  alarm->watch(scored({1, 2}, {5}));
  EXPECT_NEAR(alarm->change().log_evidence, std::log(0.707107 + 0.292893 * 0.88), 1e-6);
}

TEST(Martingale, stays_finite_when_everything_is_new) {
  Rng rng(2, "all new");
  const std::vector<float> known = normal_scores(500, rng);
  auto alarm = martingale();
  std::vector<float> scores(4000);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = 10.0F + static_cast<float>(i);  // each above all before it
  }
  const auto p = alarm->watch(scored(known, scores));
  EXPECT_TRUE(std::isfinite(alarm->change().log_evidence));
  EXPECT_GT(alarm->change().log_evidence, 1000.0);
  EXPECT_EQ(p.back(), 1.0F);
  EXPECT_LT(alarm->change().since, 3);
  EXPECT_EQ(alarm->change().kind, ChangeKind::unclear);  // no sample looks known
  EXPECT_EQ(alarm->change().novel_share, 1.0);
}

TEST(Martingale, is_the_same_in_pieces_and_after_save_and_load) {
  Rng rng(4, "pieces");
  const std::vector<float> known = normal_scores(150, rng);
  std::vector<float> scores = normal_scores(300, rng);
  for (std::size_t i = 100; i < 300; i += 4) {
    scores[i] += 5.0F;
  }
  auto once = martingale();
  const auto whole = once->watch(scored(known, scores));
  auto pieces = martingale();
  std::vector<float> joined;
  for (std::size_t begin = 0; begin < 300; begin += 50) {
    pieces = reloaded(pieces, Slot::alarm, "martingale");
    const auto part =
        pieces->watch(scored(known, {scores.begin() + static_cast<std::ptrdiff_t>(begin),
                                     scores.begin() + static_cast<std::ptrdiff_t>(begin) + 50}));
    joined.insert(joined.end(), part.begin(), part.end());
  }
  EXPECT_EQ(whole, joined);
  EXPECT_TRUE(once->change().changed);
  EXPECT_EQ(once->change().log_evidence, pieces->change().log_evidence);
  EXPECT_EQ(once->change().since, pieces->change().since);
  EXPECT_EQ(once->change().kind, pieces->change().kind);
}

TEST(Martingale, starts_again_after_a_lesson_unless_told_never_to) {
  for (const bool never : {false, true}) {
    auto alarm = martingale(never ? "{restart: never}" : "{}");
    alarm->watch(scored({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, std::vector<float>(60, 5.5F)));
    std::vector<float> rising;
    for (int i = 0; i < 60; ++i) {
      rising.push_back(20.0F + static_cast<float>(i));
    }
    alarm->watch(scored({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, rising));
    ASSERT_TRUE(alarm->change().changed);
    alarm->start_again();
    EXPECT_EQ(alarm->change().changed, never);
    EXPECT_EQ(alarm->change().seen, 0);
    EXPECT_EQ(alarm->change().since, -1);
    EXPECT_EQ(alarm->change().log_evidence == 0.0, !never);
  }
}

TEST(Martingale, says_what_it_lacks) {
  Evidence evidence = toy_evidence(Matrix::Zero(2, 1));
  evidence.novelty = {1, 2};
  EXPECT_THROW(martingale()->watch(evidence), Error);
  EXPECT_TRUE(martingale().part->needs().detector);
  EXPECT_TRUE(martingale()->watch(toy_evidence(Matrix(0, 1))).empty());
}

}  // namespace
}  // namespace tyto
