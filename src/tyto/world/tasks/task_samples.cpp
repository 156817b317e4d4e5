// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/tasks/task_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/world/increments/folds.hpp"
#include "tyto/world/tasks/run_cuts.hpp"

namespace tyto {

namespace {

std::vector<Index> class_codes(const std::vector<std::string>& labels) {
  std::map<std::string_view, Index> code;
  std::vector<Index> codes;
  for (const std::string& label : labels) {
    codes.push_back(code.try_emplace(label, std::ssize(code)).first->second);
  }
  return codes;
}

// v_Class_g01_c01, without the clip; "" for any other id.
std::string ucf_group(std::string_view id) {
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  const std::size_t clip = id.rfind("_c");
  const std::size_t group = clip == id.npos ? id.npos : id.rfind("_g", clip);
  if (!id.starts_with("v_") || group == id.npos || group < 3 || !digits(id.substr(clip + 2)) ||
      !digits(id.substr(group + 2, clip - group - 2))) {
    return "";
  }
  return std::string(id.substr(0, clip));
}

class SideMaker {
 public:
  SideMaker(TaskSamples& samples, const TaskOptions& options, const Rng& rng)
      : samples_(samples), table_(samples.data.table), options_(options), rng_(rng) {}

  void make() {
    table_.group = sample_groups(table_);
    samples_.side = own_sides(samples_.data, 0, table_.size());
    if (samples_.side.empty()) {
      draw();
    }
    choose_test();
    if (options_.group_safe) {
      part_by_groups();
    }
    drop_unused();
    check_classes();
    if (const Index leaked = leaked_tests(table_, samples_.side); leaked > 0) {
      samples_.notes.push_back(fmt::format(
          "{} of {} test samples share a group with a train sample", leaked, count(Side::test)));
    }
  }

 private:
  [[nodiscard]] Index count(Side side) const {
    return std::count(samples_.side.begin(), samples_.side.end(), side);
  }

  void draw() {
    const std::vector<Index> groups =
        options_.groups == "keep" ? group_codes(table_, 0, table_.size()) : std::vector<Index>{};
    samples_.side =
        draw_sides(class_codes(table_.label), groups, options_.split, rng_.fork("split"));
  }

  void choose_test() {
    if (options_.test == "validate") {
      const Index tests = count(Side::test);
      if (tests > 0) {
        samples_.notes.push_back(
            fmt::format("{} rows left out: in test, for which validate stands", tests));
      }
      for (Side& side : samples_.side) {
        side = side == Side::test ? Side::none : side == Side::validate ? Side::test : side;
      }
    }
    if (count(Side::test) == 0) {
      throw Error(ErrorKind::data,
                  fmt::format("\"{}\" has no row to test on{}", samples_.data.name,
                              options_.test == "test" && count(Side::validate) > 0
                                  ? fmt::format("; say {}.test: validate to let validate stand "
                                                "for test",
                                                options_.path)
                                  : std::string()));
    }
  }

  void part_by_groups() {
    std::vector<Index> rows;
    std::array<double, 3> shares{};
    for (std::size_t i = 0; i < samples_.side.size(); ++i) {
      if (samples_.side[i] != Side::none) {
        rows.push_back(static_cast<Index>(i));
        shares[static_cast<std::size_t>(samples_.side[i])] += 1;
      }
    }
    const std::vector<Index> groups = group_codes(table_, 0, table_.size());
    if (groups.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}.group_safe: \"{}\" has no groups: neither a column group nor ids "
                              "such as v_Class_g01_c01",
                              options_.path, samples_.data.name));
    }
    const std::vector<Index> codes = class_codes(table_.label);
    std::vector<Index> classes;
    std::vector<Index> whole;
    for (const Index row : rows) {
      classes.push_back(codes[at(row)]);
      whole.push_back(groups[at(row)]);
    }
    for (double& share : shares) {
      share /= static_cast<double>(rows.size());
    }
    const std::vector<Index> part = group_folds(classes, whole, shares);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      samples_.side[at(rows[i])] = static_cast<Side>(part[i]);
    }
  }

  void drop_unused() {
    if (count(Side::none) == 0) {
      return;
    }
    std::vector<RunCut> cuts;
    std::vector<Side> sides;
    for (Index row = 0; row < table_.size(); ++row) {
      if (samples_.side[at(row)] != Side::none) {
        cuts.push_back(whole_run(table_, row));
        sides.push_back(samples_.side[at(row)]);
      }
    }
    samples_.data = cut_dataset(samples_.data, cuts);
    samples_.side = std::move(sides);
  }

  void check_classes() const {
    std::map<std::string_view, std::array<Index, 3>> counts;
    for (std::size_t i = 0; i < samples_.side.size(); ++i) {
      ++counts[table_.label[i]][static_cast<std::size_t>(samples_.side[i])];
    }
    for (const auto& [name, by_side] : counts) {
      if (by_side[0] == 0) {
        throw Error(
            ErrorKind::data,
            fmt::format("class \"{}\" of \"{}\" has no row to train on: {} are in validate, "
                        "{} in test",
                        name, samples_.data.name, by_side[1], by_side[2]));
      }
    }
  }

  TaskSamples& samples_;
  IndexTable& table_;
  const TaskOptions& options_;
  const Rng& rng_;
};

