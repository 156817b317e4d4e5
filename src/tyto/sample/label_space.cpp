// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/label_space.hpp"

#include <charconv>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr std::string_view kDiscovered = "discovered_";

bool is_reserved(std::string_view name) {
  if (name == kUnknownName || name.empty()) {
    return true;
  }
  if (!name.starts_with(kDiscovered)) {
    return false;
  }
  const auto digits = name.substr(kDiscovered.size());
  return !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
}

}  // namespace

LabelSpace::LabelSpace() {
  entries_.push_back({std::string(kUnknownName), "", "", LabelKind::unknown, Label::unknown});
  by_name_.emplace(kUnknownName, Label::unknown);
}

const LabelSpace::Entry& LabelSpace::entry(Label label) const {
  const auto at = static_cast<std::size_t>(label);
  TYTO_ASSERT(at < entries_.size());
  return entries_[at];
}

Label LabelSpace::add_known(std::string_view name) {
  if (is_reserved(name)) {
    throw Error(ErrorKind::data,
                fmt::format("a class cannot be called \"{}\": the name is reserved", name));
  }
  if (const auto found = find(name)) {
    return *found;
  }
  const auto label = static_cast<Label>(entries_.size());
  entries_.push_back({std::string(name), "", "", LabelKind::known, label});
  by_name_.emplace(name, label);
  return label;
}

Label LabelSpace::add_discovered(std::string_view origin) {
  const auto label = static_cast<Label>(entries_.size());
  std::string name = fmt::format("{}{}", kDiscovered, discovered_++);
  by_name_.emplace(name, label);
  entries_.push_back({std::move(name), std::string(origin), "", LabelKind::discovered, label});
  return label;
}

void LabelSpace::retire(Label discovered, Label into, std::string_view why) {
  TYTO_ASSERT(kind(discovered) == LabelKind::discovered);
  Entry& old = entries_[static_cast<std::size_t>(discovered)];
  old.kind = LabelKind::retired;
  old.into = into;
  old.why = why;
}

std::optional<Label> LabelSpace::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Label> LabelSpace::known() const {
  std::vector<Label> labels;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].kind == LabelKind::known) {
      labels.push_back(static_cast<Label>(i));
    }
  }
  return labels;
}

std::vector<std::string> LabelSpace::known_names() const {
  std::vector<std::string> names;
  for (const Label label : known()) {
    names.push_back(name(label));
  }
  return names;
}

void LabelSpace::save(State& state) const {
  std::vector<std::string> names;
  std::vector<std::string> origins;
  std::vector<std::string> reasons;
  std::vector<std::int64_t> kinds;
  std::vector<std::int64_t> into;
  for (const Entry& entry : entries_) {
    names.push_back(entry.name);
    origins.push_back(entry.origin);
    reasons.push_back(entry.why);
    kinds.push_back(static_cast<std::int64_t>(entry.kind));
    into.push_back(static_cast<std::int64_t>(entry.into));
  }
  state.set("names", std::move(names));
  state.set("origins", std::move(origins));
  state.set("why", std::move(reasons));
  state.set("kinds", std::move(kinds));
  state.set("into", std::move(into));
}

LabelSpace LabelSpace::loaded(const State& state) {
  LabelSpace space;
  const auto& names = state.get<std::vector<std::string>>("names");
  const auto& origins = state.get<std::vector<std::string>>("origins");
  const auto& why = state.get<std::vector<std::string>>("why");
  const auto& kinds = state.get<std::vector<std::int64_t>>("kinds");
  const auto& into = state.get<std::vector<std::int64_t>>("into");
  if (origins.size() != names.size() || why.size() != names.size() ||
      kinds.size() != names.size() || into.size() != names.size()) {
    throw Error(ErrorKind::state, "the saved label space has lists of different lengths");
  }
  space.entries_.clear();
  space.by_name_.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto kind = static_cast<LabelKind>(kinds[i]);
    space.entries_.push_back({names[i], origins[i], why[i], kind, static_cast<Label>(into[i])});
    space.by_name_.emplace(names[i], static_cast<Label>(i));
    if (kind == LabelKind::discovered || kind == LabelKind::retired) {
      ++space.discovered_;
    }
  }
  return space;
}

void save_labels(State& state, std::string_view key, std::span<const Label> labels) {
  std::vector<std::int64_t> numbers;
  for (const Label label : labels) {
    numbers.push_back(static_cast<std::int64_t>(label));
  }
  state.set(std::string(key), std::move(numbers));
}

std::vector<Label> load_labels(const State& state, std::string_view key) {
  std::vector<Label> labels;
  for (const std::int64_t number : state.get<std::vector<std::int64_t>>(std::string(key))) {
    labels.push_back(static_cast<Label>(number));
  }
  return labels;
}

}  // namespace tyto
