// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/patch_heat.hpp"

#include <algorithm>

#include "tyto/engine/run/prepared_run.hpp"
#include "tyto/parts/detector/patch_grid.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr Index kMostSquares = 32;  // along a side of a picture

}  // namespace

bool looks_at_patches(const Experiment& experiment, std::string_view arm) {
  for (const Arm& one : arms_of(experiment)) {
    const auto choice = one.predictor.parts.find(Slot::detector);
    if (one.name == arm && choice != one.predictor.parts.end()) {
      const auto part = find_part(Slot::detector, choice->second.name)
                            .make(choice->second.options, slot_name(Slot::detector));
      return dynamic_cast<const PatchScorer*>(part.get()) != nullptr;
    }
  }
  return false;
}

std::optional<PictureHeat> patch_heat(const Composition& predictor, const Samples& one) {
  const auto* scorer = dynamic_cast<const PatchScorer*>(predictor.parts().detector);
  if (scorer == nullptr) {
    return std::nullopt;
  }
  const PatchMap map = scorer->patch_errors(predictor.represented(one));
  const CellMap cells = cells_of(map, 0, kMostSquares);
  Index worst = 0;
  map.errors.row(0).maxCoeff(&worst);
  return PictureHeat{map.grid.picture.height,
                     map.grid.picture.width,
                     cells.cell,
                     cells.errors,
                     worst / map.grid.columns() * map.grid.stride,
                     worst % map.grid.columns() * map.grid.stride,
                     map.grid.side};
}

}  // namespace tyto
