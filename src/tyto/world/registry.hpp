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

#include "tyto/core/described.hpp"
#include "tyto/data/dataset.hpp"
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

// What is shown, for the reader.
struct WorldFacts {
  std::string text;                // a few lines for people: steps, samples, classes
  std::vector<std::string> notes;  // rows left out, and why
  std::string manifest;            // CSV, a row per sample shown; "": the world has none
  std::vector<Index> samples;  // by step, as far as it is known beforehand: to tell the time left
  bool tells_last_shown = false;  // World::last_shown says something
};

struct Rehearsable;

// Where the worlds of an experiment come from: built once; every arm (predictor x budget) runs over
// a fresh world from it. The first three every source has; the others only some, and who asks must
// do without them: a world behind a wire never reveals its truth.
struct WorldSource : Interface {
  [[nodiscard]] virtual std::unique_ptr<World> make_world(const LabelBudget& budget) const = 0;
  // Those that saved samples may refer to.
  [[nodiscard]] virtual std::vector<std::shared_ptr<const FeatureStore>> stores() const = 0;
  [[nodiscard]] virtual WorldFacts facts() const = 0;

  // For the recorder and the measures.
  [[nodiscard]] virtual const Truth* truth() const { return nullptr; }

  // How its samples are drawn, where they are pictures of one dataset or of its own making.
  [[nodiscard]] virtual std::optional<PictureLayout> picture() const { return std::nullopt; }

  [[nodiscard]] virtual const Rehearsable* rehearsable() const { return nullptr; }
};

// A world whose start can play an open world of its own.
struct Rehearsable : Interface {
  [[nodiscard]] virtual std::unique_ptr<WorldSource> rehearsal(const RehearsalOptions& options,
                                                               std::uint64_t seed) const = 0;
};

struct WorldSpec : Description {
  bool needs_data = true;
  // Of these options: a simulated world named there may stand for the data. None: data it must be.
  std::function<bool(const ConfigNode& options)> does_without_data = {};
  // Of a simulated world: all its samples as a dataset, for other worlds to deal.
  std::function<Dataset(const ConfigNode& options, std::string_view path, std::uint64_t seed)>
      simulate = {};
  std::function<std::unique_ptr<WorldSource>(const ConfigNode& options, std::string_view path,
                                             std::vector<Dataset> datasets, std::uint64_t seed)>
      build;
};

std::span<const WorldSpec> world_specs();  // by name

// One that a user of the library brings along; replaces one of that name. Before anything else uses
// the worlds: not thread safe.
void add_world(WorldSpec spec);

// Throws Error(config) naming the worlds and the likeliest spelling.
const WorldSpec& find_world(std::string_view name);

// `options` with a key `kind` (increments where absent); `path` is its dotted name, for messages.
std::unique_ptr<WorldSource> build_world(const ConfigNode& options, std::string_view path,
                                         std::vector<Dataset> datasets, std::uint64_t seed);
// Samples of a simulated world, by options with the key `kind`. Throws Error(config) where the
// world of that name is none.
Dataset simulate_world(const ConfigNode& options, std::string_view path, std::uint64_t seed);
ConfigNode resolve_world(const ConfigNode& options, std::string_view path);

}  // namespace tyto

// Example:
//
//   const auto source = build_world(parse_yaml("kind: gaussians", "here"), "world", {}, 1);
//   const std::unique_ptr<World> world = source->make_world(LabelBudget{});
