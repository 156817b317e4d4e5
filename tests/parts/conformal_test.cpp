// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "parts/classified_toy.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/parts/detector/committee.hpp"
#include "tyto/parts/detector/held_ranks.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

TEST(HeldRanks, of_a_hand_worked_case) {
  // Held 1, 2, 3, 4, tail 2: 1 + 1/2 = 1.5. New: width (4 - 2) / 1.5 = 4/3. Held: (3 - 2) / 1.5 =
  // 2/3.
  const HeldRanks ranks({3, 1, 4, 2}, 2, 0.0);
  EXPECT_NEAR(std::exp(ranks.log_p_new(0.0F)), 1.0, 1e-12);
  EXPECT_NEAR(std::exp(ranks.log_p_new(2.5F)), 3.0 / 5, 1e-12);
  EXPECT_NEAR(std::exp(ranks.log_p_new(3.0F)), 3.0 / 5, 1e-12);  // a tie counts against novelty
  EXPECT_NEAR(std::exp(ranks.log_p_new(4.0F)), 2.0 / 5, 1e-12);
  EXPECT_NEAR(ranks.log_p_new(6.0F), std::log(1.0 / 5) - 1.5, 1e-12);
  EXPECT_NEAR(std::exp(ranks.log_p_held(3.0F)), 2.0 / 5, 1e-12);
  EXPECT_NEAR(ranks.log_p_held(4.0F), std::log(1.0 / 5) - 1.5, 1e-12);
  // With shape 1/2: -log(1 + 1.5 / 2) / (1/2)
  EXPECT_NEAR(HeldRanks({3, 1, 4, 2}, 2, 0.5).log_p_new(6.0F),
              std::log(1.0 / 5) - 2.0 * std::log(1.75), 1e-12);
}

TEST(HeldRanks, fall_without_a_jump_beyond_the_last_and_stay_finite) {
  const HeldRanks ranks({1, 2, 3, 4, 5, 6}, 10, 0.25);
  const double least = std::log(1.0 / 7);
  EXPECT_NEAR(ranks.log_p_new(6.0001F), least, 1e-3);
  double before = 0.0;
  for (float score = 0.0F; score < 100.0F; score += 0.37F) {
    EXPECT_LE(ranks.log_p_new(score), before);
    before = ranks.log_p_new(score);
  }
  EXPECT_LT(before, least - 5.0);
  for (const auto& held : {std::vector<float>{2, 2, 2, 2}, std::vector<float>{2},
                           std::vector<float>{1, 2}, std::vector<float>{}}) {
    const HeldRanks hard(held, 10, 0.25);
    EXPECT_TRUE(std::isfinite(hard.log_p_new(1e30F)));
    EXPECT_LE(hard.log_p_new(1e30F), hard.log_p_new(2.0F));
    if (!held.empty()) {
      EXPECT_TRUE(std::isfinite(hard.log_p_held(held.back())));
    }
  }
  EXPECT_EQ(HeldRanks({1, 2, 3}, 1, 0.0).log_p_new(9.0F), std::log(0.25));  // no tail
}

TEST(HeldRanks, never_let_a_held_out_score_look_more_common_than_a_new_one_in_its_place) {
  // What the promise rests on: for any new x, the p-value of a held-out y is at most the one y
  // would have as a new score among the other held-out ones and x.
  Rng rng(7, "held");
  for (int trial = 0; trial < 400; ++trial) {
    const Index n = 1 + rng.below(15);
    const Index tail = rng.below(8);
    const double shape = trial % 2 == 0 ? 0.0 : 0.5;
    const bool coarse = trial % 3 == 0;  // ties
    const auto draw = [&] {
      const double value = std::exp(1.5 * rng.normal());
      return static_cast<float>(coarse ? std::round(value) : value);
    };
    std::vector<float> held;
    for (Index i = 0; i < n; ++i) {
      held.push_back(draw());
    }
    const HeldRanks ranks(held, tail, shape);
    for (int again = 0; again < 20; ++again) {
      const float x = draw();
      for (std::size_t y = 0; y < held.size(); ++y) {
        std::vector<float> others = held;
        others[y] = x;
        EXPECT_LE(ranks.log_p_held(held[y]),
                  HeldRanks(others, tail, shape).log_p_new(held[y]) + 1e-9);
      }
    }
  }
}

constexpr const char* kTwoScores = "{scores: [mahalanobis, max_logit], fewest: 5";

struct ConformalToy {
  Matrix rows;
  std::vector<int> labels;
  std::vector<Role> roles;
  Made<Classifier> classifier;
  Made<Detector> detector;
  ToyWork work;

