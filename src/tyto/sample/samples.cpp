// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/samples.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

void expect_alike(const Samples& first, const Samples& other, const std::string& source) {
  if (first.width(source) != other.width(source)) {
    throw Error(ErrorKind::data,
                fmt::format("samples cannot be put together: the source \"{}\" has {} columns in "
                            "some of them and {} in others",
                            source, first.width(source), other.width(source)));
  }
  if (first.column_names(source) != other.column_names(source)) {
    throw Error(ErrorKind::data,
                fmt::format("samples cannot be put together: the {} columns of the source \"{}\" "
                            "have other names in some of them than in others",
                            first.width(source), source));
  }
}

}  // namespace

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
  return with(std::move(table));
}

Samples Samples::slice(Index begin, Index count) const {
  std::vector<Index> which(at(count));
  std::iota(which.begin(), which.end(), begin);
  return pick(which);
}

Index Samples::width(std::string_view source) const {
  const auto shape = store_->shape(named(source));
  return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
}

Index Samples::widest() const {
  const Samples own = reading("features");  // sources by their own names
  Index floats = 0;
  for (const std::string& source : store_ ? store_->sources() : std::vector<std::string>{}) {
    floats = std::max(floats, own.width(source));
  }
  Index frames = 1;
  if (!one_row_each()) {
    for (Index i = 0; i < size(); ++i) {
      frames = std::max(frames, frame_count(i));
    }
  }
  return floats * frames;
}

Matrix Samples::frame_rows(std::string_view source) const {
  if (!store_) {
    return {};
  }
  Matrix out(static_cast<Index>(table_->row.size()), width(source));
  store_->gather(named(source), table_->row, out);
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
  return store_ ? store_->column_names(named(source)) : std::vector<std::string>{};
}

Samples Samples::with(Table table) const {
  Samples out(store_, std::move(table), lifetime_);
  out.features_ = features_;
  return out;
}

Samples Samples::reading(std::string_view source) const {
  Samples out = *this;
  out.features_ = source == "features" ? nullptr : std::make_shared<const std::string>(source);
  return out;
}

Samples Samples::lent() const {
  Samples out = *this;
  out.lifetime_ = Lifetime::lent;
  return out;
}

Samples Samples::thinned(Index most) const {
  TYTO_ASSERT(most > 0);
  if (one_row_each()) {
    return *this;
  }
  Table table = *table_;
  table.row.clear();
  table.first = {0};
  for (Index i = 0; i < size(); ++i) {
    const Rows all = frames(i);
    const auto count = static_cast<Index>(all.size());
    const Index kept = std::min(count, most);
    for (Index k = 0; k < kept; ++k) {
      table.row.push_back(all[at((2 * k + 1) * count / (2 * kept))]);
    }
    table.first.push_back(static_cast<Index>(table.row.size()));
  }
  return with(std::move(table));
}

Samples Samples::reframed(std::span<const std::vector<FrameMean>> frames) const {
  TYTO_ASSERT(std::ssize(frames) == size());
  const auto is_mixed = [](const FrameMean& one) { return one.weight.size() != 1; };
  Table table = table_ ? *table_ : Table();
  table.row.clear();
  table.first = {0};
  for (Index i = 0; i < size(); ++i) {
    const std::vector<FrameMean>& wanted = frames[at(i)];
    if (std::any_of(wanted.begin(), wanted.end(), is_mixed)) {
      return averaged(frames);
    }
    const Rows all = this->frames(i);
    for (const FrameMean& one : wanted) {
      TYTO_ASSERT(one.first >= 0 && one.first < std::ssize(all));
      table.row.push_back(all[at(one.first)]);
    }
    if (wanted.empty()) {
      table.row.insert(table.row.end(), all.begin(), all.end());
    }
    table.first.push_back(static_cast<Index>(table.row.size()));
  }
  return with(std::move(table));
}

