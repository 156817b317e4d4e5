// SPDX-License-Identifier: Apache-2.0
// Which column of a table of predictions holds what.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"

namespace tyto {

// Columns the user names; the others are found by their usual names.
struct PredictionColumns {
  std::string id;                          // usually id
  std::string truth;                       // label, true, actual or target
  std::string predicted;                   // predicted or prediction
  std::string novelty;                     // novelty or score
  std::string increment;                   // increment or step
  std::string phase;                       // phase
  std::string split;                       // split
  std::optional<std::string> probability;  // how the names of probability columns begin
};

enum class ColumnRole { id, truth, predicted, novelty, increment, phase, split };

// No column, or more than one, could have the role; the user may name one.
class ColumnNotFound : public Error {
 public:
  ColumnNotFound(ColumnRole role, const std::string& message)
      : Error(ErrorKind::data, message), role_(role) {}

  [[nodiscard]] ColumnRole role() const { return role_; }

 private:
  ColumnRole role_;
};

struct FoundColumns {
  std::vector<Index> id;  // one, or the three of KOWL-718: youtube_id, time_start, time_end
  Index truth = 0;
  std::optional<Index> predicted, novelty, increment, phase, split;
  std::vector<Index> probability;
  std::vector<std::string> classes;  // by probability column
};

// What `tyto predict` and its like write: `label` is the decision, beside novelty and p_value.
bool is_answer_table(const CsvTable& table, const PredictionColumns& named);

// In an answer table the decision is `label` and the actual class in one of the other columns.
// Probabilities are the columns that begin with the prefix given, the rest of the name being the
// class. Without one: the columns after `target_labels` in KOWL-718's layout; else those that begin
// with `p_`; else, if no column holds decisions either, every column that has no other role. A
// column of something else among them is found by the sums of the rows. Throws Error(data),
// ColumnNotFound where naming a column helps, with what is missing, what could be meant, and where
// two columns could hold the same.
FoundColumns find_columns(const CsvTable& table, const PredictionColumns& named);

}  // namespace tyto
