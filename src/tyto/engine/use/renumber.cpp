// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/renumber.hpp"

#include <array>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "tyto/parts/slots.hpp"
#include "tyto/predictor/composition/held_out.hpp"

namespace tyto {

namespace {

using Numbers = std::vector<std::int64_t>;

// Under which samples are named: by memories and pools, by parts that keep scores of some, and by
// the composition, which decides their roles.
constexpr std::array<std::string_view, 7> kSampleKeys{
    "ids",        "held_ids",      "noted_ids", "fitted_by_need", "granted_unasked",
    "held_first", "held_elsewhere"};

void each_state(State& state, const std::function<void(State&)>& visit) {
  visit(state);
  for (auto& [name, child] : state.children) {
    each_state(child, visit);
  }
}

bool is_of_a_world(std::int64_t id) {
  return id >= 0 && id < 2 * static_cast<std::int64_t>(kElsewhere);
}

}  // namespace

void renumber_samples(State& predictor) {
  std::map<std::int64_t, std::int64_t> number;
  const auto each_list = [&](const std::function<void(Numbers&)>& visit) {
    each_state(predictor, [&](State& state) {
      for (const std::string_view key : kSampleKeys) {
        if (state.has(key)) {
          Numbers list = state.get<Numbers>(key);
          visit(list);
          state.set(std::string(key), std::move(list));
        }
      }
    });
  };
  each_list([&](Numbers& ids) {
    for (const std::int64_t id : ids) {
      if (is_of_a_world(id)) {
        number.emplace(id, 0);
      }
    }
  });
  auto next = static_cast<std::int64_t>(kElsewhere);
  for (auto& [before, now] : number) {
    now = next++;
  }
  each_list([&](Numbers& ids) {
    for (std::int64_t& id : ids) {
      if (const auto found = number.find(id); found != number.end()) {
        id = found->second;
      }
    }
  });
  std::set<std::int64_t> held;
  each_state(predictor, [&](State& state) {
    if (state.has("times") && state.has("groups")) {  // a table of samples
      Numbers groups = state.get<Numbers>("groups");
      for (std::int64_t& group : groups) {
        if (group > 0 && group < static_cast<std::int64_t>(kElsewhere)) {
          group += static_cast<std::int64_t>(kElsewhere);
        }
      }
      state.set("groups", std::move(groups));
    }
    if (state.has("ids") && state.has("roles")) {  // what is remembered
      const auto& ids = state.get<Numbers>("ids");
      const auto& roles = state.get<Numbers>("roles");
      for (std::size_t i = 0; i < ids.size() && i < roles.size(); ++i) {
        if (static_cast<Role>(roles[i]) == Role::hold && is_of_a_world(ids[i])) {
          held.insert(ids[i]);
        }
      }
    }
  });
  if (!held.empty()) {
    predictor.set("held_elsewhere", Numbers(held.begin(), held.end()));
  }
}

}  // namespace tyto
