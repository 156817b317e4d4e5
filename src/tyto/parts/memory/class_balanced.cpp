// SPDX-License-Identifier: Apache-2.0
// A budget shared equally among the classes, chosen by a hash of the samples' ids.
#include <algorithm>
#include <map>
#include <optional>

#include "tyto/parts/memory/budgeted_memory.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class ClassBalanced final : public BudgetedMemory {
 public:
  explicit ClassBalanced(SharedBudgetOptions options)
      : BudgetedMemory("class_balanced", options, options.per == "class"),
        options_(std::move(options)) {}

  void keep(const Experience& all, Work& work) override {
    std::vector<Candidate> offered = candidates(kept_, all);
    std::map<Label, std::vector<std::size_t>> classes;
    for (std::size_t i = 0; i < offered.size(); ++i) {
      if (offered[i].label != Label::unknown) {
        classes[offered[i].label].push_back(i);
      }
    }
    for (auto& [label, members] : classes) {
      sort_by_hash(members, offered, key(work));
      // A class that keeps anything keeps something to fit on.
      const auto fit = std::find_if(members.begin(), members.end(), [&](std::size_t place) {
        return offered[place].role == Role::fit;
      });
      if (fit != members.end()) {
        std::rotate(members.begin(), fit, fit + 1);
      }
    }
    keep_some(
        all, offered,
        [&](const std::vector<Candidate>& sized) { return shared_out(sized, classes); }, work);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> shared_out(
      const std::vector<Candidate>& sized,
      const std::map<Label, std::vector<std::size_t>>& classes) const {
    std::vector<ClassQueue> queues;
    for (const auto& [label, members] : classes) {
      ClassQueue queue{label, lot_of(label, key()), 0, {}};
      for (const std::size_t place : members) {
        queue.size += options_.size_of(sized[place]);
      }
      queue.next = [&in_order = members, next = std::size_t{0}]() mutable {
        return next < in_order.size() ? std::optional(in_order[next++]) : std::nullopt;
      };
      queues.push_back(std::move(queue));
    }
    return share_out(std::move(queues), sized, options_, classes_seen());
  }

  SharedBudgetOptions options_;
};

}  // namespace

PartSpec class_balanced_spec() {
  return part_spec<SharedBudgetOptions, ClassBalanced>(
      "class_balanced", {Slot::memory},
      "keeps a budget of labelled samples, frames or bytes, equally much per class, chosen by a "
      "hash of the samples' ids: a budget of samples keeps the same whatever the order they come "
      "in, and smaller ones a part of what larger ones do",
      "O((m + n) log(m + n)) time per lesson, O(m d) memory with m the budget",
      "Prabhu et al., GDumb: A Simple Approach that Questions Our Progress in Continual Learning, "
      "ECCV 2020");
}

}  // namespace tyto
