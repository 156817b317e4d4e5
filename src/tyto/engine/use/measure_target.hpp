// SPDX-License-Identifier: Apache-2.0
// What is measured: the arms of a run, or a table of predictions.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tyto/engine/use/actual_classes.hpp"
#include "tyto/measure/tables/render.hpp"
#include "tyto/record/foreign/prediction_table.hpp"

namespace tyto {

struct MeasureTarget {
  std::string name;  // for people
  bool is_run = false;
  Leading leading;  // columns of measures.csv that tell arms apart
  std::vector<std::string> notes;
  std::shared_ptr<const RunRecord> record;
  Index novel_again = 0;  // as the run says
};

// A folder is a run: all its arms, or the one that is named; their records must fit together.
// Anything else is a CSV file; columns of `options.wanted` that it lacks are left out if
// `wanted_elsewhere`. `actual.from` tells its classes where it does not; "": it does.
std::vector<MeasureTarget> open_targets(const std::string& path, const std::string& arm,
                                        PredictionTableOptions options, bool wanted_elsewhere,
                                        const ActualClasses& actual = {});

// Columns about samples from a CSV file (id, name or youtube_id tells the sample) or a dataset.
class Annotations {
 public:
  Annotations(const std::string& file_or_dataset, const std::vector<std::string>& places);

  [[nodiscard]] bool has(const std::string& column) const;
  // By SampleId. Throws Error(config) with the likeliest spelling.
  [[nodiscard]] std::vector<std::string> values(const Truth& truth,
                                                const std::string& column) const;

  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] const std::vector<std::string>& ids() const { return ids_; }

  // By name, a value for each id.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& columns() const {
    return columns_;
  }

  // Throws Error(config) with the likeliest spelling.
  [[nodiscard]] const std::vector<std::string>& column(const std::string& called) const;

 private:
  std::string name_;
  std::vector<std::string> ids_;
  std::map<std::string, std::vector<std::string>> columns_;
};

}  // namespace tyto