  // `fit` rows to learn from, then `held`, then `fresh` ones of the same kind.
  ConformalToy(Index fit, Index held, Index fresh, std::uint64_t seed, const std::string& options)
      : classifier(make_part<Classifier>(Slot::classifier, "ncm")),
        detector(make_part<Detector>(Slot::detector, "conformal", options)) {
    const ToyClasses toy(3, (fit + held + fresh + 2) / 3, 4, seed, 1.5);
    rows = toy.features.topRows(fit + held);
    labels.assign(toy.labels.begin(), toy.labels.begin() + fit + held);
    for (Index i = 0; i < fit + held; ++i) {
      roles.push_back(i < fit ? Role::fit : Role::hold);
    }
    classifier->learn(ToyExperience(rows, labels, roles), work);
    detector->profile(experience(), work);
    novel = toy.features.middleRows(fit + held, fresh);
  }

  [[nodiscard]] ClassifiedToy experience() const { return {*classifier.slot, rows, labels, roles}; }

  [[nodiscard]] std::vector<float> of_held() const {
    std::vector<float> out;
    experience().each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label>) {
      Evidence evidence = block;
      detector->detect(evidence);
      out.insert(out.end(), evidence.novelty.begin(), evidence.novelty.end());
    });
    return out;
  }

  [[nodiscard]] Evidence of_fresh(const Matrix& features) const {
    Evidence evidence = fully_classified(*classifier.slot, features);
    detector->detect(evidence);
    return evidence;
  }

  Matrix novel;
};

TEST(Conformal, combines_the_p_values_it_explains) {
  for (const auto& [combine, value] :
       std::vector<std::pair<std::string, std::function<double(double, double)>>>{
           {"fisher", [](double a, double b) { return -std::log(a) - std::log(b); }},
           {"harmonic", [](double a, double b) { return -std::log(2.0 / (1.0 / a + 1.0 / b)); }},
           {"minimum", [](double a, double b) { return -std::log(std::min(a, b)); }},
           {"smallest", [](double a, double b) { return -std::log((a + b) / 2.0); }}}) {
    const ConformalToy toy(30, 20, 20, 41, fmt::format("{}, combine: {}}}", kTwoScores, combine));
    const Evidence evidence = toy.of_fresh(toy.novel);
    const auto notes = toy.detector->explain(evidence);
    ASSERT_EQ(notes.size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
      ASSERT_EQ(notes[i].size(), 2U);
      EXPECT_EQ(notes[i][0].score, "mahalanobis");
      EXPECT_EQ(notes[i][1].score, "max_logit");
      EXPECT_NEAR(evidence.novelty[i], value(notes[i][0].p_value, notes[i][1].p_value), 1e-3)
          << combine;
    }
  }
}

TEST(Conformal, ranks_each_score_among_the_held_out_ones) {
  const ConformalToy toy(30, 20, 20, 42, fmt::format("{}}}", kTwoScores));
  auto child = make_part<Detector>(Slot::detector, "mahalanobis");
  ToyWork work;
  child->profile(toy.experience(), work);
  std::vector<float> held;
  toy.experience().each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label>) {
    Evidence evidence = block;
    child->detect(evidence);
    held.insert(held.end(), evidence.novelty.begin(), evidence.novelty.end());
  });
  ASSERT_EQ(held.size(), 20U);
  Evidence evidence = toy.of_fresh(toy.novel);
  const auto notes = toy.detector->explain(evidence);
  child->detect(evidence);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(notes[i][0].value, evidence.novelty[i], 1e-5);
    const auto above =
        std::count_if(held.begin(), held.end(), [&](float h) { return h >= evidence.novelty[i]; });
    if (above > 0) {
      EXPECT_NEAR(notes[i][0].p_value, (1.0 + static_cast<double>(above)) / 21.0, 1e-6);
    } else {
      EXPECT_LE(notes[i][0].p_value, 1.0 / 21.0);
    }
  }
}

// The share of known samples called novel, over many worlds, and its standard error.
std::pair<double, double> false_novelty(Index held, Index worlds, Index fresh, double error,
                                        const std::string& options) {
  double sum = 0.0;
  double squares = 0.0;
  for (Index w = 0; w < worlds; ++w) {
    const ConformalToy toy(30, held, fresh, 5000 + static_cast<std::uint64_t>(w), options);
    std::vector<float> known = toy.of_held();
    std::sort(known.begin(), known.end());
    // As the composition sets it: the k-th smallest of n, k = ceil((n + 1) (1 - error)).
    const auto k = static_cast<std::size_t>(
        std::ceil((static_cast<double>(held) + 1.0) * (1.0 - error) - 1e-9));
    const float threshold = known.at(k - 1);
    double called = 0.0;
    for (const float novelty : toy.of_fresh(toy.novel).novelty) {
      called += novelty > threshold ? 1.0 : 0.0;
    }
    const double share = called / static_cast<double>(fresh);
    sum += share;
    squares += share * share;
  }
  const auto n = static_cast<double>(worlds);
  const double mean = sum / n;
  return {mean, std::sqrt(std::max(0.0, squares / n - mean * mean) / n)};
}

