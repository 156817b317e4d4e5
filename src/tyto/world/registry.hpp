// SPDX-License-Identifier: Apache-2.0
// The worlds by name. A world is one file that defines `WorldSpec <file>_spec()` and one line in
// world/CMakeLists.txt; it then appears in `tyto list` and `tyto explain`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/world/manifest.hpp"
#include "tyto/world/world.hpp"

namespace tyto {

// Labels granted after the start, where all of train and validate are granted anyway.
struct LabelBudget {
  double fraction = 1.0;       // of each increment's train split, rounded down
  std::optional<Index> total;  // instead: so many over the whole run
};

// How the start plays an open world in which options are tried out (rehearsal.hpp).
struct RehearsalOptions {
  double novel = 0.5;    // share of the start classes that come later
  Index increments = 3;  // at most: none is without a novel class
};

// Built once per experiment; every arm (predictor x budget) runs over a fresh world from it.
struct BuiltWorld : Interface {
  [[nodiscard]] virtual std::unique_ptr<World> make_world(const LabelBudget& budget) const = 0;
  [[nodiscard]] virtual const Truth& truth() const = 0;  // for the recorder and the measures
  [[nodiscard]] virtual std::shared_ptr<const FeatureStore> store() const = 0;
  [[nodiscard]] virtual std::string manifest() const = 0;  // CSV
  [[nodiscard]] virtual std::vector<IncrementCounts> counts() const = 0;
  [[nodiscard]] virtual std::vector<std::string> classes() const = 0;  // by first showing
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;    // rows left out, and why
  [[nodiscard]] virtual std::unique_ptr<BuiltWorld> rehearsal(const RehearsalOptions& options,
                                                              std::uint64_t seed) const = 0;
};

struct WorldSpec {
  std::string name, summary, paper;
  bool needs_data = true;
  std::vector<OptionHelp> options;
  std::function<std::unique_ptr<BuiltWorld>(const ConfigNode& options, std::string_view path,
                                            std::vector<Dataset> datasets, std::uint64_t seed)>
      build;
  // The options with defaults filled in, checked.
  std::function<ConfigNode(const ConfigNode& options, std::string_view path)> resolve;
};

std::span<const WorldSpec> world_specs();  // by name

// Throws Error(config) naming the worlds and the likeliest spelling.
const WorldSpec& find_world(std::string_view name);

// `options` with a key `kind` (increments where absent); `path` is its dotted name, for messages.
std::unique_ptr<BuiltWorld> build_world(const ConfigNode& options, std::string_view path,
                                        std::vector<Dataset> datasets, std::uint64_t seed);
ConfigNode resolve_world(const ConfigNode& options, std::string_view path);

}  // namespace tyto
