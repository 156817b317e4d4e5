// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/increment_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/record/observed_columns.hpp"
#include "tyto/world/increments/splits.hpp"

namespace tyto {

namespace {

// The same group name in two datasets is two groups.
std::vector<std::uint32_t> drawn_groups(const Series& series, const Rng& rng) {
  const IndexTable& table = series.joined.table;
  std::vector<Index> code;
  Index groups = 0;
  if (group_codes(table, 0, table.size()).empty()) {
    return {};
  }
  for (Index d = 0; d < series.datasets(); ++d) {
    const Index begin = series.first_row_of[at(d)];
    const Index end = series.first_row_of[at(d + 1)];
    std::vector<Index> here = group_codes(table, begin, end);
    for (Index i = 0; here.empty() && i < end - begin; ++i) {
      code.push_back(groups++);
    }
    const Index offset = groups;
    for (const Index g : here) {
      code.push_back(offset + g);
      groups = std::max(groups, offset + g + 1);
    }
  }
  const std::vector<std::uint32_t> drawn = opaque_numbers(groups, rng.fork("groups"));
  std::vector<std::uint32_t> ids;
  ids.reserve(code.size());
  for (const Index g : code) {
    ids.push_back(drawn[at(g)] + 1);
  }
  return ids;
}

template <class T>
std::vector<T> by_sample_id(const std::vector<T>& by_row, const std::vector<std::uint32_t>& id) {
  std::vector<T> out(by_row.size());
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    out[id[row]] = by_row[row];
  }
  return out;
}

Truth truth_of(const IndexTable& table, const std::vector<std::uint32_t>& id) {
  Truth truth;
  truth.name = by_sample_id(table.id, id);
  truth.label = by_sample_id(table.label, id);
  truth.time = by_sample_id(table.time, id);
  truth.group = by_sample_id(table.group, id);
  for (const auto& [name, values] : table.annotations) {
    truth.annotations[name] = by_sample_id(values, id);
  }
  for (const auto& [name, values] : {std::pair("source", &table.source), {"group", &table.group}}) {
    if (!values->empty()) {
      truth.annotations.try_emplace(name, by_sample_id(*values, id));
    }
  }
  return truth;
}

std::vector<std::vector<std::string>> shown_classes(const Schedule& schedule,
                                                    const IndexTable& table) {
  std::vector<std::vector<std::string>> all;
  for (const Increment& increment : schedule.increments) {
    std::set<std::string_view> here;
    for (const ScheduledSplit& split : increment.splits) {
      for (const Index row : split.row) {
        here.insert(table.label[at(row)]);
      }
    }
    all.emplace_back(here.begin(), here.end());
  }
  return all;
}

std::string plan_digest(const IncrementPlan& plan) {
  std::vector<Index> all;
  for (const Increment& increment : plan.schedule.increments) {
    for (const ScheduledSplit& split : increment.splits) {
      all.push_back(split.size());
      all.insert(all.end(), split.row.begin(), split.row.end());
    }
  }
  all.insert(all.end(), plan.sample_id.begin(), plan.sample_id.end());
  return digest(std::as_bytes(std::span(all)));
}

}  // namespace

std::shared_ptr<IncrementPlan> make_plan(Series series, Schedule schedule, const Rng& rng) {
  auto plan = std::make_shared<IncrementPlan>();
  const IndexTable& table = series.joined.table;
  if (!series.joined.store) {
    throw Error(ErrorKind::data, fmt::format("\"{}\" has no features", series.joined.name));
  }
  plan->sample_id = opaque_numbers(table.size(), rng.fork("samples"));
  plan->group_id = drawn_groups(series, rng);
  plan->truth = truth_of(table, plan->sample_id);
  Index next = 0;
  for (Index row = 0; row < table.size(); ++row) {
    plan->first_frame.push_back(next);
    next += table.frames.empty() ? 1 : table.frames[at(row)];
  }
  plan->classes_at = shown_classes(schedule, table);
  plan->series = std::move(series);
  plan->schedule = std::move(schedule);
  plan->digest = plan_digest(*plan);
  return plan;
}

Samples samples_of(const IncrementPlan& plan, const ScheduledSplit& split, Index offset) {
  const IndexTable& table = plan.series.joined.table;
  Samples::Table out;
  if (!table.frames.empty()) {
    out.first.push_back(0);
  }
  for (const Index row : split.row) {
    out.id.push_back(static_cast<SampleId>(plan.sample_id[at(row)]));
    const Index frames = table.frames.empty() ? 1 : table.frames[at(row)];
    for (Index f = 0; f < frames; ++f) {
      out.row.push_back(offset + plan.first_frame[at(row)] + f);
    }
    if (!table.frames.empty()) {
      out.first.push_back(static_cast<Index>(out.row.size()));
    }
    if (!plan.group_id.empty()) {
      out.group.push_back(plan.group_id[at(row)]);
    }
    if (!table.time.empty()) {
      out.time.push_back(table.time[at(row)]);
    }
  }
  return Samples(plan.series.joined.store, std::move(out));
}

Samples shown_samples(const IncrementPlan& plan, const ScheduledSplit& split, Index step) {
  return samples_of(plan, split, plan.nuisance.offset_at(step));
}

void add_nuisance(IncrementPlan& plan, const ShownNuisance& shown, std::string_view path,
                  std::uint64_t seed) {
  if (!shown.any()) {
    return;
  }
  auto& told = plan.truth.annotations;
  told.try_emplace(std::string(kAlteredColumn), plan.truth.label.size(), std::string(kUnaltered));
  plan.nuisance = make_nuisance_rows(plan.series.joined, shown, path, seed);
  plan.series.joined.store = plan.nuisance.store;
  std::optional<PictureLayout>& picture = plan.series.joined.picture;
  const std::vector<std::string> sources = plan.nuisance.store->sources();
  if (picture && std::find(sources.begin(), sources.end(), picture->source) == sources.end()) {
    picture.reset();  // the world has but the source that is altered
  }
  if (plan.nuisance.later_from >= 0) {
    told[std::string(kAlteredFromColumn)].assign(plan.truth.label.size(),
                                                 std::to_string(plan.nuisance.later_from));
  }
  const std::string text =
      plan.digest + plan.nuisance.store->digest() + std::to_string(plan.nuisance.later_from);
  plan.digest = digest(std::as_bytes(std::span(text)));
}

void add_label_changes(IncrementPlan& plan, const ConfigNode& changes, std::string_view path) {
  IndexTable& table = plan.series.joined.table;
  plan.history = label_history(changes, path, table, plan.schedule);
  if (!plan.history.any()) {
    return;
  }
  table.label = plan.history.label;
  for (std::size_t step = 0; step < plan.schedule.increments.size(); ++step) {
    for (std::size_t side = 0; side < plan.history.novel[step].size(); ++side) {
      plan.schedule.increments[step].splits[side].novel = plan.history.novel[step][side];
    }
  }
  plan.truth.label = by_sample_id(table.label, plan.sample_id);
  plan.schedule.first_shown.insert(plan.schedule.first_shown.end(),
                                   plan.history.first_shown.begin(),
                                   plan.history.first_shown.end());
  std::string text = plan.digest;
  for (const std::string& label : table.label) {
    text += fmt::format(",{}", label);
  }
  plan.digest = digest(std::as_bytes(std::span(text)));
}

}  // namespace tyto
