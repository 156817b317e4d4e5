// SPDX-License-Identifier: Apache-2.0
// The checks on values: bad ones, columns that say nothing, samples that say the same.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "tyto/data/audit/checks.hpp"

namespace tyto {

namespace {

using Weight = Finding::Weight;

constexpr std::array<std::string_view, 3> kSplits{"train", "validate", "test"};

std::string with_split(const Dataset& dataset, Index sample) {
  const std::string split = split_of(dataset.table, sample);
  return sample_name(dataset, sample) + (split.empty() ? "" : " in " + split);
}

class RepeatFinder {
 public:
  RepeatFinder(const Dataset& dataset, Index limit) : dataset_(dataset), limit_(limit) {}

  // Samples with one hash, in rising order.
  void add(std::span<const Index> samples) {
    repeats_.count += std::ssize(samples) - 1;
    for (std::size_t i = 1; i < samples.size(); ++i) {
      note(repeats_, samples[i], samples.front());
    }
    look_at_labels(samples);
    for (std::size_t later = 1; later < kSplits.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        look_across(samples, earlier, later);
      }
    }
  }

  std::vector<Finding> findings() {
    std::vector<Finding> out;
    if (repeats_.count > 0) {
      out.push_back({Weight::note, "repeated_rows",
                     fmt::format("{} an earlier one exactly",
                                 plural(repeats_.count, "row repeats", "rows repeat")),
                     std::move(repeats_.examples)});
    }
    if (contradictions_.count > 0) {
      out.push_back({Weight::problem, "contradictory_labels",
                     fmt::format("{} equal to a row of another label",
                                 plural(contradictions_.count, "row is", "rows are")),
                     std::move(contradictions_.examples)});
    }
    for (auto& [pair, found] : across_) {
      const std::string_view later = kSplits[pair.second];
      out.push_back(
          {Weight::problem, "rows_across_splits",
           fmt::format("{} {} equal to a row of the split {}", found.count,
                       fmt::format("{} {}", later, found.count == 1 ? "row is" : "rows are"),
                       kSplits[pair.first]),
           std::move(found.examples)});
    }
    return out;
  }

 private:
  struct Found {
    Index count = 0;
    std::vector<std::string> examples;
  };

  [[nodiscard]] const std::string& label(Index sample) const {
    return dataset_.table.label[static_cast<std::size_t>(sample)];
  }

  void note(Found& found, Index sample, Index other) const {
    if (std::ssize(found.examples) < limit_) {
      found.examples.push_back(
          fmt::format("{} = {}", with_split(dataset_, sample), with_split(dataset_, other)));
    }
  }

  // A sample without a label contradicts nobody.
  void look_at_labels(std::span<const Index> samples) {
    std::vector<Index> labelled;
    std::copy_if(samples.begin(), samples.end(), std::back_inserter(labelled),
                 [&](Index sample) { return !label(sample).empty(); });
    const auto other = std::find_if(labelled.begin(), labelled.end(), [&](Index sample) {
      return label(sample) != label(labelled.front());
    });
    if (other == labelled.end()) {
      return;
    }
    contradictions_.count += std::ssize(labelled);
    if (std::ssize(contradictions_.examples) < limit_) {
      contradictions_.examples.push_back(
          fmt::format("{} is \"{}\", {} is \"{}\"", sample_name(dataset_, labelled.front()),
                      label(labelled.front()), sample_name(dataset_, *other), label(*other)));
    }
  }

  void look_across(std::span<const Index> samples, std::size_t earlier, std::size_t later) {
    const auto first = std::find_if(samples.begin(), samples.end(), [&](Index sample) {
      return split_of(dataset_.table, sample) == kSplits[earlier];
    });
    if (first == samples.end()) {
      return;
    }
    for (const Index sample : samples) {
      if (split_of(dataset_.table, sample) == kSplits[later]) {
        Found& found = across_[{earlier, later}];
        ++found.count;
        note(found, sample, *first);
      }
    }
  }

