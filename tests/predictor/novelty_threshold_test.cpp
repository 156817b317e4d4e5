// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/novelty_threshold.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::Pointwise;

HeldNovelty held_scores(int count) {
  HeldNovelty held;
  for (int i = 1; i <= count; ++i) {
    held.novelty.push_back(static_cast<float>(i));
    held.labels.push_back(Label{1});
    held.groups.push_back(0);
  }
  return held;
}

NoveltyThreshold threshold_for(double accepted_error) {
  PredictorConfig config;
  config.accepted_error = accepted_error;
  return NoveltyThreshold(config);
}

TEST(NoveltyThreshold, says_what_so_few_samples_cannot_promise) {
  NoveltyThreshold threshold = threshold_for(0.01);
  EXPECT_THAT(threshold.cautions({}), IsEmpty());  // nothing is promised yet
  ASSERT_TRUE(threshold.set(held_scores(69), {}, {}));
  EXPECT_THAT(threshold.cautions({}),
              ElementsAre("an accepted error of 1 % cannot be promised from 69 known samples not "
                          "fitted on (it takes 99 that are not alike); 1.43 % can, and the "
                          "threshold of novelty stands at the newest of them"));
  EXPECT_EQ(threshold.get()->value, 69.0F);
  ASSERT_TRUE(threshold.set(held_scores(98), {}, {}));                          // 1 / 99
  EXPECT_THAT(threshold.cautions({}), ElementsAre(HasSubstr("; 1.02 % can")));  // never "1 % can"
  ASSERT_TRUE(threshold.set(held_scores(99), {}, {}));                          // 1 / 100
  EXPECT_THAT(threshold.cautions({}), IsEmpty());
}

TEST(NoveltyThreshold, may_stand_at_the_plain_quantile) {
  PredictorConfig config;
  config.accepted_error = 0.1;
  config.threshold_plain = true;
  config.threshold_by = ThresholdBy::samples;
  NoveltyThreshold plain(config);
  ASSERT_TRUE(plain.set(held_scores(10), {}, {}));
  EXPECT_FLOAT_EQ(plain.get()->value, 9.1F);   // at 0.9 x 9 = 8.1 from the first, which is 1
  EXPECT_THAT(plain.cautions({}), IsEmpty());  // it promises nothing
  NoveltyThreshold promised = threshold_for(0.1);
  ASSERT_TRUE(promised.set(held_scores(10), {}, {}));
  EXPECT_FLOAT_EQ(promised.get()->value, 10.0F);  // the ceil(11 x 0.9)th
  plain.hear({{"false_alarm_rate", 0.3}}, {});    // 0.1 + 0.5 (0.1 - 0.3) is 0: the greatest
  EXPECT_FLOAT_EQ(plain.get()->value, 10.0F);
}

TEST(NoveltyThreshold, can_never_promise_no_error_at_all) {
  NoveltyThreshold threshold = threshold_for(0.0);
  ASSERT_TRUE(threshold.set(held_scores(1), {}, {}));
  EXPECT_THAT(threshold.cautions({}),
              ElementsAre(HasSubstr("from 1 known sample not fitted on (no number of them would do"
                                    "); 50 % can")));
}

TEST(NoveltyThreshold, of_the_detector_promises_nothing) {
  NoveltyThreshold threshold = threshold_for(0.01);
  ASSERT_TRUE(threshold.set(held_scores(5), {}, 3.0F));
  EXPECT_THAT(threshold.cautions(3.0F), IsEmpty());
}

TEST(NoveltyThreshold, is_none_without_held_out_samples_and_stays_where_it_was) {
  NoveltyThreshold threshold = threshold_for(0.1);
  EXPECT_FALSE(threshold.set({}, {}, {}));
  ASSERT_TRUE(threshold.set(held_scores(9), {}, {}));
  ASSERT_TRUE(threshold.set({}, {}, {}));
  EXPECT_EQ(threshold.get()->value, 9.0F);
}

// Ten groups of four; the four newest samples are all of one group, or of one group each.
HeldNovelty forty_in_groups(bool together) {
  HeldNovelty held = held_scores(40);
  for (std::size_t i = 0; i < 40; ++i) {
    held.groups[i] = static_cast<std::uint32_t>(together ? i / 4 : i % 10);
  }
  return held;
}

TEST(NoveltyThreshold, counts_classes_as_often_as_they_came) {
  PredictorConfig config;
  config.accepted_error = 0.1;
  HeldNovelty held = held_scores(9);  // the three newest are all there is of class 2
  held.labels = {Label{1}, Label{1}, Label{1}, Label{1}, Label{1},
                 Label{1}, Label{2}, Label{2}, Label{2}};
  const auto weights = [&](ThresholdBy by, const std::map<Label, Index>& came) {
    config.threshold_by = by;
    NoveltyThreshold threshold(config);
    EXPECT_TRUE(threshold.set(held, came, {}));
    return threshold.get()->weight;
  };
  const std::map<Label, Index> came{{Label{1}, 0}, {Label{2}, 4}, {Label{3}, 7}};
  // Once more than they came, of the two classes that are held: 1/6 and 5/6 of nine.
  EXPECT_THAT(weights(ThresholdBy::recent, came),
              Pointwise(FloatEq(), {0.25F, 0.25F, 0.25F, 0.25F, 0.25F, 0.25F, 2.5F, 2.5F, 2.5F}));
  const std::vector<float> alike{0.75F, 0.75F, 0.75F, 0.75F, 0.75F, 0.75F, 1.5F, 1.5F, 1.5F};
  EXPECT_THAT(weights(ThresholdBy::recent, {}), Pointwise(FloatEq(), alike));
  EXPECT_THAT(weights(ThresholdBy::classes, came), Pointwise(FloatEq(), alike));
  EXPECT_THAT(weights(ThresholdBy::samples, came), IsEmpty());
}

