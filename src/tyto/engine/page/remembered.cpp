// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/remembered.hpp"

#include "tyto/engine/arm/checkpoint.hpp"
#include "tyto/parts/memory/kept.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

namespace {

const State* child_of(const State* state, std::string_view name) {
  if (state == nullptr || !state->children.contains(name)) {
    return nullptr;
  }
  return &state->child(name);
}

}  // namespace

Remembered remembered_by(const RunFolder& folder, std::string_view arm, const Shelf& shelf) {
  const std::optional<State> commit = Checkpoint(folder.checkpoint(arm)).peek();
  const State* predictor = child_of(commit ? &*commit : nullptr, "predictor");
  const State* memory = child_of(predictor, slot_name(Slot::memory));
  if (memory == nullptr || !memory->has("labels")) {
    return {};
  }
  const Kept kept = load_kept(*memory, shelf);
  const LabelSpace space = LabelSpace::loaded(predictor->child("space"));
  Remembered out{kept.samples, {}};
  for (const Label label : kept.labels) {
    out.labels.push_back(space.name(label));
  }
  return out;
}

}  // namespace tyto
