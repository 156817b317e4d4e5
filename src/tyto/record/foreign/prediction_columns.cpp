// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/foreign/prediction_columns.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kPrefix = "p_";

class Claims {
 public:
  // With `named_only` nothing is found by its usual name.
  Claims(const CsvTable& table, bool named_only) : table_(table), named_only_(named_only) {}

  // The column the user named, else the one of the usual names that is there.
  std::optional<Index> claim(const std::string& named, ColumnRole role, std::string_view what,
                             const Words& usual) {
    if (!named.empty()) {
      return take(table_.column(named));
    }
    if (named_only_) {
      return {};
    }
    std::optional<Index> found;
    for (const std::string& name : usual) {
      const auto column = table_.find(name);
      if (column && found) {
        throw ColumnNotFound(
            role, fmt::format("{}: the columns \"{}\" and \"{}\" could both hold {}; name the "
                              "right one",
                              table_.name(), name_of(*found), name, what));
      }
      found = column ? column : found;
    }
    return found ? std::optional(take(*found)) : std::nullopt;
  }

  Index need(const std::string& named, ColumnRole role, std::string_view what, const Words& usual) {
    if (const auto found = claim(named, role, what, usual)) {
      return *found;
    }
    std::string hint;
    for (const std::string& name : usual) {
      hint = hint.empty() ? did_you_mean(name, table_.columns()) : hint;
    }
    throw ColumnNotFound(
        role, fmt::format("{}: no column holds {}{}: call it {}, or name it; there are: {}",
                          table_.name(), what, hint, fmt::join(usual, " or "),
                          fmt::join(table_.columns(), ", ")));
  }

  Index take(Index column) {
    if (!taken_.insert(column).second) {
      throw Error(ErrorKind::config, fmt::format("{}: the column \"{}\" is named for two roles",
                                                 table_.name(), name_of(column)));
    }
    return column;
  }

  // Columns without a role from `first` on that begin with `prefix`, which the class goes without.
  void take_probabilities(FoundColumns& found, std::string_view prefix, Index first = 0) {
    for (Index column = first; column < static_cast<Index>(table_.columns().size()); ++column) {
      const std::string& name = name_of(column);
      if (!taken_.contains(column) && name.starts_with(prefix) && name.size() > prefix.size()) {
        found.probability.push_back(column);
        found.classes.push_back(name.substr(prefix.size()));
      }
    }
  }

 private:
  [[nodiscard]] const std::string& name_of(Index column) const {
    return table_.columns()[static_cast<std::size_t>(column)];
  }

  const CsvTable& table_;
  bool named_only_;
  std::set<Index> taken_;
};

bool is_kowl(const CsvTable& table, const PredictionColumns& named) {
  return named.id.empty() && named.truth.empty() && table.find("youtube_id") &&
         table.find("time_start") && table.find("time_end") && table.find("target_labels");
}

}  // namespace

bool is_answer_table(const CsvTable& table, const PredictionColumns& named) {
  const auto has = [&](std::string_view name) { return table.find(name).has_value(); };
  return named.predicted.empty() && has("label") && has("probability") && has("novelty") &&
         has("p_value") && has("novel") && !has("predicted") && !has("prediction") &&
         (has("id") || has("row"));
}

FoundColumns find_columns(const CsvTable& table, const PredictionColumns& named) {
  const bool kowl = is_kowl(table, named);
  const bool answers = is_answer_table(table, named);  // there `label` is the decision
  Claims claims(table, kowl);                          // there a class may be called "score"
  FoundColumns found;
  if (kowl) {
    for (const char* name : {"youtube_id", "time_start", "time_end"}) {
      found.id.push_back(claims.take(table.column(name)));
    }
    found.truth = claims.take(table.column("target_labels"));
  } else if (answers) {
    found.id.push_back(
        claims.need(named.id, ColumnRole::id, "the name of the sample", {"id", "row"}));
    found.predicted = claims.take(table.column("label"));
    if (named.truth.empty() && !table.find("true") && !table.find("actual") &&
        !table.find("target")) {
      throw ColumnNotFound(
          ColumnRole::truth,
          fmt::format("{}: holds what `tyto predict` said, and not the actual classes; --labels "
                      "takes them from another table or a dataset, and a column \"true\" may "
                      "hold them",
                      table.name()));
    }
    found.truth = claims.need(named.truth, ColumnRole::truth, "the actual class",
                              {"true", "actual", "target"});
  } else {
    found.id.push_back(claims.need(named.id, ColumnRole::id, "the name of the sample", {"id"}));
    found.truth = claims.need(named.truth, ColumnRole::truth, "the actual class",
                              {"label", "true", "actual", "target"});
  }
  if (!answers) {
    found.predicted = claims.claim(named.predicted, ColumnRole::predicted, "the decision",
                                   {"predicted", "prediction"});
  }
  found.novelty =
      claims.claim(named.novelty, ColumnRole::novelty, "the novelty score", {"novelty", "score"});
  found.increment =
      claims.claim(named.increment, ColumnRole::increment, "the increment", {"increment", "step"});
  found.phase = claims.claim(named.phase, ColumnRole::phase, "the phase", {"phase"});
  found.split = claims.claim(named.split, ColumnRole::split, "the split", {"split"});
  if (named.probability) {
    claims.take_probabilities(found, *named.probability);
    if (found.probability.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: no column begins with \"{}\"; there are: {}", table.name(),
                              *named.probability, fmt::join(table.columns(), ", ")));
    }
  } else if (kowl) {
    claims.take_probabilities(found, "", found.truth + 1);
  } else if (!answers) {  // whose p_value is no probability of a class
    claims.take_probabilities(found, kPrefix);
    if (found.probability.empty() && !found.predicted) {
      claims.take_probabilities(found, "");
    }
  }
  if (!found.predicted && found.probability.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: no column holds the decision{}: a column \"predicted\" is needed, "
                            "or a column of probabilities per class, called {}<class>; there are: "
                            "{}",
                            table.name(), did_you_mean("predicted", table.columns()), kPrefix,
                            fmt::join(table.columns(), ", ")));
  }
  if (found.probability.size() == 1) {
    throw Error(
        ErrorKind::data,
        fmt::format("{}: the column \"{}\" alone was taken for probabilities{}; two classes "
                    "or more are needed, or a column \"predicted\"",
                    table.name(),
                    table.columns()[static_cast<std::size_t>(found.probability.front())],
                    did_you_mean("predicted", table.columns())));
  }
  return found;
}

}  // namespace tyto
