// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/prediction_sets.hpp"

#include <algorithm>

#include "support/blobs.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

std::unique_ptr<Composition> made_for_sets(const std::string& yaml) {
  return std::make_unique<Composition>(read_predictor(parse_yaml(yaml, "sets.yaml"), "predictor"),
                                       3);
}

std::unique_ptr<Composition> taught_for_sets(const std::string& yaml) {
  auto predictor = made_for_sets(yaml);
  const auto blobs = testing_support::make_blobs(0, 4, 300, 1, 0);
  Progress silent;
  Work work{Rng(1), silent};
  predictor->learn({blobs.samples, blobs.names, {}}, work);
  return predictor;
}

TEST(PredictionSets, of_any_predictor_hold_the_true_class_as_promised) {
  const auto fresh = testing_support::make_blobs(0, 4, 100, 3, 5000);
  for (const char* parts : {"classifier: ncm, calibrator: temperature",
                            "classifier: slda, detector: softmax, memory: unlimited"}) {
    for (const std::string score : {"lac", "aps", "raps"}) {
      const auto predictor = taught_for_sets(fmt::format(
          "{{name: a, {}, holdout: 0.5, sets: {{score: {}, error: 0.05}}}}", parts, score));
      const Prediction answers = predictor->predict(fresh.samples);
      ASSERT_EQ(answers.sets.size(), 400U);
      EXPECT_DOUBLE_EQ(answers.set_promise, 0.95);
      double covered = 0.0;
      for (std::size_t i = 0; i < answers.sets.size(); ++i) {
        const Label truth = *predictor->labels().find(fresh.names[i]);
        const auto& set = answers.sets[i];
        covered += std::find(set.begin(), set.end(), truth) != set.end() ? 1.0 : 0.0;
      }
      // 400 samples, 95 %: a standard deviation of 1.1 % here and as much from the fit.
      EXPECT_GT(covered / 400, 0.90) << parts << " " << score;
      const std::vector<Index> row{17};
      EXPECT_EQ(predictor->predict(fresh.samples.pick(row)).sets.front(), answers.sets[17]);
    }
  }
}

TEST(PredictionSets, come_back_from_a_saved_state_and_grow_with_new_classes) {
  const std::string yaml = "{name: c, classifier: ncm, memory: unlimited, sets: aps}";
  const auto predictor = taught_for_sets(yaml);
  const auto fresh = testing_support::make_blobs(0, 4, 20, 3, 5000);
  State state;
  predictor->save(state);
  const auto blobs = testing_support::make_blobs(0, 4, 300, 1, 0);
  const StoreShelf shelf({blobs.store});
  const auto again = made_for_sets(yaml);
  again->load(from_archive(to_archive(state), "test"), shelf);
  EXPECT_EQ(again->predict(fresh.samples).sets, predictor->predict(fresh.samples).sets);

  const auto more = testing_support::make_blobs(4, 6, 200, 4, 9000);
  Progress silent;
  Work work{Rng(1), silent};
  predictor->learn({more.samples, more.names, {}}, work);
  const auto test = testing_support::make_blobs(4, 6, 50, 5, 20000);
  const Prediction answers = predictor->predict(test.samples);
  double covered = 0.0;
  for (std::size_t i = 0; i < answers.sets.size(); ++i) {
    const Label truth = *predictor->labels().find(test.names[i]);
    const auto& set = answers.sets[i];
    covered += std::find(set.begin(), set.end(), truth) != set.end() ? 1.0 : 0.0;
  }
  EXPECT_GT(covered / 100, 0.75);
}

TEST(PredictionSets, are_given_on_request_only_and_need_a_classifier) {
  const auto fresh = testing_support::make_blobs(0, 4, 5, 3, 5000);
  EXPECT_TRUE(taught_for_sets("{name: d, classifier: ncm}")->predict(fresh.samples).sets.empty());
  EXPECT_THROW((void)made_for_sets("{name: e, detector: knn, memory: unlimited, sets: lac}"),
               Error);
  EXPECT_THROW((void)made_for_sets("{name: f, classifier: ncm, sets: {error: 2}}"), Error);
  EXPECT_THROW((void)made_for_sets("{name: g, classifier: ncm, sets: lap}"), Error);
}

TEST(PredictionSets, are_written_out_with_the_predictor) {
  const PredictorConfig config = read_predictor(
      parse_yaml("{name: h, classifier: ncm, sets: raps, stream: shared}", "sets.yaml"),
      "predictor");
  const PredictorConfig back = read_predictor(write_predictor(config), "predictor");
  EXPECT_EQ(back.sets->score, "raps");
  EXPECT_EQ(back.stream, "shared");
  EXPECT_EQ(back.stream_seed(4), config.stream_seed(4));
  PredictorConfig other = config;
  other.name = "i";
  EXPECT_EQ(other.stream_seed(4), config.stream_seed(4));
  other.stream = "";
  EXPECT_NE(other.stream_seed(4), config.stream_seed(4));
}

}  // namespace
}  // namespace tyto
