// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/memory/budget.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include <fmt/format.h>

#include "tyto/core/random.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kUnits{"samples", "frames", "bytes"};
constexpr std::array<std::string_view, 2> kPer{"all", "class"};

}  // namespace

void BudgetOptions::describe(OptionVisitor& v, std::string_view help) {
  v.field("budget", budget, {1, 1e15}, help);
  v.field("unit", unit, kUnits,
          "what the budget counts: samples, their frames, or the bytes of their values in all "
          "sources");
}

void SharedBudgetOptions::describe(OptionVisitor& v) {
  BudgetOptions::describe(
      v,
      "kept, held-out samples included; each class gets an equal share, what is left goes to the "
      "classes with most samples");
  v.field("per", per, kPer, "all: one budget that the classes share; class: one for each of them");
}

Index BudgetOptions::size_of(const Candidate& candidate) const {
  return unit == "samples" ? 1 : unit == "frames" ? candidate.frames : candidate.bytes;
}

std::vector<std::size_t> share_out(std::vector<ClassQueue> classes,
                                   const std::vector<Candidate>& offered,
                                   const SharedBudgetOptions& budget) {
  std::vector<std::size_t> taken;
  if (classes.empty()) {
    return taken;
  }
  const bool common = budget.per == "all";
  const Index share = common ? budget.budget / std::ssize(classes) : budget.budget;
  Index left = common ? budget.budget : 0;
  std::vector<std::deque<std::size_t>> waiting;  // the next of each class
  std::stable_sort(classes.begin(), classes.end(), [](const ClassQueue& a, const ClassQueue& b) {
    return std::pair(-a.size, a.label) < std::pair(-b.size, b.label);
  });
  const auto size_of = [&](std::size_t place) { return budget.size_of(offered[place]); };
  for (const ClassQueue& one : classes) {
    Index used = 0;
    std::deque<std::size_t>& too_large = waiting.emplace_back();
    while (used < share) {
      const std::optional<std::size_t> next = one.next();
      if (!next) {
        break;
      }
      if (used + size_of(*next) > share) {
        too_large.push_back(*next);
        if (used > 0) {
          break;
        }
        continue;
      }
      if (used == 0) {
        too_large.clear();
      }
      taken.push_back(*next);
      used += size_of(*next);
    }
    left -= common ? used : 0;
  }
  for (bool given = true; given && left > 0;) {
    given = false;
    for (std::size_t c = 0; c < classes.size() && left > 0; ++c) {
      if (waiting[c].empty()) {
        if (const std::optional<std::size_t> next = classes[c].next()) {
          waiting[c].push_back(*next);
        }
      }
      if (!waiting[c].empty() && size_of(waiting[c].front()) <= left) {
        taken.push_back(waiting[c].front());
        left -= size_of(waiting[c].front());
        waiting[c].pop_front();
        given = true;
      }
    }
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

std::uint64_t hash_of(const Candidate& candidate, std::uint64_t key) {
  return mix(key, "sample", static_cast<std::uint64_t>(candidate.id));
}

void sort_by_hash(std::vector<std::size_t>& places, const std::vector<Candidate>& offered,
                  std::uint64_t key) {
  std::vector<std::pair<std::uint64_t, std::size_t>> ranked;
  ranked.reserve(places.size());
  for (const std::size_t place : places) {
    ranked.emplace_back(hash_of(offered[place], key), place);
  }
  std::sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
    return std::pair(a.first, offered[a.second].id) < std::pair(b.first, offered[b.second].id);
  });
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = ranked[i].second;
  }
}

std::vector<Candidate> chosen_of(const std::vector<Candidate>& offered,
                                 const std::vector<std::size_t>& places) {
  std::vector<Candidate> chosen;
  chosen.reserve(places.size());
  for (const std::size_t place : places) {
    chosen.push_back(offered[place]);
  }
  return chosen;
}

}  // namespace tyto
