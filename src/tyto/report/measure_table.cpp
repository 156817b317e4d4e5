// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/measure_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tyto/measure/run_registry.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

struct Title {
  std::string view, measure, text;
};

const std::vector<Title>& main_titles() {
  static const std::vector<Title> titles = {
      {"classification", "accuracy", "accuracy"},
      {"classification", "mcc", "mcc"},
      {"classification", "nmi", "nmi"},
      {"raw", "accuracy", "named right"},
      {"classification", "known_accuracy", "known right"},
      {"detection", "detection_rate", "new noticed"},
      {"detection", "false_alarm_rate", "false alarms"},
      {"detection", "auroc", "new vs known"},
      {"detection", "reaction_time", "reaction time"},
      {"raw", "forgetting", "forgotten"},
      {"raw", "task_accuracy", "task mean"},
      {"raw", "average_incremental_accuracy", "incremental"},
      {"raw", "backward_forgetting", "lost of tasks"},
      {"raw", "learning_accuracy", "as learned"},
      {"raw", "change_detected", "change found"},
      {"raw", "change_early_alarm", "early alarm"},
      {"raw", "change_detection_delay", "delay"},
      {"raw", "accuracy_before_change", "right before"},
      {"raw", "accuracy_after_change", "right after"},
      {"raw", "condda_characterisation", "characterised"},
  };
  return titles;
}

std::vector<Title> titles_of(const std::vector<const MeasureRow*>& rows, Shown shown) {
  std::vector<Title> titles = shown == Shown::main ? main_titles() : std::vector<Title>();
  std::set<std::pair<std::string, std::string>> with_value;
  std::set<std::pair<std::string, std::string>> seen;
  for (const MeasureRow* row : rows) {
    if (shown == Shown::all && seen.emplace(row->view, row->measure).second) {
      titles.push_back({row->view, row->measure, row->measure + " (" + row->view + ")"});
    }
    if (row->value) {
      with_value.emplace(row->view, row->measure);
    }
  }
  if (shown == Shown::main) {
    std::erase_if(titles, [&](const Title& title) {
      return !with_value.contains({title.view, title.measure});
    });
  }
  return titles;
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "-";
}

using Labels = std::array<std::string, 5>;  // arm, phase, split, group, increment

const Labels kLabelTitles = {"arm", "phase", "split", "group", "increment"};

std::string arm_name(const Leading& leading) {
  return leading.empty() ? "" : leading.front().second;
}

Labels labels_of(const std::string& arm, const MeasureRow& row) {
  return {arm, row.phase, row.split, row.group, row.step_name()};
}

// The labels in which the lines differ; the others are said once, above the table.
class LabelColumns {
 public:
  void add(const Labels& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      values_[i].insert(labels[i]);
    }
  }

  [[nodiscard]] std::vector<std::string> header() const { return shown(kLabelTitles); }

  [[nodiscard]] std::vector<std::string> shown(const Labels& labels) const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (values_[i].size() > 1) {
        out.push_back(labels[i]);
      }
    }
    return out;
  }

  [[nodiscard]] std::string said_once() const {
    std::string out;
    for (std::size_t i = 0; i + 1 < values_.size(); ++i) {
      const std::string value = values_[i].size() == 1 ? *values_[i].begin() : "";
      if (!value.empty() && value != "-") {
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", kLabelTitles[i], value);
      }
    }
    return out.empty() ? out : out + "\n\n";
  }

 private:
  std::array<std::set<std::string>, 5> values_;
};

std::string legend(const std::vector<Title>& titles) {
  std::size_t widest = 0;
  for (const Title& title : titles) {
    widest = std::max(widest, title.text.size());
  }
  std::string out;
  for (const Title& title : titles) {
    const MeasureFacts spec = measure_facts(title.measure);
    const std::string_view better = spec.better == Better::higher  ? " Higher is better"
                                    : spec.better == Better::lower ? " Lower is better"
                                                                   : "";
    const std::string meaning = fmt::format("{}{} ({} view).", spec.summary, better, title.view);
    out += fmt::format("{:<{}}{}", title.text, widest + 2,
                       wrapped(meaning, 100, widest + 2).substr(widest + 2));
  }
  return out;
}

