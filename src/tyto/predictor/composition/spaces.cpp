// SPDX-License-Identifier: Apache-2.0
// Detector and recogniser may look for the new among the features or among what the classifier
// makes of them: its embedding, or its scores of the known classes.
#include "tyto/core/parallel.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/predictor/composition/composition.hpp"
#include "tyto/predictor/composition/spaced_experience.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kSpacedRows = 8192;  // classified at a time

Matrix rows_in(Space space, const Evidence& evidence) {
  switch (space) {
    case Space::features: break;
    case Space::embedding: return evidence.embedding;
    case Space::logits: return evidence.logits(Eigen::all, known_columns(evidence));
  }
  return evidence.features;
}

}  // namespace

Matrix Composition::rows_of(const Samples& given, Space space) const {
  const Samples samples = seen(given);
  Matrix rows;
  in_blocks(samples.size(), samples_per_block(samples, kSpacedRows), [&](Index begin, Index count) {
    Evidence evidence = look(samples.slice(begin, count));
    find_near(evidence);
    score(evidence);
    const Matrix block = rows_in(space, evidence);
    if (begin == 0) {
      rows.resize(samples.size(), block.cols());
    }
    rows.middleRows(begin, count) = block;
  });
  return rows;
}

Evidence Composition::in_space(const Evidence& evidence, Space space) const {
  Evidence out = evidence;
  if (space == Space::features) {
    return out;
  }
  out.features = rows_in(space, evidence);
  out.frames = {};
  out.near.reset();
  const NeighbourWants wants = neighbours_wanted();
  if (wants.remembered > 0 || wants.batch > 0) {
    out.near = find_neighbours(
        out.features, parts_.memory,
        [this, space](const Samples& remembered) { return rows_of(remembered, space); }, wants,
        &found_in(space));
  }
  return out;
}

SpacedExperience Composition::in_space(const Experience& experience, Space space,
                                       bool moved) const {
  return {experience,
          {[this, space](const Evidence& evidence) { return in_space(evidence, space); },
           [this, space](const Samples& samples) { return rows_of(samples, space); }},
          moved};
}

void Composition::detect(Evidence& evidence) const {
  if (parts_.detector_space == Space::features) {
    parts_.detector->detect(evidence);
    return;
  }
  Evidence seen = in_space(evidence, parts_.detector_space);
  parts_.detector->detect(seen);
  evidence.novelty = std::move(seen.novelty);
}

void Composition::recognise(Evidence& evidence) const {
  if (parts_.recogniser_space == Space::features) {
    parts_.recogniser->recognise(evidence);
    return;
  }
  Evidence seen = in_space(evidence, parts_.recogniser_space);
  parts_.recogniser->recognise(seen);
  evidence.groups = std::move(seen.groups);
  evidence.membership = std::move(seen.membership);
}

void Composition::forget_found() {
  for (NeighbourCache& cache : found_) {
    cache.forget();
  }
  scored_.forget();
}

}  // namespace tyto
