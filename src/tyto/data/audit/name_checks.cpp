// SPDX-License-Identifier: Apache-2.0
// The checks on names: of classes, samples and groups.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tyto/data/audit/checks.hpp"

namespace tyto {

namespace {

using Weight = Finding::Weight;

char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return lower_case(c); });
  return text;
}

// Lower case, nothing of the characters in `dropped`.
std::string folded(std::string_view text, std::string_view dropped) {
  std::string out;
  for (const char c : text) {
    if (dropped.find(c) == dropped.npos) {
      out += lower_case(c);
    }
  }
  return out;
}

bool has_stray_blanks(const std::string& name) {
  return name.front() == ' ' || name.back() == ' ' || name.find('\t') != name.npos ||
         name.find("  ") != name.npos;
}

std::vector<std::string> first_of(std::vector<std::string> names, Index limit) {
  names.resize(std::min(names.size(), static_cast<std::size_t>(limit)));
  return names;
}

using SplitCounts = std::map<std::string, Index>;

struct ClassRows {
  std::vector<Index> samples;
  SplitCounts by_split;
};

std::map<std::string, ClassRows> rows_by_class(const IndexTable& table) {
  std::map<std::string, ClassRows> classes;
  for (Index i = 0; i < table.size(); ++i) {
    const std::string& label = table.label[static_cast<std::size_t>(i)];
    if (!label.empty()) {
      classes[label].samples.push_back(i);
      ++classes[label].by_split[split_of(table, i)];
    }
  }
  return classes;
}

bool has_split(const IndexTable& table, const std::string& split) {
  return std::find(table.split.begin(), table.split.end(), split) != table.split.end();
}

std::vector<std::string> some_samples(const Dataset& dataset, const std::vector<Index>& samples,
                                      Index limit) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(samples.size(), static_cast<std::size_t>(limit)); ++i) {
    out.push_back(sample_name(dataset, samples[i]));
  }
  return out;
}

void find_missing_classes(const std::map<std::string, ClassRows>& classes, const std::string& split,
                          Index limit, std::vector<Finding>& out) {
  std::vector<std::string> missing;
  for (const auto& [name, rows] : classes) {
    if (!rows.by_split.contains(split)) {
      missing.push_back(name);
    }
  }
  if (!missing.empty()) {
    out.push_back({Weight::note, "class_missing",
                   fmt::format("{} missing in the split {}: {}",
                               plural(std::ssize(missing), "class is", "classes are"), split,
                               some_of(missing)),
                   first_of(missing, limit)});
  }
}

void find_alike_labels(const Dataset& dataset, const std::map<std::string, ClassRows>& classes,
                       Index limit, std::vector<Finding>& out) {
  std::map<std::string, std::string> first;
  for (const auto& [name, rows] : classes) {
    const auto [other, fresh] = first.emplace(folded(name, " \t_-"), name);
    if (fresh) {
      continue;
    }
    const bool case_only = lower_case(name) == lower_case(other->second);
    std::vector<Index> witnesses{classes.at(other->second).samples.front()};
    witnesses.insert(witnesses.end(), rows.samples.begin(), rows.samples.end());
    out.push_back({Weight::problem, "alike_labels",
                   fmt::format("the labels \"{}\" and \"{}\" differ only in {}", other->second,
                               name, case_only ? "case" : "case, blanks, \"_\" or \"-\""),
                   some_samples(dataset, witnesses, limit)});
  }
}

}  // namespace

std::vector<Finding> check_labels(const Dataset& dataset, Index limit) {
  std::vector<Finding> out;
  const auto classes = rows_by_class(dataset.table);
  find_alike_labels(dataset, classes, limit, out);
  std::vector<std::string> blank;
  std::vector<std::string> rare;
  std::vector<Index> blank_samples;
  std::vector<Index> rare_samples;
  for (const auto& [name, rows] : classes) {
    if (has_stray_blanks(name)) {
      blank.push_back('"' + name + '"');
      blank_samples.push_back(rows.samples.front());
    }
    if (rows.samples.size() < 2) {
      rare.push_back(name);
      rare_samples.push_back(rows.samples.front());
    }
  }
  if (!blank.empty()) {
    out.push_back({Weight::problem, "label_blanks",
                   fmt::format("stray blanks in {}: {}",
                               plural(std::ssize(blank), "label", "labels"), some_of(blank)),
                   some_samples(dataset, blank_samples, limit)});
  }
  if (!rare.empty()) {
    out.push_back(
        {Weight::note, "rare_class",
         fmt::format("{} fewer than 2 samples: {}",
                     plural(std::ssize(rare), "class has", "classes have"), some_of(rare)),
         some_samples(dataset, rare_samples, limit)});
  }
  if (has_split(dataset.table, "train")) {
    find_missing_classes(classes, "train", limit, out);
  }
  std::vector<Index> unlabelled;
  for (Index i = 0; i < dataset.table.size(); ++i) {
    if (dataset.table.label[static_cast<std::size_t>(i)].empty()) {
      unlabelled.push_back(i);
    }
  }
  if (std::ssize(unlabelled) == dataset.table.size() && !unlabelled.empty()) {
    out.push_back({Weight::problem,
                   "no_labels",
                   "no sample has a label; does `columns` say which column it is?",
                   {}});
  } else if (!unlabelled.empty()) {
    out.push_back({Weight::note, "unlabelled",
                   plural(std::ssize(unlabelled), "sample has no label", "samples have no label"),
                   some_samples(dataset, unlabelled, limit)});
  }
  return out;
}

