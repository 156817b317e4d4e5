// SPDX-License-Identifier: Apache-2.0
// The last two commits of an arm. One of them is whole at any moment, whatever is cut short, and a
// damaged file costs one commit, not the run.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "tyto/core/state.hpp"

namespace tyto {

class Checkpoint {
 public:
  using Warn = std::function<void(std::string_view)>;

  explicit Checkpoint(std::filesystem::path file);

  void write(State state);

  // The last commit, or the one before if that is damaged, which `warn` is told; none if there was
  // no commit yet. Throws Error(state) if both are damaged, or if another version wrote them: then
  // nothing is changed.
  [[nodiscard]] std::optional<State> read(const Warn& warn) const;

  // The last commit that can be read, for who looks on while the run may go on: nothing is changed.
  [[nodiscard]] std::optional<State> peek() const;

 private:
  std::filesystem::path file_, before_;
};

// Stamps a state with the format of this program, and refuses one of another.
void stamp(State& state);
void expect_stamp(const State& state, const std::filesystem::path& file);

}  // namespace tyto
