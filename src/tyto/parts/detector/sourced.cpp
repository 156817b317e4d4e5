// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/sourced.hpp"

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/math/all_finite.hpp"

namespace tyto {

Evidence sourced(const Evidence& evidence, const std::string& source, bool frames) {
  Evidence out;
  out.samples = evidence.samples.reading(source);
  out.features = out.samples.rows();
  if (!all_finite(out.features)) {
    throw Error(ErrorKind::data,
                fmt::format("source \"{}\" of a batch of {} has numbers that are not finite",
                            source, evidence.size()));
  }
  if (frames) {
    out.frames = frames_of(out.samples, [](const MatrixView& rows) { return Matrix(rows); });
  }
  out.logits = evidence.logits;
  out.classes = evidence.classes;
  out.embedding = evidence.embedding;
  out.probability = evidence.probability;
  out.classifier = evidence.classifier;
  return out;
}

void SourcedExperience::each_block(Role role, Index from, const Visit& visit) const {
  from_.each_block(role, from, [&](const Evidence& block, std::span<const Label> labels) {
    visit(sourced(block, source_, frames_), labels);
  });
}

}  // namespace tyto
