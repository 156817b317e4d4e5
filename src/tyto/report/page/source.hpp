// SPDX-License-Identifier: Apache-2.0
// What a report page is made from: runs, their arms with a record per seed, and what else lies in
// their folders. Read by the engine (engine/page), so that nothing here needs an
// experiment or a dataset.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/record/headline_columns.hpp"
#include "tyto/record/record.hpp"
#include "tyto/report/page/pictures/picture_list.hpp"
#include "tyto/report/page/sample_data.hpp"

namespace tyto {

// Names of classes, told once on a page and referred to by number; "unknown" is 0.
class NameList {
 public:
  NameList();

  Index of(std::string_view name);  // its number, new if need be

  [[nodiscard]] const std::vector<std::string>& all() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, Index, std::less<>> places_;
};

// A CSV file of a run folder.
struct PageTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  // "" where there is no such column.
  [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;
  // Missing where the cell is empty or no number.
  [[nodiscard]] std::optional<double> number(std::size_t row, std::string_view column) const;
};

// How many samples of a class a world shows at a step.
struct ShownCount {
  Index step = 0;
  std::string split, label;
  bool novel = false;  // its class was shown at no earlier step
  Index samples = 0;
};

// The run of one seed.
struct PageSeed {
  std::uint64_t seed = 0;
  std::string folder;
  std::vector<ShownCount> shown;  // by step, then split (train, validate, test), then label
  std::map<std::string, PageTable> tables;   // "times.csv"; what the folder has not is not here
  std::map<std::string, std::string> texts;  // "properties.json"

  [[nodiscard]] const PageTable* table(const std::string& file) const;  // null: there is none
};

struct PageDataset {
  std::string name, digest, source;
  Index samples = 0;
};

struct PageRun {
  Index number = 0;  // on the page
  std::string name, folder, protocol;
  std::string repeat = "seed";           // what its seeds are: "seed", "fold", "dataset"
  std::vector<HeadlineColumn> headline;  // of the protocol
  bool done = false;
  std::vector<PageSeed> seeds;  // at least one
  std::vector<PageDataset> datasets;
  std::string experiment;  // YAML, as resolved
  std::string prior_knowledge, command;
  Index novel_again = 0;  // increments after which a class not shown is novel again; 0: never
  std::vector<std::pair<std::string, std::string>> facts;  // version, threads, ...
  std::vector<std::string> warnings;                       // sentences
  SampleData samples;
};

struct PageArm {
  struct OfSeed {
    std::size_t seed = 0;                     // place among the seeds of the run
    std::shared_ptr<const RunRecord> record;  // of committed phases
  };

  Index number = 0;     // on the page
  std::size_t run = 0;  // place in PageSource::runs
  std::string name, predictor, feedback;
  std::optional<double> promised;  // error accepted for known samples called novel
  std::vector<OfSeed> seeds;       // at least one
};

// Samples to be shown by groups: by an annotation of theirs, or by a column of another table that
// is joined by their names.
struct WantedGroups {
  std::string column;
  std::optional<Index> parts;            // of equal count; none: a group for each value
  std::vector<std::string> ids, values;  // of the other table; no ids: there is none
  std::string table;                     // its name, for messages
};

// What a run must have to be shown by a section; nothing need be said of its protocol.
struct RunNeeds {
  std::vector<std::string> phases = {};  // each of them
  bool truth = true;                     // the actual classes
  bool several_steps = false;
  bool tests = false;  // samples that tell their test, and whether they are novel in it
};

struct PageSource {
  std::string title, version, revision;
  bool live = false;
  std::vector<PageRun> runs;
  std::vector<PageArm> arms;
  std::vector<WantedGroups> wanted_groups;  // before those that the samples suggest themselves
  std::shared_ptr<NameList> names = std::make_shared<NameList>();
  std::shared_ptr<PictureList> pictures = std::make_shared<PictureList>();

  [[nodiscard]] Index name(std::string_view text) const { return names->of(text); }

  [[nodiscard]] const PageRun& run_of(const PageArm& arm) const { return runs[arm.run]; }

  [[nodiscard]] const PageSeed& seed_of(const PageArm& arm, const PageArm::OfSeed& seed) const {
    return runs[arm.run].seeds[seed.seed];
  }

  // The number of a picture on the page; none where there is none to show.
  [[nodiscard]] std::optional<Index> picture(const PageRun& run, const Truth& truth,
                                             const PictureWish& wish, PictureShare& share) const;

  // The runs that meet the needs and their arms, with the numbers they have here and the same
  // names.
  [[nodiscard]] PageSource only(const RunNeeds& needs) const;

  // What the runs that were repeated were repeated over: "seeds", "folds", "datasets"; "runs" where
  // they differ in it.
  [[nodiscard]] std::string repeats() const;

  // Of all runs; one that several have is there once.
  [[nodiscard]] std::vector<HeadlineColumn> headline() const;
};

}  // namespace tyto
