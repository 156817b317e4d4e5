// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files in C order: float32, float16 and uint8 opened as a mapped store, and
// written block by block.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

// The first extent counts the rows, the others are the shape of one; a 1-D array has one value per
// row; uint8 is read as 0 to 255. Another type or order is refused with the line of NumPy that
// mends it.
std::shared_ptr<const FeatureStore> open_npy(const std::filesystem::path& path,
                                             std::string_view source = "features",
                                             std::vector<std::string> columns = {});

// Writes beside the target and renames in finish(); without finish() nothing is left.
class NpyWriter {
 public:
  // float16 rounds to the nearest; uint8 takes whole numbers of 0 to 255.
  NpyWriter(std::filesystem::path path, Index rows, const std::vector<Index>& shape,
            StoredAs type = StoredAs::float32);
  ~NpyWriter();
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;

  void append(const MatrixView& block);
  void finish();  // every row has been appended

 private:
  void put(const void* data, std::size_t bytes);

  std::filesystem::path path_, beside_;
  std::FILE* file_ = nullptr;
  Index left_, width_ = 1;
  StoredAs type_;
};

void write_npy(const std::filesystem::path& path, const MatrixView& values);

}  // namespace tyto