  const Dataset& dataset_;
  Index limit_;
  Found repeats_, contradictions_;
  std::map<std::pair<std::size_t, std::size_t>, Found> across_;
};

Finding bad_values(const Dataset& dataset, const SourceScan& source, Index limit) {
  std::vector<std::string> examples;
  for (std::size_t j = 0; j < source.columns.size() && std::ssize(examples) < limit; ++j) {
    const ColumnScan& column = source.columns[j];
    if (column.bad > 0) {
      examples.push_back(
          fmt::format("column {}: {}, first in {}", source.column_name(j),
                      plural(column.bad, "value", "values"),
                      sample_name(dataset, sample_of_row(dataset.table, column.first_bad))));
    }
  }
  return {Weight::problem, "not_finite",
          fmt::format("source \"{}\": {} a value that is NaN or infinite; the first is row {}",
                      source.name, plural(source.bad_rows, "row holds", "rows hold"),
                      source.first_bad_row),
          std::move(examples)};
}

}  // namespace

std::vector<Finding> check_values(const Dataset& dataset, const DatasetScan& scan, Index limit) {
  std::vector<Finding> out;
  for (const SourceScan& source : scan.sources) {
    if (source.bad_rows > 0) {
      out.push_back(bad_values(dataset, source, limit));
    }
    std::vector<std::string> constant;
    for (std::size_t j = 0; j < source.columns.size(); ++j) {
      if (source.columns[j].constant) {
        constant.push_back(source.column_name(j));
      }
    }
    if (!constant.empty()) {
      out.push_back(
          {Weight::note,
           "constant_column",
           fmt::format("source \"{}\": {} the same value in every row; the first is column {}",
                       source.name, plural(std::ssize(constant), "column has", "columns have"),
                       constant.front()),
           {constant.begin(), constant.begin() + std::min<Index>(limit, std::ssize(constant))}});
    }
  }
  return out;
}

std::vector<Finding> check_equal_columns(const DatasetScan& scan, Index limit) {
  std::vector<Finding> out;
  for (const SourceScan& source : scan.sources) {
    std::map<std::uint64_t, std::size_t> first;
    Index count = 0;
    std::vector<std::string> examples;
    for (std::size_t j = 0; j < source.columns.size(); ++j) {
      if (source.columns[j].constant) {  // told already
        continue;
      }
      const auto [known, fresh] = first.emplace(source.columns[j].hash, j);
      if (!fresh && ++count <= limit) {
        examples.push_back(
            fmt::format("{} = {}", source.column_name(j), source.column_name(known->second)));
      }
    }
    if (count > 0) {
      out.push_back({Weight::note, "equal_columns",
                     fmt::format("source \"{}\": {} an earlier one in every row", source.name,
                                 plural(count, "column equals", "columns equal")),
                     std::move(examples)});
    }
  }
  return out;
}

std::vector<Finding> check_repeats(const Dataset& dataset, const DatasetScan& scan, Index limit) {
  std::vector<Index> order(scan.sample_hash.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto hash = [&](Index sample) {
    return scan.sample_hash[static_cast<std::size_t>(sample)];
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return hash(a) < hash(b); });
  std::vector<std::span<const Index>> repeated;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && hash(order[end]) == hash(order[begin])) {
      ++end;
    }
    if (end - begin > 1) {
      repeated.emplace_back(order.data() + begin, end - begin);
    }
    begin = end;
  }
  std::sort(repeated.begin(), repeated.end(),
            [](const auto& a, const auto& b) { return a.front() < b.front(); });
  RepeatFinder finder(dataset, limit);
  for (const std::span<const Index> samples : repeated) {
    finder.add(samples);
  }
  return finder.findings();
}

std::vector<Finding> common_findings(const Dataset& dataset, const DatasetScan& scan, Index limit) {
  std::vector<Finding> out = check_values(dataset, scan, limit);
  for (auto& findings : {check_labels(dataset, limit), check_groups(dataset, limit),
                         check_repeats(dataset, scan, limit)}) {
    out.insert(out.end(), findings.begin(), findings.end());
  }
  sort_findings(out);
  return out;
}

}  // namespace tyto
