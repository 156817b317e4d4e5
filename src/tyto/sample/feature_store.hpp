// SPDX-License-Identifier: Apache-2.0
// Rows of numbers in one or more sources ("features", "logits", "rgb"), without labels or names.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/error.hpp"
#include "tyto/core/matrix.hpp"

namespace tyto {

// Thread safe: gather may be called concurrently.
struct FeatureStore : Interface {
  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual std::vector<std::string> sources() const = 0;
  // Of one row: {768}, {3, 234, 256}. Throws Error(data) for a source it does not have.
  [[nodiscard]] virtual std::vector<Index> shape(std::string_view source) const = 0;
  // Row rows[i] of the source into row i of `out`, whose width is the product of the shape.
  virtual void gather(std::string_view source, Rows rows, MatrixRef out) const = 0;

  // One row costs no more by itself than among others: memory, a mapped file.
  [[nodiscard]] virtual bool has_cheap_rows() const { return false; }

  // Names of the columns of a source, where the file tells them (class names of logits); else {}.
  [[nodiscard]] virtual std::vector<std::string> column_names(std::string_view source) const = 0;
  // The same for the same content; finds the store again when a state is loaded.
  [[nodiscard]] virtual std::string digest() const = 0;
};

// Rows held in memory, in one or more sources of equal length.
class DenseStore final : public FeatureStore {
 public:
  struct Source {
    std::string name;
    Matrix values;
    std::vector<std::string> columns;  // may be empty
  };

  explicit DenseStore(Matrix features);
  explicit DenseStore(std::vector<Source> sources);

  [[nodiscard]] Index rows() const override;
  [[nodiscard]] std::vector<std::string> sources() const override;
  [[nodiscard]] std::vector<Index> shape(std::string_view source) const override;
  void gather(std::string_view source, Rows rows, MatrixRef out) const override;

  [[nodiscard]] bool has_cheap_rows() const override { return true; }

  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const override;
  [[nodiscard]] std::string digest() const override;

  // For tests of "nothing is kept of lent samples".
  void overwrite(float value);

 private:
  [[nodiscard]] const Source& source(std::string_view name) const;

  std::vector<Source> sources_;
};

}  // namespace tyto

// Example:
//
//   const DenseStore store(Matrix::Random(100, 8));
//   const std::vector<Index> rows{3, 14};
//   Matrix out(2, 8);
//   store.gather("features", rows, out);
