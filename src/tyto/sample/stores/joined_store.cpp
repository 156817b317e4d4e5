// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/joined_store.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

namespace {

bool has_source(const FeatureStore& store, std::string_view source) {
  const auto names = store.sources();
  return std::find(names.begin(), names.end(), source) != names.end();
}

std::string digest_of(std::string_view kind, const std::vector<StorePiece>& pieces) {
  std::string all(kind);
  for (const StorePiece& piece : pieces) {
    all += ' ' + piece.store->digest();
  }
  return digest(std::as_bytes(std::span(all)));
}

bool all_cheap(const std::vector<StorePiece>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(),
                     [](const StorePiece& piece) { return piece.store->has_cheap_rows(); });
}

[[noreturn]] void refuse_source(std::string_view source, const std::vector<std::string>& names) {
  throw Error(ErrorKind::data, fmt::format("the data have no source \"{}\"; there are: {}", source,
                                           fmt::join(names, ", ")));
}

}  // namespace

JoinedStore::JoinedStore(std::vector<StorePiece> pieces) : pieces_(std::move(pieces)) {
  TYTO_ASSERT(!pieces_.empty());
  first_.push_back(0);
  for (const StorePiece& piece : pieces_) {
    first_.push_back(first_.back() + piece.store->rows());
  }
  const StorePiece& head = pieces_.front();
  for (const std::string& source : head.store->sources()) {
    if (!std::all_of(pieces_.begin(), pieces_.end(),
                     [&](const StorePiece& piece) { return has_source(*piece.store, source); })) {
      continue;
    }
    for (const StorePiece& piece : pieces_) {
      if (piece.store->shape(source) != head.store->shape(source)) {
        throw Error(ErrorKind::data,
                    fmt::format("source \"{}\" has the shape ({}) in {} but ({}) in {}; they "
                                "cannot follow one another",
                                source, fmt::join(head.store->shape(source), ", "), head.name,
                                fmt::join(piece.store->shape(source), ", "), piece.name));
      }
    }
    sources_.push_back(source);
  }
  if (sources_.empty()) {
    std::vector<std::string> lists;
    for (const StorePiece& piece : pieces_) {
      lists.push_back(
          fmt::format("{} has {}", piece.name, fmt::join(piece.store->sources(), ", ")));
    }
    throw Error(ErrorKind::data,
                fmt::format("the datasets share no source: {}", fmt::join(lists, "; ")));
  }
}

void JoinedStore::expect(std::string_view source) const {
  if (std::find(sources_.begin(), sources_.end(), source) == sources_.end()) {
    refuse_source(source, sources_);
  }
}

std::vector<Index> JoinedStore::shape(std::string_view source) const {
  expect(source);
  return pieces_.front().store->shape(source);
}

std::size_t JoinedStore::piece_of(Index row) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), row);
  return static_cast<std::size_t>(after - first_.begin()) - 1;
}

bool JoinedStore::has_cheap_rows() const {
  return all_cheap(pieces_);
}

void JoinedStore::gather(std::string_view source, Rows rows, MatrixRef out) const {
  expect(source);
  expect_rows(rows, this->rows());
  if (has_cheap_rows()) {  // no copy in between
    for_each_index(static_cast<Index>(rows.size()), [&](Index i) {
      const Index row = rows[static_cast<std::size_t>(i)];
      const std::size_t piece = piece_of(row);
      const Index own = row - first_[piece];
      pieces_[piece].store->gather(source, Rows(&own, 1), out.middleRows(i, 1));
    });
    return;
  }
  std::vector<std::vector<Index>> wanted(pieces_.size());  // rows of the piece
  std::vector<std::vector<Index>> target(pieces_.size());  // rows of `out`
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t piece = piece_of(rows[i]);
    wanted[piece].push_back(rows[i] - first_[piece]);
    target[piece].push_back(static_cast<Index>(i));
  }
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const auto count = static_cast<Index>(wanted[p].size());
    Matrix part(count, out.cols());
    pieces_[p].store->gather(source, wanted[p], part);
    for (Index i = 0; i < count; ++i) {
      out.row(target[p][static_cast<std::size_t>(i)]) = part.row(i);
    }
  }
}

std::vector<std::string> JoinedStore::column_names(std::string_view source) const {
  expect(source);
  auto names = pieces_.front().store->column_names(source);
  for (const StorePiece& piece : pieces_) {
    if (piece.store->column_names(source) != names) {
      return {};
    }
  }
  return names;
}

std::string JoinedStore::digest() const {
  return digest_of("joined", pieces_);
}

CombinedStore::CombinedStore(std::vector<StorePiece> pieces) : pieces_(std::move(pieces)) {
  TYTO_ASSERT(!pieces_.empty());
  for (std::size_t i = 1; i < pieces_.size(); ++i) {
    if (pieces_[i].store->rows() != rows()) {
      throw Error(ErrorKind::data,
                  fmt::format("{} has {} rows, but {} has {}", pieces_[i].name,
                              pieces_[i].store->rows(), pieces_.front().name, rows()));
    }
    for (std::size_t j = 0; j < i; ++j) {
      for (const std::string& source : pieces_[i].store->sources()) {
        if (has_source(*pieces_[j].store, source)) {
          throw Error(ErrorKind::data, fmt::format("{} and {} both hold the source \"{}\"",
                                                   pieces_[j].name, pieces_[i].name, source));
        }
      }
    }
  }
}

Index CombinedStore::rows() const {
  return pieces_.front().store->rows();
}

std::vector<std::string> CombinedStore::sources() const {
  std::vector<std::string> names;
  for (const StorePiece& piece : pieces_) {
    for (std::string& source : piece.store->sources()) {
      names.push_back(std::move(source));
    }
  }
  return names;
}

const FeatureStore& CombinedStore::holder(std::string_view source) const {
  for (const StorePiece& piece : pieces_) {
    if (has_source(*piece.store, source)) {
      return *piece.store;
    }
  }
  refuse_source(source, sources());
}

std::vector<Index> CombinedStore::shape(std::string_view source) const {
  return holder(source).shape(source);
}

void CombinedStore::gather(std::string_view source, Rows rows, MatrixRef out) const {
  holder(source).gather(source, rows, out);
}

bool CombinedStore::has_cheap_rows() const {
  return all_cheap(pieces_);
}

std::vector<std::string> CombinedStore::column_names(std::string_view source) const {
  return holder(source).column_names(source);
}

std::string CombinedStore::digest() const {
  return digest_of("combined", pieces_);
}

}  // namespace tyto
