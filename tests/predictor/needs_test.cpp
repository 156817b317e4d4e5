// SPDX-License-Identifier: Apache-2.0
// What parts say they need is there when they are asked, or the predictor is refused.
#include <numeric>

#include "support/blobs.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

using testing_support::Blobs;
using testing_support::make_blobs;

// Wants the frames of every sample and writes down how many there were.
struct FrameCounter final : StatelessPart, Detector {
  Index learned = 0;
  Matrix last;
  mutable std::vector<Index> first;

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.frames = true;
    return needs;
  }

  void profile(const Experience& experience, Work&) override {
    std::vector<Index> all(at(experience.size()));
    std::iota(all.begin(), all.end(), Index{0});
    const Frames frames = experience.frame_features(all);
    learned = frames.features.rows();
    last = frames.features.row(learned - 1);
    EXPECT_EQ(frames.first.back(), learned);
  }

  void detect(Evidence& evidence) const override {
    first = evidence.frames.first;
    EXPECT_EQ(evidence.frames.features.rows(), first.back());
    evidence.novelty.assign(at(evidence.size()), 0.0F);
  }
};

struct NeedsEmbedding final : StatelessPart, Detector {
  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.embedding = true;
    return needs;
  }

  void detect(Evidence&) const override {}
};

// Counts the samples that it is asked to score, for one class.
struct ScoreCounter final : StatelessPart, Classifier {
  mutable Index scored = 0;

  void learn(const Experience&, Work&) override {}

  void classify(Evidence& evidence) const override {
    scored += evidence.size();
    evidence.classes = {static_cast<Label>(1)};
    evidence.logits = Matrix::Zero(evidence.size(), 1);
  }
};

std::shared_ptr<Part> given_part(Slot slot, std::string_view name, std::string_view yaml = "{}") {
  return find_part(slot, name).make(parse_yaml(yaml, "test"), slot_name(slot));
}

PredictorConfig bare_config(double holdout = 0.0) {
  PredictorConfig config;
  config.name = "bare";
  config.holdout = holdout;
  return config;
}

TEST(Needs, of_an_embedding_is_refused_with_the_names_of_those_who_give_one) {
  try {
    Composition predictor(bare_config(), 1, [] {
      Parts parts;
      parts.fill(Slot::classifier, given_part(Slot::classifier, "ncm"));
      parts.fill(Slot::detector, std::make_shared<NeedsEmbedding>());
      return parts;
    });
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the part in the slot detector needs a classifier that can give an embedding, but "
                 "the slot classifier holds one that cannot; these can: bic, derpp, er, "
                 "ewc, finetune, icarl, lwf, mas, mc_dropout, mlp, naive, ndcc, ridge");
  }
}

TEST(Needs, frames_are_represented_like_samples) {
  // Three samples of 2, 1 and 3 frames; unit length makes (0, 2) a (0, 1).
  Matrix rows(6, 2);
  rows << 3, 4, 1, 0, 5, 0, 6, 8, 1, 0, 0, 2;
  const Samples samples(
      std::make_shared<DenseStore>(rows),
      {{SampleId{1}, SampleId{2}, SampleId{3}}, {0, 1, 2, 3, 4, 5}, {0, 2, 3, 6}, {}, {}});
  const auto counter = std::make_shared<FrameCounter>();
  Composition predictor(bare_config(), 1, [&] {
    Parts parts;
    parts.fill(Slot::representation, given_part(Slot::representation, "l2"));
    parts.fill(Slot::classifier, given_part(Slot::classifier, "ncm"));
    parts.fill(Slot::detector, counter);
    return parts;
  });
  Progress silent;
  Work work{Rng(1), silent};
  predictor.learn({samples, {"a", "b", "a"}, {Role::fit, Role::fit, Role::hold}}, work);
  EXPECT_EQ(counter->learned, 6);
  EXPECT_EQ(counter->last, (Matrix{{0, 1}}));
  (void)predictor.predict(samples);
  EXPECT_EQ(counter->first, (std::vector<Index>{0, 2, 3, 6}));
  const Matrix seen = predictor.evidence(samples).frames.features;
  EXPECT_NEAR(seen(0, 0), 0.6, 1e-6);
  EXPECT_NEAR(seen(3, 1), 0.8, 1e-6);
}

// Samples classified in a lesson of 30, of which 10 are held out, by the detector.
Index scored_in_a_lesson(std::string_view detector) {
  const auto counter = std::make_shared<ScoreCounter>();
  Composition predictor(bare_config(), 1, [&] {
    Parts parts;
    parts.fill(Slot::classifier, counter);
    parts.fill(Slot::detector, given_part(Slot::detector, detector));
    return parts;
  });
  const Blobs blobs = make_blobs(0, 3, 10, 1, 0);
  std::vector<Role> roles(30, Role::fit);
  for (std::size_t i = 0; i < roles.size(); i += 3) {
    roles[i] = Role::hold;
  }
  Progress silent;
  Work work{Rng(1), silent};
  predictor.learn({blobs.samples, blobs.names, roles}, work);
  return counter->scored;
}

TEST(Needs, held_out_samples_are_classified_for_a_detector_that_reads_the_scores) {
  EXPECT_EQ(scored_in_a_lesson("mahalanobis"), 0);
  EXPECT_EQ(scored_in_a_lesson("max_logit"), 10);
}

TEST(Needs, a_source_that_the_samples_lack_is_named) {
  const auto config = read_predictor(
      parse_yaml("{name: x, classifier: {name: precomputed, source: scores}}", "x"), "p");
  Composition predictor(config, 1);
  Progress silent;
  Work work{Rng(1), silent};
  const Blobs blobs = make_blobs(0, 2, 5, 1, 0);
  try {
    predictor.learn({blobs.samples, blobs.names, {}}, work);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no source \"scores\""));
  }
}

}  // namespace
}  // namespace tyto
