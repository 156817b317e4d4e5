// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/nuisance/changed_store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

ChangedStore::ChangedStore(std::shared_ptr<const FeatureStore> store, std::string source,
                           std::string reads, std::string what, Change change)
    : store_(std::move(store)),
      source_(std::move(source)),
      reads_(std::move(reads)),
      what_(std::move(what)),
      change_(std::move(change)) {
  if (store_->shape(source_) != store_->shape(reads_)) {
    throw Error(ErrorKind::data,
                fmt::format("the source \"{}\" has {} values a row and cannot stand for \"{}\", "
                            "which has {}",
                            reads_, fmt::join(store_->shape(reads_), " x "), source_,
                            fmt::join(store_->shape(source_), " x ")));
  }
}

std::vector<Index> ChangedStore::shape(std::string_view source) const {
  expect_source(source, source_);
  return store_->shape(reads_);
}

void ChangedStore::gather(std::string_view source, Rows rows, MatrixRef out) const {
  expect_source(source, source_);
  store_->gather(reads_, rows, out);
  if (change_) {
    share_loop(std::ssize(rows), 100 * out.cols(),
               [&](Index i) { change_(rows[at(i)], out.middleRows(i, 1)); });
  }
}

std::vector<std::string> ChangedStore::column_names(std::string_view source) const {
  expect_source(source, source_);
  return store_->column_names(source_);
}

std::string ChangedStore::digest() const {
  const std::string text = fmt::format("{} {} {}", source_, reads_, what_);
  return store_->digest() + "/" + tyto::digest(std::as_bytes(std::span(text)));
}

}  // namespace tyto
