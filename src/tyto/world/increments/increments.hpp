// SPDX-License-Identifier: Apache-2.0
// The schedule of an incremental world: which row is shown at which increment, in which split.
// A pure function of table, options and seed.
//
// One dataset: increment 0 holds a share of the rows of the start classes; the rest is spread over
// `increments` more. A series: increment 0 is the first dataset, each further one is spread.
//
// Spreading over n increments. Rows of classes known before go to n stratified folds. Novel classes
// are ordered and cut into n runs by their frequency in train; those of increment j are dealt in
// n - j + 1 folds to j, j + 1, ..., n. Splits follow train's schedule by class name; a class that
// train lacks is dealt in n folds with the known ones. Two published rules:
//   text   most frequent class first, floor(classes / n) each, the remainder in the last; a class
//          with fewer rows than folds stays whole in the first of them
//   table  rarest first, ceil(classes / n) each; a known class with at most n rows, a novel one
//          with fewer rows than folds stays whole
// Equal frequencies are ordered by name.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/core/random.hpp"
#include "tyto/world/increments/series.hpp"
#include "tyto/world/increments/splits.hpp"
#include "tyto/world/increments/start.hpp"
#include "tyto/world/nuisance/shown_nuisance.hpp"

namespace tyto {

struct IncrementOptions {
  StartOptions start;
  Index increments = 5;  // per dataset; 0: the only dataset is shown whole, at once
  std::string schedule = "text", introduce = "frequency";
  std::string order = "shuffled", folds = "seeded", groups = "keep", repeats = "refuse";
  SplitOptions split;
  ShownNuisance nuisance;
  ConfigNode label_changes;            // label_changes.hpp
  std::string dissimilarity = "none";  // of what is observed, by which distance it is told
  // Later increments need no train rows. A dataset that has none orders its novel classes by their
  // frequency in all its splits. For a manifest alone: nothing can learn from such increments.
  bool train_optional = false;
  // What makes a class known: shown, in any split of an earlier increment, or taught, by train.
  // They differ for a class that tests before it trains; the paper's tables count by the latter.
  std::string novel = "shown";
  // By dataset, where they differ; empty: `increments` each. The first of several has none.
  std::vector<Index> increments_of = {};
  std::string path = "world";  // dotted name of these options, for messages

  [[nodiscard]] Index increments_for(Index dataset) const {
    return increments_of.empty() ? increments : increments_of[static_cast<std::size_t>(dataset)];
  }

  void describe(OptionVisitor& visitor);
};

struct ScheduledSplit {
  std::vector<Index> row;   // of the table, in the order shown
  std::vector<bool> novel;  // of its class nothing was shown earlier; see IncrementOptions::novel

  [[nodiscard]] Index size() const { return static_cast<Index>(row.size()); }
};

struct Increment {
  std::string dataset;
  std::vector<std::string> introduced;   // into train, in order; at increment 0 the start classes
  std::array<ScheduledSplit, 3> splits;  // as kSideNames

  [[nodiscard]] const ScheduledSplit& split(Side side) const {
    return splits[static_cast<std::size_t>(side)];
  }
};

struct Schedule {
  std::vector<Increment> increments;
  // Every class shown, by first increment and name. Start classes count as shown before the start,
  // with -1: they are never novel.
  std::vector<std::pair<std::string, Index>> first_shown;
  Index unlabelled = 0, in_no_split = 0, repeated = 0;  // rows left out

  [[nodiscard]] Index size() const { return static_cast<Index>(increments.size()); }

  [[nodiscard]] std::vector<std::string> shown_before(Index increment) const;
};

// How many novel classes each increment introduces.
std::vector<Index> classes_per_increment(Index classes, Index increments,
                                         std::string_view schedule);

// Throws Error naming increment, rule and numbers where an increment has no row to train on (unless
// that is optional; data shown whole may have validate rows instead), the start has fewer than two
// classes, nothing tests, or a group is in two splits of one dataset.
Schedule build_schedule(const Series& series, const IncrementOptions& options, const Rng& rng);

}  // namespace tyto
