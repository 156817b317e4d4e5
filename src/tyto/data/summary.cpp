// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kBlockValues = 1 << 20;  // 4 MiB of features at a time

using Weight = Finding::Weight;

std::string plural(Index count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  if (names.size() <= kShown) {
    return fmt::format("{}", fmt::join(names, ", "));
  }
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, ", "),
                     names.size() - kShown);
}

Index distinct(const std::vector<std::string>& values) {
  return static_cast<Index>(std::set<std::string_view>(values.begin(), values.end()).size());
}

struct RowHash {
  std::uint64_t hash;
  Index row;
};

class Summariser {
 public:
  Summariser(const Dataset& dataset, Progress& progress)
      : dataset_(dataset), table_(dataset.table), progress_(progress) {}

  DatasetSummary run(Index head_rows) {
    out_.name = dataset_.name;
    out_.summary = dataset_.summary;
    out_.about = dataset_.about;
    out_.samples = table_.size();
    out_.store_rows = dataset_.store->rows();
    count_table();
    scan_sources();
    look_at_labels();
    look_at_groups();
    look_at_repeats();
    take_head(head_rows);
    std::stable_partition(out_.findings.begin(), out_.findings.end(),
                          [](const Finding& f) { return f.weight == Weight::problem; });
    return std::move(out_);
  }

 private:
  void find(Weight weight, std::string text) { out_.findings.push_back({weight, std::move(text)}); }

  [[nodiscard]] std::string split_of(std::size_t i) const {
    return table_.split.empty() ? "" : table_.split[i];
  }

  void count_table() {
    std::map<std::string, ClassSummary> classes;
    for (std::size_t i = 0; i < table_.id.size(); ++i) {
      if (!table_.split.empty()) {
        ++out_.splits[table_.split[i]];
      }
      if (table_.label[i].empty()) {
        ++out_.unlabelled;
        continue;
      }
      ClassSummary& entry = classes[table_.label[i]];
      ++entry.samples;
      if (!table_.split.empty()) {
        ++entry.by_split[table_.split[i]];
      }
    }
    for (auto& [name, entry] : classes) {
      entry.name = name;
      out_.classes.push_back(std::move(entry));
    }
    out_.groups = distinct(table_.group);
    out_.collections = distinct(table_.source);
    for (const auto& [name, values] : table_.annotations) {
      out_.annotations[name] = distinct(values);
    }
  }

  void scan_sources() {
    const auto names = dataset_.store->sources();
    progress_.begin("reading the features",
                    static_cast<double>(out_.store_rows) * static_cast<double>(names.size()));
    for (const std::string& name : names) {
      scan(name, out_.sources.empty() && table_.frames.empty());
    }
    progress_.end();
  }

  void scan(const std::string& name, bool keep_hashes) {
    const FeatureStore& store = *dataset_.store;
    SourceSummary source;
    source.name = name;
    source.shape = store.shape(name);
    source.columns = store.column_names(name);
    const Index width =
        std::accumulate(source.shape.begin(), source.shape.end(), Index{1}, std::multiplies<>());
    Index first_bad = -1;
    Index finite = 0;
    double sum = 0;
    float low = std::numeric_limits<float>::infinity();
    float high = -low;
    Eigen::RowVectorXf reference;
    std::vector<char> constant(static_cast<std::size_t>(width), 1);
    const Index block_rows = std::max<Index>(1, kBlockValues / std::max<Index>(1, width));
    in_blocks(store.rows(), block_rows, [&](Index begin, Index count) {
      std::vector<Index> rows(static_cast<std::size_t>(count));
      std::iota(rows.begin(), rows.end(), begin);
      Matrix block(count, width);
      store.gather(name, rows, block);
      if (begin == 0) {
        reference = block.row(0);
      }
      for (Index i = 0; i < count; ++i) {
        const float* values = block.data() + i * width;
        bool bad = false;
        for (Index j = 0; j < width; ++j) {
          const float value = values[j];
          constant[static_cast<std::size_t>(j)] &= static_cast<char>(value == reference[j]);
          if (!std::isfinite(value)) {
            bad = true;
            continue;
          }
          ++finite;
          sum += value;
          low = std::min(low, value);
          high = std::max(high, value);
        }
        if (bad && source.bad_rows++ == 0) {
          first_bad = begin + i;
        }
        if (keep_hashes) {
          hashes_.push_back({mix(0, {reinterpret_cast<const char*>(values),
                                     static_cast<std::size_t>(width) * sizeof(float)}),
                             begin + i});
        }
      }
      progress_.advance(static_cast<double>(count));
    });
    if (finite > 0) {
      source.low = low;
      source.high = high;
      source.mean = sum / static_cast<double>(finite);
    }
    if (store.rows() > 1) {
      source.constant_columns = std::count(constant.begin(), constant.end(), char{1});
    }
    report(source, first_bad, constant);
    out_.sources.push_back(std::move(source));
  }

  void report(const SourceSummary& source, Index first_bad, const std::vector<char>& constant) {
    if (source.bad_rows > 0) {
      find(Weight::problem,
           fmt::format("source \"{}\": {} a value that is NaN or infinite; the first is row {}",
                       source.name, plural(source.bad_rows, "row holds", "rows hold"), first_bad));
    }
    if (source.constant_columns > 0) {
      const auto first = std::find(constant.begin(), constant.end(), char{1}) - constant.begin();
      find(Weight::note,
           fmt::format("source \"{}\": {} the same value in every row; the first is column {}",
                       source.name, plural(source.constant_columns, "column has", "columns have"),
                       source.columns.empty() ? std::to_string(first)
                                              : source.columns[static_cast<std::size_t>(first)]));
    }
  }

