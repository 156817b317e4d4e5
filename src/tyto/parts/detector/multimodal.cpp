// SPDX-License-Identifier: Apache-2.0
// Detectors on several sources of the same samples: pictures and states, say.
#include <array>

#include "tyto/parts/detector/score_fusion.hpp"

namespace tyto {

namespace {

struct MultimodalOptions : FusionOptions {
  MultimodalOptions() : FusionOptions("[mahalanobis, autoencoder]", "conformal") {}

  void describe(OptionVisitor& v) {
    static constexpr std::array<std::string_view, 2> kForms{"sound", "released"};
    FusionOptions::describe(v);
    v.field("form", form, kForms,
            "released: the sum of s / 0.0065 and (s - 0.2429) / (29.5301 - 0.2429), as in the "
            "authors' code; needs `average: range` and two detectors, of pictures and of states");
  }

  void resolve_nested(std::string_view path) {
    FusionOptions::resolve_nested(path);
    if (form == "released" &&
        (average != "range" || detectors.items.size() != 2 || !weights.empty())) {
      throw Error(ErrorKind::config,
                  fmt::format("{}.form: released is for `average: range`, two detectors and no "
                              "weights; here the average is {}, of {} detectors with {} weights",
                              path, average, detectors.items.size(), weights.size()));
    }
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
