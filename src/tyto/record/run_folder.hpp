// SPDX-License-Identifier: Apache-2.0
// The folder of a run. Every file in it is whole; a phase counts once a checkpoint names it.
//
//   experiment.yaml    as resolved, defaults spelled out
//   predictors.yaml    as they ran, options of a search included
//   run.json           arms, seed, threads, BLAS kernel, order of phases, whether it is done
//   manifest.csv       sample -> increment, split, known or novel
//   truth.npz          names, labels, times and groups by sample
//   record/<arm>/      one .npz per phase; numpy.load opens it
//   checkpoints/        the last two commits of each arm
//   states/<arm>/       the state after each increment, on request
//   arms/<arm>/        what each arm said of itself, before it was put together
//   measures.json, measures.csv, properties.json
//   alarms.csv         when it said that the world has changed
//   discoveries.csv    classes it found, and what became of them
//   memory.csv         what it remembered of each class, by increment
//   times.csv          seconds and memory: what differs from run to run
//   report.html        all of it for people, times.csv too
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/record/phase_order.hpp"
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

  // Of a run over several seeds: the folder of one of them, and those there are, by name.
  [[nodiscard]] RunFolder seed(std::uint64_t number) const;
  [[nodiscard]] std::vector<RunFolder> seeds() const;

  void write_phase(std::string_view arm, const Phase& phase) const;
  // Removes phases that no commit names.
  void cut_record(std::string_view arm, const std::vector<std::string>& committed) const;

 private:
  std::filesystem::path path_;
};

// Null where the world of the run has not revealed it.
std::shared_ptr<const Truth> read_truth(const RunFolder& folder);

// "003_pre_test" read as a key; none: no name of a phase.
std::optional<PhaseKey> phase_key_of(const std::string& name);

// The phases an arm has files of, by name of file.
std::vector<PhaseKey> stored_phases(const RunFolder& folder, std::string_view arm);

struct StoredPhase {
  Phase phase;
  std::optional<std::string> arm;  // for which it was written; before format 2 it was not said
};

// The file of that key, whatever key and arm are written in it.
StoredPhase read_stored_phase(const RunFolder& folder, std::string_view arm, const PhaseKey& key);

// One arm of a run, read from its folder when asked.
class StoredRecord final : public RunRecord {
 public:
  StoredRecord(const RunFolder& folder, std::string_view arm, const PhaseOrder& order);
  // With the truth of the run, which its arms may share.
  StoredRecord(const RunFolder& folder, std::string_view arm, const PhaseOrder& order,
               std::shared_ptr<const Truth> truth);

  // Leaves out the phases that no commit names.
  void keep_only(const std::vector<std::string>& committed);

  [[nodiscard]] std::vector<PhaseKey> phases() const override { return keys_; }

  [[nodiscard]] Phase phase(const PhaseKey& key) const override;

  [[nodiscard]] const Truth* truth() const override { return truth_.get(); }

 private:
  RunFolder folder_;
  std::string arm_;
  std::vector<PhaseKey> keys_;
  std::shared_ptr<const Truth> truth_;
};

}  // namespace tyto
