// SPDX-License-Identifier: Apache-2.0
// Colour pictures held in memory, a byte a value.
#pragma once

#include <cstdint>
#include <vector>

#include "tyto/sample/feature_store.hpp"

namespace tyto {

// Two sources: `rgb`, the pictures as 3 x height x width values of 0 to 255, and `features`, the
// same made small, 3 x 8 x 8 means of cells in [0, 1] as one row of numbers (fewer cells where the
// picture has fewer pixels): enough for any predictor to try itself on.
class ClipStore final : public FeatureStore {
 public:
  // `bytes` holds whole pictures, one after another.
  ClipStore(Index width, Index height, std::vector<std::uint8_t> bytes);

  [[nodiscard]] Index rows() const override;
  [[nodiscard]] std::vector<std::string> sources() const override;
  [[nodiscard]] std::vector<Index> shape(std::string_view source) const override;
  void gather(std::string_view source, Rows rows, MatrixRef out) const override;

  [[nodiscard]] bool has_cheap_rows() const override { return true; }

  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const override;
  [[nodiscard]] std::string digest() const override;

 private:
  void shrink(const std::uint8_t* picture, float* out) const;

  Index width_, height_;
  Index across_, down_;  // cells
  std::vector<std::uint8_t> bytes_;
};

}  // namespace tyto
