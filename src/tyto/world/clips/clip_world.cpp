// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/clips/clips.hpp"
#include "tyto/world/registry.hpp"
#include "tyto/world/tasks/task_plan.hpp"

namespace tyto {

WorldSpec clip_world_spec() {
  WorldSpec spec;
  spec.name = "clips";
  spec.summary = "simulated: small videos of moving shapes as pictures, in tasks of classes";
  spec.needs_data = false;
  const auto read = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<ClipOptions>(node, path);
    options.deal.path = path;
    options.check();
    return options;
  };
  describe_options<ClipOptions>(spec, read);
  spec.simulate = [read](const ConfigNode& node, std::string_view path, std::uint64_t seed) {
    return make_clips(read(node, path), seed);
  };
  spec.build = [read](const ConfigNode& node, std::string_view path, const std::vector<Dataset>&,
                      std::uint64_t seed) {
    const ClipOptions options = read(node, path);
    return build_tasks(
        plain_samples(make_clips(options, seed), options.deal, Rng(seed, "world").fork("samples")),
        options.deal, seed);
  };
  return spec;
}

}  // namespace tyto
