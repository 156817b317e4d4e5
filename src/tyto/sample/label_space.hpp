// SPDX-License-Identifier: Apache-2.0
// The classes one predictor knows of. Entries never move or vanish; an entry means nothing in
// another space, so labels are compared by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

enum class Label : std::int32_t { unknown = 0 };

enum class LabelKind : std::uint8_t { unknown, known, discovered, retired };

constexpr std::string_view kUnknownName = "unknown";

class LabelSpace {
 public:
  LabelSpace();  // has the entry `unknown`

  // The entry of that name, new if need be. "unknown" and "discovered_<n>" are reserved.
  Label add_known(std::string_view name);
  // Names itself discovered_<n>; `origin` goes on record: "split from discovered_3".
  Label add_discovered(std::string_view origin = {});
  // A discovered class was named, merged or split; `why` goes on record.
  void retire(Label discovered, Label into, std::string_view why);

  [[nodiscard]] Index size() const { return static_cast<Index>(entries_.size()); }

  [[nodiscard]] LabelKind kind(Label label) const { return entry(label).kind; }

  [[nodiscard]] const std::string& name(Label label) const { return entry(label).name; }

  [[nodiscard]] std::optional<Label> find(std::string_view name) const;

  [[nodiscard]] Label merged_into(Label retired) const { return entry(retired).into; }

  [[nodiscard]] const std::string& origin(Label label) const { return entry(label).origin; }

  [[nodiscard]] const std::string& why_retired(Label label) const { return entry(label).why; }

  [[nodiscard]] std::vector<Label> known() const;
  [[nodiscard]] std::vector<std::string> known_names() const;

  void save(State& state) const;
  static LabelSpace loaded(const State& state);

 private:
  struct Entry {
    std::string name, origin, why;
    LabelKind kind;
    Label into;
  };

  [[nodiscard]] const Entry& entry(Label label) const;

  std::vector<Entry> entries_;
  std::map<std::string, Label, std::less<>> by_name_;
  Index discovered_ = 0;
};

void save_labels(State& state, std::string_view key, std::span<const Label> labels);
std::vector<Label> load_labels(const State& state, std::string_view key);

}  // namespace tyto

// Example:
//
//   LabelSpace space;  // `unknown` alone
//   const Label walk = space.add_known("walk");
//   const bool same = space.find("walk") == walk;