TEST(Conformal, keeps_its_promise_with_few_held_out_samples) {
  for (const char* more : {"}", ", combine: harmonic}", ", combine: minimum, tail: 0}",
                           ", combine: smallest, tail: 3, tail_shape: 0}", ", by_class: true}"}) {
    const auto [rate, off] = false_novelty(20, 300, 20, 0.1, kTwoScores + std::string(more));
    EXPECT_LE(rate, 0.1 + 3.0 * off) << more;
    EXPECT_GE(rate, 0.02) << more;  // careful, not blind
  }
}

TEST(Conformal, keeps_its_promise_with_many_held_out_samples) {
  for (const char* more : {"}", ", by_class: true}"}) {
    const auto [rate, off] = false_novelty(2000, 12, 500, 0.05, kTwoScores + std::string(more));
    EXPECT_LE(rate, 0.05 + 3.0 * off) << more;
    EXPECT_GE(rate, 0.03) << more;
  }
}

TEST(Conformal, recognises_held_out_samples_by_id_and_score) {
  const ConformalToy toy(30, 20, 20, 43, fmt::format("{}}}", kTwoScores));
  const std::vector<float> held = toy.of_held();
  const Matrix same = toy.rows.bottomRows(20);
  // The same rows under other ids are new samples: a rank more common, ties counted.
  const Evidence others = toy.of_fresh(same);
  // Ids of held-out samples on other rows: no mistake.
  Evidence strangers = fully_classified(*toy.classifier.slot, toy.novel, 30);
  toy.detector->detect(strangers);
  EXPECT_EQ(strangers.novelty, toy.of_fresh(toy.novel).novelty);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_GT(held[i], others.novelty[i]);
  }
}

TEST(Conformal, ranks_within_the_predicted_class_where_it_has_enough) {
  // Two classes far apart, the second ten times wider: ranked with all, all its outliers are few.
  Matrix rows = random_rows(240, 1, 44);
  std::vector<int> labels;
  std::vector<Role> roles;
  for (Index i = 0; i < 240; ++i) {
    labels.push_back(i % 2 == 0 ? 1 : 2);
    roles.push_back(i < 40 ? Role::fit : Role::hold);
    rows(i, 0) = i % 2 == 0 ? 0.1F * rows(i, 0) : 100.0F + rows(i, 0);
  }
  ToyWork work;
  auto classifier = make_part<Classifier>(Slot::classifier, "ncm");
  classifier->learn(ToyExperience(rows, labels, roles), work);
  const auto p_value = [&](const char* options) {
    auto part = make_part<Detector>(Slot::detector, "conformal", options);
    part->profile(ClassifiedToy(*classifier.slot, rows, labels, roles), work);
    const Evidence evidence = fully_classified(*classifier.slot, Matrix{{0.6F}});
    return part->explain(evidence)[0][0].p_value;
  };
  EXPECT_GT(p_value("{scores: [max_logit]}"), 0.2F);  // common, next to the wide class
  EXPECT_LT(p_value("{scores: [max_logit], by_class: true}"), 0.02F);
  EXPECT_GT(p_value("{scores: [max_logit], by_class: true, fewest: 150}"), 0.2F);  // only 100 each
}

TEST(Conformal, survives_save_and_load_and_refuses_without_held_out_samples) {
  const ConformalToy toy(30, 20, 20, 45, fmt::format("{}, by_class: true}}", kTwoScores));
  const auto again = reloaded(toy.detector, Slot::detector, "conformal",
                              fmt::format("{}, by_class: true}}", kTwoScores));
  Evidence evidence = fully_classified(*toy.classifier.slot, toy.novel);
  again->detect(evidence);
  EXPECT_EQ(evidence.novelty, toy.of_fresh(toy.novel).novelty);

  ToyWork work;
  auto part = make_part<Detector>(Slot::detector, "conformal", fmt::format("{}}}", kTwoScores));
  part->profile(ClassifiedToy(*toy.classifier.slot, toy.rows, toy.labels), work);  // all fitted
  EXPECT_THROW(part->detect(evidence), Error);
}

TEST(Conformal, orders_samples_beyond_all_held_out_ones) {
  const ConformalToy toy(30, 20, 2, 46, fmt::format("{}}}", kTwoScores));
  const Evidence far = toy.of_fresh(Matrix{{20, 20, 20, 20}, {40, 40, 40, 40}, {80, 80, 80, 80}});
  EXPECT_LT(far.novelty[0], far.novelty[1]);
  EXPECT_LT(far.novelty[1], far.novelty[2]);
}

