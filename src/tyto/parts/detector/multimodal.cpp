// SPDX-License-Identifier: Apache-2.0
// Detectors on several sources of the same samples: pictures and states, say.
#include "tyto/parts/detector/score_fusion.hpp"

namespace tyto {

namespace {

struct MultimodalOptions : FusionOptions {
  MultimodalOptions() : FusionOptions("[mahalanobis, autoencoder]", "conformal") {}

  void resolve_nested(std::string_view path) {
    FusionOptions::resolve_nested(path);
    if (detectors.items.size() < 2) {
      throw Error(ErrorKind::config,
                  fmt::format("{}.detectors: at least two, each with its source", path));
    }
  }
};

}  // namespace

PartSpec multimodal_spec() {
  return nesting_part_spec<MultimodalOptions, ScoreFusion>(
      "multimodal", {Slot::detector},
      "detectors on several sources of the samples, their p-values combined",
      "that of its detectors, O(log h) a score besides, O(h) memory, h the held-out samples",
      "Feeney et al., NovelCraft: A Dataset for Novelty Detection and Discovery in Open Worlds, "
      "TMLR 2023, with average: range");
}

}  // namespace tyto
