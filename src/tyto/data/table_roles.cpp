// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/table_roles.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/split_word.hpp"

namespace tyto {

namespace {

using Usual = std::vector<std::string_view>;

// As written with letters and digits alone: "Sample ID" and "sample_id" are one.
const Usual kIdNames{"id",   "sampleid", "sample", "uuid", "recordid", "rowid", "name",
                     "file", "filename", "key",    "nr",   "number",   "index"};
const Usual kSureIdNames{"id", "sampleid", "uuid", "recordid", "rowid"};
const Usual kLabelNames{"label",    "labels",   "class",   "classlabel", "classname",
                        "target",   "category", "species", "y",          "digit",
                        "activity", "letter",   "action",  "diagnosis"};
const Usual kSureLabelNames{"label", "labels", "class", "classlabel", "classname", "target"};
const Usual kGroupNames{"group",   "groupid",   "subject",     "subjectid", "person", "personid",
                        "patient", "patientid", "participant", "user",      "userid", "writer",
                        "speaker", "session",   "video",       "episode"};
const Usual kSplitNames{"split", "subset", "partition", "set"};
const Usual kTimeNames{"time", "timestamp"};
// What the reader of a dataset would take for a role by its name alone.
const Usual kReadAsNumbers{"time", "start", "end", "frames"};

// Of fewer rows a feature may count them by chance.
constexpr Index kCountedRows = 10;

std::string simplified(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

bool is_among(const Usual& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// tree_id, "Tree ID", treeId; not humid.
bool ends_as_id(std::string_view name) {
  return name.ends_with("_id") || name.ends_with(" id") || name.ends_with("-id") ||
         name.ends_with(".id") || name.ends_with("ID") || name.ends_with("Id");
}

struct ColumnFacts {
  Index empty = 0;
  Index distinct = 0;              // without empty
  std::optional<Index> no_number;  // the first row that holds none
  bool fractions = false;
  bool counts_rows = false;  // 0, 1, 2, ... or 1, 2, 3, ...
  bool split_words = true;   // train, test, ... or empty
};

ColumnFacts facts_of(const CsvTable& csv, Index column) {
  ColumnFacts facts;
  std::set<std::string_view> seen;
  double first = 0;
  facts.counts_rows = csv.rows() >= kCountedRows;
  for (Index row = 0; row < csv.rows(); ++row) {
    const std::string_view cell = csv.text(row, column);
    if (cell.empty()) {
      ++facts.empty;
    } else {
      seen.insert(cell);
      facts.split_words = facts.split_words && !canonical_split(cell).empty();
    }
    const auto number = number_in<double>(cell);
    if (!number || !(std::abs(*number) <= std::numeric_limits<float>::max())) {
      facts.no_number = facts.no_number ? facts.no_number : std::optional(row);
      facts.counts_rows = false;
      continue;
    }
    first = row == 0 ? *number : first;
    facts.fractions = facts.fractions || *number != std::floor(*number);
    facts.counts_rows = facts.counts_rows && (first == 0 || first == 1) &&
                        *number == first + static_cast<double>(row);
  }
  facts.distinct = std::ssize(seen);
  facts.split_words = facts.split_words && facts.distinct > 0;
  return facts;
}

class RoleFinder {
 public:
  RoleFinder(const CsvTable& csv, const AskedRoles& asked) : csv_(csv), asked_(asked) {
    for (Index c = 0; c < std::ssize(csv.columns()); ++c) {
      facts_.push_back(facts_of(csv, c));
      free_.push_back(true);
    }
  }

  TableRoles find() {
    for (const std::string& name : asked_.ignore) {
      ignore(named(name, "ignore"));
    }
    named_roles();
    find_split();
    find_label();
    find_id();
    find_by_name("group", kGroupNames, [&](Index c) {
      return facts_[at(c)].empty == 0 && facts_[at(c)].distinct > 1 &&
             facts_[at(c)].distinct < csv_.rows();
    });
    find_by_name("time", kTimeNames, [&](Index c) { return !facts_[at(c)].no_number; });
    take_features();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const std::string& name_of(Index column) const {
    return csv_.columns()[at(column)];
  }

  [[nodiscard]] Index named(const std::string& name, std::string_view role) const {
    const auto found = csv_.find(name);
    if (!found) {
      throw Error(
          ErrorKind::config,
          fmt::format("--{} {}: {} has no such column{}; there are: {}", role, name, csv_.name(),
                      did_you_mean(name, csv_.columns()), fmt::join(csv_.columns(), ", ")));
    }
    return *found;
  }

  void give(std::string_view role, Index column) {
    out_.column[std::string(role)] = name_of(column);
    free_[at(column)] = false;
  }

  void ignore(Index column) {
    out_.ignored.push_back(name_of(column));
    free_[at(column)] = false;
  }

  void named_roles() {
    for (const auto& [role, name] :
         {std::pair<std::string_view, const std::string*>{"id", &asked_.id},
          {"label", &asked_.label},
          {"group", &asked_.group},
          {"split", &asked_.split}}) {
      if (name->empty()) {
        continue;
      }
      const Index column = named(*name, role);
      if (!free_[at(column)]) {
        throw Error(
            ErrorKind::config,
            fmt::format("--{} {}: the column is named for something else too", role, *name));
      }
      if (role == "id") {
        expect_ids(column);
      }
      if (role == "split" && !facts_[at(column)].split_words) {
        throw Error(ErrorKind::config,
                    fmt::format("--split {}: its values are to be train, validate, test or nothing",
                                *name));
      }
      give(role, column);
    }
  }

  [[nodiscard]] bool can_be_id(Index column) const {
    return facts_[at(column)].empty == 0 && facts_[at(column)].distinct == csv_.rows();
  }

  void expect_ids(Index column) const {
    if (!can_be_id(column)) {
      throw Error(ErrorKind::config,
                  fmt::format("--id {}: {} of {} rows have a name of their own; each must",
                              name_of(column), facts_[at(column)].distinct, csv_.rows()));
    }
  }

  // The first of the usual names, in their order, whose column may have the role.
  template <class Allowed>
  bool find_by_name(const std::string& role, const Usual& usual, const Allowed& allowed) {
    if (out_.column.contains(role)) {
      return true;
    }
    for (const std::string_view name : usual) {
      for (Index c = 0; c < std::ssize(free_); ++c) {
        if (free_[at(c)] && simplified(name_of(c)) == name && allowed(c)) {
          give(role, c);
          return true;
        }
      }
    }
    return false;
  }

  void find_split() {
    find_by_name("split", kSplitNames, [&](Index c) { return facts_[at(c)].split_words; });
  }

  // Classes come again; a measured value hardly does.
  [[nodiscard]] bool can_be_label(Index column) const {
    const ColumnFacts& facts = facts_[at(column)];
    const bool measured = !facts.no_number && facts.fractions;
    const bool coordinate = simplified(name_of(column)) == "y" && has_column("x");
    return facts.distinct > 0 && !measured && !coordinate &&
           (facts.distinct == 1 || 2 * facts.distinct <= csv_.rows() - facts.empty);
  }

  [[nodiscard]] bool has_column(std::string_view name) const {
    return std::any_of(csv_.columns().begin(), csv_.columns().end(),
                       [&](const std::string& other) { return simplified(other) == name; });
  }

  void find_label() {
    if (find_by_name("label", kLabelNames, [&](Index c) { return can_be_label(c); })) {
      return;
    }
    std::vector<Index> words;
    for (Index c = 0; c < std::ssize(free_); ++c) {
      const ColumnFacts& facts = facts_[at(c)];
      if (free_[at(c)] && facts.no_number && *facts.no_number == 0 && facts.empty == 0 &&
          facts.distinct > 1 && can_be_label(c) && is_nobodys(c)) {
        words.push_back(c);
      }
    }
    if (words.empty()) {
      out_.reasons.push_back("no column looks like classes: the samples have no labels");
      return;
    }
    doubt(fmt::format("\"{}\" was taken for the classes since it is {} column of words that repeat",
                      name_of(words.back()), words.size() == 1 ? "the only" : "the last"));
    give("label", words.back());
  }

  // Its name is that of no other role.
  [[nodiscard]] bool is_nobodys(Index column) const {
    const std::string name = simplified(name_of(column));
    return !is_among(kIdNames, name) && !is_among(kGroupNames, name) && !is_among(kTimeNames, name);
  }

  void find_id() {
    if (find_by_name("id", kIdNames, [&](Index c) { return can_be_id(c); })) {
      return;
    }
    for (Index c = 0; c < std::ssize(free_); ++c) {
      if (free_[at(c)] && ends_as_id(name_of(c)) && can_be_id(c) && !facts_[at(c)].fractions) {
        give("id", c);
        return;
      }
    }
    for (Index c = 0; c < std::ssize(free_); ++c) {
      if (free_[at(c)] && facts_[at(c)].counts_rows) {
        out_.reasons.push_back(fmt::format("\"{}\" counts the rows: it names them", name_of(c)));
        give("id", c);
        return;
      }
    }
  }

  void doubt(std::string sentence) {
    out_.reasons.push_back(sentence);
    out_.doubts.push_back(std::move(sentence));
  }

  void take_features() {
    for (Index c = 0; c < std::ssize(free_); ++c) {
      if (!free_[at(c)]) {
        continue;
      }
      const ColumnFacts& facts = facts_[at(c)];
      const std::string name = simplified(name_of(c));
      if (facts.counts_rows) {
        out_.reasons.push_back(fmt::format("\"{}\" counts the rows: no feature", name_of(c)));
        ignore(c);
      } else if (is_among(kSureLabelNames, name) && !can_be_label(c)) {
        doubt(
            fmt::format("\"{}\" has {} values in {} rows: too many for classes, and by its name no "
                        "feature",
                        name_of(c), facts.distinct, csv_.rows()));
        set_aside(c);
      } else if (is_among(kSureIdNames, name) && !can_be_id(c)) {
        doubt(
            fmt::format("\"{}\" has {} values in {} rows: too few to name the samples, and by its "
                        "name no feature; is it a group?",
                        name_of(c), facts.distinct, csv_.rows()));
        set_aside(c);
      } else if (is_among(kGroupNames, name) && facts.distinct == csv_.rows()) {
        out_.reasons.push_back(fmt::format(
            "\"{}\" is another in every row: no group, and by its name no feature", name_of(c)));
        ignore(c);
      } else if (facts.no_number) {
        const Index row = *facts.no_number;
        doubt(fmt::format(
            "\"{}\" is no feature: line {} holds {}", name_of(c), csv_.line(row),
            csv_.text(row, c).empty() ? "nothing" : fmt::format("\"{}\"", csv_.text(row, c))));
        set_aside(c);
      } else {
        out_.features.push_back(name_of(c));
      }
    }
    if (out_.features.empty()) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: no column is left to be a feature: numbers in every row; {}",
                      csv_.name(),
                      out_.reasons.empty() ? "there are none"
                                           : fmt::format("{}", fmt::join(out_.reasons, "; "))));
    }
  }

  // The reader of a dataset would take a column for what it is called.
  void set_aside(Index column) {
    const std::string& name = name_of(column);
    const bool read_by_name =
        name == "id" || name == "label" || name == "split" || is_among(kReadAsNumbers, name);
    const bool role_is_taken = out_.column.contains(name);
    if (read_by_name && !role_is_taken) {
      ignore(column);
    } else {
      out_.kept.push_back(name);
    }
  }

  const CsvTable& csv_;
  const AskedRoles& asked_;
  std::vector<ColumnFacts> facts_;
  std::vector<bool> free_;
  TableRoles out_;
};

}  // namespace

TableRoles find_roles(const CsvTable& csv, const AskedRoles& asked) {
  if (csv.rows() == 0) {
    throw Error(ErrorKind::data,
                fmt::format("{}: has no rows below the names of columns", csv.name()));
  }
  return RoleFinder(csv, asked).find();
}

std::optional<Index> usual_label_column(const CsvTable& csv) {
  for (const std::string_view name : kLabelNames) {
    for (Index c = 0; c < std::ssize(csv.columns()); ++c) {
      if (simplified(csv.columns()[at(c)]) == name) {
        return c;
      }
    }
  }
  return std::nullopt;
}

}  // namespace tyto