std::vector<Finding> check_class_splits(const Dataset& dataset, Index limit) {
  std::vector<Finding> out;
  const auto classes = rows_by_class(dataset.table);
  for (const std::string split : {"train", "validate", "test"}) {
    if (!has_split(dataset.table, split)) {
      continue;
    }
    if (split != "train") {  // check_labels tells of that
      find_missing_classes(classes, split, limit, out);
    }
    std::vector<std::string> single;
    std::vector<Index> witnesses;
    for (const auto& [name, rows] : classes) {
      const auto found = rows.by_split.find(split);
      if (rows.samples.size() > 1 && found != rows.by_split.end() && found->second == 1) {
        single.push_back(name);
        witnesses.push_back(*std::find_if(rows.samples.begin(), rows.samples.end(), [&](Index i) {
          return dataset.table.split[static_cast<std::size_t>(i)] == split;
        }));
      }
    }
    if (!single.empty()) {
      out.push_back({Weight::note, "rare_in_split",
                     fmt::format("{} a single sample in the split {}: {}",
                                 plural(std::ssize(single), "class has", "classes have"), split,
                                 some_of(single)),
                     some_samples(dataset, witnesses, limit)});
    }
  }
  return out;
}

std::vector<Finding> check_names(const Dataset& dataset, Index limit) {
  std::vector<Finding> out;
  const IndexTable& table = dataset.table;
  const auto look = [&](const std::vector<std::string>& names, std::string_view rule,
                        std::string_view one, std::string_view many) {
    std::map<std::string, Index> first;
    std::set<std::string_view> told;
    std::vector<std::string> examples;
    for (Index i = 0; i < std::ssize(names); ++i) {
      const std::string& name = names[static_cast<std::size_t>(i)];
      const auto [known, fresh] = first.emplace(folded(name, " \t"), i);
      if (!fresh && names[static_cast<std::size_t>(known->second)] != name &&
          told.insert(name).second && std::ssize(examples) < limit) {
        examples.push_back(fmt::format(
            "\"{}\" and \"{}\"{}", names[static_cast<std::size_t>(known->second)], name,
            dataset.files.lines.empty()
                ? ""
                : fmt::format(" (lines {} and {})",
                              dataset.files.lines[static_cast<std::size_t>(known->second)],
                              dataset.files.lines[static_cast<std::size_t>(i)])));
      }
    }
    if (!told.empty()) {
      out.push_back({Weight::problem, std::string(rule),
                     fmt::format("{} from an earlier one only in case or blanks",
                                 plural(std::ssize(told), one, many)),
                     std::move(examples)});
    }
  };
  look(table.id, "alike_ids", "id differs", "ids differ");
  look(table.group, "alike_groups", "group differs", "groups differ");
  return out;
}

std::vector<Finding> check_groups(const Dataset& dataset, Index limit) {
  const IndexTable& table = dataset.table;
  if (table.group.empty() || table.split.empty()) {
    return {};
  }
  std::map<std::string_view, std::map<std::string_view, Index>> splits;  // and the first sample
  for (Index i = 0; i < table.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!table.split[at].empty() && !table.group[at].empty()) {
      splits[table.group[at]].emplace(table.split[at], i);
    }
  }
  std::vector<std::string> torn;
  std::vector<std::string> examples;
  for (const auto& [group, samples] : splits) {
    if (samples.size() < 2) {
      continue;
    }
    torn.emplace_back(group);
    if (std::ssize(examples) < limit) {
      std::string example = fmt::format("group {}:", group);
      for (const auto& [split, sample] : samples) {
        example += fmt::format("{} {} in {}", example.back() == ':' ? "" : ",",
                               sample_name(dataset, sample), split);
      }
      examples.push_back(std::move(example));
    }
  }
  if (torn.empty()) {
    return {};
  }
  return {{Weight::problem, "group_across_splits",
           fmt::format("{} on both sides of a split: {}",
                       plural(std::ssize(torn), "group is", "groups are"), some_of(torn)),
           std::move(examples)}};
}

}  // namespace tyto
