// SPDX-License-Identifier: Apache-2.0
// What was worked out once for a block of samples is no other than what would be worked out again.
#include "tyto/predictor/composition/score_cache.hpp"

#include "support/blobs.hpp"
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"
#include "tyto/sample/store_access.hpp"

namespace tyto {
namespace {

using testing_support::Blobs;
using testing_support::make_blobs;

constexpr const char* kBlended =
    "{name: x, representation: whiten, classifier: {name: blend, members: [{name: ridge, "
    "projection: 50}, osnn, gmm_finch, slda]}, detector: {name: ensemble, detectors: [density, "
    "max_logit]}, recogniser: snn_graph, alarm: martingale, memory: {name: class_balanced, budget: "
    "300}, feedback: {name: mixture, strategies: [{name: typiclust, share: 1}, {name: margin, "
    "share: 1}]}}";

std::unique_ptr<Composition> blended() {
  return std::make_unique<Composition>(read_predictor(parse_yaml(kBlended, "test"), "mine"), 1);
}

// The same predictor that has worked nothing out yet.
std::unique_ptr<Composition> that_knows_nothing_of_before(const Composition& predictor,
                                                          const Blobs& seen) {
  State state;
  predictor.save(state);
  auto other = blended();
  other->load(state, StoreShelf({StoreAccess::store(seen.samples)}));
  return other;
}

void expect_same_prediction(const Prediction& a, const Prediction& b) {
  EXPECT_EQ(a.probability, b.probability);
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.novelty, b.novelty);
  EXPECT_EQ(a.p_value, b.p_value);
}

TEST(ScoreCache, observing_first_changes_no_bit_of_a_prediction_nor_a_lesson_after_it) {
  Progress silent;
  Work work{Rng(1, "scores"), silent};
  const Blobs known = make_blobs(0, 3, 150, 1, 0);
  const Blobs fresh = make_blobs(1, 5, 60, 2, 5000);
  auto predictor = blended();
  predictor->learn({known.samples, known.names, {}}, work);
  predictor->observe(fresh.samples, work);
  auto other = that_knows_nothing_of_before(*predictor, fresh);
  expect_same_prediction(predictor->predict(fresh.samples), other->predict(fresh.samples));
  Work asking{Rng(2, "asking"), silent};
  Work asking_again{Rng(2, "asking"), silent};
  other = that_knows_nothing_of_before(*predictor, fresh);
  EXPECT_EQ(predictor->request(fresh.samples, 50, asking),
            other->request(fresh.samples, 50, asking_again));
  const Prediction before = predictor->predict(fresh.samples);
  predictor->learn({fresh.samples, fresh.names, {}}, work);
  const Prediction after = predictor->predict(fresh.samples);
  EXPECT_NE(before.novelty, after.novelty);
  expect_same_prediction(after,
                         that_knows_nothing_of_before(*predictor, fresh)->predict(fresh.samples));
}

Evidence scored_block(const Blobs& blobs, float logit) {
  Evidence evidence;
  evidence.samples = blobs.samples;
  evidence.features = blobs.samples.rows();
  evidence.logits = Matrix::Constant(evidence.size(), 2, logit);
  evidence.novelty.assign(at(evidence.size()), logit);
  return evidence;
}

TEST(ScoreCache, tells_blocks_by_their_samples_and_their_features) {
  const Blobs blobs = make_blobs(0, 2, 10, 1, 0);
  const Evidence block = scored_block(blobs, 3.0F);
  ScoreCache cache;
  cache.keep(ScoreCache::key_of(block), block, false);
  Evidence asked;
  asked.samples = blobs.samples;
  asked.features = block.features;
  ASSERT_TRUE(cache.fill(ScoreCache::key_of(asked), asked));
  EXPECT_EQ(asked.logits, block.logits);
  EXPECT_EQ(asked.novelty, block.novelty);
  EXPECT_EQ(asked.probability, Matrix::Constant(20, 2, 0.5F));
  asked.features(3, 1) += 1.0F;
  EXPECT_FALSE(cache.fill(ScoreCache::key_of(asked), asked));
  asked.features = block.features;
  asked.samples = make_blobs(0, 2, 10, 1, 1000).samples;  // other ids
  EXPECT_FALSE(cache.fill(ScoreCache::key_of(asked), asked));
  cache.forget();
  asked.samples = blobs.samples;
  EXPECT_FALSE(cache.fill(ScoreCache::key_of(asked), asked));
}

TEST(ScoreCache, the_oldest_blocks_make_room) {
  const Blobs blobs = make_blobs(0, 2, 10, 1, 0);
  Evidence block = scored_block(blobs, 3.0F);
  block.logits = Matrix::Zero(20, 1 << 20);  // 80 MB
  ScoreCache cache;
  cache.keep(1, block, false);
  cache.keep(2, block, false);
  cache.keep(3, block, false);
  EXPECT_FALSE(cache.fill(1, block));
  EXPECT_TRUE(cache.fill(2, block));
  EXPECT_TRUE(cache.fill(3, block));
}

}  // namespace
}  // namespace tyto
