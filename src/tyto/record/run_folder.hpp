// SPDX-License-Identifier: Apache-2.0
// The folder of a run. Every file in it is whole; a phase counts once a checkpoint names it.
//
//   experiment.yaml    as resolved, defaults spelled out
//   predictors.yaml    as they ran, options of a search included
//   run.json           arms, seed, threads, BLAS kernel, whether it is done
//   manifest.csv       sample -> increment, split, known or novel
//   truth.npz          names, labels, times and groups by sample
//   record/<arm>/      one .npz per phase; numpy.load opens it
//   checkpoints/        the last two commits of each arm
//   states/<arm>/       the state after each increment, on request
//   arms/<arm>/        what each arm said of itself, before it was put together
//   measures.json, measures.csv, properties.json
//   alarms.csv         when it said that the world has changed
//   discoveries.csv    classes it found, and what became of them
//   times.csv          seconds and memory: what differs from run to run
//   report.html        all of it for people, times.csv too
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tyto/record/record.hpp"

namespace tyto {

State phase_to_state(const Phase& phase);
Phase phase_from_state(const State& state);

State truth_to_state(const Truth& truth);
Truth truth_from_state(const State& state);

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }

  [[nodiscard]] std::filesystem::path record(std::string_view arm) const;
  [[nodiscard]] std::filesystem::path checkpoint(std::string_view arm) const;
  [[nodiscard]] std::filesystem::path state(std::string_view arm, Index increment) const;
  [[nodiscard]] std::filesystem::path notes(std::string_view arm) const;
  [[nodiscard]] bool exists() const;  // holds a run

  void write_phase(std::string_view arm, const Phase& phase) const;
  // Removes phases that no commit names.
  void cut_record(std::string_view arm, const std::vector<std::string>& committed) const;

 private:
  std::filesystem::path path_;
};

// Null where the world of the run has not revealed it.
std::shared_ptr<const Truth> read_truth(const RunFolder& folder);

// One arm of a run, read from its folder when asked.
class StoredRecord final : public RunRecord {
 public:
  StoredRecord(const RunFolder& folder, std::string_view arm);
  // With the truth of the run, which its arms may share.
  StoredRecord(const RunFolder& folder, std::string_view arm, std::shared_ptr<const Truth> truth);

  // Leaves out the phases that no commit names.
  void keep_only(const std::vector<std::string>& committed);

  [[nodiscard]] std::vector<PhaseKey> phases() const override { return keys_; }

  [[nodiscard]] Phase phase(const PhaseKey& key) const override;

  [[nodiscard]] const Truth* truth() const override { return truth_.get(); }

 private:
  std::filesystem::path folder_;
  std::vector<PhaseKey> keys_;
  std::shared_ptr<const Truth> truth_;
};

}  // namespace tyto
