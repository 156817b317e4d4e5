// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/explanation.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace tyto {
namespace {

Samples named_rows(const Matrix& rows, std::uint32_t first_id) {
  Samples::Table table;
  for (Index i = 0; i < rows.rows(); ++i) {
    table.id.push_back(static_cast<SampleId>(first_id + static_cast<std::uint32_t>(i)));
    table.row.push_back(i);
  }
  std::vector<DenseStore::Source> sources;
  sources.push_back({"features", rows, {"length", "height"}});
  return Samples(std::make_shared<const DenseStore>(std::move(sources)), std::move(table));
}

std::unique_ptr<Composition> taught_corner(std::string_view memory) {
  const auto yaml =
      fmt::format("{{name: corner, classifier: ncm, detector: mahalanobis, memory: {}}}", memory);
  auto predictor =
      std::make_unique<Composition>(read_predictor(parse_yaml(yaml, "t"), "predictor"), 1);
  Matrix rows(5, 2);
  rows << 0, 0,  // a
      2, 0,      // a
      10, 0,     // b
      10, 2,     // b
      50, 50;    // held out: neither an exemplar nor part of the deviation
  Progress silent;
  Work work{Rng(1), silent};
  predictor->learn({named_rows(rows, 100),
                    {"a", "a", "b", "b", "b"},
                    {Role::fit, Role::fit, Role::fit, Role::fit, Role::hold}},
                   work);
  return predictor;
}

TEST(NoveltyExplainer, names_exemplars_scores_and_features) {
  const auto predictor = taught_corner("unlimited");
  Matrix query(1, 2);
  query << 1, 9;
  const Samples sample = named_rows(query, 500);
  const auto why = NoveltyExplainer(*predictor, 2, 5).explain(sample);
  ASSERT_EQ(why.size(), 1U);
  // Both of class a are sqrt(1 + 81) away, ties to the lower row.
  ASSERT_EQ(why[0].nearest.size(), 2U);
  EXPECT_EQ(static_cast<int>(why[0].nearest[0].id), 100);
  EXPECT_EQ(static_cast<int>(why[0].nearest[1].id), 101);
  EXPECT_EQ(predictor->labels().name(why[0].nearest[0].label), "a");
  EXPECT_FLOAT_EQ(why[0].nearest[0].distance, std::sqrt(82.0F));
  // Scatter: length 1 + 1 within a, height 1 + 1 within b; over 4 - 2 the deviation is 1 in both.
  // Their mean is (1, 0): height is 9 deviations off, length none.
  ASSERT_EQ(why[0].features.size(), 2U);
  EXPECT_EQ(why[0].features[0].name, "height");
  EXPECT_EQ(why[0].features[0].column, 1);
  EXPECT_FLOAT_EQ(why[0].features[0].usual, 0.0F);
  EXPECT_NEAR(why[0].features[0].deviation, 9.0, 1e-5);
  EXPECT_NEAR(why[0].features[1].deviation, 0.0, 1e-5);
  // A detector with one score only: its own.
  const Prediction prediction = predictor->predict(sample);
  ASSERT_EQ(why[0].scores.size(), 1U);
  EXPECT_EQ(why[0].scores[0].score, "mahalanobis");
  EXPECT_EQ(why[0].scores[0].value, prediction.novelty[0]);
  EXPECT_EQ(why[0].scores[0].p_value, prediction.p_value[0]);
}

TEST(NoveltyExplainer, tells_the_scores_alone_where_nothing_is_remembered) {
  const auto predictor = taught_corner("none");
  Matrix query(2, 2);
  query << 1, 9, 0, 0;
  const auto why = NoveltyExplainer(*predictor).explain(named_rows(query, 500));
  ASSERT_EQ(why.size(), 2U);
  EXPECT_EQ(why[1].scores.size(), 1U);
  EXPECT_TRUE(why[1].nearest.empty());
  EXPECT_TRUE(why[1].features.empty());
  EXPECT_TRUE(NoveltyExplainer(*predictor).explain(Samples()).empty());
}

TEST(NoveltyExplainer, stays_finite_for_features_that_never_varied) {
  const auto yaml = "{name: flat, classifier: ncm, detector: softmax, memory: unlimited}";
  Composition predictor(read_predictor(parse_yaml(yaml, "t"), "predictor"), 1);
  Matrix rows = Matrix::Zero(4, 2);
  rows.col(0) << 0, 2, 10, 10;
  Progress silent;
  Work work{Rng(1), silent};
  predictor.learn(
      {named_rows(rows, 0), {"a", "a", "b", "b"}, {Role::fit, Role::fit, Role::fit, Role::hold}},
      work);
  Matrix query(1, 2);
  query << 1, 0.5F;
  const auto why = NoveltyExplainer(predictor).explain(named_rows(query, 9));
  EXPECT_EQ(why[0].features[0].name, "height");  // never varied, and does now
  EXPECT_TRUE(std::isfinite(why[0].features[0].deviation));
}

}  // namespace
}  // namespace tyto
