// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/samples.hpp"

#include <functional>
#include <numeric>

#include "tyto/core/error.hpp"

namespace tyto {

Samples::Samples(std::shared_ptr<const FeatureStore> store, Table table, Lifetime lifetime)
    : store_(std::move(store)),
      table_(std::make_shared<const Table>(std::move(table))),
      lifetime_(lifetime) {
  const std::size_t n = table_->id.size();
  TYTO_ASSERT(table_->first.empty() ? table_->row.size() == n : table_->first.size() == n + 1);
  TYTO_ASSERT(table_->group.empty() || table_->group.size() == n);
  TYTO_ASSERT(table_->time.empty() || table_->time.size() == n);
}

Rows Samples::frames(Index i) const {
  const Rows all(table_->row);
  if (table_->first.empty()) {
    return all.subspan(at(i), 1);
  }
  const Index begin = table_->first[at(i)];
  return all.subspan(at(begin), at(table_->first[at(i + 1)] - begin));
}

std::uint32_t Samples::group(Index i) const {
  return table_->group.empty() ? 0 : table_->group[at(i)];
}

double Samples::time(Index i) const {
  return table_->time.empty() ? 0.0 : table_->time[at(i)];
}

Samples Samples::pick(Rows which) const {
  Table table;
  table.id.reserve(which.size());
  if (!one_row_each()) {
    table.first.push_back(0);
  }
  for (const Index i : which) {
    table.id.push_back(id(i));
    const Rows rows = frames(i);
    table.row.insert(table.row.end(), rows.begin(), rows.end());
    if (!one_row_each()) {
      table.first.push_back(static_cast<Index>(table.row.size()));
    }
    if (!table_->group.empty()) {
      table.group.push_back(group(i));
    }
    if (!table_->time.empty()) {
      table.time.push_back(time(i));
    }
  }
  return Samples(store_, std::move(table), lifetime_);
}

Samples Samples::slice(Index begin, Index count) const {
  std::vector<Index> which(at(count));
  std::iota(which.begin(), which.end(), begin);
  return pick(which);
}

Index Samples::width(std::string_view source) const {
  const auto shape = store_->shape(source);
  return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
}

Matrix Samples::frame_rows(std::string_view source) const {
  if (!store_) {
    return {};
  }
  Matrix out(static_cast<Index>(table_->row.size()), width(source));
  store_->gather(source, table_->row, out);
  return out;
}

Matrix Samples::rows(std::string_view source) const {
  Matrix frames_of_all = frame_rows(source);
  if (one_row_each()) {
    return frames_of_all;
  }
  Matrix out(size(), frames_of_all.cols());
  for (Index i = 0; i < size(); ++i) {
    const Index begin = table_->first[at(i)];
    const Index count = table_->first[at(i + 1)] - begin;
    out.row(i) = frames_of_all.middleRows(begin, count).colwise().mean();
  }
  return out;
}

std::vector<std::string> Samples::column_names(std::string_view source) const {
  return store_ ? store_->column_names(source) : std::vector<std::string>{};
}

Samples Samples::lent() const {
  Samples out = *this;
  out.lifetime_ = Lifetime::lent;
  return out;
}

Samples Samples::copied() const {
  if (empty()) {
    return {};
  }
  std::vector<DenseStore::Source> sources;
  for (const std::string& name : store_->sources()) {
    sources.push_back({name, frame_rows(name), store_->column_names(name)});
  }
  Table table = *table_;
  std::iota(table.row.begin(), table.row.end(), Index{0});
  return Samples(std::make_shared<const DenseStore>(std::move(sources)), std::move(table));
}

Samples Samples::joined(const Samples& a, const Samples& b) {
  if (a.empty() || b.empty()) {
    return a.empty() ? b : a;
  }
  TYTO_ASSERT(a.store_ == b.store_);
  Table table = *a.table_;
  const Table& more = *b.table_;
  if (!a.one_row_each() || !b.one_row_each()) {
    if (a.one_row_each()) {
      table.first.resize(at(a.size() + 1));
      std::iota(table.first.begin(), table.first.end(), Index{0});
    }
    for (Index i = 0; i < b.size(); ++i) {
      table.first.push_back(table.first.back() + static_cast<Index>(b.frames(i).size()));
    }
  }
  table.row.insert(table.row.end(), more.row.begin(), more.row.end());
  table.id.insert(table.id.end(), more.id.begin(), more.id.end());
  const bool groups = !table.group.empty() || !more.group.empty();
  const bool times = !table.time.empty() || !more.time.empty();
  table.group.clear();
  table.time.clear();
  for (const Samples* part : {&a, &b}) {  // where one side has none, its defaults are spelled out
    for (Index i = 0; i < part->size(); ++i) {
      if (groups) {
        table.group.push_back(part->group(i));
      }
      if (times) {
        table.time.push_back(part->time(i));
      }
    }
  }
  return Samples(a.store_, std::move(table), a.lifetime_);
}

}  // namespace tyto