// The frames inside the segment, but all of a share of the samples.
void trim_samples(TaskSamples& samples, const TrimRule& rule, const Rng& rng) {
  std::vector<RunCut> cuts = segment_cuts(samples.data);
  std::array<std::vector<Index>, 2> rows;  // of train, and of the others
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    rows[samples.side[i] == Side::train ? 0 : 1].push_back(static_cast<Index>(i));
  }
  for (std::size_t part = 0; part < rows.size(); ++part) {
    const double share = part == 0 ? rule.untrimmed_train : rule.untrimmed_test;
    rng.fork("untrimmed", part).shuffle(rows[part]);
    const auto whole = std::lround(share * static_cast<double>(rows[part].size()));
    for (std::size_t i = 0; i < static_cast<std::size_t>(whole); ++i) {
      cuts[at(rows[part][i])] = whole_run(samples.data.table, rows[part][i]);
    }
  }
  const Index trimmed = std::count_if(cuts.begin(), cuts.end(), [&](const RunCut& cut) {
    return cut.end - cut.first < whole_run(samples.data.table, cut.row).end;
  });
  if (trimmed > 0) {
    samples.notes.push_back(
        fmt::format("{} of {} samples are trimmed to the frames of their action", trimmed,
                    samples.data.table.size()));
    samples.data = cut_dataset(samples.data, cuts);
  }
}

std::string some_of(const std::vector<std::string>& ids) {
  constexpr std::size_t kShown = 5;
  return fmt::format(
      "{}{}",
      fmt::join(ids.begin(),
                ids.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, ids.size())), ", "),
      ids.size() > kShown ? ", ..." : "");
}

class ListJoin {
 public:
  ListJoin(const Dataset& data, const TaskList& list, const TaskOptions& options)
      : data_(data), list_(list), options_(options) {
    for (Index row = 0; row < data.table.size(); ++row) {
      if (!row_of_.try_emplace(data.table.id[at(row)], row).second) {
        throw Error(ErrorKind::data, fmt::format("the id \"{}\" stands twice in \"{}\"",
                                                 data.table.id[at(row)], data.name));
      }
    }
  }

  // What one side lacks, as a sentence; "": nothing.
  [[nodiscard]] std::string lost() const {
    std::set<std::string_view> listed;
    std::vector<std::string> bare;
    for (const TaskListRow& row : list_.rows) {
      if (listed.insert(row.video).second && !row_of_.contains(row.video)) {
        bare.push_back(row.video);
      }
    }
    std::vector<std::string> strays;
    for (const std::string& id : data_.table.id) {
      if (!listed.contains(id)) {
        strays.push_back(id);
      }
    }
    std::vector<std::string> sentences;
    if (!bare.empty()) {
      sentences.push_back(fmt::format("{} of {} videos of {} are not in \"{}\": {}", bare.size(),
                                      listed.size(), list_.name, data_.name, some_of(bare)));
    }
    if (!strays.empty()) {
      sentences.push_back(fmt::format("{} of {} samples of \"{}\" are not in {}: {}", strays.size(),
                                      data_.table.size(), data_.name, list_.name, some_of(strays)));
    }
    return fmt::format("{}", fmt::join(sentences, "; "));
  }

