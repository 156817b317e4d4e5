// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/card.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/files/files.hpp"
#include "tyto/math/quantile.hpp"

namespace tyto {

namespace {

constexpr std::size_t kClassesShown = 20;
constexpr std::size_t kColumnsShown = 20;

// What a reader of a card asks for; the first key that is stated answers.
struct Question {
  std::string_view key, other_spelling;
};

constexpr std::array<Question, 7> kQuestions{{{"origin", "source"},
                                              {"licence", "license"},
                                              {"citation", "cite"},
                                              {"importer", ""},
                                              {"units", "unit"},
                                              {"intended_use", "use"},
                                              {"prior_knowledge", "pretraining"}}};

std::vector<StatedFact> stated_facts(const std::map<std::string, std::string>& about) {
  std::vector<StatedFact> out;
  std::set<std::string> used;
  for (const Question& question : kQuestions) {
    StatedFact fact{std::string(question.key), "not stated", false};
    for (const std::string_view key : {question.key, question.other_spelling}) {
      const auto found = about.find(std::string(key));
      if (!fact.is_stated && found != about.end() && !found->second.empty()) {
        fact = {fact.key, found->second, true};
        used.insert(found->first);
      }
    }
    out.push_back(std::move(fact));
  }
  for (const auto& [key, text] : about) {
    if (!used.contains(key) && !text.empty()) {
      out.push_back({key, text, true});
    }
  }
  return out;
}

std::vector<FileFact> file_facts(const DatasetFiles& files) {
  std::vector<FileFact> out;
  for (const std::string& name : files.names) {
    const MappedFile file(files.folder / name);
    out.push_back({name, file.bytes().size(), digest(file.bytes())});
  }
  return out;
}

ClassBalance balance_of(const std::vector<ClassSummary>& classes) {
  if (classes.empty()) {
    return {};
  }
  std::vector<double> counts;
  for (const ClassSummary& entry : classes) {
    counts.push_back(static_cast<double>(entry.samples));
  }
  const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
  return {static_cast<Index>(*low), static_cast<Index>(*high),
          quantile(std::span<const double>(counts), 0.5), *high / *low};
}

// A cell of a table: a bar or a line end would break the row.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') {
      out += "\\|";
    } else {
      out += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  return out;
}

std::string in_words(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::string split_word(const std::string& split) {
  return split.empty() ? "none" : split;
}

class Markdown {
 public:
  explicit Markdown(const DataCard& card) : card_(card), summary_(card.audit.summary) {}

  std::string text() {
    add("# {}\n\n{}\n\n", summary_.name,
        summary_.summary.empty() ? "Summary: not stated." : summary_.summary);
    facts();
    files();
    variables();
    samples();
    classes();
    annotations();
    problems();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void facts() {
    for (const StatedFact& fact : card_.facts) {
      add("- {}: {}\n", in_words(fact.key), cell(fact.text));
    }
  }

  void files() {
    add("\n## Files\n\n| file | bytes | digest |\n|---|---:|---|\n");
    for (const FileFact& file : card_.files) {
      add("| {} | {} | {} |\n", cell(file.name), file.bytes, file.digest);
    }
  }

  void variables() {
    add("\n## Variables\n\n| source | values per row | lowest | highest | mean | columns |\n"
        "|---|---|---:|---:|---:|---|\n");
    for (const SourceSummary& source : summary_.sources) {
      std::vector<std::string> names;
      for (std::size_t j = 0; j < std::min(kColumnsShown, source.columns.size()); ++j) {
        names.push_back(cell(source.columns[j]));
      }
      std::string columns = fmt::format("{}", fmt::join(names, ", "));
      if (source.columns.empty()) {
        columns = "not named";
      } else if (source.columns.size() > kColumnsShown) {
        columns += fmt::format(" and {} more", source.columns.size() - kColumnsShown);
      }
      add("| {} | {} | {:.6g} | {:.6g} | {:.6g} | {} |\n", cell(source.name),
          fmt::join(source.shape, " x "), source.low, source.high, source.mean, columns);
    }
  }

  void samples() {
    add("\n## Samples\n\n{}", plural(summary_.samples, "sample", "samples"));
    if (summary_.store_rows != summary_.samples) {
      add(" of {} frames in all", summary_.store_rows);
    }
    add(", {} without a label.\n\n", summary_.unlabelled);
    if (summary_.splits.empty()) {
      add("- splits: none given\n");
    }
    for (const auto& [split, count] : summary_.splits) {
      add("- split {}: {}\n", split_word(split), count);
    }
    add("- groups: {}\n",
        summary_.groups == 0 ? std::string("none given") : std::to_string(summary_.groups));
    if (summary_.collections > 0) {
      add("- collections: {}\n", summary_.collections);
    }
  }

  void classes() {
    const auto& classes = summary_.classes;
    add("\n## Classes\n\n");
    if (classes.empty()) {
      add("No sample has a label.\n");
      return;
    }
    const ClassBalance& balance = card_.balance;
    add("{}; samples per class: {} to {}, median {:g}; largest to smallest {:.3g} : 1.\n\n",
        plural(std::ssize(classes), "class", "classes"), balance.smallest, balance.largest,
        balance.median, balance.ratio);
    std::string header = "| class | samples |";
    std::string rule = "|---|---:|";
    for (const auto& [split, total] : summary_.splits) {
      header += fmt::format(" {} |", split_word(split));
      rule += "---:|";
    }
    add("{}\n{}\n", header, rule);
    for (std::size_t i = 0; i < std::min(kClassesShown, classes.size()); ++i) {
      add("| {} | {} |", cell(classes[i].name), classes[i].samples);
      for (const auto& [split, total] : summary_.splits) {
        const auto found = classes[i].by_split.find(split);
        add(" {} |", found == classes[i].by_split.end() ? 0 : found->second);
      }
      add("\n");
    }
    if (classes.size() > kClassesShown) {
      add("\nand {} more\n", classes.size() - kClassesShown);
    }
  }

  void annotations() {
    add("\n## Annotations\n\n");
    if (summary_.annotations.empty()) {
      add("None.\n");
    }
    for (const auto& [name, distinct] : summary_.annotations) {
      add("- {}: {}\n", name, plural(distinct, "value", "values"));
    }
  }

  void problems() {
    add("\n## Known problems\n\n");
    for (const Finding& finding : card_.audit.findings) {
      add("- {}: {}\n", to_word(finding.weight), cell(finding.text));
    }
    add("{}As `tyto data audit` found: {}.\n", card_.audit.findings.empty() ? "" : "\n",
        card_.audit.verdict);
  }

  const DataCard& card_;
  const DatasetSummary& summary_;
  std::string out_;
};

}  // namespace

DataCard make_card(const std::filesystem::path& path, const AuditOptions& options,
                   Progress& progress) {
  const Dataset dataset = load_dataset(path);
  DataCard card;
  card.audit = audit_dataset(dataset, {}, options, progress);
  card.facts = stated_facts(dataset.about);
  card.files = file_facts(dataset.files);
  card.balance = balance_of(card.audit.summary.classes);
  return card;
}

std::string card_markdown(const DataCard& card) {
  return Markdown(card).text();
}

}  // namespace tyto