Samples Samples::averaged(std::span<const std::vector<FrameMean>> frames) const {
  Table table = *table_;
  table.first = {0};
  for (Index i = 0; i < size(); ++i) {
    const Index count = frames[at(i)].empty() ? frame_count(i) : std::ssize(frames[at(i)]);
    table.first.push_back(table.first.back() + count);
  }
  table.row.resize(at(table.first.back()));
  std::iota(table.row.begin(), table.row.end(), Index{0});
  const Samples own = reading("features");  // sources by their own names
  std::vector<DenseStore::Source> columns;
  for (const std::string& name : store_->sources()) {
    columns.push_back({name, Matrix(table.first.back(), own.width(name)), own.column_names(name)});
    Matrix& values = columns.back().values;
    for (Index i = 0; i < size(); ++i) {
      Matrix rows(frame_count(i), values.cols());
      store_->gather(name, this->frames(i), rows);
      if (frames[at(i)].empty()) {
        values.middleRows(table.first[at(i)], rows.rows()) = rows;
      }
      for (std::size_t k = 0; k < frames[at(i)].size(); ++k) {
        const FrameMean& one = frames[at(i)][k];
        const Index count = std::ssize(one.weight);
        TYTO_ASSERT(one.first >= 0 && count > 0 && one.first + count <= rows.rows());
        auto out = values.row(table.first[at(i)] + static_cast<Index>(k));
        if (count == 1) {
          out = rows.row(one.first);
          continue;
        }
        Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
        for (Index j = 0; j < count; ++j) {
          TYTO_ASSERT(one.weight[at(j)] >= 0.0F);
          sum += static_cast<double>(one.weight[at(j)]) * rows.row(one.first + j).cast<double>();
        }
        out = sum.cast<float>();
      }
    }
  }
  Samples out(std::make_shared<const DenseStore>(std::move(columns)), std::move(table));
  out.features_ = features_;
  return out;
}

Samples Samples::joined(const Samples& a, const Samples& b) {
  if (a.empty() || b.empty()) {
    return a.empty() ? b : a;
  }
  TYTO_ASSERT(share_store(a, b));
  const Samples both[] = {a, b};
  return a.with(table_of(both));
}

Samples::Table Samples::table_of(std::span<const Samples> pieces) {
  const auto some = [&](auto has) { return std::any_of(pieces.begin(), pieces.end(), has); };
  const bool frames = some([](const Samples& piece) { return !piece.one_row_each(); });
  const bool groups = some([](const Samples& p) { return p.table_ && !p.table_->group.empty(); });
  const bool times = some([](const Samples& p) { return p.table_ && !p.table_->time.empty(); });
  Table table;
  if (frames) {
    table.first.push_back(0);
  }
  for (const Samples& piece : pieces) {
    for (Index i = 0; i < piece.size(); ++i) {
      const Rows rows = piece.frames(i);
      table.id.push_back(piece.id(i));
      table.row.insert(table.row.end(), rows.begin(), rows.end());
      if (frames) {
        table.first.push_back(static_cast<Index>(table.row.size()));
      }
      if (groups) {  // where a piece has none, its defaults are spelled out
        table.group.push_back(piece.group(i));
      }
      if (times) {
        table.time.push_back(piece.time(i));
      }
    }
  }
  return table;
}

std::vector<std::string> Samples::shared_sources(std::span<const Samples> pieces) {
  std::vector<std::string> shared = pieces.front().store_->sources();
  for (const Samples& piece : pieces) {
    const std::vector<std::string> theirs = piece.store_->sources();
    std::erase_if(shared, [&](const std::string& name) {
      return std::find(theirs.begin(), theirs.end(), name) == theirs.end();
    });
  }
  if (shared.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("samples cannot be put together: they share no source; some have {}, "
                            "the last {}",
                            fmt::join(pieces.front().store_->sources(), ", "),
                            fmt::join(pieces.back().store_->sources(), ", ")));
  }
  return shared;
}

Samples Samples::stacked(std::span<const Samples> given, std::span<const std::string> sources) {
  std::vector<Samples> pieces;
  std::copy_if(given.begin(), given.end(), std::back_inserter(pieces),
               [](const Samples& piece) { return piece.store_ != nullptr; });
  if (pieces.empty()) {
    return {};
  }
  const auto features = pieces.front().features_;
  for (Samples& piece : pieces) {
    piece.features_ = nullptr;  // sources are copied by their own names
  }
  Table table = table_of(pieces);
  std::vector<DenseStore::Source> columns;
  for (const std::string& name : sources.empty()
                                     ? shared_sources(pieces)
                                     : std::vector<std::string>(sources.begin(), sources.end())) {
    columns.push_back({name, {}, pieces.front().column_names(name)});
    Matrix& values = columns.back().values;
    values.resize(std::ssize(table.row), pieces.front().width(name));
    Index row = 0;
    for (const Samples& piece : pieces) {
      expect_alike(pieces.front(), piece, name);
      const Index frames = std::ssize(piece.table_->row);
      piece.store_->gather(name, piece.table_->row, values.middleRows(row, frames));
      row += frames;
    }
  }
  std::iota(table.row.begin(), table.row.end(), Index{0});
  Samples out(std::make_shared<const DenseStore>(std::move(columns)), std::move(table));
  out.features_ = features;
  return out;
}

}  // namespace tyto