std::string committee_complaint(const std::string& yaml) {
  try {
    find_part(Slot::detector, "conformal").resolve(parse_yaml(yaml, "toy.yaml"), "mine.detector");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "";
}

TEST(Committee, names_the_place_of_a_wrong_member) {
  EXPECT_THAT(committee_complaint("scores:\n- knn\n- maxlogit\n"),
              HasSubstr("toy.yaml:3:3: mine.detector.scores.1: "));
  EXPECT_THAT(committee_complaint("scores:\n- knn\n- maxlogit\n"),
              HasSubstr("did you mean \"max_logit\"?"));
  EXPECT_THAT(committee_complaint("scores:\n- {name: knn, kk: 3}\n"),
              HasSubstr("mine.detector.scores.0.kk: unknown key; did you mean \"k\"?"));
  EXPECT_THAT(committee_complaint("scores: []\n"), HasSubstr("at least one detector"));
  EXPECT_THAT(committee_complaint("scores:\n- {k: 3}\n"), HasSubstr("needs a name"));
}

TEST(Committee, writes_the_members_options_back) {
  const ConfigNode out = find_part(Slot::detector, "conformal")
                             .resolve(parse_yaml("scores: [knn, {name: energy}]", "t"), "d");
  const ConfigNode* scores = out.find("scores");
  ASSERT_NE(scores, nullptr);
  ASSERT_EQ(scores->items.size(), 2U);
  EXPECT_EQ(scores->items[0].find("name")->text, "knn");
  EXPECT_EQ(scores->items[0].find("k")->text, "5");
  EXPECT_EQ(scores->items[1].find("temperature")->text, "1");
}

TEST(Committee, needs_what_its_members_need_and_tells_twins_apart) {
  const Committee committee(
      parse_yaml("[{name: knn, k: 1}, {name: knn, k: 7}, {name: vim}, {name: odin}]", "t"), "d");
  const Needs needs = committee.needs();
  EXPECT_EQ(needs.neighbours, 7);
  EXPECT_TRUE(needs.classifier && needs.head && needs.gradient);
  EXPECT_FALSE(needs.rivals);
  EXPECT_EQ(committee.names(), (std::vector<std::string>{"knn", "knn_2", "vim", "odin"}));
}

TEST(Ensemble, averages_scores_and_ranks_on_the_scale_of_held_out_samples) {
  const ConformalToy toy(30, 20, 20, 47, fmt::format("{}}}", kTwoScores));
  ToyWork work;
  const char* members[] = {"mahalanobis", "max_logit"};
  std::vector<double> scores(20, 0.0);
  std::vector<double> ranks(20, 0.0);
  for (const char* name : members) {
    auto child = make_part<Detector>(Slot::detector, name);
    child->profile(toy.experience(), work);
    std::vector<double> held;
    toy.experience().each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label>) {
      Evidence evidence = block;
      child->detect(evidence);
      held.insert(held.end(), evidence.novelty.begin(), evidence.novelty.end());
    });
    const Eigen::Map<const Eigen::ArrayXd> all(held.data(), 20);
    const double deviation = std::sqrt((all - all.mean()).square().mean());
    Evidence evidence = fully_classified(*toy.classifier.slot, toy.novel);
    child->detect(evidence);
    for (std::size_t i = 0; i < 20; ++i) {
      scores[i] += (evidence.novelty[i] - all.mean()) / deviation / 2.0;
      const double below = static_cast<double>((all < evidence.novelty[i]).count());
      ranks[i] += below / 21.0 / 2.0;
    }
  }
  for (const bool by_rank : {false, true}) {
    const std::string options = fmt::format("{{detectors: [mahalanobis, max_logit], average: {}}}",
                                            by_rank ? "ranks" : "scores");
    auto part = make_part<Detector>(Slot::detector, "ensemble", options);
    part->profile(toy.experience(), work);
    part = reloaded(part, Slot::detector, "ensemble", options);
    Evidence evidence = fully_classified(*toy.classifier.slot, toy.novel);
    part->detect(evidence);
    EXPECT_EQ(part->explain(evidence).at(3).size(), 2U);
    for (std::size_t i = 0; i < 20; ++i) {
      if (by_rank) {  // more only where a score lies beyond all held-out ones
        EXPECT_GE(evidence.novelty[i], ranks[i] - 1e-5);
        EXPECT_LE(evidence.novelty[i], ranks[i] + (ranks[i] > 0.4 ? 2.0 : 1e-5));
      } else {
        EXPECT_NEAR(evidence.novelty[i], scores[i], 1e-3);
      }
    }
  }
}

}  // namespace
}  // namespace tyto
