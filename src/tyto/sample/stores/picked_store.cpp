// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/picked_store.hpp"

#include "tyto/core/files/files.hpp"
#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

PickedStore::PickedStore(std::shared_ptr<const FeatureStore> store, std::vector<Index> rows)
    : store_(std::move(store)), rows_(std::move(rows)) {
  expect_rows(rows_, store_->rows());
}

void PickedStore::gather(std::string_view source, Rows rows, MatrixRef out) const {
  expect_rows(rows, this->rows());
  std::vector<Index> inner;
  inner.reserve(rows.size());
  for (const Index row : rows) {
    inner.push_back(rows_[static_cast<std::size_t>(row)]);
  }
  store_->gather(source, inner, out);
}

std::string PickedStore::digest() const {
  return store_->digest() + "/" + tyto::digest(std::as_bytes(std::span(rows_)));
}

}  // namespace tyto
