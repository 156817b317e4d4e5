// SPDX-License-Identifier: Apache-2.0
// A uniform draw from all samples ever shown. Vitter's algorithm R draws a place to overwrite for
// each sample that comes; here each sample has a random key, and those with the smallest keys stay.
// The draw is distributed alike, and it is also defined for budgets of frames and bytes, does not
// depend on how lessons are cut, and counts a sample that comes twice once.
#include <algorithm>
#include <numeric>
#include <optional>

#include "tyto/parts/memory/budgeted_memory.hpp"
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

class Reservoir final : public BudgetedMemory {
 public:
  explicit Reservoir(ReservoirOptions options)
      : BudgetedMemory("reservoir", options, false), options_(std::move(options)) {
    if (options_.of_each.frames == "auto") {
      throw Error(ErrorKind::config,
                  "memory reservoir: frames cannot be auto: a draw from samples whose sizes change "
                  "is not uniform; name a number, or take class_balanced or herding");
    }
  }

  void keep(const Experience& all, Work& work) override {
    std::vector<Candidate> offered = candidates(kept_, all);
    const std::uint64_t drawn_by = key(work);
    keep_some(
        all, offered, [&](const std::vector<Candidate>& sized) { return drawn(sized, drawn_by); },
        work);
  }

  void save(State& state) const override {
    BudgetedMemory::save(state);
    if (limit_) {
      state.set("limit", static_cast<std::int64_t>(*limit_));
    }
  }

  void load(const State& state, const Shelf& shelf) override {
    BudgetedMemory::load(state, shelf);
    if (state.has("limit")) {
      limit_ = static_cast<std::uint64_t>(state.get<std::int64_t>("limit"));
    }
  }

 private:
  [[nodiscard]] std::vector<std::size_t> drawn(const std::vector<Candidate>& sized,
                                               std::uint64_t drawn_by) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < sized.size(); ++i) {
      const bool may_stay = options_.unlabelled || sized[i].label != Label::unknown;
      if (may_stay && options_.size_of(sized[i]) <= options_.budget &&
          (!limit_ || hash_of(sized[i], drawn_by) < *limit_)) {
        places.push_back(i);
      }
    }
    sort_by_hash(places, sized, drawn_by);
    Index used = 0;
    const auto end = std::find_if(places.begin(), places.end(), [&](std::size_t place) {
      used += options_.size_of(sized[place]);
      return used > options_.budget;
    });
    if (end != places.end()) {
      limit_ = hash_of(sized[*end], drawn_by);
    }
    places.erase(end, places.end());
    std::sort(places.begin(), places.end());
    return places;
  }

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
