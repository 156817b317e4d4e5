// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/head_inputs.hpp"

#include "tyto/parts/known_columns.hpp"

namespace tyto {

namespace {

// `none`: the sums before the first row.
template <class Sums>
std::optional<LinearHead> learn_inputs(Sums& learned, const Sums& none,
                                       const Experience& experience, Work& work) {
  std::optional<LinearHead> head;
  const auto add_to = [&](Sums& sums) {
    return [&](const Evidence& block, std::span<const Label>) {
      if (block.features.rows() > 0) {
        sums.add(head_inputs(block));
        if (!head) {
          head = known_head(block);
        }
      }
      work.progress.pulse();
    };
  };
  Sums sums = experience.starts_over() ? none : learned;
  experience.each_block(Role::fit, experience.fresh(), add_to(sums));
  const bool all_shown = experience.starts_over() && experience.fresh() == 0;
  if (!all_shown && (!head || head->on_embedding)) {
    Sums again = none;
    experience.each_block(Role::fit, 0, add_to(again));
    if (head && head->on_embedding) {
      sums = again;
    }
  }
  if (head) {
    learned = std::move(sums);
  }
  return head;
}

}  // namespace

const Matrix& head_inputs(const Evidence& evidence) {
  return evidence.embedding.cols() > 0 ? evidence.embedding : evidence.features;
}

LinearHead known_head(const Evidence& evidence) {
  TYTO_ASSERT(evidence.classifier != nullptr && evidence.classifier->has_head());
  LinearHead head = evidence.classifier->head();
  const std::vector<Index> known = known_columns(evidence);
  if (known.size() == evidence.classes.size()) {
    return head;
  }
  return {head.weight(known, Eigen::all), head.bias(Eigen::all, known), head.on_embedding};
}

std::optional<LinearHead> learn_head_inputs(ClassStatistics& statistics, Scatter scatter,
                                            const Experience& experience, Work& work) {
  return learn_inputs(statistics, ClassStatistics(scatter), experience, work);
}

std::optional<LinearHead> learn_head_inputs(RowScatter& rows, const Experience& experience,
                                            Work& work) {
  return learn_inputs(rows, RowScatter(), experience, work);
}

}  // namespace tyto
