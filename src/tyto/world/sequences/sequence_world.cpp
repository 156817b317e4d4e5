// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/registry.hpp"
#include "tyto/world/sequences/sequences.hpp"
#include "tyto/world/tasks/task_plan.hpp"

namespace tyto {

WorldSpec sequence_world_spec() {
  WorldSpec spec;
  spec.name = "sequences";
  spec.summary = "simulated: videos told by motion or appearance, in tasks of classes";
  spec.needs_data = false;
  const auto read = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<SequenceOptions>(node, path);
    options.deal.path = path;
    options.check();
    return options;
  };
  describe_options<SequenceOptions>(spec, read);
  spec.simulate = [read](const ConfigNode& node, std::string_view path, std::uint64_t seed) {
    return make_sequences(read(node, path), seed);
  };
  spec.build = [read](const ConfigNode& node, std::string_view path, const std::vector<Dataset>&,
                      std::uint64_t seed) {
    const SequenceOptions options = read(node, path);
    return build_tasks(plain_samples(make_sequences(options, seed), options.deal,
                                     Rng(seed, "world").fork("samples")),
                       options.deal, seed);
  };
  return spec;
}

}  // namespace tyto
