// SPDX-License-Identifier: Apache-2.0
// What every memory does with an experience: one row per sample id, then keep some of them.
#pragma once

#include <span>
#include <vector>

#include "tyto/parts/slots.hpp"

namespace tyto {

// Samples with their labels and roles, row by row.
struct Kept {
  Samples samples;
  std::vector<Label> labels;
  std::vector<Role> roles;
  bool own = false;  // the store is ours: it goes into the state rather than its digest

  [[nodiscard]] Index size() const { return samples.size(); }
};

// One candidate: a row of what was kept so far, or of the experience.
struct Candidate {
  SampleId id;
  Label label;
  Role role;
  bool old;             // row of the former memory
  Index row;            // there, or in the experience
  Index frames, bytes;  // its size when it is kept, the values in all sources
  Index whole;          // frames it has now
};

Holding holding_of(const Samples& samples);

// Every sample once, in the order of first appearance, the former memory first. A later labelled
// row of the same id replaces an earlier one; the role decided first stays.
std::vector<Candidate> candidates(const Kept& former, const Experience& experience);

// The chosen ones, in this order, the former memory first. Lasting samples of one store stay
// references to it unless `copy`; all else is copied into a store of its own. `frames`: those to
// keep of each chosen one, as Samples::reframed has them; none at all: every one.
Kept kept(const Kept& former, const Experience& experience, std::span<const Candidate> chosen,
          bool copy, std::span<const std::vector<FrameMean>> frames = {});

void save_kept(const Kept& kept, State& state);
// Rows of a store elsewhere are copied into the state, which then stands alone.
void make_whole(State& kept, const Shelf& shelf);
// An Error names the digest when the store is on no shelf.
Kept load_kept(const State& state, const Shelf& shelf);

}  // namespace tyto
