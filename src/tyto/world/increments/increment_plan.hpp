// SPDX-License-Identifier: Apache-2.0
// A schedule with its samples under drawn ids: what the worlds of all arms deal from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/record/record.hpp"
#include "tyto/world/increments/increments.hpp"
#include "tyto/world/increments/label_changes.hpp"
#include "tyto/world/nuisance/shown_nuisance.hpp"

namespace tyto {

// What all arms of an experiment share. Sample and group ids are drawn, so that they tell nothing.
struct IncrementPlan {
  Series series;
  Schedule schedule;
  std::vector<std::vector<std::string>> classes_at;  // by increment: those it shows, each once
  std::vector<std::uint32_t> sample_id;              // by table row
  std::vector<std::uint32_t> group_id;               // by table row, from 1; empty: no groups
  std::vector<Index> first_frame;                    // by table row: its first row of the store
  Truth truth;                    // with the columns source and group as annotations too
  std::string digest;             // of schedule and ids: a saved world fits one plan only
  bool validate_granted = false;  // at every step, as train is; else at the start alone
  bool novel_unnamed = false;     // validate rows of novel classes are never named
  NuisanceRows nuisance;          // where samples are seen otherwise; empty: nowhere
  LabelHistory history;           // where classes are called otherwise some day
};

// Throws Error(data) where the series has no store.
std::shared_ptr<IncrementPlan> make_plan(Series series, Schedule schedule, const Rng& rng);

// Rows of a split; `offset` leads to the rows of the store at which they are seen as they are to be
// shown.
Samples samples_of(const IncrementPlan& plan, const ScheduledSplit& split, Index offset);
// As they are shown at a step.
Samples shown_samples(const IncrementPlan& plan, const ScheduledSplit& split, Index step);

// Shows its samples under nuisances too, and says so in the truth; `path` is the dotted name of the
// world, for messages.
void add_nuisance(IncrementPlan& plan, const ShownNuisance& shown, std::string_view path,
                  std::uint64_t seed);

// Renames, merges and splits classes on the way.
void add_label_changes(IncrementPlan& plan, const ConfigNode& changes, std::string_view path);

}  // namespace tyto