struct Line {
  Labels labels;
  Index samples = 0;
  std::map<std::pair<std::string, std::string>, const MeasureRow*> rows;  // by view and measure
};

// Rows of one arm, phase, split, group and increment together, in the order of the rows.
std::vector<Line> lines_of(std::span<const ArmMeasures> arms, bool over_all_only) {
  std::vector<Line> lines;
  std::map<Labels, std::size_t> places;
  for (const ArmMeasures& arm : arms) {
    std::set<Index> steps;
    for (const MeasureRow& row : arm.rows) {
      steps.insert(row.step);
    }
    const bool one_step = steps.size() <= 2;
    for (const MeasureRow& row : arm.rows) {
      if (row.step != kAllSteps && (over_all_only || one_step)) {
        continue;
      }
      const Labels labels = labels_of(arm_name(arm.leading), row);
      const auto [found, is_new] = places.try_emplace(labels, lines.size());
      if (is_new) {
        lines.push_back({labels, row.samples, {}});
      }
      lines[found->second].rows.emplace(std::pair(row.view, row.measure), &row);
    }
  }
  return lines;
}

std::vector<const MeasureRow*> rows_of(const std::vector<Line>& lines) {
  std::vector<const MeasureRow*> rows;
  for (const Line& line : lines) {
    for (const auto& [key, row] : line.rows) {
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace

std::vector<std::string> main_measures() {
  std::vector<std::string> names;
  for (const Title& title : main_titles()) {
    if (std::find(names.begin(), names.end(), title.measure) == names.end()) {
      names.push_back(title.measure);
    }
  }
  return names;
}

std::string measure_table(std::span<const ArmMeasures> arms, Shown shown) {
  const bool grouped = std::any_of(arms.begin(), arms.end(), [](const ArmMeasures& arm) {
    return !arm.rows.empty() && !arm.rows.front().group.empty();
  });
  std::vector<Line> lines = lines_of(arms, grouped || arms.size() > 1);
  std::map<Labels, std::size_t> first_place;  // increments of one thing stand below each other
  const auto block = [&](const Line& line) {
    Labels key = line.labels;
    key.back().clear();
    return first_place.try_emplace(key, first_place.size()).first->second;
  };
  for (const Line& line : lines) {
    block(line);
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const Line& a, const Line& b) { return block(a) < block(b); });
  const std::vector<Title> titles = titles_of(rows_of(lines), shown);
  LabelColumns labels;
  for (const Line& line : lines) {
    labels.add(line.labels);
  }
  std::vector<std::string> header = labels.header();
  const std::size_t first_number = header.size();
  header.emplace_back("samples");
  for (const Title& title : titles) {
    header.push_back(title.text);
  }
  TextTable table(header);
  for (const Line& line : lines) {
    std::vector<std::string> cells = labels.shown(line.labels);
    cells.push_back(std::to_string(line.samples));
    for (const Title& title : titles) {
      const auto found = line.rows.find({title.view, title.measure});
      cells.push_back(found == line.rows.end() ? "-" : number(found->second->value));
    }
    table.add(std::move(cells));
  }
  return labels.said_once() + table.text(first_number) + "\n" + legend(titles);
}

std::string interval_table(std::span<const ArmMeasures> arms, Shown shown) {
  const std::vector<Line> lines = lines_of(arms, true);
  const std::vector<Title> titles = titles_of(rows_of(lines), shown);
  LabelColumns labels;
  for (const Line& line : lines) {
    labels.add(line.labels);
  }
  std::vector<std::string> header = labels.header();
  const std::size_t first_number = header.size() + 1;
  header.insert(header.end(), {"measure", "samples", "value", "low", "high"});
  TextTable table(header);
  for (const Line& line : lines) {
    for (const Title& title : titles) {
      const auto found = line.rows.find({title.view, title.measure});
      if (found == line.rows.end() || !found->second->value) {
        continue;
      }
      std::vector<std::string> cells = labels.shown(line.labels);
      cells.insert(cells.end(),
                   {title.text, std::to_string(line.samples), number(found->second->value),
                    number(found->second->low), number(found->second->high)});
      table.add(std::move(cells));
    }
  }
  return labels.said_once() + table.text(first_number) + "\n" + legend(titles);
}

std::string difference_table(std::span<const PairedRow> rows, Shown shown) {
  std::vector<const MeasureRow*> first;
  LabelColumns labels;
  std::vector<std::pair<Labels, std::vector<const PairedRow*>>> blocks;  // in the order of the rows
  for (const PairedRow& row : rows) {
    if (row.first.step != kAllSteps) {
      continue;
    }
    first.push_back(&row.first);
    const Labels key = labels_of("", row.first);
    labels.add(key);
    if (blocks.empty() || blocks.back().first != key) {
      blocks.push_back({key, {}});
    }
    blocks.back().second.push_back(&row);
  }
  const std::vector<Title> titles = titles_of(first, shown);
  std::vector<std::string> header = labels.header();
  const std::size_t first_number = header.size() + 1;
  header.insert(header.end(),
                {"measure", "samples", "first", "second", "difference", "low", "high", "p"});
  TextTable table(header);
  const auto with_sign = [](const std::optional<double>& value) {
    return value ? fmt::format("{:+.3f}", *value) : "-";
  };
  for (const auto& [key, block] : blocks) {
    for (const Title& title : titles) {
      const auto found = std::find_if(block.begin(), block.end(), [&](const PairedRow* row) {
        return title.view == row->first.view && title.measure == row->first.measure;
      });
      if (found == block.end()) {
        continue;
      }
      const PairedRow& row = **found;
      std::vector<std::string> cells = labels.shown(key);
      cells.insert(cells.end(),
                   {title.text, std::to_string(row.first.samples), number(row.first.value),
                    number(row.second), with_sign(row.difference), with_sign(row.interval.low),
                    with_sign(row.interval.high), number(row.p)});
      table.add(std::move(cells));
    }
  }
  return labels.said_once() + table.text(first_number) + "\n" + legend(titles);
}

std::string class_table(std::span<const ArmClasses> arms) {
  LabelColumns labels;
  const auto of = [](const ArmClasses& arm, const ClassRow& row) {
    return Labels{arm_name(arm.leading), row.phase, row.split, row.group, "all"};
  };
  bool forgets = false;
  for (const ArmClasses& arm : arms) {
    for (const ClassRow& row : arm.rows) {
      labels.add(of(arm, row));
      forgets = forgets || row.forgotten;
    }
  }
  std::vector<std::string> header = labels.header();
  const std::size_t first_number = header.size() + 2;
  header.insert(header.end(), {"class", "known", "samples", "predicted", "precision", "recall",
                               "f1", "called new"});
  if (forgets) {
    header.emplace_back("forgotten");
  }
  header.emplace_back("most often taken for");
  TextTable table(header);
  for (const ArmClasses& arm : arms) {
    for (const ClassRow& row : arm.rows) {
      if (row.step != kAllSteps) {
        continue;
      }
      std::vector<std::string> cells = labels.shown(of(arm, row));
      cells.insert(cells.end(), {row.name, row.known, std::to_string(row.support),
                                 std::to_string(row.predicted), number(row.precision),
                                 number(row.recall), number(row.f1), number(row.called_novel)});
      if (forgets) {
        cells.push_back(number(row.forgotten));
      }
      cells.push_back(row.confused == 0 ? ""
                                        : fmt::format("{} ({})", row.confused_with, row.confused));
      table.add(std::move(cells));
    }
  }
  return labels.said_once() + table.text(first_number);
}

}  // namespace tyto
