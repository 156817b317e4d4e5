// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/source.hpp"

#include <algorithm>
#include <charconv>

#include "tyto/measure/formulas/test_stream.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

NameList::NameList() {
  of(kUnknownName);
}

Index NameList::of(std::string_view name) {
  const auto found = places_.find(name);
  if (found != places_.end()) {
    return found->second;
  }
  const auto place = static_cast<Index>(names_.size());
  names_.emplace_back(name);
  places_.emplace(name, place);
  return place;
}

const std::string& PageTable::text(std::size_t row, std::string_view column) const {
  static const std::string kNothing;
  const auto found = std::find(columns.begin(), columns.end(), column);
  const auto at = static_cast<std::size_t>(found - columns.begin());
  return found == columns.end() ? kNothing : rows.at(row).at(at);
}

std::optional<double> PageTable::number(std::size_t row, std::string_view column) const {
  const std::string& cell = text(row, column);
  double value = 0;
  const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = problem == std::errc() && end == cell.data() + cell.size();
  return whole ? std::optional(value) : std::nullopt;
}

const PageTable* PageSeed::table(const std::string& file) const {
  const auto found = tables.find(file);
  return found == tables.end() ? nullptr : &found->second;
}

namespace {

bool asks_nothing(const RunNeeds& needs) {
  return needs.phases.empty() && !needs.truth && !needs.several_steps && !needs.tests;
}

bool meets(const PageArm& arm, const RunNeeds& needs) {
  const RunRecord& record = *arm.seeds.front().record;
  const std::vector<PhaseKey> keys = record.phases();
  const bool has_phases =
      std::all_of(needs.phases.begin(), needs.phases.end(), [&](const std::string& phase) {
        return std::any_of(keys.begin(), keys.end(),
                           [&](const PhaseKey& key) { return key.phase == phase; });
      });
  const bool has_steps = std::any_of(
      keys.begin(), keys.end(), [&](const PhaseKey& key) { return key.step != keys.front().step; });
  return has_phases && (!needs.truth || record.truth() != nullptr) &&
         (!needs.several_steps || has_steps) &&
         (!needs.tests || (record.truth() != nullptr && has_tests(*record.truth())));
}

}  // namespace

PageSource PageSource::only(const RunNeeds& needs) const {
  PageSource kept = *this;
  kept.runs.clear();
  kept.arms.clear();
  std::vector<std::optional<std::size_t>> place(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool has_any = std::any_of(arms.begin(), arms.end(), [&](const PageArm& arm) {
      return arm.run == i && meets(arm, needs);
    });
    if (has_any || asks_nothing(needs)) {
      place[i] = kept.runs.size();
      kept.runs.push_back(runs[i]);
    }
  }
  for (const PageArm& arm : arms) {
    if (place[arm.run]) {
      kept.arms.push_back(arm);
      kept.arms.back().run = *place[arm.run];
    }
  }
  return kept;
}

std::optional<Index> PageSource::picture(const PageRun& run, const Truth& truth,
                                         const PictureWish& wish, PictureShare& share) const {
  return pictures->of(run.number, run.samples, truth.name.at(static_cast<std::size_t>(wish.sample)),
                      wish, share);
}

std::string PageSource::repeats() const {
  std::string word;
  for (const PageRun& run : runs) {
    if (run.seeds.size() > 1) {
      word = word.empty() || word == run.repeat ? run.repeat : "run";
    }
  }
  return (word.empty() ? "seed" : word) + "s";
}

std::vector<HeadlineColumn> PageSource::headline() const {
  std::vector<HeadlineColumn> columns;
  for (const PageRun& run : runs) {
    for (const HeadlineColumn& column : run.headline) {
      if (std::none_of(columns.begin(), columns.end(),
                       [&](const HeadlineColumn& other) { return other.name == column.name; })) {
        columns.push_back(column);
      }
    }
  }
  return columns;
}

}  // namespace tyto
