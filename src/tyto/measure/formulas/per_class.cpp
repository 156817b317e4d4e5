// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/per_class.hpp"

#include <map>

#include "tyto/measure/formulas/forgetting.hpp"

namespace tyto {

namespace {

struct Tally {
  Index support = 0, predicted = 0, right = 0, called_novel = 0;
  bool was_known = false, was_novel = false;
  std::map<std::string, Index> taken_for;

  void add(const Tally& other) {
    support += other.support;
    predicted += other.predicted;
    right += other.right;
    called_novel += other.called_novel;
    was_known = was_known || other.was_known;
    was_novel = was_novel || other.was_novel;
    for (const auto& [name, count] : other.taken_for) {
      taken_for[name] += count;
    }
  }
};

using Tallies = std::map<std::string, Tally>;

Tallies tally(const PhaseView& view) {
  Tallies tallies;
  std::vector<Tally*> of_place(view.names.size());
  const auto at = [&](std::int32_t place) -> Tally& {
    auto& known = of_place[static_cast<std::size_t>(place)];
    if (known == nullptr) {
      known = &tallies[view.names[static_cast<std::size_t>(place)]];
      (view.is_known[static_cast<std::size_t>(place)] != 0 ? known->was_known : known->was_novel) =
          true;
    }
    return *known;
  };
  std::map<std::pair<Tally*, Tally*>, std::pair<const std::string*, Index>> wrong;
  for (Index i = 0; i < view.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    Tally& actual = at(view.actual[row]);
    Tally& decided = at(view.decision[row]);
    ++actual.support;
    ++decided.predicted;
    actual.called_novel += view.is_called_novel[row];
    if (&actual == &decided) {
      ++actual.right;
    } else {
      auto& [name, count] = wrong[{&actual, &decided}];
      name = &view.decision_name(i);
      ++count;
    }
  }
  for (const auto& [pair, entry] : wrong) {
    pair.first->taken_for[*entry.first] += entry.second;
  }
  return tallies;
}

std::optional<double> class_share(Index part, Index whole) {
  return whole == 0 ? std::nullopt
                    : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}

ClassRow row_of(const std::string& name, const Tally& tally) {
  ClassRow row;
  row.name = name;
  row.known = tally.was_known && tally.was_novel ? "both" : tally.was_known ? "yes" : "no";
  row.support = tally.support;
  row.predicted = tally.predicted;
  row.right = tally.right;
  row.precision = class_share(tally.right, tally.predicted);
  row.recall = class_share(tally.right, tally.support);
  row.f1 = class_share(2 * tally.right, tally.support + tally.predicted);
  row.called_novel = class_share(tally.called_novel, tally.support);
  for (const auto& [other, count] : tally.taken_for) {
    if (count > row.confused) {
      row.confused_with = other;
      row.confused = count;
    }
  }
  return row;
}

}  // namespace

std::vector<ClassRow> per_class(const PhaseSeries& series) {
  std::vector<ClassRow> rows;
  // Before feedback a class may be waited for, so that a recall of 0 is no loss.
  const PhaseView& first = series.steps.front();
  const bool learned = is_after_learning(first.key.phase) && first.novel_to == NovelTo::predictor;
  const auto append = [&](const Tallies& tallies, Index step, const Forgetting::ByClass& lost) {
    for (const auto& [name, tally] : tallies) {
      ClassRow& row = rows.emplace_back(row_of(name, tally));
      row.step = step;
      row.phase = series.steps.front().key.phase;
      row.split = series.steps.front().key.split;
      row.novel_to = novel_to_name(series.steps.front().novel_to);
      row.group = series.group;
      if (const auto found = lost.find(name); learned && found != lost.end()) {
        row.forgotten = found->second;
      }
    }
  };
  Forgetting forgetting;
  Tallies over_all;
  for (const PhaseView& step : series.steps) {
    const Tallies tallies = tally(step);
    forgetting.add(step);
    append(tallies, step.key.step, forgetting.now());
    for (const auto& [name, one] : tallies) {
      over_all[name].add(one);
    }
  }
  append(over_all, kAllSteps, forgetting.at_last());
  return rows;
}

LongTable long_table(std::span<const ArmClasses> arms, MoreColumns more) {
  LongTable table = table_of(arms);
  table.columns.insert(table.columns.end(), {"step", "phase", "split"});
  if (more.groups) {
    table.columns.emplace_back("group");
  }
  table.columns.insert(table.columns.end(),
                       {"novel_to", "class", "known", "support", "predicted", "precision", "recall",
                        "f1", "called_novel", "confused_with", "confused", "forgotten"});
  for (const ArmClasses& arm : arms) {
    for (const ClassRow& row : arm.rows) {
      std::vector<Cell>& cells = table.rows.emplace_back(row_of(arm.leading));
      cells.push_back(step_cell(row.step));
      cells.emplace_back(row.phase);
      cells.emplace_back(row.split);
      if (more.groups) {
        cells.emplace_back(row.group);
      }
      cells.insert(cells.end(),
                   {row.novel_to, row.name, row.known, row.support, row.predicted,
                    cell(row.precision), cell(row.recall), cell(row.f1), cell(row.called_novel)});
      cells.push_back(row.confused_with.empty() ? Cell() : Cell(row.confused_with));
      cells.emplace_back(row.confused);
      cells.push_back(cell(row.forgotten));
    }
  }
  return table;
}

}  // namespace tyto
