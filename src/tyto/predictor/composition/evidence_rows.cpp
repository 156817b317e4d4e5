// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/evidence_rows.hpp"

namespace tyto {

void add_block(const Evidence& block, Index begin, Evidence& all) {
  const auto add = [&](const Matrix& from, Matrix& to) {
    if (from.size() > 0) {
      if (to.size() == 0) {
        to.resize(all.size(), from.cols());
      }
      to.middleRows(begin, from.rows()) = from;
    }
  };
  add(block.features, all.features);
  add(block.logits, all.logits);
  add(block.embedding, all.embedding);
  add(block.probability, all.probability);
  add(block.membership, all.membership);
  if (!block.frames.first.empty()) {
    Frames& frames = all.frames;
    const Index before = frames.features.rows();
    frames.features.conservativeResize(before + block.frames.features.rows(),
                                       block.frames.features.cols());
    frames.features.bottomRows(block.frames.features.rows()) = block.frames.features;
    frames.first.resize(at(begin));  // the end so far is where the block begins
    for (const Index first : block.frames.first) {
      frames.first.push_back(before + first);
    }
  }
  all.classes = block.classes;
  all.groups = block.groups;
  all.classifier = block.classifier;
  all.held = block.held;
  all.p_value.insert(all.p_value.end(), block.p_value.begin(), block.p_value.end());
  all.novel.insert(all.novel.end(), block.novel.begin(), block.novel.end());
  all.novelty.insert(all.novelty.end(), block.novelty.begin(), block.novelty.end());
}

Evidence picked(const Evidence& evidence, Rows rows) {
  Evidence out;
  out.samples = evidence.samples.pick(rows);
  const auto take = [&](const Matrix& from, Matrix& to) {
    if (from.size() > 0) {
      to = from(rows, Eigen::all);
    }
  };
  const auto take_list = [&](const auto& from, auto& to) {
    if (!from.empty()) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        to.push_back(from[at(rows[i])]);
      }
    }
  };
  take(evidence.features, out.features);
  take(evidence.logits, out.logits);
  take(evidence.embedding, out.embedding);
  take(evidence.probability, out.probability);
  take(evidence.log_known, out.log_known);
  take(evidence.membership, out.membership);
  take_list(evidence.temperature, out.temperature);
  take_list(evidence.novelty, out.novelty);
  take_list(evidence.p_value, out.p_value);
  take_list(evidence.novel, out.novel);
  out.classes = evidence.classes;
  out.groups = evidence.groups;
  out.held = evidence.held;
  out.classifier = evidence.classifier;
  return out;
}

}  // namespace tyto
