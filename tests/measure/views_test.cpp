// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/views.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/measure/formulas/false_novelty.hpp"
#include "tyto/measure/formulas/scores.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using List = std::vector<std::string>;

Views worked_views() {
  return make_views(
      Confusion::from(List{"A", "A", "A", "A", "B", "B", "B", "B", "X", "X", "X", "Y", "Y", "Y"},
                      List{"A", "A", "A", "B", "B", "B", "unknown", "A", "unknown_0", "unknown_0",
                           "A", "unknown_1", "unknown_0", "unknown"}),
      List{"A", "B"});
}

void expect_scores(const Confusion& m, double acc, double correlation, double information,
                   double normalised) {
  EXPECT_NEAR(*accuracy(m), acc, 1e-6);
  EXPECT_NEAR(*mcc(m), correlation, 1e-6);
  EXPECT_NEAR(*mutual_information(m), information, 1e-6);
  EXPECT_NEAR(*nmi(m), normalised, 1e-6);
}

TEST(Views, raw_of_the_worked_example) {
  const Views views = worked_views();
  EXPECT_THAT(views.raw.labels(),
              UnorderedElementsAre("unknown", "A", "B", "X", "Y", "unknown_0", "unknown_1"));
  expect_scores(views.raw, 0.357143, 0.258509, 0.664860, 0.463243);
}

TEST(Views, classification_of_the_worked_example) {
  const Confusion m = worked_views().classification;
  const List order = {"unknown", "A", "B"};
  const int expected[3][3] = {{5, 1, 0}, {0, 3, 1}, {1, 1, 2}};
  EXPECT_EQ(m.size(), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(m.count(order[i], order[j]), expected[i][j]) << i << ' ' << j;
    }
  }
  expect_scores(m, 0.714286, 0.566947, 0.410116, 0.383298);
}

TEST(Views, detection_of_the_worked_example) {
  const Confusion m = worked_views().detection;
  EXPECT_THAT(m.labels(), UnorderedElementsAre("unknown", "known"));
  EXPECT_EQ(m.count("unknown", "unknown"), 5);
  EXPECT_EQ(m.count("unknown", "known"), 1);
  EXPECT_EQ(m.count("known", "unknown"), 1);
  EXPECT_EQ(m.count("known", "known"), 7);
  expect_scores(m, 0.857143, 0.708333, 0.274513, 0.401977);
}

TEST(Views, recognition_of_the_worked_example) {
  const Confusion m = worked_views().recognition;
  EXPECT_THAT(m.labels(),
              UnorderedElementsAre("unknown", "X", "Y", "unknown_0", "unknown_1", "known"));
  expect_scores(m, 0.5, 0.293147, 0.529257, 0.504935);
}

TEST(Views, are_reduced_even_if_nothing_is_novel) {
  const Views views = make_views(Confusion::from(List{"A", "B"}, List{"A", "A"}), List{"A", "B"});
  EXPECT_THAT(views.classification.labels(), UnorderedElementsAre("unknown", "A", "B"));
  EXPECT_THAT(views.detection.labels(), UnorderedElementsAre("unknown", "known"));
  EXPECT_EQ(views.detection.count("known", "known"), 2);
  EXPECT_THAT(views.recognition.labels(), UnorderedElementsAre("known", "unknown"));
}

TEST(Views, take_everything_for_novel_where_nothing_is_known) {
  const Views views = make_views(Confusion::from(List{"A", "B"}, List{"A", "unknown"}), {});
  EXPECT_EQ(views.detection.count("unknown", "unknown"), 2);
  EXPECT_EQ(views.detection.total(), 2);
}

TEST(Views, never_count_unknown_among_the_known) {
  const Views views =
      make_views(Confusion::from(List{"A", "X"}, List{"unknown", "unknown"}), List{"A", "unknown"});
  EXPECT_EQ(views.detection.count("known", "unknown"), 1);
  EXPECT_EQ(views.detection.count("unknown", "unknown"), 1);
}

TEST(Views, of_a_prediction_from_an_unknown_name_is_a_call_of_novelty) {
  const Views views = make_views(Confusion::from(List{"A"}, List{"other"}), List{"A"});
  EXPECT_EQ(views.classification.count("A", "unknown"), 1);
}

TEST(Views, allow_a_known_class_called_known_and_refuse_a_novel_one) {
  const auto raw = Confusion::from(List{"known", "A"}, List{"known", "A"});
  EXPECT_EQ(make_views(raw, List{"known", "A"}).detection.count("known", "known"), 2);
  EXPECT_THROW(static_cast<void>(make_views(raw, List{"A"})), Error);
}

TEST(FalseNovelty, of_the_worked_example) {
  const Views views = worked_views();
  EXPECT_DOUBLE_EQ(*false_alarm_rate(views.detection), 1.0 / 8.0);
  EXPECT_DOUBLE_EQ(*detection_rate(views.detection), 5.0 / 6.0);
  EXPECT_DOUBLE_EQ(*alarm_precision(views.detection), 5.0 / 6.0);
  EXPECT_DOUBLE_EQ(*known_accuracy(views.classification), 5.0 / 8.0);     // 3 of A, 2 of B
  EXPECT_DOUBLE_EQ(*accepted_accuracy(views.classification), 5.0 / 7.0);  // one B was called novel
}

TEST(FalseNovelty, is_missing_where_it_would_be_a_share_of_nothing) {
  const Views known_only = make_views(Confusion::from(List{"A"}, List{"A"}), List{"A"});
  EXPECT_FALSE(detection_rate(known_only.detection));
  EXPECT_FALSE(alarm_precision(known_only.detection));
  EXPECT_EQ(false_alarm_rate(known_only.detection), 0.0);
  const Views novel_only = make_views(Confusion::from(List{"X"}, List{"unknown"}), List{"A"});
  EXPECT_FALSE(false_alarm_rate(novel_only.detection));
  EXPECT_FALSE(known_accuracy(novel_only.classification));
  EXPECT_FALSE(accepted_accuracy(novel_only.classification));
  const Views all_alarms = make_views(Confusion::from(List{"A"}, List{"unknown"}), List{"A"});
  EXPECT_EQ(known_accuracy(all_alarms.classification), 0.0);
  EXPECT_FALSE(accepted_accuracy(all_alarms.classification));
}

}  // namespace
}  // namespace tyto
