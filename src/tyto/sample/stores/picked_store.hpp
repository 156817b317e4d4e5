// SPDX-License-Identifier: Apache-2.0
// Some rows of a store, as a store of their own; nothing is copied.
#pragma once

#include <memory>

#include "tyto/sample/feature_store.hpp"

namespace tyto {

class PickedStore final : public FeatureStore {
 public:
  // Throws Error(data) for a row that the store does not have.
  PickedStore(std::shared_ptr<const FeatureStore> store, std::vector<Index> rows);

  [[nodiscard]] Index rows() const override { return static_cast<Index>(rows_.size()); }

  [[nodiscard]] std::vector<std::string> sources() const override { return store_->sources(); }

  [[nodiscard]] std::vector<Index> shape(std::string_view source) const override {
    return store_->shape(source);
  }

  void gather(std::string_view source, Rows rows, MatrixRef out) const override;

  [[nodiscard]] bool has_cheap_rows() const override { return store_->has_cheap_rows(); }

  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const override {
    return store_->column_names(source);
  }

  [[nodiscard]] std::string digest() const override;

 private:
  std::shared_ptr<const FeatureStore> store_;
  std::vector<Index> rows_;
};

}  // namespace tyto
