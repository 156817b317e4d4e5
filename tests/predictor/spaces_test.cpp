// SPDX-License-Identifier: Apache-2.0
// Detectors and recognisers that look at what the classifier makes of the features.
#include <cmath>

#include "parts/toy_experience.hpp"
#include "support/blobs.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::Blobs;
using testing_support::make_blobs;

PredictorConfig spaced_config(const std::string& yaml) {
  return read_predictor(parse_yaml(yaml, "spaces.yaml"), "predictor");
}

// Three classes, then two more and one again.
std::unique_ptr<Composition> taught_in_space(const std::string& slots) {
  auto predictor = std::make_unique<Composition>(
      spaced_config("{name: spaced, memory: unlimited, " + slots + "}"), 3);
  Progress silent;
  for (std::uint64_t step = 0; step < 2; ++step) {
    const Blobs lesson = step == 0 ? make_blobs(0, 3, 40, 1, 0) : make_blobs(2, 5, 40, 2, 1000);
    Work work{Rng(7, "space", step), silent};
    predictor->learn({lesson.samples, lesson.names, {}}, work);
  }
  return predictor;
}

std::string refused_space(const std::string& slots) {
  try {
    Composition predictor(spaced_config("{name: spaced, " + slots + "}"), 3);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Spaces, knn_finds_the_nearest_in_the_logits) {
  const auto predictor =
      taught_in_space("classifier: slda, detector: {name: knn, k: 1, space: logits}");
  const Blobs fresh = make_blobs(0, 6, 5, 9, 5000);
  const Evidence asked = predictor->evidence(fresh.samples);
  const Memory& memory = *predictor->parts().memory;
  const Matrix remembered = predictor->evidence(memory.samples()).logits;
  ASSERT_EQ(remembered.cols(), 5);
  for (Index i = 0; i < asked.size(); ++i) {
    float nearest = std::numeric_limits<float>::infinity();
    for (Index j = 0; j < remembered.rows(); ++j) {
      if (memory.roles()[static_cast<std::size_t>(j)] == Role::fit) {
        nearest = std::min(nearest, (asked.logits.row(i) - remembered.row(j)).norm());
      }
    }
    EXPECT_NEAR(asked.novelty[static_cast<std::size_t>(i)], nearest, 1e-3F * (1.0F + nearest));
  }
}

TEST(Spaces, a_detector_learns_the_embedding_anew_from_all_that_is_remembered) {
  const auto predictor = taught_in_space(
      "classifier: {name: mlp, hidden: 8, steps_at_least: 100}, detector: {name: mahalanobis, "
      "space: embedding}");
  const Memory& memory = *predictor->parts().memory;
  std::vector<int> labels;
  for (const Label label : memory.labels()) {
    labels.push_back(static_cast<int>(label));
  }
  const Matrix remembered = predictor->evidence(memory.samples()).embedding;
  ASSERT_EQ(remembered.cols(), 8);
  const auto alone = make_part<Detector>(Slot::detector, "mahalanobis");
  ToyWork work;
  alone->profile(ToyExperience(remembered, labels, memory.roles()), work);
  const Blobs fresh = make_blobs(0, 6, 5, 9, 5000);
  const Evidence asked = predictor->evidence(fresh.samples);
  Evidence expected = toy_evidence(asked.embedding);
  alone->detect(expected);
  ASSERT_EQ(asked.novelty.size(), expected.novelty.size());
  for (std::size_t i = 0; i < expected.novelty.size(); ++i) {
    EXPECT_NEAR(asked.novelty[i], expected.novelty[i], 1e-3F * (1.0F + expected.novelty[i]));
  }
  EXPECT_EQ(asked.features.cols(), 6);  // for all others they are what they were
}

TEST(Spaces, the_same_space_as_ever_is_the_same_detector) {
  const Blobs fresh = make_blobs(0, 6, 5, 9, 5000);
  const auto plain = taught_in_space("classifier: ncm, detector: knn");
  const auto said = taught_in_space("classifier: ncm, detector: {name: knn, space: features}");
  EXPECT_EQ(plain->predict(fresh.samples).novelty, said->predict(fresh.samples).novelty);
}

TEST(Spaces, groups_found_in_the_embedding_end_when_it_moves) {
  const auto predictor = taught_in_space(
      "classifier: {name: mlp, steps_at_least: 200}, detector: knn, recogniser: {name: finch, "
      "space: embedding}");
  Progress silent;
  Work work{Rng(4), silent};
  predictor->observe(make_blobs(5, 6, 80, 11, 6000).samples, work);
  const auto found = predictor->labels().find("discovered_0");
  ASSERT_TRUE(found);
  EXPECT_EQ(predictor->labels().kind(*found), LabelKind::discovered);
  const Blobs more = make_blobs(0, 2, 20, 12, 7000);
  predictor->learn({more.samples, more.names, {}}, work);
  EXPECT_EQ(predictor->labels().kind(*found), LabelKind::retired);
  EXPECT_EQ(predictor->labels().why_retired(*found), "dissolved: the features have moved");
}

TEST(Spaces, that_the_classifier_does_not_have_are_refused) {
  EXPECT_THAT(refused_space("classifier: ncm, memory: unlimited, detector: {name: knn, space: "
                            "embedding}"),
              AllOf(HasSubstr("needs a classifier that can give an embedding (space: embedding), "
                              "but the slot classifier holds one that cannot; these can: "),
                    HasSubstr("mlp")));
  EXPECT_EQ(refused_space("memory: unlimited, detector: {name: knn, space: logits}"),
            "the part in the slot detector needs what a classifier makes of the features (space: "
            "logits), but the slot classifier is empty");
  EXPECT_EQ(refused_space("classifier: ncm, detector: {name: mahalanobis, space: logits}"),
            "the part in the slot detector needs remembered samples, since the classifier's logits "
            "move with every lesson, but the slot memory is empty");
  EXPECT_EQ(refused_space("classifier: ncm, memory: unlimited, detector: {name: softmax, space: "
                          "logits}"),
            "the part in the slot detector looks at more than the rows of samples (the "
            "classifier's scores, frames or another source), so that space: logits cannot be "
            "chosen for it");
}

TEST(Spaces, are_written_with_the_part) {
  const PredictorConfig config = spaced_config(
      "{name: a, classifier: mlp, memory: unlimited, detector: {name: knn, space: "
      "embedding, k: 3}}");
  const PredictorConfig again = read_predictor(write_predictor(config), "predictor");
  EXPECT_EQ(again.find(Slot::detector)->space, Space::embedding);
  EXPECT_EQ(to_yaml(write_predictor(again)), to_yaml(write_predictor(config)));
}

}  // namespace
}  // namespace tyto
