// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/arm_facts.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tyto {

namespace {

bool is_smaller(const PhaseKey& a, const PhaseKey& b) {  // the split that is quicker to read
  const auto rank = [](const PhaseKey& key) {
    return key.split == "test" ? 0 : key.split == "validate" ? 1 : 2;
  };
  return rank(a) < rank(b);
}

}  // namespace

bool has_split(const RunRecord& record, std::string_view split) {
  const auto keys = record.phases();
  return std::any_of(keys.begin(), keys.end(),
                     [&](const PhaseKey& key) { return key.split == split; });
}

std::vector<StepGrants> grants_of(const RunRecord& record) {
  std::map<Index, PhaseKey> by_step;
  for (const PhaseKey& key : record.phases()) {
    if (key.phase == "post") {
      const auto [found, is_new] = by_step.try_emplace(key.step, key);
      if (!is_new && is_smaller(key, found->second)) {
        found->second = key;
      }
    }
  }
  std::vector<StepGrants> grants;
  for (const auto& [step, key] : by_step) {
    const Phase phase = record.phase(key);
    grants.push_back(
        {step, phase.labels_granted, static_cast<Index>(phase.granted.size()), phase.feedback});
  }
  return grants;
}

ArmFacts facts_of(const RunRecord& record) {
  std::optional<PhaseKey> last;
  for (const PhaseKey& key : record.phases()) {
    if (key.phase == "post" && key.split == "test" && (!last || key.step >= last->step)) {
      last = key;
    }
  }
  ArmFacts facts;
  if (last) {
    const Phase phase = record.phase(*last);
    facts.known_at_end = static_cast<Index>(phase.known.size());
    facts.last_step = last->step;
    for (Index i = 0; i < phase.space.size(); ++i) {
      const LabelKind kind = phase.space.kind(static_cast<Label>(i));
      facts.discovered += kind == LabelKind::discovered || kind == LabelKind::retired ? 1 : 0;
    }
  }
  return facts;
}

}  // namespace tyto
