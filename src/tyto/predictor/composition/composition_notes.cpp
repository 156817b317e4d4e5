// SPDX-License-Identifier: Apache-2.0
// What a composition tells of itself.
#include <set>

#include "tyto/predictor/composition/composition.hpp"
#include "tyto/predictor/make_predictor.hpp"
#include "tyto/predictor/notes.hpp"

namespace tyto {

namespace {

std::vector<ClassHolding> by_class(const Memory& memory) {
  const Holding all = dynamic_cast<const Part&>(memory).holding();
  const Index frame_bytes = all.frames == 0 ? 0 : all.bytes / all.frames;
  std::map<Label, Holding> held;
  for (Index i = 0; i < memory.samples().size(); ++i) {
    Holding& own = held[memory.labels()[static_cast<std::size_t>(i)]];
    own.samples += 1;
    own.frames += memory.samples().frame_count(i);
    own.bytes = own.frames * frame_bytes;
  }
  std::vector<ClassHolding> out;
  out.reserve(held.size());
  for (const auto& [label, own] : held) {
    out.push_back({label, own});
  }
  return out;
}

}  // namespace

void Composition::tell(Notes& notes) const {
  if (parts_.calibrator != nullptr) {
    notes.calibration = parts_.calibrator->fitted();
  }
  if (parts_.representation != nullptr) {
    notes.representation = parts_.representation->settled();
  }
  notes.change = change();
  notes.remembered = remembered();
  notes.frames_shown = frames_shown_;
  if (parts_.memory != nullptr) {
    notes.by_class = by_class(*parts_.memory);
    notes.memory = parts_.memory->terms();
  }
  std::set<const Part*> counted;  // one object in several slots is counted once
  for (const auto& [slot, part] : parts_.owned) {
    if (counted.insert(part.get()).second) {
      const Holding own = part->holding();
      notes.kept.samples += own.samples;
      notes.kept.frames += own.frames;
      notes.kept.bytes += own.bytes;
    }
  }
  notes.cautions = cautions();
}

std::vector<std::string> Composition::cautions() const {
  if (parts_.detector == nullptr || !is_fitted()) {
    return {};
  }
  return threshold_.cautions(parts_.detector->own_threshold());
}

std::unique_ptr<Predictor> make_predictor(const PredictorConfig& config, std::uint64_t seed) {
  return std::make_unique<Composition>(config, seed);
}

}  // namespace tyto
