// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/held_out.hpp"

#include <algorithm>
#include <map>

#include "tyto/core/random.hpp"

namespace tyto {

namespace {

constexpr Index kFewestDrawn = 5;  // of a class; with fewer its chosen samples count too

std::uint32_t number(SampleId id) {
  return static_cast<std::uint32_t>(id);
}

Role role_by(std::uint64_t hash, double holdout) {
  return static_cast<double>(hash >> 11) * 0x1.0p-53 < holdout ? Role::hold : Role::fit;
}

std::vector<std::int64_t> listed(const std::set<std::uint32_t>& ids) {
  return {ids.begin(), ids.end()};
}

std::set<std::uint32_t> ids_in(const State& state, std::string_view key) {
  std::set<std::uint32_t> ids;
  for (const std::int64_t id : state.get<std::vector<std::int64_t>>(key)) {
    ids.insert(static_cast<std::uint32_t>(id));
  }
  return ids;
}

void add_fitted(std::span<const Label> labels, std::span<const Role> roles,
                std::set<Label>& fitted) {
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == Role::fit) {
      fitted.insert(labels[i]);
    }
  }
}

}  // namespace

std::uint64_t role_hash(SampleId id, std::uint64_t seed) {
  return mix(seed, "holdout", number(id));
}

Role role_of(SampleId id, std::uint64_t seed, double holdout) {
  return role_by(role_hash(id, seed), holdout);
}

Role role_of_group(std::uint32_t group, std::uint64_t seed, double holdout) {
  return role_by(mix(seed, "holdout group", group), holdout);
}

void HeldOut::settle(const Samples& first) {
  constexpr double kFewestHeld = 1;  // groups to be expected among the held-out ones
  std::set<std::uint32_t> groups;
  for (Index i = 0; i < first.size(); ++i) {
    groups.insert(first.group(i));
  }
  const bool any = std::any_of(groups.begin(), groups.end(), [&](std::uint32_t group) {
    return role_of_group(group, seed_, holdout_) == Role::hold;
  });
  holds_groups_ = by_groups_ && any && holdout_ * static_cast<double>(groups.size()) >= kFewestHeld;
}

Role HeldOut::role_for(const Samples& samples, Index i) const {
  const SampleId id = samples.id(i);
  if (fitted_by_need_.contains(number(id))) {
    return Role::fit;
  }
  if (number(id) >= kElsewhere && number(id) < 2 * kElsewhere) {
    return held_elsewhere_.contains(number(id)) ? Role::hold : Role::fit;
  }
  if (held_first_) {
    return held_first_->contains(number(id)) ? Role::hold : Role::fit;
  }
  return holds_groups_ ? role_of_group(samples.group(i), seed_, holdout_)
                       : role_of(id, seed_, holdout_);
}

std::vector<Role> HeldOut::roles_for(const Lesson& lesson, std::span<const Label> labels,
                                     const Memory* memory) {
  std::vector<Role> roles = lesson.roles;
  if (roles.empty()) {
    for (Index i = 0; i < lesson.samples.size(); ++i) {
      roles.push_back(role_for(lesson.samples, i));
    }
  }
  const bool keeps_nothing = memory == nullptr || memory->samples().empty();
  std::set<Label> fitted;
  if (keeps_nothing) {
    fitted = fitted_before_;
  } else {
    add_fitted(memory->labels(), memory->roles(), fitted);
  }
  add_fitted(labels, roles, fitted);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const bool may_move = lesson.roles.empty() && labels[i] != Label::unknown;
    if (may_move && fitted.insert(labels[i]).second) {
      roles[i] = Role::fit;
      fitted_by_need_.insert(number(lesson.samples.id(static_cast<Index>(i))));
    }
  }
  if (keeps_nothing) {
    fitted_before_ = std::move(fitted);
  }
  return roles;
}

bool HeldOut::has_given_roles(const Samples& samples, std::span<const Role> roles) const {
  for (Index i = 0; i < samples.size(); ++i) {
    if (roles[static_cast<std::size_t>(i)] == Role::hold && role_for(samples, i) == Role::fit) {
      return true;
    }
  }
  return false;
}

void HeldOut::close_first(const Samples& samples, std::span<const Role> roles) {
  if (!once_ || held_first_) {
    return;
  }
  held_first_.emplace();
  for (Index i = 0; i < samples.size(); ++i) {
    if (roles[static_cast<std::size_t>(i)] == Role::hold) {
      held_first_->insert(number(samples.id(i)));
    }
  }
}

void HeldOut::note_unasked(const Samples& samples) {
  for (Index i = 0; i < samples.size(); ++i) {
    granted_unasked_.insert(number(samples.id(i)));
  }
}

std::vector<bool> HeldOut::that_count(const Samples& samples, std::span<const Label> labels) const {
  std::vector<bool> counts;
  std::map<Label, Index> drawn;
  for (Index i = 0; i < samples.size(); ++i) {
    counts.push_back(granted_unasked_.contains(number(samples.id(i))) ||
                     role_for(samples, i) == Role::hold);
    drawn[labels[static_cast<std::size_t>(i)]] += counts.back() ? 1 : 0;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = counts[i] || drawn.at(labels[i]) < kFewestDrawn;
  }
  return counts;
}

void HeldOut::save(State& state) const {
  state.set("seed", static_cast<std::int64_t>(seed_));
  state.set("holds_groups", std::int64_t{holds_groups_});
  state.set("fitted_by_need", listed(fitted_by_need_));
  state.set("granted_unasked", listed(granted_unasked_));
  if (held_first_) {
    state.set("held_first", listed(*held_first_));
  }
  if (!held_elsewhere_.empty()) {
    state.set("held_elsewhere", listed(held_elsewhere_));
  }
  std::vector<std::int64_t> before;
  for (const Label label : fitted_before_) {
    before.push_back(static_cast<std::int64_t>(label));
  }
  state.set("fitted_before", std::move(before));
}

void HeldOut::load(const State& state) {
  seed_ = static_cast<std::uint64_t>(state.get<std::int64_t>("seed"));
  holds_groups_ = state.get<std::int64_t>("holds_groups") != 0;
  fitted_by_need_ = ids_in(state, "fitted_by_need");
  granted_unasked_ = ids_in(state, "granted_unasked");
  held_first_.reset();
  if (state.has("held_first")) {
    held_first_ = ids_in(state, "held_first");
  }
  held_elsewhere_.clear();
  if (state.has("held_elsewhere")) {
    held_elsewhere_ = ids_in(state, "held_elsewhere");
  }
  fitted_before_.clear();
  if (state.has("fitted_before")) {  // not in states of before
    for (const std::int64_t label : state.get<std::vector<std::int64_t>>("fitted_before")) {
      fitted_before_.insert(static_cast<Label>(label));
    }
  }
}

}  // namespace tyto
