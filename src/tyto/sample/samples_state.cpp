// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/samples_state.hpp"

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/sample/store_access.hpp"

namespace tyto {

namespace {

using Numbers = std::vector<std::int64_t>;

Numbers numbers(const auto& values) {
  Numbers out;
  for (const auto value : values) {
    out.push_back(static_cast<std::int64_t>(value));
  }
  return out;
}

}  // namespace

Samples::Table joined_table(const Samples& a, const Samples& b) {
  Samples::Table table;
  const bool frames = !a.one_row_each() || !b.one_row_each();
  if (frames) {
    table.first.push_back(0);
  }
  for (const Samples* part : {&a, &b}) {
    for (Index i = 0; i < part->size(); ++i) {
      const Rows rows = StoreAccess::rows(*part, i);
      table.id.push_back(part->id(i));
      table.row.insert(table.row.end(), rows.begin(), rows.end());
      table.group.push_back(part->group(i));
      table.time.push_back(part->time(i));
      if (frames) {
        table.first.push_back(static_cast<Index>(table.row.size()));
      }
    }
  }
  return table;
}

void save_table(const Samples::Table& table, State& state) {
  state.set("ids", numbers(table.id));
  state.set("rows", numbers(table.row));
  state.set("first", numbers(table.first));
  state.set("groups", numbers(table.group));
  const auto times = static_cast<Index>(table.time.size());
  state.set("times", Dense<double>(Dense<double>::Map(table.time.data(), 1, times)));
}

Samples::Table load_table(const State& state) {
  Samples::Table table;
  for (const std::int64_t id : state.get<Numbers>("ids")) {
    table.id.push_back(static_cast<SampleId>(id));
  }
  for (const std::int64_t group : state.get<Numbers>("groups")) {
    table.group.push_back(static_cast<std::uint32_t>(group));
  }
  const auto& rows = state.get<Numbers>("rows");
  const auto& first = state.get<Numbers>("first");
  const auto& times = state.get<Dense<double>>("times");
  table.row.assign(rows.begin(), rows.end());
  table.first.assign(first.begin(), first.end());
  table.time.assign(times.data(), times.data() + times.size());
  return table;
}

void save_samples(const Samples& samples, State& state) {
  TYTO_ASSERT(samples.empty() || samples.lifetime() == Lifetime::lasting);
  save_table(joined_table(samples, {}), state);
  state.set("store", samples.empty() ? std::string() : StoreAccess::store(samples)->digest());
}

Samples load_samples(const State& state, const Shelf& shelf, std::string_view who) {
  Samples::Table table = load_table(state);
  if (table.id.empty()) {
    return {};
  }
  auto store = find_store(shelf, state.get<std::string>("store"), table.id.size(), who);
  return Samples(std::move(store), std::move(table));
}

std::shared_ptr<const FeatureStore> find_store(const Shelf& shelf, std::string_view digest,
                                               std::size_t samples, std::string_view who) {
  auto store = shelf.find(digest);
  if (store == nullptr) {
    throw Error(ErrorKind::state,
                fmt::format("{} refers to {} samples of data with digest {}, which are not among "
                            "the data loaded; load the data it was trained on",
                            who, samples, digest));
  }
  return store;
}

}  // namespace tyto
