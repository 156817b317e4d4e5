// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/group_evidence.hpp"

#include <algorithm>
#include <unordered_map>

#include "tyto/core/parallel.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {

void GroupEvidence::save(State& state) const {
  state.set("bonus", double{bonus});
  save_threshold(threshold, state.make_child("threshold"));
}

GroupEvidence GroupEvidence::loaded(const State& state) {
  return {static_cast<float>(state.get<double>("bonus")),
          loaded_threshold(state.child("threshold"))};
}

std::vector<std::uint8_t> in_named_group(const Evidence& evidence) {
  std::vector<std::uint8_t> in(static_cast<std::size_t>(evidence.membership.rows()), 0);
  if (evidence.groups.empty()) {
    return in;
  }
  for (Index i = 0; i < evidence.membership.rows(); ++i) {
    Index best = 0;
    evidence.membership.row(i).maxCoeff(&best);
    in[static_cast<std::size_t>(i)] =
        evidence.groups[static_cast<std::size_t>(best)] != Label::unknown ? 1 : 0;
  }
  return in;
}

void heed_groups(Evidence& evidence, const GroupEvidence& groups) {
  const std::vector<std::uint8_t> in = in_named_group(evidence);
  for (std::size_t i = 0; i < in.size(); ++i) {
    evidence.novelty[i] += in[i] != 0 ? groups.bonus : 0.0F;
  }
  judge(evidence, groups.threshold);
}

// After the groups or the threshold have changed. O(h p d) for h held-out samples and p grouped
// ones.
void Composition::weigh_groups() {
  group_evidence_.reset();
  const bool may = config_.group_evidence && parts_.recogniser != nullptr &&
                   parts_.detector != nullptr && parts_.memory != nullptr &&
                   config_.fusion != Fusion::groups && !parts_.detector->own_threshold();
  if (!may || threshold_.get() == nullptr) {
    return;
  }
  const Samples& kept = parts_.memory->samples();
  std::unordered_map<std::uint32_t, Index> place;
  for (Index i = 0; i < kept.size(); ++i) {
    place.emplace(static_cast<std::uint32_t>(kept.id(i)), i);
  }
  // Samples that the memory has let go are not asked.
  const HeldSamples& held = threshold_.held();
  std::vector<Index> rows;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < held.id.size(); ++i) {
    if (const auto found = place.find(held.id[i]); found != place.end()) {
      rows.push_back(found->second);
      which.push_back(i);
    }
  }
  const Samples asked = kept.pick(rows);
  std::vector<std::uint8_t> in;
  bool has_names = false;  // without any group the threshold stays as it is
  in_blocks(asked.size(), rows_at_once(asked), [&](Index begin, Index count) {
    const Samples block_of = asked.slice(begin, count);
    Evidence evidence =
        parts_.recogniser_space == Space::features ? look(block_of) : classified(block_of);
    recognise(evidence);
    has_names = std::any_of(evidence.groups.begin(), evidence.groups.end(),
                            [](Label label) { return label != Label::unknown; });
    const std::vector<std::uint8_t> block = in_named_group(evidence);
    in.insert(in.end(), block.begin(), block.end());
  });
  if (has_names) {
    group_evidence_ = threshold_.with_groups(which, in, config_.suspected);
  }
}

}  // namespace tyto
