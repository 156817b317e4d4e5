// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/open_backbone.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/extract/network_file.hpp"
#include "tyto/engine/extract/recipe_options.hpp"
#include "tyto/nn/backbones.hpp"
#include "tyto/nn/module.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"
#include "tyto/video/module.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

struct NetworkFile {
  fs::path network;
  std::string name, feature, logits;
  std::vector<std::string> classes;
  ConfigNode recipe = ConfigNode::empty_map();
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    out.push_back(line);
  }
  return out;
}

NetworkFile read_description(const fs::path& path) {
  NetworkFile out;
  std::string network, classes;
  read_options(load_yaml(path), "", [&](OptionVisitor& v) {
    v.field("network", network, {}, "file: .onnx, TorchScript (.pt), or a checkpoint");
    v.field("name", out.name, {}, "of a checkpoint: which network it is");
    v.field("feature", out.feature, {}, "layer or output of the feature");
    v.field("logits", out.logits, {}, "layer or output of the class scores");
    v.field("classes", classes, {}, "file with a class a line");
    v.field("recipe", out.recipe, "what pictures go through");
  });
  if (network.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: network: the file of the network is not named", path.string()));
  }
  out.network = path.parent_path() / network;
  if (!classes.empty()) {
    out.classes = lines_of(read_file(path.parent_path() / classes));
  }
  return out;
}

std::unique_ptr<Backbone> from_tensors(const std::string& name, const fs::path& path,
                                       const TensorFile& tensors, const ConfigNode& changes,
                                       std::vector<std::string> classes) {
  const BackboneSpec& known = find_backbone(name);
  BackboneSpec spec = known;
  const auto own = tensors.metadata.find(kRecipeKey);
  if (own != tensors.metadata.end()) {
    spec.recipe = read_recipe(parse_yaml(own->second, kRecipeKey), spec.recipe, "recipe");
  }
  const auto named = tensors.metadata.find(kClassesKey);
  if (classes.empty() && named != tensors.metadata.end()) {
    classes = lines_of(named->second);
  }
  spec.recipe = read_recipe(changes, spec.recipe, "recipe");
  BackboneSettings settings;
  settings.classes = std::move(classes);
  try {
    return nn_module().make_backbone(spec, tensors, settings);
  } catch (const Error& problem) {
    throw Error(problem.kind(), fmt::format("{}: {}", path.string(), problem.what()));
  }
}

bool has_ending(const fs::path& path, std::initializer_list<std::string_view> endings) {
  const std::string suffix = path.extension().string();
  return std::find(endings.begin(), endings.end(), suffix) != endings.end();
}

std::unique_ptr<Backbone> from_description(const NetworkFile& file, const ConfigNode& changes) {
  if (!fs::exists(file.network)) {
    throw Error(ErrorKind::io, fmt::format("{}: there is no such file", file.network.string()));
  }
  if (!file.name.empty()) {
    return from_tensors(file.name, file.network, read_tensors(file.network),
                        merge(file.recipe, changes), file.classes);
  }
  const Recipe recipe = read_recipe(merge(file.recipe, changes), {}, "recipe");
  if (has_ending(file.network, {".onnx"})) {
    return video_module().open_onnx(
        file.network, recipe,
        {.feature_layer = file.feature, .logits_layer = file.logits, .classes = file.classes});
  }
  if (has_ending(file.network, {".pt", ".ts", ".torchscript"})) {
    ScriptSettings script;
    script.clips = recipe.frames > 1;
    script.classes = file.classes;
    script.feature = file.feature.empty() ? script.feature : file.feature;
    script.logits = file.logits.empty() ? script.logits : file.logits;
    return nn_module().open_torchscript(file.network, recipe, script);
  }
  throw Error(ErrorKind::config,
              fmt::format("{}: a checkpoint needs `name:`, the network that it is of; `tyto list "
                          "backbone` tells them",
                          file.network.string()));
}

std::unique_ptr<Backbone> from_checkpoint(const fs::path& path, const ConfigNode& changes) {
  const TensorFile tensors = read_tensors(path);
  const auto name = tensors.metadata.find(kNetworkKey);
  if (name == tensors.metadata.end()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: the file does not say which network it is of; name the network "
                            "and give the file by --weights",
                            path.string()));
  }
  return from_tensors(name->second, path, tensors, changes, {});
}

}  // namespace

std::unique_ptr<Backbone> open_backbone(const BackboneChoice& choice) {
  const fs::path file = choice.network;
  const bool is_file = file.has_extension() || file.has_parent_path();
  if (!is_file) {
    const BackboneSpec& spec = find_backbone(choice.network);
    if (choice.weights.empty()) {
      throw Error(ErrorKind::config,
                  fmt::format("{} comes without weights; give a checkpoint (.pth, .safetensors) by "
                              "--weights FILE",
                              spec.name));
    }
    return from_tensors(spec.name, choice.weights, read_tensors(choice.weights), choice.recipe, {});
  }
  if (!choice.weights.empty()) {
    throw Error(
        ErrorKind::config,
        fmt::format("--weights belongs to a network by name; {} is a file", choice.network));
  }
  if (!fs::exists(file)) {
    throw Error(ErrorKind::io, fmt::format("{}: there is no such file", file.string()));
  }
  if (has_ending(file, {".yaml", ".yml"})) {
    return from_description(read_description(file), choice.recipe);
  }
  if (has_ending(file, {".onnx", ".pt", ".ts", ".torchscript"})) {
    const fs::path beside = fs::path(file).replace_extension(".yaml");
    if (fs::exists(beside)) {
      return from_description(read_description(beside), choice.recipe);
    }
    if (has_ending(file, {".onnx"})) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: what pictures go through is not said; write it beside, in {}: "
                              "network: {}, recipe: {{...}} (`tyto explain recipe`)",
                              file.string(), beside.string(), file.filename().string()));
    }
  }
  return from_checkpoint(file, choice.recipe);
}

}  // namespace tyto
