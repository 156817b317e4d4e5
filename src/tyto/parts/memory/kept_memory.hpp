// SPDX-License-Identifier: Apache-2.0
// What memories have in common that keep some of what they are shown.
#pragma once

#include "tyto/parts/memory/kept.hpp"

namespace tyto {

class KeptMemory : public Part, public Memory {
 public:
  [[nodiscard]] const Samples& samples() const final { return kept_.samples; }

  [[nodiscard]] const std::vector<Label>& labels() const final { return kept_.labels; }

  [[nodiscard]] const std::vector<Role>& roles() const final { return kept_.roles; }

  [[nodiscard]] Holding holding() const final { return holding_of(kept_.samples); }

  void save(State& state) const override { save_kept(kept_, state); }

  void load(const State& state, const Shelf& shelf) override { kept_ = load_kept(state, shelf); }

 protected:
  Kept kept_;
};

}  // namespace tyto
