// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/nuisance.hpp"

#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/video/nuisance/kinds.hpp"

namespace tyto {

std::span<const NuisanceSpec> nuisance_specs() {
  static const std::vector<NuisanceSpec> specs{
      blur_nuisance(),  flip_nuisance(),        invert_nuisance(),  jitter_nuisance(),
      noise_nuisance(), perspective_nuisance(), rotation_nuisance()};
  return specs;
}

const NuisanceSpec& find_nuisance(std::string_view name) {
  return find_named(nuisance_specs(), "nuisance", name);
}

std::unique_ptr<VisualNuisance> make_nuisance(const ConfigNode& node, std::string_view path) {
  const ConfigNode* name = node.kind == ConfigNode::Kind::scalar ? &node : node.find("name");
  if (name == nullptr || name->kind != ConfigNode::Kind::scalar) {
    const std::string place = node.place();
    throw Error(ErrorKind::config,
                fmt::format("{}{}{}: a nuisance is a name, or {{name: ..., options}}", place,
                            place.empty() ? "" : ": ", path));
  }
  ConfigNode options = node.kind == ConfigNode::Kind::map ? node : ConfigNode::empty_map();
  options.remove("name");
  return find_nuisance(name->text).make(options, path);
}

Rng nuisance_stream(std::uint64_t seed, std::string_view nuisance, std::string_view video) {
  return Rng(seed, "nuisance").fork(nuisance).fork(video);
}

}  // namespace tyto
