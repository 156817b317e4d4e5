// SPDX-License-Identifier: Apache-2.0
// A network by name or from a file.
//
//   resnet34 --weights resnet34.pth       a name from `tyto list backbone`, and a checkpoint
//   trained.safetensors                   what `tyto train-backbone` wrote
//   mobilenet.onnx, script.pt             with a description beside it, mobilenet.yaml, script.yaml
//   mobilenet.yaml                        the description:
//
//     network: mobilenet.onnx   # .onnx, TorchScript (.pt), or a checkpoint
//     name: resnet34            # of a checkpoint: which network it is
//     feature: pool5            # of ONNX: the layer, else the last; of TorchScript: which output
//     logits: fc                # none where absent
//     classes: classes.txt      # a name a line
//     recipe: {fit: stretch, height: 224, width: 224, mean: [0.5, 0.5, 0.5]}
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tyto/core/config.hpp"
#include "tyto/nn/backbone.hpp"

namespace tyto {

struct BackboneChoice {
  std::string network;            // a name or a file
  std::filesystem::path weights;  // of a name; may be empty for a file
  ConfigNode recipe;              // what differs from the network's own
};

// Throws Error(config) where name, file and weights do not fit together, Error(data) naming the
// file that is not what it should be.
std::unique_ptr<Backbone> open_backbone(const BackboneChoice& choice);

}  // namespace tyto
