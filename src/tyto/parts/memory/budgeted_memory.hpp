// SPDX-License-Identifier: Apache-2.0
// What memories with a budget have in common: a key for what is drawn, frames that are thinned, and
// a budget that holds after every lesson.
#pragma once

#include <optional>

#include "tyto/parts/memory/budget.hpp"
#include "tyto/parts/memory/kept_memory.hpp"

namespace tyto {

class BudgetedMemory : public KeptMemory {
 public:
  BudgetedMemory(std::string name, const BudgetOptions& options, bool per_class)
      : name_(std::move(name)), bounds_(options), per_class_(per_class), frames_(options.of_each) {}

  [[nodiscard]] MemoryTerms terms() const final {
    const Index classes = per_class_ ? seen_ : 1;
    return {bounds_.budget * classes, bounds_.unit, frames_.most(), frames_.drift()};
  }

  void save(State& state) const override {
    KeptMemory::save(state);
    frames_.save(state);
    state.set("classes_seen", std::int64_t{seen_});
    if (key_) {
      state.set("key", static_cast<std::int64_t>(*key_));
    }
  }

  void load(const State& state, const Shelf& shelf) override {
    KeptMemory::load(state, shelf);
    frames_.load(state);
    if (state.has("classes_seen")) {
      seen_ = static_cast<Index>(state.get<std::int64_t>("classes_seen"));
    }
    if (state.has("key")) {
      key_ = static_cast<std::uint64_t>(state.get<std::int64_t>("key"));
    }
  }

 protected:
  // Keeps those of the candidates that `choose` says. Places among `offered`, which have the sizes
  // they were kept with.
  std::vector<std::size_t> keep_some(const Experience& all, std::vector<Candidate>& offered,
                                     const FrameKeeper::Choose& choose, Work& work);

  // One key for good: what is drawn by it never changes.
  std::uint64_t key(const Work& work) {
    if (!key_) {
      key_ = work.rng.fork(name_).key();
    }
    return *key_;
  }

  [[nodiscard]] std::uint64_t key() const { return *key_; }

  [[nodiscard]] Index classes_seen() const { return seen_; }

 private:
  void check_budget() const;

  std::string name_;
  BudgetOptions bounds_;
  bool per_class_;
  FrameKeeper frames_;
  Index seen_ = 0;  // classes with a granted label so far
  std::optional<std::uint64_t> key_;
};

}  // namespace tyto
