// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/discovered.hpp"

namespace tyto {

namespace {

// Every discovered entry a phase knows of, as it stands there.
void note_entries(std::vector<DiscoveredClass>& all, std::map<std::string, std::size_t>& places,
                  const Phase& phase) {
  for (Index i = 0; i < phase.space.size(); ++i) {
    const auto label = static_cast<Label>(i);
    const LabelKind kind = phase.space.kind(label);
    if (kind != LabelKind::discovered && kind != LabelKind::retired) {
      continue;
    }
    const std::string& name = phase.space.name(label);
    const auto [found, is_new] = places.try_emplace(name, all.size());
    if (is_new) {
      all.push_back({name, phase.key.step, {}, "", phase.space.origin(label), {}, {}});
    }
    DiscoveredClass& one = all[found->second];
    if (kind == LabelKind::retired && !one.retired) {
      one.retired = phase.key.step;
      one.into = phase.space.name(phase.space.merged_into(label));
      one.why = phase.space.why_retired(label);
    }
  }
}

void note_events(std::vector<DiscoveredClass>& all,
                 const std::map<std::string, std::size_t>& places, const std::string& arm,
                 const PageTable& table) {
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto found = places.find(table.text(row, "class"));
    if (found == places.end() || table.text(row, "arm") != arm) {
      continue;
    }
    DiscoveredClass& one = all[found->second];
    if (const auto step = table.number(row, "found")) {
      one.found = static_cast<Index>(*step);
    }
    if (const auto step = table.number(row, "retired")) {
      one.retired = static_cast<Index>(*step);
      one.into = table.text(row, "into");
      one.why = table.text(row, "why");
    }
  }
}

}  // namespace

Index DiscoveredClass::size() const {
  Index samples = 0;
  for (const auto& [step, count] : life) {
    samples += count;
  }
  return samples;
}

std::vector<DiscoveredClass> discovered_classes(const RunRecord& record, const std::string& arm,
                                                const PageTable* discoveries, Progress& progress) {
  std::vector<DiscoveredClass> all;
  std::map<std::string, std::size_t> places;
  for (const PhaseKey& key : record.phases()) {
    progress.pulse();
    const Phase phase = record.phase(key);
    note_entries(all, places, phase);
    if (key.phase != "pre" || record.truth() == nullptr) {
      continue;
    }
    for (Index i = 0; i < phase.size(); ++i) {
      const LabelKind kind = phase.space.kind(static_cast<Label>(phase.top(i, 0)));
      if (kind == LabelKind::discovered || kind == LabelKind::retired) {
        DiscoveredClass& one = all[places.at(phase.decision(i))];
        ++one.mix[record.truth()->label_of(phase.sample[static_cast<std::size_t>(i)])];
        ++one.life[key.step];
      }
    }
  }
  if (discoveries != nullptr) {
    note_events(all, places, arm, *discoveries);
  }
  return all;
}

}  // namespace tyto
