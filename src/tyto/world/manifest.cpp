// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/manifest.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"

namespace tyto {

std::string manifest_csv(const Schedule& schedule, const IndexTable& table,
                         std::span<const std::string> annotations) {
  std::string out = "id,label,increment,split,novelty";
  std::vector<const std::vector<std::string>*> more;
  for (const std::string& name : annotations) {
    out += ',' + csv_field(name);
    more.push_back(&table.annotations.at(name));
  }
  out += '\n';
  for (std::size_t t = 0; t < schedule.increments.size(); ++t) {
    for (std::size_t side = 0; side < kSideNames.size(); ++side) {
      const ScheduledSplit& split = schedule.increments[t].splits[side];
      for (std::size_t i = 0; i < split.row.size(); ++i) {
        const auto row = static_cast<std::size_t>(split.row[i]);
        append_csv_field(out, table.id[row]);
        out += ',';
        append_csv_field(out, table.label[row]);
        fmt::format_to(std::back_inserter(out), ",{},{},{}", t, kSideNames[side],
                       split.novel[i] ? "novel" : "known");
        for (const std::vector<std::string>* column : more) {
          out += ',';
          append_csv_field(out, (*column)[row]);
        }
        out += '\n';
      }
    }
  }
  return out;
}

Index IncrementCounts::total() const {
  Index sum = 0;
  for (const Samples& split : samples) {
    sum += split.known + split.novel;
  }
  return sum;
}

std::vector<IncrementCounts> count_increments(const Schedule& schedule) {
  std::vector<IncrementCounts> counts;
  Index known = 0;
  for (const Increment& increment : schedule.increments) {
    const auto introduced = static_cast<Index>(increment.introduced.size());
    const bool is_start = counts.empty();
    IncrementCounts& here = counts.emplace_back();
    here.dataset = increment.dataset;
    here.known_classes = is_start ? introduced : known;
    here.novel_classes = is_start ? 0 : introduced;
    known += introduced;
    for (std::size_t side = 0; side < here.samples.size(); ++side) {
      const std::vector<bool>& novel = increment.splits[side].novel;
      here.samples[side].novel = std::count(novel.begin(), novel.end(), true);
      here.samples[side].known = std::count(novel.begin(), novel.end(), false);
    }
  }
  return counts;
}

std::string counts_text(const std::vector<IncrementCounts>& counts) {
  std::vector<std::vector<std::string>> lines{{"increment", "known classes", "novel classes"}};
  std::vector<std::size_t> used;
  for (std::size_t side = 0; side < kSideNames.size(); ++side) {
    if (std::any_of(counts.begin(), counts.end(), [&](const IncrementCounts& c) {
          return c.samples[side].known + c.samples[side].novel > 0;
        })) {
      used.push_back(side);
      lines[0].push_back(fmt::format("{} known", kSideNames[side]));
      lines[0].push_back(fmt::format("{} novel", kSideNames[side]));
    }
  }
  for (std::size_t t = 0; t < counts.size(); ++t) {
    auto& line = lines.emplace_back();
    line = {fmt::format("{}", t), fmt::format("{}", counts[t].known_classes),
            fmt::format("{}", counts[t].novel_classes)};
    for (const std::size_t side : used) {
      line.push_back(fmt::format("{}", counts[t].samples[side].known));
      line.push_back(fmt::format("{}", counts[t].samples[side].novel));
    }
  }
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      fmt::format_to(std::back_inserter(out), "{}{:>{}}", c == 0 ? "" : "  ", line[c],
                     lines[0][c].size());
    }
    out += '\n';
  }
  return out;
}

std::string counts_csv(const std::vector<IncrementCounts>& counts) {
  std::string out = "increment,dataset,known_classes,novel_classes";
  for (const std::string_view side : kSideNames) {
    fmt::format_to(std::back_inserter(out), ",{0}_known,{0}_novel", side);
  }
  out += '\n';
  for (std::size_t t = 0; t < counts.size(); ++t) {
    fmt::format_to(std::back_inserter(out), "{},{},{},{}", t, csv_field(counts[t].dataset),
                   counts[t].known_classes, counts[t].novel_classes);
    for (const IncrementCounts::Samples& split : counts[t].samples) {
      fmt::format_to(std::back_inserter(out), ",{},{}", split.known, split.novel);
    }
    out += '\n';
  }
  return out;
}

}  // namespace tyto
