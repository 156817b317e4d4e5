// SPDX-License-Identifier: Apache-2.0
// The rows of another store, each altered when it is gathered; nothing is kept.
#pragma once

#include <functional>
#include <memory>

#include "tyto/sample/feature_store.hpp"

namespace tyto {

class ChangedStore final : public FeatureStore {
 public:
  // Alters the 1 x d values of a row. Called from several threads at once.
  using Change = std::function<void(Index row, MatrixRef values)>;

  // Has one source, `source`, which is `reads` of the other store; without a change as it is.
  // `what` tells changes apart, in the digest. Throws Error(data) where the store lacks either or
  // their shapes differ.
  ChangedStore(std::shared_ptr<const FeatureStore> store, std::string source, std::string reads,
               std::string what, Change change = {});

  [[nodiscard]] Index rows() const override { return store_->rows(); }

  [[nodiscard]] std::vector<std::string> sources() const override { return {source_}; }

  [[nodiscard]] std::vector<Index> shape(std::string_view source) const override;
  void gather(std::string_view source, Rows rows, MatrixRef out) const override;

  [[nodiscard]] bool has_cheap_rows() const override { return store_->has_cheap_rows(); }

  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const override;
  [[nodiscard]] std::string digest() const override;

 private:
  std::shared_ptr<const FeatureStore> store_;
  std::string source_, reads_, what_;
  Change change_;
};

}  // namespace tyto
