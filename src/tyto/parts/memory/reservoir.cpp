// SPDX-License-Identifier: Apache-2.0
// A uniform draw from all samples ever shown. Vitter's algorithm R draws a place to overwrite for
// each sample that comes; here each sample has a random key, and those with the smallest keys stay.
// The draw is distributed alike, and it is also defined for budgets of frames and bytes, does not
// depend on how lessons are cut, and counts a sample that comes twice once.
#include <algorithm>
#include <numeric>
#include <optional>

#include "tyto/parts/memory/budget.hpp"
#include "tyto/parts/memory/kept_memory.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct ReservoirOptions : BudgetOptions {
  bool unlabelled = false;

  void describe(OptionVisitor& v) {
    BudgetOptions::describe(v, "kept in all, held-out samples included");
    v.field("unlabelled", unlabelled, "draw from samples whose label was not granted as well");
  }
};

class Reservoir final : public KeptMemory {
 public:
  explicit Reservoir(ReservoirOptions options) : options_(std::move(options)) {}

  void keep(const Experience& all, Work& work) override {
    if (!key_) {
      key_ = work.rng.fork("reservoir").key();
    }
    const std::vector<Candidate> offered = candidates(kept_, all);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < offered.size(); ++i) {
      const bool may_stay = options_.unlabelled || offered[i].label != Label::unknown;
      if (may_stay && options_.size_of(offered[i]) <= options_.budget &&
          (!limit_ || hash_of(offered[i], *key_) < *limit_)) {
        places.push_back(i);
      }
    }
    sort_by_hash(places, offered, *key_);
    Index used = 0;
    const auto end = std::find_if(places.begin(), places.end(), [&](std::size_t place) {
      used += options_.size_of(offered[place]);
      return used > options_.budget;
    });
    if (end != places.end()) {
      limit_ = hash_of(offered[*end], *key_);
    }
    places.erase(end, places.end());
    std::sort(places.begin(), places.end());
    kept_ = kept(kept_, all, chosen_of(offered, places), true);
  }

  void save(State& state) const override {
    KeptMemory::save(state);
    if (key_) {
      state.set("key", static_cast<std::int64_t>(*key_));
    }
    if (limit_) {
      state.set("limit", static_cast<std::int64_t>(*limit_));
    }
  }

  void load(const State& state, const Shelf& shelf) override {
    KeptMemory::load(state, shelf);
    if (state.has("key")) {
      key_ = static_cast<std::uint64_t>(state.get<std::int64_t>("key"));
    }
    if (state.has("limit")) {
      limit_ = static_cast<std::uint64_t>(state.get<std::int64_t>("limit"));
    }
  }

 private:
  ReservoirOptions options_;
  std::optional<std::uint64_t> key_;
  // Of the first sample that did not fit. It never will, since others only come before it; so none
  // from it on may stay, however small.
  std::optional<std::uint64_t> limit_;
};

}  // namespace

PartSpec reservoir_spec() {
  return part_spec<ReservoirOptions, Reservoir>(
      "reservoir", {Slot::memory},
      "keeps a uniform draw from all labelled samples ever shown, of a budget of samples, frames "
      "or bytes; classes are kept as often as they came, rare ones may be lost",
      "O((m + n) log(m + n)) time per lesson, O(m d) memory with m the budget",
      "Vitter, Random Sampling with a Reservoir, ACM TOMS 11, 1985; by random keys: Efraimidis and "
      "Spirakis, Information Processing Letters 97, 2006");
}

}  // namespace tyto
