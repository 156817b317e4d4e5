// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/journal.hpp"

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"

namespace tyto {

void Journal::add(Index step, const Notes& notes, const LabelSpace& space) {
  if (const auto& change = notes.change;
      change && change->seen > 0 && (step != last_step_ || change->seen != last_seen_)) {
    alarms_.push_back(fmt::format("{},{},{:.6g},{},{},{},{:.6g}", step, change->seen,
                                  change->log_evidence, change->changed ? 1 : 0,
                                  change->since < 0 ? "" : fmt::format("{}", change->since),
                                  change_name(change->kind), change->novel_share));
    last_step_ = step;
    last_seen_ = change->seen;
  }
  memory_.add(step, notes, space);
  found_.resize(static_cast<std::size_t>(space.size()), -1);
  retired_.resize(static_cast<std::size_t>(space.size()), -1);
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const LabelKind kind = space.kind(static_cast<Label>(i));
    const bool discovered = kind == LabelKind::discovered || kind == LabelKind::retired;
    found_[i] = discovered && found_[i] < 0 ? step : found_[i];
    retired_[i] = kind == LabelKind::retired && retired_[i] < 0 ? step : retired_[i];
  }
}

void Journal::save(State& state) const {
  state.set("alarms", alarms_);
  state.set("last_step", std::int64_t{last_step_});
  state.set("last_seen", std::int64_t{last_seen_});
  state.set("found", found_);
  state.set("retired", retired_);
  memory_.save(state.make_child("memory"));
}

void Journal::load(const State& state) {
  alarms_ = state.get<std::vector<std::string>>("alarms");
  last_step_ = state.get<std::int64_t>("last_step");
  last_seen_ = state.get<std::int64_t>("last_seen");
  found_ = state.get<std::vector<std::int64_t>>("found");
  retired_ = state.get<std::vector<std::int64_t>>("retired");
  if (state.children.contains("memory")) {  // not of a run begun before it was written
    memory_.load(state.child("memory"));
  }
}

std::string Journal::alarms(std::string_view arm) const {
  std::string text;
  for (const std::string& line : alarms_) {
    text += fmt::format("{},{}\n", csv_field(arm), line);
  }
  return text;
}

std::string Journal::discoveries(std::string_view arm, const LabelSpace& space) const {
  std::string text;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    if (found_[i] < 0) {
      continue;
    }
    const auto label = static_cast<Label>(i);
    const bool retired = retired_[i] >= 0;
    text +=
        fmt::format("{},{},{},{},{},{},{}\n", csv_field(arm), space.name(label), found_[i],
                    csv_field(space.origin(label)), retired ? fmt::format("{}", retired_[i]) : "",
                    retired ? csv_field(space.name(space.merged_into(label))) : "",
                    csv_field(space.why_retired(label)));
  }
  return text;
}

}  // namespace tyto
