// SPDX-License-Identifier: Apache-2.0
// Stores made of stores: one after another (a series of datasets) or side by side (features from
// one file, logits from another).
#pragma once

#include <memory>

#include "tyto/sample/feature_store.hpp"

namespace tyto {

struct StorePiece {
  std::string name;  // for messages: the dataset or file
  std::shared_ptr<const FeatureStore> store;
};

// Rows of the first piece, then of the second, ... It has the sources that all pieces have, in the
// order of the first; their shapes must agree. Column names are kept where all pieces agree.
class JoinedStore final : public FeatureStore {
 public:
  explicit JoinedStore(std::vector<StorePiece> pieces);

  [[nodiscard]] Index rows() const override { return first_.back(); }

  [[nodiscard]] std::vector<std::string> sources() const override { return sources_; }

  [[nodiscard]] std::vector<Index> shape(std::string_view source) const override;
  void gather(std::string_view source, Rows rows, MatrixRef out) const override;
  [[nodiscard]] bool has_cheap_rows() const override;
  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const override;
  [[nodiscard]] std::string digest() const override;

 private:
  void expect(std::string_view source) const;
  [[nodiscard]] std::size_t piece_of(Index row) const;

  std::vector<StorePiece> pieces_;
  std::vector<Index> first_;  // row at which a piece begins; the last entry is the total
  std::vector<std::string> sources_;
};

// The sources of all pieces, whose row counts must agree and whose names must differ.
class CombinedStore final : public FeatureStore {
 public:
  explicit CombinedStore(std::vector<StorePiece> pieces);

  [[nodiscard]] Index rows() const override;
  [[nodiscard]] std::vector<std::string> sources() const override;
  [[nodiscard]] std::vector<Index> shape(std::string_view source) const override;
  void gather(std::string_view source, Rows rows, MatrixRef out) const override;
  [[nodiscard]] bool has_cheap_rows() const override;
  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const override;
  [[nodiscard]] std::string digest() const override;

 private:
  [[nodiscard]] const FeatureStore& holder(std::string_view source) const;

  std::vector<StorePiece> pieces_;
};

}  // namespace tyto
