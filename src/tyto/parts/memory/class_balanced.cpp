// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include "tyto/parts/memory/budget.hpp"
#include "tyto/parts/memory/kept_memory.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class ClassBalanced final : public KeptMemory {
 public:
  explicit ClassBalanced(SharedBudgetOptions options) : options_(std::move(options)) {}

  void keep(const Experience& all, Work& work) override {
    if (!key_) {  // one key for good: the order of the samples of a class never changes
      key_ = work.rng.fork("class_balanced").key();
    }
    const std::vector<Candidate> offered = candidates(kept_, all);
    std::map<Label, std::vector<std::size_t>> classes;
    for (std::size_t i = 0; i < offered.size(); ++i) {
      if (offered[i].label != Label::unknown) {
        classes[offered[i].label].push_back(i);
      }
    }
    std::vector<ClassQueue> queues;
    for (auto& [label, members] : classes) {
      sort_by_hash(members, offered, *key_);
      // A class that keeps anything keeps something to fit on.
      const auto fit = std::find_if(members.begin(), members.end(), [&](std::size_t place) {
        return offered[place].role == Role::fit;
      });
      if (fit != members.end()) {
        std::rotate(members.begin(), fit, fit + 1);
      }
      ClassQueue queue{label, 0, {}};
      for (const std::size_t place : members) {
        queue.size += options_.size_of(offered[place]);
      }
      queue.next = [&in_order = members, next = std::size_t{0}]() mutable {
        return next < in_order.size() ? std::optional(in_order[next++]) : std::nullopt;
      };
      queues.push_back(std::move(queue));
    }
    kept_ =
        kept(kept_, all, chosen_of(offered, share_out(std::move(queues), offered, options_)), true);
  }

  void save(State& state) const override {
    KeptMemory::save(state);
    if (key_) {
      state.set("key", static_cast<std::int64_t>(*key_));
    }
  }

  void load(const State& state, const Shelf& shelf) override {
    KeptMemory::load(state, shelf);
    if (state.has("key")) {
      key_ = static_cast<std::uint64_t>(state.get<std::int64_t>("key"));
    }
  }

 private:
  SharedBudgetOptions options_;
  std::optional<std::uint64_t> key_;
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
