// SPDX-License-Identifier: Apache-2.0
// A simulated world whose samples are dealt in tasks.
#pragma once

#include <string_view>

#include "tyto/world/registry.hpp"
#include "tyto/world/tasks/task_plan.hpp"

namespace tyto {

// `Options` has the options of `tasks` as `deal`, and a check(); `make` draws the samples.
template <class Options>
WorldSpec simulated_tasks(std::string_view name, std::string_view summary,
                          Dataset (*make)(const Options& options, std::uint64_t seed)) {
  WorldSpec spec;
  spec.name = name;
  spec.summary = summary;
  spec.needs_data = false;
  const auto read = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<Options>(node, path);
    options.deal.path = path;
    options.check();
    return options;
  };
  describe_options<Options>(spec, read);
  spec.simulate = [read, make](const ConfigNode& node, std::string_view path, std::uint64_t seed) {
    return make(read(node, path), seed);
  };
  spec.build = [read, make](const ConfigNode& node, std::string_view path,
                            const std::vector<Dataset>&, std::uint64_t seed) {
    const Options options = read(node, path);
    return build_tasks(
        plain_samples(make(options, seed), options.deal, Rng(seed, "world").fork("samples")),
        options.deal, seed);
  };
  return spec;
}

}  // namespace tyto
