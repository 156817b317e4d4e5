// SPDX-License-Identifier: Apache-2.0
// The networks for pictures and clips that Tyto knows by name. Told without loading torch.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tyto/nn/backbone.hpp"
#include "tyto/nn/graph/graph.hpp"

namespace tyto {

struct BackboneSpec {
  std::string name, summary, paper;
  Recipe recipe;
  ClipShape input;       // as published
  Index parameters = 0;  // everything but running statistics, with the published number of classes
  Index features = 0, classes = 0;                          // 0 classes: no head
  Graph (*graph)(const GraphSettings& settings) = nullptr;  // the network itself, as data
};

std::span<const BackboneSpec> backbone_specs();  // by name

// Throws Error(config) naming the networks and the likeliest spelling.
const BackboneSpec& find_backbone(std::string_view name);

}  // namespace tyto
