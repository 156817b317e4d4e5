// SPDX-License-Identifier: Apache-2.0
// How much a memory may keep, and how the classes share it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/parts/memory/kept.hpp"

namespace tyto {

struct BudgetOptions {
  Index budget = 2000;
  std::string unit = "samples";

  void describe(OptionVisitor& v, std::string_view help);
  [[nodiscard]] Index size_of(const Candidate& candidate) const;  // in the unit
};

struct SharedBudgetOptions : BudgetOptions {
  std::string per = "all";

  void describe(OptionVisitor& v);
};

// One class: its samples in the order in which they are wanted, worked out as they are asked for.
struct ClassQueue {
  Label label;
  Index size = 0;                                    // of all its samples, in the unit
  std::function<std::optional<std::size_t>()> next;  // place among the candidates; none: no more
};

// Each class takes what fits into an equal share of the budget, or into a budget of its own. What
// is left goes one sample at a time to the largest classes first, ties to the lower label. A class
// takes its samples in order; while it has none, those too large for its share are passed over.
// Places of the candidates taken, ascending.
std::vector<std::size_t> share_out(std::vector<ClassQueue> classes,
                                   const std::vector<Candidate>& offered,
                                   const SharedBudgetOptions& budget);

std::uint64_t hash_of(const Candidate& candidate, std::uint64_t key);

// The same candidates, ascending by a hash of their ids: in whatever order they come.
void sort_by_hash(std::vector<std::size_t>& places, const std::vector<Candidate>& offered,
                  std::uint64_t key);

std::vector<Candidate> chosen_of(const std::vector<Candidate>& offered,
                                 const std::vector<std::size_t>& places);

}  // namespace tyto
