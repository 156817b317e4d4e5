// SPDX-License-Identifier: Apache-2.0
// The rows that `tyto measure --detection` is about: of a table or a run, with thresholds chosen on
// the same rows, on another table or on some of the rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/cli/measure_detection.hpp"
#include "tyto/core/csv/csv.hpp"
#include "tyto/measure/detection/episodes.hpp"

namespace tyto {

// Samples, or episodes, with the score as a whole and the unit each is drawn in.
struct Judged {
  std::vector<double> score;
  std::vector<std::uint8_t> is_novel;
  std::vector<Index> unit;
  // Of episodes.
  ScoredEpisodes episodes;
  std::vector<std::vector<double>> evidence;
};

class DetectionTables {
 public:
  // What is told must outlive it.
  DetectionTables(const DetectionCall& call, const DetectionForm& form);

  // Those that were asked for; of a run all of its arms.
  [[nodiscard]] const std::vector<std::string>& scores() const { return scores_; }

  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  [[nodiscard]] bool has_validation() const { return !validation_.empty(); }

  [[nodiscard]] bool of_episodes() const { return types_ || by_groups(); }

  // The rows that are measured, and those that thresholds are chosen on. What is to be known of
  // them is added to `notes`.
  [[nodiscard]] Judged measured(const std::string& score, std::vector<std::string>& notes) const;
  [[nodiscard]] std::optional<Judged> validation(const std::string& score,
                                                 std::vector<std::string>& notes) const;

 private:
  struct RowChoice {
    std::vector<Index> measured, validation;
    Index left_out = 0;  // those of a training split
  };

  [[nodiscard]] bool by_groups() const;
  void load();
  void choose_rows();
  [[nodiscard]] Judged read(const CsvTable& csv, const std::vector<Index>& rows,
                            const std::string& score, std::vector<std::string>& notes,
                            bool for_validation) const;
  [[nodiscard]] Judged read_groups(const CsvTable& csv, const std::vector<Index>& rows,
                                   const std::string& score, std::vector<std::string>& notes,
                                   bool for_validation) const;
  [[nodiscard]] Judged read_samples(const CsvTable& csv, const std::vector<Index>& rows,
                                    const std::string& score, std::vector<std::string>& notes,
                                    bool for_validation) const;
  [[nodiscard]] Judged read_episodes(const CsvTable& csv, const std::vector<Index>& rows,
                                     const std::string& score,
                                     std::vector<std::string>& notes) const;
  [[nodiscard]] std::string unit_name(const CsvTable& csv, Index row) const;

  const DetectionCall& call_;
  const DetectionForm& form_;
  std::string validation_;
  std::vector<std::string> scores_, notes_;
  CsvTable csv_;
  std::optional<CsvTable> validation_csv_;
  std::optional<EpisodeTypes> types_;
  RowChoice rows_;
};

}  // namespace tyto