TEST(NoveltyThreshold, chosen_samples_do_not_tell_how_often_a_class_comes) {
  const std::vector<Label> labels{Label{1}, Label{2}, Label{2}, Label::unknown, Label{3}};
  const std::vector<Role> roles{Role::hold, Role::fit, Role::hold, Role::hold, Role::fit};
  EXPECT_THAT(count_unchosen(labels, roles, false),
              ElementsAre(Pair(Label{1}, 1), Pair(Label{2}, 1)));
  EXPECT_THAT(count_unchosen(labels, roles, true),
              ElementsAre(Pair(Label{1}, 1), Pair(Label{2}, 2), Pair(Label{3}, 1)));
}

// Ten old classes and two that came lately, look newer, and come four times as often as any other.
// The share of the known samples to come above the threshold, over many sets of held-out samples.
double false_alarms(ThresholdBy by) {
  constexpr std::int32_t kClasses = 12;
  constexpr int kHeld = 20;     // of each class
  constexpr int kLately = 180;  // drawn from the last lesson
  constexpr int kSets = 300;
  PredictorConfig config;
  config.accepted_error = 0.05;
  config.threshold_by = by;
  const auto is_late = [](std::int32_t label) { return label > 10; };
  const auto score = [&](std::int32_t label, Rng& rng) {
    return static_cast<float>(rng.normal() + (is_late(label) ? 1.0 : 0.0));
  };
  const auto draw = [&](Rng& rng) {  // 10 x 1 and 2 x 4 parts of 18
    const auto part = static_cast<std::int32_t>(rng.below(18));
    return part < 10 ? part + 1 : 11 + part % 2;
  };
  Rng rng(7);
  Index alarms = 0;
  Index all = 0;
  for (int set = 0; set < kSets; ++set) {
    HeldNovelty held;
    for (std::int32_t label = 1; label <= kClasses; ++label) {
      for (int i = 0; i < kHeld; ++i) {
        held.novelty.push_back(score(label, rng));
        held.labels.push_back(Label{label});
        held.groups.push_back(0);
      }
    }
    std::map<Label, Index> came;
    for (int i = 0; i < kLately; ++i) {
      ++came[Label{draw(rng)}];
    }
    NoveltyThreshold threshold(config);
    EXPECT_TRUE(threshold.set(std::move(held), came, {}));
    for (int i = 0; i < 200; ++i) {
      alarms += score(draw(rng), rng) > threshold.get()->value ? 1 : 0;
      ++all;
    }
  }
  return static_cast<double>(alarms) / static_cast<double>(all);
}

TEST(NoveltyThreshold, keeps_its_promise_where_the_newest_classes_come_most) {
  const double recent = false_alarms(ThresholdBy::recent);
  EXPECT_LT(recent, 0.052);
  EXPECT_GT(recent, 0.040);
  EXPECT_GT(false_alarms(ThresholdBy::classes), 0.07);  // as if all came alike
}

TEST(DesignEffect, is_the_size_of_groups_whose_samples_agree) {
  // k = ceil(41 x 0.9) = 37: three are above, all of the last group. share 3/40. Samples one by
  // one: 3 (37/40)^2 + 37 (3/40)^2 = 2.775. Groups: (3 x 37/40 - 3/40)^2 + 9 (4 x 3/40)^2 = 8.1,
  // times 10/9: 9. 9 / 2.775 = 3.243.
  EXPECT_NEAR(design_effect(forty_in_groups(true), {}, 0.1), 9.0 / 2.775, 1e-9);
}

TEST(DesignEffect, is_one_where_groups_tell_nothing) {
  EXPECT_EQ(design_effect(forty_in_groups(false), {}, 0.1), 1.0);  // less than one by one
  EXPECT_EQ(design_effect(held_scores(40), {}, 0.1), 1.0);         // one group: there are none
  EXPECT_EQ(design_effect({}, {}, 0.1), 1.0);
}

TEST(NoveltyThreshold, stands_higher_where_the_samples_of_a_group_agree) {
  NoveltyThreshold threshold = threshold_for(0.1);
  ASSERT_TRUE(threshold.set(forty_in_groups(false), {}, {}));
  EXPECT_EQ(threshold.get()->value, 37.0F);  // 41 x 0.9 = 36.9
  ASSERT_TRUE(threshold.set(forty_in_groups(true), {}, {}));
  EXPECT_EQ(threshold.get()->value, 39.0F);  // 43.24 x 0.9 = 38.92
  EXPECT_NEAR(threshold.get()->least_error(), 3.2432 / 43.2432, 1e-4);
  State state;
  threshold.save(state);
  NoveltyThreshold again = threshold_for(0.1);
  again.load(state);
  EXPECT_EQ(again.get()->p_value(38.5F), threshold.get()->p_value(38.5F));
}

}  // namespace
}  // namespace tyto
