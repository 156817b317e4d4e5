// SPDX-License-Identifier: Apache-2.0
// Detectors and alarm as they work together in a composition.
#include <map>

#include "support/blobs.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

using testing_support::Blobs;

PredictorConfig watch_config(const std::string& yaml) {
  return read_predictor(parse_yaml(yaml, "watch.yaml"), "mine");
}

std::string composition_complaint(const std::string& yaml) {
  try {
    const Composition predictor(watch_config(yaml), 1);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "";
}

TEST(Watch, parts_that_cannot_work_together_are_refused_with_a_sentence) {
  EXPECT_THAT(composition_complaint("{name: x, classifier: ncm, alarm: martingale}"),
              testing::HasSubstr("alarm needs novelty scores, but the slot detector is empty"));
  EXPECT_THAT(composition_complaint("{name: x, classifier: precomputed, detector: vim}"),
              testing::HasSubstr("linear last layer, but the slot classifier holds one that "
                                 "cannot; these can: bic, derpp, er, ewc"));
  EXPECT_THAT(composition_complaint("{name: x, classifier: precomputed, detector: odin}"),
              testing::HasSubstr("gradients, but"));
  EXPECT_THAT(composition_complaint(
                  "{name: x, classifier: ncm, detector: {name: conformal, scores: [knn]}}"),
              testing::HasSubstr("slot memory is empty"));
  EXPECT_THAT(composition_complaint("{name: x, classifier: precomputed, memory: unlimited, "
                                    "detector: {name: ensemble, detectors: [knn, fdbd]}}"),
              testing::HasSubstr("linear last layer"));
}

// Known samples alone: some are suspected, none more is called new, and the alarm heeds none.
TEST(Watch, whom_the_recogniser_sees_follows_what_is_suspected) {
  const Blobs known = testing_support::make_blobs(0, 3, 200, 1, 0);
  const Blobs more = testing_support::make_blobs(0, 3, 60, 2, 5000);
  std::map<std::string, double> pooled;
  std::map<std::string, std::vector<Label>> called;
  for (const std::string share : {"0", "0.3", "1"}) {
    Composition predictor(watch_config("{name: x, classifier: ncm, memory: unlimited, detector: "
                                       "mahalanobis, recogniser: finch, accepted_error: 0.05, "
                                       "suspected: " +
                                       share + "}"),
                          3);
    Progress silent;
    Work work{Rng(1, "watch"), silent};
    predictor.learn({known.samples, known.names, {}}, work);
    predictor.observe(more.samples, work);
    State state;
    predictor.save(state);
    pooled[share] =
        static_cast<double>(state.child("recogniser").child("pool").get<Matrix>("rows").rows()) /
        static_cast<double>(more.samples.size());
    called[share] = predictor.predict(more.samples).label;
  }
  EXPECT_LT(pooled["0"], 0.12);
  EXPECT_GT(pooled["0.3"], 0.2);
  EXPECT_LT(pooled["0.3"], 0.4);
  EXPECT_EQ(pooled["1"], 1.0);
  EXPECT_EQ(called["0"], called["0.3"]);
}

TEST(Watch, an_alarm_is_raised_by_new_classes_alone_and_a_lesson_ends_it) {
  Composition predictor(
      watch_config("{name: x, classifier: ncm, memory: unlimited, alarm: martingale, detector: "
                   "{name: conformal, scores: [{name: knn, k: 1}, mahalanobis, max_logit]}}"),
      3);
  Progress silent;
  Work work{Rng(1, "watch"), silent};
  const Blobs known = testing_support::make_blobs(0, 3, 200, 1, 0);
  predictor.learn({known.samples, known.names, {}}, work);
  const Blobs more = testing_support::make_blobs(0, 3, 60, 2, 5000);
  for (const float changed : predictor.observe(more.samples, work)) {
    EXPECT_LT(changed, 0.9F);
  }
  const Blobs fresh = testing_support::make_blobs(3, 5, 40, 3, 9000);
  EXPECT_GE(predictor.observe(fresh.samples, work).back(), 0.99F);
  predictor.learn({fresh.samples, fresh.names, {}}, work);
  EXPECT_LT(predictor.observe(more.samples, work).back(), 0.9F);
}

TEST(Watch, detectors_find_the_head_and_gradients_of_a_network) {
  const Blobs known = testing_support::make_blobs(0, 3, 60, 1, 0);
  const Blobs fresh = testing_support::make_blobs(0, 3, 20, 2, 5000);
  for (const char* detector : {"vim", "fdbd", "odin", "nnguide"}) {
    Composition predictor(
        watch_config(fmt::format("{{name: x, classifier: {{name: mlp, hidden: 16, steps_at_least: "
                                 "100}}, memory: unlimited, detector: {}}}",
                                 detector)),
        3);
    Progress silent;
    Work work{Rng(1, "watch"), silent};
    predictor.learn({known.samples, known.names, {}}, work);
    const Prediction out = predictor.predict(fresh.samples);
    Index called = 0;
    for (const float p : out.p_value) {
      called += p <= 0.05F ? 1 : 0;
    }
    EXPECT_LE(called, 12) << detector;  // of 60 known ones, at 0.05
    EXPECT_NE(out.novelty.front(), out.novelty.back()) << detector;
  }
}

}  // namespace
}  // namespace tyto
