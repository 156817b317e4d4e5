// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/rehearsal.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/sample/stores/picked_store.hpp"

namespace tyto {

namespace {

// The rows of a table, in this order, over a store that holds theirs alone.
Dataset picked(const IncrementPlan& plan, const std::vector<Index>& rows) {
  const IndexTable& from = plan.series.joined.table;
  Dataset out;
  out.name = "rehearsal of " + plan.series.joined.name;
  const auto take = [&](const auto& column, auto& to) {
    if (!column.empty()) {
      for (const Index row : rows) {
        to.push_back(column[at(row)]);
      }
    }
  };
  take(from.id, out.table.id);
  take(from.label, out.table.label);
  take(from.source, out.table.source);
  take(from.group, out.table.group);
  take(from.time, out.table.time);
  take(from.frames, out.table.frames);
  std::vector<Index> frames;
  for (const Index row : rows) {
    const Index count = from.frames.empty() ? 1 : from.frames[at(row)];
    for (Index f = 0; f < count; ++f) {
      frames.push_back(plan.first_frame[at(row)] + f);
    }
  }
  out.store = std::make_shared<const PickedStore>(plan.series.joined.store, std::move(frames));
  return out;
}

}  // namespace

std::unique_ptr<WorldSource> rehearse(const IncrementPlan& plan, const RehearsalOptions& options,
                                      std::uint64_t seed) {
  const Increment& start = plan.schedule.increments.front();
  std::vector<Index> rows = start.split(Side::train).row;
  const std::size_t training = rows.size();
  const std::vector<Index>& validating = start.split(Side::validate).row;
  rows.insert(rows.end(), validating.begin(), validating.end());
  Dataset dataset = picked(plan, rows);

  const std::vector<std::string>& labels = dataset.table.label;
  const auto trained = labels.begin() + static_cast<std::ptrdiff_t>(training);
  const auto classes = static_cast<Index>(std::set<std::string>(labels.begin(), trained).size());
  if (classes < 3) {
    throw Error(ErrorKind::data,
                fmt::format("options cannot be searched: the start has {} classes, and a rehearsal "
                            "needs three, two to know and one to come",
                            classes));
  }
  const auto asked = std::lround(options.novel * static_cast<double>(classes));
  const Index novel = std::clamp(static_cast<Index>(asked), Index{1}, classes - 2);
  IncrementOptions world;
  world.path = "search";
  world.start.classes = ConfigNode::scalar(fmt::format("{}", classes - novel));
  world.increments = std::min(options.increments, novel);
  world.groups = "ignore";  // validate was kept apart from train by whoever drew it
  if (validating.empty()) {
    world.groups = "keep";
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      dataset.table.split.emplace_back(i < training ? "train" : "test");
    }
  }
  return build_increments(join_series({std::move(dataset)}), world, seed);
}

}  // namespace tyto
