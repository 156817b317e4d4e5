// SPDX-License-Identifier: Apache-2.0
// Which labels are asked for: those to be held out drawn at random, the rest in the requester's
// order.
#include <algorithm>

#include "tyto/core/parallel.hpp"
#include "tyto/predictor/composition/composition.hpp"
#include "tyto/predictor/composition/evidence_rows.hpp"
#include "tyto/predictor/composition/reserve.hpp"

namespace tyto {

namespace {

bool uses_groups(const Requester& requester) {
  Evidence probe;
  probe.membership = Matrix::Zero(1, 1);
  requester.drop_unused(probe);
  return probe.membership.size() > 0;
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
    asked = wanted_order(samples, free, budget - reserve, own);
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

std::vector<Index> Composition::wanted_order(const Samples& samples, const std::vector<Index>& free,
                                             Index budget, Work& work) const {
  if (parts_.feedback == nullptr) {
    return work.rng.permutation(std::ssize(free));
  }
  const Samples asked = std::ssize(free) == samples.size() ? samples : samples.pick(free);
  const Needs needs = parts_.owned.at(Slot::feedback)->needs();
  Evidence all;
  all.samples = asked;
  if (needs.neighbours > 0 || needs.rivals || needs.batch_neighbours > 0) {
    all = examined(asked);  // their neighbours are found for all samples at once
  } else if (parts_.feedback->looks_at_samples() && needs.frames) {
    in_blocks(asked.size(), rows_at_once(asked), [&](Index begin, Index count) {
      Evidence block = examined(asked.slice(begin, count));
      parts_.feedback->drop_unused(block);
      add_block(block, begin, all);
    });
  } else if (parts_.feedback->looks_at_samples()) {
    const bool groups = uses_groups(*parts_.feedback);
    Index done = 0;  // of `free`
    // All samples in the blocks in which they were predicted: what was worked out then serves.
    in_blocks(samples.size(), rows_at_once(samples), [&](Index begin, Index count) {
      std::vector<Index> rows;
      for (Index i = done; i < std::ssize(free) && free[at(i)] < begin + count; ++i) {
        rows.push_back(free[at(i)] - begin);
      }
      const Samples these = samples.slice(begin, count);
      Evidence block = picked(groups ? examined(these) : judged(these), rows);
      parts_.feedback->drop_unused(block);
      add_block(block, done, all);
      done += std::ssize(rows);
    });
  }
  return parts_.feedback->order(all, budget, work);
}

}  // namespace tyto
