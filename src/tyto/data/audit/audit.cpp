// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/audit.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/data/audit/checks.hpp"

namespace tyto {

namespace {

using Weight = Finding::Weight;

void append(std::vector<Finding>& out, std::vector<Finding> more) {
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string breach_sentence(const std::string& rule, Index count) {
  if (rule == "empty_id") {
    return plural(count, "row has no id", "rows have no id");
  }
  if (rule == "repeated_id") {
    return plural(count, "row has an id that stands already in an earlier one",
                  "rows have ids that stand already in earlier ones");
  }
  if (rule == "reserved_label") {
    return plural(count, "row has a label that is reserved", "rows have labels that are reserved");
  }
  if (rule == "unknown_split") {
    return plural(count, "row has a split that is none of train, validate and test",
                  "rows have splits that are none of train, validate and test");
  }
  TYTO_ASSERT(rule == "no_number");
  return plural(count, "cell of the features is not a number",
                "cells of the features are no numbers");
}

std::vector<Finding> breach_findings(std::span<const Breach> breaches, Index limit) {
  std::vector<Finding> out;
  std::map<std::string, Index> counts;
  for (const Breach& breach : breaches) {
    auto found = std::find_if(out.begin(), out.end(),
                              [&](const Finding& f) { return f.rule == breach.rule; });
    if (found == out.end()) {
      found = out.insert(out.end(), {Weight::problem, breach.rule, "", {}});
    }
    if (++counts[breach.rule] <= limit) {
      found->examples.push_back(breach.text);
    }
  }
  for (Finding& finding : out) {
    finding.text = breach_sentence(finding.rule, counts[finding.rule]) +
                   "; such a dataset is refused by every other command";
  }
  return out;
}

std::vector<Finding> near_findings(const Dataset& dataset, const NearRows& near,
                                   const AuditOptions& options) {
  const auto label = [&](Index sample) -> const std::string& {
    return dataset.table.label[static_cast<std::size_t>(sample)];
  };
  const std::string measure = fmt::format(
      "{} of the median nearest-neighbour distance{}", options.near.share,
      near.are_drawn ? fmt::format(" (among {} of {} samples, drawn with seed {})", near.samples,
                                   dataset.table.size(), options.near.seed)
                     : "");
  const auto make = [&](Weight weight, std::string rule, std::string text,
                        const std::vector<NearPair>& pairs) {
    Finding finding{weight, std::move(rule), std::move(text), {}};
    const auto differing = std::count_if(pairs.begin(), pairs.end(), [&](const NearPair& pair) {
      return !label(pair.sample).empty() && !label(pair.other).empty() &&
             label(pair.sample) != label(pair.other);
    });
    if (differing > 0) {
      finding.text +=
          fmt::format("; {} another label", plural(differing, "of them has", "of them have"));
    }
    std::set<std::pair<Index, Index>> told;
    for (const NearPair& pair : pairs) {
      if (std::ssize(finding.examples) >= options.limit) {
        break;
      }
      if (!told.insert(std::minmax(pair.sample, pair.other)).second) {
        continue;  // each is the other's nearest
      }
      finding.examples.push_back(fmt::format("{} and {}: {:.2g} of the median",
                                             sample_name(dataset, pair.sample),
                                             sample_name(dataset, pair.other), pair.share));
    }
    return finding;
  };
  std::vector<Finding> out;
  if (!near.across.empty()) {
    out.push_back(make(Weight::problem, "near_rows_across_splits",
                       fmt::format("{} not equal to a row of the split train, but closer to one "
                                   "than {}",
                                   plural(std::ssize(near.across), "validate or test row is",
                                          "validate or test rows are"),
                                   measure),
                       near.across));
  }
  if (!near.pairs.empty()) {
    out.push_back(
        make(Weight::note, "near_rows",
             fmt::format("{} not equal to any other, but closer to one than {}",
                         plural(std::ssize(near.pairs), "distinct row is", "distinct rows are"),
                         measure),
             near.pairs));
  }
  return out;
}

std::string verdict_of(const Audit& audit) {
  const Index problems = audit.problems();
  const Index notes = std::ssize(audit.findings) - problems;
  if (audit.findings.empty()) {
    return "nothing found that would spoil an evaluation";
  }
  const std::string noted = plural(notes, "note", "notes");
  return problems == 0
             ? fmt::format("{}, no problem", noted)
             : fmt::format("{}, {}: numbers measured on this dataset need a word about {}",
                           plural(problems, "problem", "problems"), noted,
                           problems == 1 ? "it" : "them");
}

}  // namespace

Index Audit::problems() const {
  return std::count_if(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.weight == Weight::problem; });
}

Audit audit_dataset(const Dataset& dataset, std::span<const Breach> breaches,
                    const AuditOptions& options, Progress& progress) {
  const DatasetScan scan = scan_dataset(dataset, progress);
  Audit audit;
  audit.summary = summarise(dataset, scan);
  audit.near = find_near_rows(dataset, scan, options.near, progress);
  audit.findings = breach_findings(breaches, options.limit);
  append(audit.findings, common_findings(dataset, scan, options.limit));
  append(audit.findings, check_names(dataset, options.limit));
  append(audit.findings, near_findings(dataset, audit.near, options));
  append(audit.findings, check_equal_columns(scan, options.limit));
  append(audit.findings, check_class_splits(dataset, options.limit));
  sort_findings(audit.findings);
  audit.verdict = verdict_of(audit);
  return audit;
}

Audit audit_file(const std::filesystem::path& path, const AuditOptions& options,
                 Progress& progress) {
  std::vector<Breach> breaches;
  Dataset dataset;
  try {
    dataset = load_dataset(path, &breaches);
  } catch (const Error& problem) {
    if (problem.kind() != ErrorKind::data) {
      throw;
    }
    Audit audit;
    audit.summary.name = path.filename().string();
    audit.findings.push_back({Weight::problem, "cannot_be_read", problem.what(), {}});
    audit.verdict = "the dataset cannot be read; nothing else was looked at";
    return audit;
  }
  return audit_dataset(dataset, breaches, options, progress);
}

}  // namespace tyto
