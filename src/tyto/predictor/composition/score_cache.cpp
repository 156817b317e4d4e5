// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/score_cache.hpp"

#include <algorithm>

#include "tyto/math/softmax.hpp"
#include "tyto/predictor/composition/row_hashes.hpp"

namespace tyto {

namespace {

constexpr Index kMostScoreBytes = Index{160} << 20;

}  // namespace

std::uint64_t ScoreCache::key_of(const Evidence& evidence) {
  std::uint64_t key = static_cast<std::uint64_t>(evidence.size());
  for (const std::uint64_t hash : row_hashes(evidence.features)) {
    key = with_hash(key, hash);
  }
  for (Index i = 0; i < evidence.size(); ++i) {
    key = with_hash(key, static_cast<std::uint64_t>(evidence.samples.id(i)));
  }
  return key;
}

bool ScoreCache::fill(std::uint64_t key, Evidence& evidence) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const Block& block) { return block.key == key; });
  if (found == blocks_.end()) {
    return false;
  }
  const Evidence& scores = found->scores;
  evidence.logits = scores.logits;
  evidence.embedding = scores.embedding;
  evidence.classes = scores.classes;
  evidence.probability =
      scores.probability.size() == 0 ? softmax(scores.logits) : scores.probability;
  evidence.log_known = scores.log_known;
  evidence.temperature = scores.temperature;
  evidence.novelty = scores.novelty;
  evidence.classifier = scores.classifier;
  return true;
}

void ScoreCache::keep(std::uint64_t key, const Evidence& evidence, bool calibrated) {
  Block block;
  block.key = key;
  Evidence& scores = block.scores;
  scores.logits = evidence.logits;
  scores.embedding = evidence.embedding;
  scores.classes = evidence.classes;
  if (calibrated) {
    scores.probability = evidence.probability;
  }
  scores.log_known = evidence.log_known;
  scores.temperature = evidence.temperature;
  scores.novelty = evidence.novelty;
  scores.classifier = evidence.classifier;
  block.bytes = Index{sizeof(float)} * (scores.logits.size() + scores.embedding.size() +
                                        scores.probability.size() + scores.log_known.size());
  if (block.bytes > kMostScoreBytes) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  bytes_ += block.bytes;
  blocks_.push_back(std::move(block));
  while (bytes_ > kMostScoreBytes) {
    bytes_ -= blocks_.front().bytes;
    blocks_.pop_front();
  }
}

void ScoreCache::forget() {
  const std::scoped_lock lock(mutex_);
  blocks_.clear();
  bytes_ = 0;
}

}  // namespace tyto
