// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/registry.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

#define TYTO_WORLD(name) WorldSpec name##_spec();
#include "builtin_worlds.inc"
#undef TYTO_WORLD

namespace {

const WorldSpec& spec_of(const ConfigNode& options, std::string_view path) {
  const ConfigNode* kind = options.find("kind");
  if (kind == nullptr || kind->is_null()) {
    return find_world("increments");
  }
  try {
    return find_world(kind->text);
  } catch (const Error& error) {
    const std::string place = kind->place();
    throw Error(ErrorKind::config, fmt::format("{}{}{}.kind: {}", place, place.empty() ? "" : ": ",
                                               path, error.what()));
  }
}

ConfigNode without_kind(ConfigNode options) {
  options.remove("kind");
  return options;
}

void sort_by_name(std::vector<WorldSpec>& specs) {
  std::stable_sort(specs.begin(), specs.end(),
                   [](const WorldSpec& a, const WorldSpec& b) { return a.name < b.name; });
}

std::vector<WorldSpec>& all_worlds() {
  static std::vector<WorldSpec> specs = [] {
    std::vector<WorldSpec> all;
#define TYTO_WORLD(name) all.push_back(name##_spec());
#include "builtin_worlds.inc"
#undef TYTO_WORLD
    sort_by_name(all);
    return all;
  }();
  return specs;
}

}  // namespace

std::span<const WorldSpec> world_specs() {
  return all_worlds();
}

void add_world(WorldSpec spec) {
  std::vector<WorldSpec>& all = all_worlds();
  std::erase_if(all, [&](const WorldSpec& other) { return other.name == spec.name; });
  all.push_back(std::move(spec));
  sort_by_name(all);
}

const WorldSpec& find_world(std::string_view name) {
  return find_named(world_specs(), "world", name);
}

std::unique_ptr<WorldSource> build_world(const ConfigNode& options, std::string_view path,
                                         std::vector<Dataset> datasets, std::uint64_t seed) {
  const WorldSpec& spec = spec_of(options, path);
  if (!spec.needs_data && !datasets.empty()) {
    throw Error(ErrorKind::config, fmt::format("{}.kind: the world \"{}\" makes its own data and "
                                               "takes no dataset, {} given",
                                               path, spec.name, datasets.size()));
  }
  return spec.build(without_kind(options), path, std::move(datasets), seed);
}

Dataset simulate_world(const ConfigNode& options, std::string_view path, std::uint64_t seed) {
  const WorldSpec& spec = spec_of(options, path);
  if (!spec.simulate) {
    std::vector<std::string> simulated;
    for (const WorldSpec& other : world_specs()) {
      if (other.simulate) {
        simulated.push_back(other.name);
      }
    }
    throw Error(ErrorKind::config, fmt::format("{}.kind: the world \"{}\" is not simulated; these "
                                               "are: {}",
                                               path, spec.name, fmt::join(simulated, ", ")));
  }
  Dataset made = spec.simulate(without_kind(options), path, seed);
  made.name = spec.name;
  return made;
}

ConfigNode resolve_world(const ConfigNode& options, std::string_view path) {
  const WorldSpec& spec = spec_of(options, path);
  ConfigNode resolved = ConfigNode::empty_map();
  resolved.put("kind", ConfigNode::scalar(spec.name));
  for (const auto& [key, value] : spec.resolve(without_kind(options), path).pairs) {
    resolved.put(key, value);
  }
  return resolved;
}

}  // namespace tyto
