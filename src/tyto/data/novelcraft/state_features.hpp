// SPDX-License-Identifier: Apache-2.0
// States of a game as rows of numbers, by a description:
//
//   numeric:
//     - {counts: inventory}                 # a variable per item: how many are held
//     - {key: player.yaw}                   # dots descend
//   categorical:                            # one-hot, with a last column for words never seen
//     - {key: inventory.selectedItem.item}
//     - {key: blockInFront.name, or: none}  # what stands for it where a state lacks it
//
// Which items and words there are is learned from standard training episodes: what comes up later
// is masked (an item) or "unknown" (a word).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tyto/core/config.hpp"
#include "tyto/core/matrix.hpp"

namespace tyto {

struct StateVariable {
  enum class Kind { counts, number, word };

  Kind kind = Kind::number;
  std::string key;
  std::optional<std::string> otherwise = {};
};

// Numbers first.
using StateDescription = std::vector<StateVariable>;

// Counts of the inventory, the object in hand and the object in front: those of the paper.
StateDescription standard_state_description();

// Throws Error(config) naming the place of what is no description.
StateDescription read_state_description(const ConfigNode& node);

// What a state says of each variable of a description.
struct StateReading {
  std::vector<std::map<std::string, double>> counts;  // those of this kind, in order
  std::vector<double> numbers;
  std::vector<std::string> words;
};

// Throws Error(data) with `file` and the key that the state lacks or that is of another kind.
StateReading read_state(const nlohmann::json& state, const StateDescription& description,
                        const std::string& file);

class StateEncoder {
 public:
  // `standard`: readings of standard training episodes. Throws Error(data) where there are none.
  StateEncoder(StateDescription description, std::span<const StateReading* const> standard);

  [[nodiscard]] Index width() const { return static_cast<Index>(columns_.size()); }

  // "inventory:minecraft:log", "player.yaw", "blockInFront.name=unknown".
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  [[nodiscard]] Index numeric() const { return numeric_; }  // columns that come first

  // Widths of the one-hot groups that follow.
  [[nodiscard]] const std::vector<Index>& categories() const { return categories_; }

  // Returns how many items and words the standard episodes did not have.
  Index encode(const StateReading& reading, float* row) const;

 private:
  std::vector<std::vector<std::string>> items_, words_;  // sorted, of each such variable
  std::vector<std::string> columns_;
  Index numeric_ = 0;
  std::vector<Index> categories_;
  StateDescription description_;
};

}  // namespace tyto
