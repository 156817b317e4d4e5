// SPDX-License-Identifier: Apache-2.0
// Predictions of any other system, read from a CSV file, as the record of a run.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/record/foreign/known_list.hpp"
#include "tyto/record/foreign/prediction_columns.hpp"
#include "tyto/record/record.hpp"

namespace tyto {

struct PredictionTableOptions {
  PredictionColumns columns;
  std::optional<KnownList> known;   // default: whatever is predicted but `unknown` and its kind
  std::vector<std::string> wanted;  // columns to keep as annotations of the truth
};

// What a phase or split is called where the table does not say.
constexpr std::string_view kUnsaid = "-";

// One sample a row, in the order of the file. Phases come by increment, then in the order in which
// the file first names them. With probabilities the decision is the most probable class, ties to
// the first column, unless a column holds decisions; novelty is 1 - the largest probability of a
// known class, unless a column holds it.
class TableRecord final : public RunRecord {
 public:
  // Throws Error(data) naming file, line, column and value: a probability that is not a number, is
  // negative or in a row that does not sum to 1 within 1e-3; an empty label, decision or id; an id
  // that stands twice in a phase; no rows; --known with none of the labels of the table.
  TableRecord(const CsvTable& table, const PredictionTableOptions& options);

  [[nodiscard]] std::vector<PhaseKey> phases() const override;
  [[nodiscard]] Phase phase(const PhaseKey& key) const override;

  [[nodiscard]] const Truth* truth() const override { return &truth_; }

  // How the table was read, a sentence each: where decisions, novelty and known classes come from.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Part {
    PhaseKey key;
    std::vector<std::string> known;
    std::vector<Index> row;
  };

  void read_phases(const CsvTable& table, const FoundColumns& columns);
  void read_samples(const CsvTable& table, const FoundColumns& columns);
  void read_decisions(const CsvTable& table, const FoundColumns& columns);
  void read_probabilities(const CsvTable& table, const FoundColumns& columns);
  void read_novelty(const CsvTable& table, const FoundColumns& columns);
  void set_known(const CsvTable& table, const FoundColumns& columns,
                 const std::optional<KnownList>& known);
  std::int32_t entry_of(std::string_view name);

  Truth truth_;
  std::vector<Part> parts_;
  std::vector<std::int32_t> part_of_;  // by row
  LabelSpace space_;                   // every name that is predicted
  // By row, as in Phase.
  Dense<std::int32_t> top_;
  Matrix top_probability_;
  std::vector<float> p_true_, p_unknown_, novelty_, confidence_;
  std::vector<std::string> notes_;
};

}  // namespace tyto
