// SPDX-License-Identifier: Apache-2.0
// How much a memory may keep, and how the classes share it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/parts/memory/frames.hpp"
#include "tyto/parts/memory/kept.hpp"

namespace tyto {

struct BudgetOptions {
  Index budget = 2000;
  std::string unit = "samples";
  FrameOptions of_each;

  void describe(OptionVisitor& v, std::string_view help);
  [[nodiscard]] Index size_of(const Candidate& candidate) const;  // in the unit
};

struct SharedBudgetOptions : BudgetOptions {
  std::string per = "all";
  std::string quota = "redistribute";

  void describe(OptionVisitor& v);
};

// One class: its samples in the order in which they are wanted, worked out as they are asked for.
struct ClassQueue {
  Label label;
  std::uint64_t lot = 0;                             // the lower, the sooner, while it has nothing
  Index size = 0;                                    // of all its samples, in the unit
  std::function<std::optional<std::size_t>()> next;  // place among the candidates; none: no more
};

// Each class takes what fits into an equal share of the budget, or into a budget of its own. A
// class takes its samples in order; while it has none, those too large for its share are passed
// over. What is left goes one sample at a time: to the classes that have none, in the order of
// their lots, then to the largest, ties to the lower label. With the quota `floor` nothing of it is
// given away, and the share is that of `classes_seen` classes, also those that have nothing to
// offer. Places of the candidates taken, ascending.
std::vector<std::size_t> share_out(std::vector<ClassQueue> classes,
                                   const std::vector<Candidate>& offered,
                                   const SharedBudgetOptions& budget, Index classes_seen);

std::uint64_t hash_of(const Candidate& candidate, std::uint64_t key);
std::uint64_t lot_of(Label label, std::uint64_t key);

// The same candidates, ascending by a hash of their ids: in whatever order they come.
void sort_by_hash(std::vector<std::size_t>& places, const std::vector<Candidate>& offered,
                  std::uint64_t key);

std::vector<Candidate> chosen_of(const std::vector<Candidate>& offered,
                                 const std::vector<std::size_t>& places);

}  // namespace tyto
