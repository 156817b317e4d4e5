// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tyto/core/parallel.hpp"
#include "tyto/predictor/composition/composition.hpp"
#include "tyto/predictor/composition/reserve.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kExaminedRows = 4096;  // rows examined at a time

// Puts the rows of a block where they belong in the evidence of all samples.
void add_block(const Evidence& block, Index begin, Evidence& all) {
  const auto add = [&](const Matrix& from, Matrix& to) {
    if (from.size() > 0) {
      if (to.size() == 0) {
        to.resize(all.size(), from.cols());
      }
      to.middleRows(begin, from.rows()) = from;
    }
  };
  add(block.features, all.features);
  add(block.logits, all.logits);
  add(block.embedding, all.embedding);
  add(block.probability, all.probability);
  add(block.membership, all.membership);
  if (!block.frames.first.empty()) {
    Frames& frames = all.frames;
    const Index before = frames.features.rows();
    frames.features.conservativeResize(before + block.frames.features.rows(),
                                       block.frames.features.cols());
    frames.features.bottomRows(block.frames.features.rows()) = block.frames.features;
    frames.first.resize(at(begin));  // the end so far is where the block begins
    for (const Index first : block.frames.first) {
      frames.first.push_back(before + first);
    }
  }
  all.classes = block.classes;
  all.groups = block.groups;
  all.classifier = block.classifier;
  all.held = block.held;
  all.p_value.insert(all.p_value.end(), block.p_value.begin(), block.p_value.end());
  all.novel.insert(all.novel.end(), block.novel.begin(), block.novel.end());
  all.novelty.insert(all.novelty.end(), block.novelty.begin(), block.novelty.end());
}

}  // namespace

std::vector<Index> Composition::request(const Samples& given, Index budget, Work& work) const {
  const Samples samples = seen(given);
  check(samples, "ask for labels");
  std::vector<Index> held;
  std::vector<Index> free;
  for (Index i = 0; i < samples.size(); ++i) {
    (held_out_.role_for(samples, i) == Role::hold ? held : free).push_back(i);
  }
  std::stable_sort(held.begin(), held.end(), [&](Index a, Index b) {
    return role_hash(samples.id(a), held_out_.seed()) < role_hash(samples.id(b), held_out_.seed());
  });
  std::vector<Index> asked;
  if (!free.empty()) {
    const Index reserve =
        reserved(std::max<Index>(budget, 0), static_cast<Index>(held.size()), config_.holdout);
    Work own = work.fork(slot_name(Slot::feedback));
    // The requester sees nothing of the others: whatever it does, it cannot choose among them.
    asked = wanted_order(held.empty() ? samples : samples.pick(free), budget - reserve, own);
    for (Index& row : asked) {
      row = free[static_cast<std::size_t>(row)];
    }
  }
  std::vector<Index> order = interleave(held, asked, config_.holdout);
  if (asked.size() < free.size()) {
    // The requester stopped at the budget: held-out rows alone must not follow it.
    const auto end = std::max<std::ptrdiff_t>(std::min<Index>(budget, std::ssize(order)), 0);
    const auto last =
        asked.empty() ? order.begin() : std::find(order.begin(), order.end(), asked.back()) + 1;
    order.erase(std::max(last, order.begin() + end), order.end());
  }
  return order;
}

std::vector<Index> Composition::wanted_order(const Samples& samples, Index budget,
                                             Work& work) const {
  if (parts_.feedback == nullptr) {
    return work.rng.permutation(samples.size());
  }
  Evidence all;
  all.samples = samples;
  if (parts_.neighbours > 0 || parts_.batch_neighbours > 0) {
    all = examined(samples);  // their neighbours are found for all samples at once
  } else if (parts_.feedback->looks_at_samples()) {
    const bool frames = parts_.owned.at(Slot::feedback)->needs().frames;
    in_blocks(samples.size(), samples_per_block(samples, kExaminedRows),
              [&](Index begin, Index count) {
                Evidence block = examined(samples.slice(begin, count));
                parts_.feedback->drop_unused(block);
                if (!frames) {
                  block.frames = {};
                }
                add_block(block, begin, all);
              });
  }
  return parts_.feedback->order(all, budget, work);
}

}  // namespace tyto
