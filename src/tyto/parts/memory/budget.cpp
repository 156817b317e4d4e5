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
constexpr std::array<std::string_view, 2> kQuotas{"redistribute", "floor"};

}  // namespace

void BudgetOptions::describe(OptionVisitor& v, std::string_view help) {
  v.field("budget", budget, {0, 1e15}, help);
  v.field("unit", unit, kUnits,
          "what the budget counts: samples, their frames, or the bytes of their values in all "
          "sources");
  of_each.describe(v);
}

void SharedBudgetOptions::describe(OptionVisitor& v) {
  BudgetOptions::describe(v, "kept, held-out samples included; 0: nothing is");
  v.field("per", per, kPer, "all: one budget that the classes share; class: one for each of them");
  v.field(
      "quota", quota, kQuotas,
      "redistribute: each class gets an equal share, what is left goes to classes that got "
      "nothing, then to those with most samples; floor: each gets the budget over the number of "
      "classes seen, rounded down, and what is left stays unused (vCLIMB as published)");
}

Index BudgetOptions::size_of(const Candidate& candidate) const {
  return unit == "samples" ? 1 : unit == "frames" ? candidate.frames : candidate.bytes;
}

namespace {

// The share of one class, and what it comes upon that does not fit.
struct Portion {
  std::deque<std::size_t> waiting;  // the next of the class
  bool has_any = false;
};

}  // namespace

std::vector<std::size_t> share_out(std::vector<ClassQueue> classes,
                                   const std::vector<Candidate>& offered,
                                   const SharedBudgetOptions& budget, Index classes_seen) {
  std::vector<std::size_t> taken;
  if (classes.empty()) {
    return taken;
  }
  const bool common = budget.per == "all";
  const bool floored = budget.quota == "floor";
  const Index sharing = floored ? std::max(classes_seen, std::ssize(classes)) : std::ssize(classes);
  const Index share = common ? budget.budget / sharing : budget.budget;
  Index left = common && !floored ? budget.budget : 0;
  std::vector<Portion> portions(classes.size());
  std::stable_sort(classes.begin(), classes.end(), [](const ClassQueue& a, const ClassQueue& b) {
    return std::pair(-a.size, a.label) < std::pair(-b.size, b.label);
  });
  const auto size_of = [&](std::size_t place) { return budget.size_of(offered[place]); };
  for (std::size_t c = 0; c < classes.size(); ++c) {
    Index used = 0;
    Portion& own = portions[c];
    while (used < share) {
      const std::optional<std::size_t> next = classes[c].next();
      if (!next) {
        break;
      }
      if (used + size_of(*next) > share) {
        own.waiting.push_back(*next);
        if (own.has_any) {
          break;
        }
        continue;
      }
      if (!own.has_any) {
        own.waiting.clear();
        own.has_any = true;
      }
      taken.push_back(*next);
      used += size_of(*next);
    }
    left -= common && !floored ? used : 0;
  }
  const auto give = [&](std::size_t c) {
    Portion& own = portions[c];
    if (own.waiting.empty()) {
      if (const std::optional<std::size_t> next = classes[c].next()) {
        own.waiting.push_back(*next);
      }
    }
    if (own.waiting.empty() || size_of(own.waiting.front()) > left) {
      return false;
    }
    taken.push_back(own.waiting.front());
    left -= size_of(own.waiting.front());
    own.waiting.pop_front();
    own.has_any = true;
    return true;
  };
  std::vector<std::size_t> without;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (!portions[c].has_any) {
      without.push_back(c);
    }
  }
  std::stable_sort(without.begin(), without.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(classes[a].lot, classes[a].label) <
           std::pair(classes[b].lot, classes[b].label);
  });
  for (const std::size_t c : without) {
    if (left > 0) {
      give(c);
    }
  }
  for (bool given = true; given && left > 0;) {
    given = false;
    for (std::size_t c = 0; c < classes.size() && left > 0; ++c) {
      given = give(c) || given;
    }
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

std::uint64_t hash_of(const Candidate& candidate, std::uint64_t key) {
  return mix(key, "sample", static_cast<std::uint64_t>(candidate.id));
}

std::uint64_t lot_of(Label label, std::uint64_t key) {
  return mix(key, "class", static_cast<std::uint64_t>(label));
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