  void look_at_labels() {
    std::vector<std::string> blank;
    std::vector<std::string> rare;
    std::vector<std::string> untrained;
    std::map<std::string, std::string> folded;
    const bool has_train = out_.splits.contains("train");
    for (const ClassSummary& entry : out_.classes) {
      const std::string& name = entry.name;
      if (name.front() == ' ' || name.back() == ' ' || name.find('\t') != name.npos ||
          name.find("  ") != name.npos) {
        blank.push_back('"' + name + '"');
      }
      std::string lower = name;
      std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      });
      const auto [other, fresh] = folded.emplace(std::move(lower), name);
      if (!fresh) {
        find(Weight::problem,
             fmt::format("the labels \"{}\" and \"{}\" differ only in case", other->second, name));
      }
      if (entry.samples < 2) {
        rare.push_back(name);
      }
      if (has_train && !entry.by_split.contains("train")) {
        untrained.push_back(name);
      }
    }
    if (!blank.empty()) {
      find(Weight::problem,
           fmt::format("stray blanks in {}: {}", plural(std::ssize(blank), "label", "labels"),
                       some_of(blank)));
    }
    if (!rare.empty()) {
      find(Weight::note,
           fmt::format("{} fewer than 2 samples: {}",
                       plural(std::ssize(rare), "class has", "classes have"), some_of(rare)));
    }
    if (!untrained.empty()) {
      find(Weight::note, fmt::format("{} missing in the split train: {}",
                                     plural(std::ssize(untrained), "class is", "classes are"),
                                     some_of(untrained)));
    }
    if (out_.unlabelled == out_.samples && out_.samples > 0) {
      find(Weight::problem, "no sample has a label; does `columns` say which column it is?");
    } else if (out_.unlabelled > 0) {
      find(Weight::note, plural(out_.unlabelled, "sample has no label", "samples have no label"));
    }
  }

  void look_at_groups() {
    if (table_.group.empty() || table_.split.empty()) {
      return;
    }
    std::map<std::string_view, std::set<std::string_view>> splits;
    for (std::size_t i = 0; i < table_.id.size(); ++i) {
      if (!table_.split[i].empty() && !table_.group[i].empty()) {
        splits[table_.group[i]].insert(table_.split[i]);
      }
    }
    std::vector<std::string> torn;
    for (const auto& [group, names] : splits) {
      if (names.size() > 1) {
        torn.emplace_back(group);
      }
    }
    if (!torn.empty()) {
      find(Weight::problem,
           fmt::format("{} on both sides of a split: {}",
                       plural(std::ssize(torn), "group is", "groups are"), some_of(torn)));
    }
  }

  void look_at_repeats() {
    std::sort(hashes_.begin(), hashes_.end(), [](const RowHash& a, const RowHash& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.row < b.row;
    });
    Index repeats = 0;
    Index disagreeing = 0;
    Index leaking = 0;
    for (std::size_t begin = 0; begin < hashes_.size();) {
      std::size_t end = begin + 1;
      bool trained = split_of(static_cast<std::size_t>(hashes_[begin].row)) == "train";
      const std::string& label = table_.label[static_cast<std::size_t>(hashes_[begin].row)];
      bool agrees = true;
      for (; end < hashes_.size() && hashes_[end].hash == hashes_[begin].hash; ++end) {
        const auto row = static_cast<std::size_t>(hashes_[end].row);
        trained = trained || split_of(row) == "train";
        agrees = agrees && table_.label[row] == label;
      }
      const auto count = static_cast<Index>(end - begin);
      if (count > 1) {
        repeats += count - 1;
        disagreeing += agrees ? 0 : count;
        for (std::size_t i = begin; trained && i < end; ++i) {
          leaking += split_of(static_cast<std::size_t>(hashes_[i].row)) == "test" ? 1 : 0;
        }
      }
      begin = end;
    }
    if (repeats > 0) {
      find(Weight::note,
           fmt::format("{} an earlier one exactly", plural(repeats, "row repeats", "rows repeat")));
    }
    if (disagreeing > 0) {
      find(Weight::problem, fmt::format("{} equal to a row of another label",
                                        plural(disagreeing, "row is", "rows are")));
    }
    if (leaking > 0) {
      find(Weight::problem, fmt::format("{} equal to a row of the split train",
                                        plural(leaking, "test row is", "test rows are")));
    }
  }

  void take_head(Index head_rows) {
    constexpr Index kShown = 6;
    if (out_.sources.empty()) {
      return;
    }
    const SourceSummary& source = out_.sources.front();
    const Index width =
        std::accumulate(source.shape.begin(), source.shape.end(), Index{1}, std::multiplies<>());
    Index row = 0;
    for (Index i = 0; i < std::min(head_rows, out_.samples); ++i) {
      const auto at = static_cast<std::size_t>(i);
      Matrix values(1, width);
      dataset_.store->gather(source.name, std::span(&row, 1), values);
      const Index shown = std::min(kShown, width);
      out_.head.push_back({table_.id[at],
                           table_.label[at],
                           split_of(at),
                           table_.group.empty() ? "" : table_.group[at],
                           {values.data(), values.data() + shown}});
      row += table_.frames.empty() ? 1 : table_.frames[at];
    }
  }

  const Dataset& dataset_;
  const IndexTable& table_;
  Progress& progress_;
  std::vector<RowHash> hashes_;  // of the first source, one per row
  DatasetSummary out_;
};

}  // namespace

DatasetSummary summarise(const Dataset& dataset, Progress& progress, Index head_rows) {
  return Summariser(dataset, progress).run(head_rows);
}

}  // namespace tyto
