// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/prediction_sets.hpp"

#include <algorithm>

#include "support/blobs.hpp"
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/predictor/composition.hpp"

namespace tyto {
namespace {

std::unique_ptr<Composition> taught_for_sets(const std::string& yaml) {
  auto predictor =
      std::make_unique<Composition>(read_predictor(parse_yaml(yaml, "sets.yaml"), "predictor"), 3);
  const auto blobs = testing_support::make_blobs(0, 4, 60, 1, 0);
  Progress silent;
  Work work{Rng(1), silent};
  predictor->learn({blobs.samples, blobs.names, {}}, work);
  return predictor;
}

TEST(PredictionSets, of_any_predictor_hold_the_true_class_as_promised) {
  const auto held = testing_support::make_blobs(0, 4, 100, 2, 1000);
  const auto fresh = testing_support::make_blobs(0, 4, 100, 3, 5000);
  for (const char* yaml : {"{name: a, classifier: ncm, calibrator: temperature}",
                           "{name: b, classifier: slda, detector: softmax, memory: unlimited}"}) {
    const auto predictor = taught_for_sets(yaml);
    for (const std::string score : {"lac", "aps", "raps"}) {
      SetOptions options;
      options.score = score;
      options.error = 0.05;
      PredictionSets sets(options);
      sets.fit(*predictor, held.samples, held.names);
      const auto found = sets.sets(*predictor, fresh.samples);
      double covered = 0.0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const Label truth = *predictor->labels().find(fresh.names[i]);
        covered += std::find(found[i].begin(), found[i].end(), truth) != found[i].end() ? 1.0 : 0.0;
      }
      // 400 samples, 95 %: a standard deviation of 1.1 % here and as much from the fit.
      EXPECT_GT(covered / 400, 0.90) << yaml << " " << score;
      const std::vector<Index> row{17};
      EXPECT_EQ(sets.sets(*predictor, fresh.samples.pick(row)).front(), found[17]);
    }
  }
}

TEST(PredictionSets, are_refused_without_known_samples_and_after_new_classes) {
  const auto predictor = taught_for_sets("{name: c, classifier: ncm, memory: unlimited}");
  const auto foreign = testing_support::make_blobs(4, 6, 10, 4, 9000);
  PredictionSets sets((SetOptions()));
  EXPECT_THROW(sets.fit(*predictor, foreign.samples, foreign.names), Error);
  const auto held = testing_support::make_blobs(0, 4, 30, 2, 1000);
  sets.fit(*predictor, held.samples, held.names);
  Progress silent;
  Work work{Rng(1), silent};
  predictor->learn({foreign.samples, foreign.names, {}}, work);
  EXPECT_THROW((void)sets.sets(*predictor, held.samples), Error);
}

}  // namespace
}  // namespace tyto