  // Of each item that has a sample.
  TaskSamples join(const std::vector<TaskItem>& items) const {
    std::map<std::string_view, Index> pieces;
    for (const TaskItem& item : items) {
      ++pieces[list_.rows[at(item.row)].video];
    }
    std::map<std::string_view, Index> number;
    std::vector<RunCut> cuts;
    std::vector<const TaskListRow*> rows;
    for (const TaskItem& item : items) {
      const TaskListRow& row = list_.rows[at(item.row)];
      const auto found = row_of_.find(row.video);
      if (found == row_of_.end()) {
        continue;
      }
      RunCut cut = cut_of(item, row, found->second);
      if (pieces[row.video] > 1) {
        cut.id = fmt::format("{}/{}", row.video, ++number[row.video]);
      }
      cuts.push_back(std::move(cut));
      rows.push_back(&row);
    }
    if (cuts.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("no video of {} is in \"{}\"", list_.name, data_.name));
    }
    TaskSamples out;
    out.classes = list_.classes;
    out.listed_task = list_.task;
    out.data = cut_dataset(data_, cuts);
    check_labels(out.data.table.label, rows);
    out.data.table.split.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out.data.table.label[i] = list_.classes[at(rows[i]->label)];
      out.data.table.split.emplace_back(rows[i]->split);
    }
    return out;
  }

 private:
  [[nodiscard]] RunCut cut_of(const TaskItem& item, const TaskListRow& row, Index sample) const {
    RunCut cut = whole_run(data_.table, sample);
    if (!list_.has_segments || item.untrimmed) {
      return cut;
    }
    if (data_.table.frames.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}.trim: \"{}\" has one row for each video and no frames to cut the "
                              "segments of {} from; give data with frames or say untrimmed",
                              options_.path, data_.name, list_.name));
    }
    const Index frames = cut.end;
    cut.first = std::min(item.first * frames / row.video_frames, frames - 1);
    cut.end =
        std::max((item.end * frames + row.video_frames - 1) / row.video_frames, cut.first + 1);
    return cut;
  }

  // The list may call a class otherwise than the data do, but must mean the same samples.
  void check_labels(const std::vector<std::string>& labels,
                    const std::vector<const TaskListRow*>& rows) const {
    std::map<std::string, const TaskListRow*> by_label;
    std::map<Index, std::string> by_class;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (labels[i].empty()) {
        continue;
      }
      const TaskListRow& row = *rows[i];
      const TaskListRow& first = *by_label.try_emplace(labels[i], &row).first->second;
      const std::string& label = by_class.try_emplace(row.label, labels[i]).first->second;
      if (first.label != row.label || label != labels[i]) {
        throw Error(
            ErrorKind::data,
            fmt::format(
                "{}: line {}: \"{}\" is of class \"{}\" and has the label \"{}\" in \"{}\", "
                "where {}",
                list_.name, row.line, row.video, list_.classes[at(row.label)], labels[i],
                data_.name,
                label != labels[i] ? fmt::format("others of that class have \"{}\"", label)
                                   : fmt::format("that is the class \"{}\" (line {})",
                                                 list_.classes[at(first.label)], first.line)));
      }
    }
  }

  const Dataset& data_;
  const TaskList& list_;
  const TaskOptions& options_;
  std::map<std::string_view, Index> row_of_;
};

}  // namespace

std::vector<std::string> sample_groups(const IndexTable& table) {
  std::vector<std::string> groups;
  for (const std::string& id : table.id) {
    groups.push_back(ucf_group(id));
    if (groups.back().empty()) {
      return table.group;
    }
  }
  return groups;
}

Index leaked_tests(const IndexTable& table, const std::vector<Side>& side) {
  if (table.group.empty()) {
    return -1;
  }
  std::set<std::string_view> trained;
  for (std::size_t i = 0; i < side.size(); ++i) {
    if (side[i] == Side::train && !table.group[i].empty()) {
      trained.insert(table.group[i]);
    }
  }
  Index leaked = 0;
  for (std::size_t i = 0; i < side.size(); ++i) {
    leaked += side[i] == Side::test && trained.contains(table.group[i]) ? 1 : 0;
  }
  return leaked;
}

TaskSamples listed_samples(const Dataset& data, const TaskList& list, Lost lost,
                           const TaskOptions& options, const Rng& rng) {
  const ListJoin join(data, list, options);
  const std::string missing = join.lost();
  if (!missing.empty() && lost == Lost::refuse) {
    throw Error(ErrorKind::data,
                fmt::format("{}; `lost: leave_out` goes on without them", missing));
  }
  const TrimmedList shown = trim_list(list, options.trim_rule(), rng.fork("trim"));
  TaskSamples out = join.join(shown.items);
  out.notes = shown.notes();
  if (!missing.empty()) {
    out.notes.push_back(missing);
  }
  SideMaker(out, options, rng).make();
  if (!list.has_segments) {
    trim_samples(out, options.trim_rule(), rng.fork("trim"));
  }
  return out;
}

TaskSamples plain_samples(const Dataset& data, const TaskOptions& options, const Rng& rng) {
  TaskSamples out;
  const std::vector<Side> own = own_sides(data, 0, data.table.size());
  std::vector<RunCut> cuts;
  Index unlabelled = 0;
  Index in_no_split = 0;
  for (Index row = 0; row < data.table.size(); ++row) {
    if (data.table.label[at(row)].empty()) {
      ++unlabelled;
    } else if (!own.empty() && own[at(row)] == Side::none) {
      ++in_no_split;
    } else {
      cuts.push_back(whole_run(data.table, row));
    }
  }
  if (cuts.empty()) {
    throw Error(ErrorKind::data, fmt::format("\"{}\" has no labelled row in any split", data.name));
  }
  if (unlabelled > 0) {
    out.notes.push_back(fmt::format("{} rows left out: no label", unlabelled));
  }
  if (in_no_split > 0) {
    out.notes.push_back(fmt::format("{} rows left out: in no split", in_no_split));
  }
  out.data = std::ssize(cuts) == data.table.size() ? data : cut_dataset(data, cuts);
  std::set<std::string_view> seen;
  for (const std::string& label : out.data.table.label) {
    if (seen.insert(label).second) {
      out.classes.push_back(label);
    }
  }
  SideMaker(out, options, rng).make();
  trim_samples(out, options.trim_rule(), rng.fork("trim"));
  return out;
}

}  // namespace tyto
