// SPDX-License-Identifier: Apache-2.0
// Rows of little-endian float32 or float16, or of uint8, inside a mapped file: used without
// loading, whatever the size.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>

#include "tyto/core/files/files.hpp"
#include "tyto/sample/feature_store.hpp"

namespace tyto {

// A byte is read as the number it is, 0 to 255, not scaled to [0, 1]: a quarter of the disk for
// pictures, the same rows. Every float16 is a float32 too, so nothing is rounded in reading.
enum class StoredAs : std::uint8_t { float32, float16, uint8 };

constexpr std::array<std::string_view, 3> kStoredWords{"float32", "float16", "uint8"};

constexpr std::string_view to_word(StoredAs type) {
  return kStoredWords[static_cast<std::size_t>(type)];
}

StoredAs stored_as(std::string_view word);  // one of kStoredWords

constexpr std::size_t bytes_of(StoredAs type) {
  return type == StoredAs::uint8 ? 1 : type == StoredAs::float16 ? 2 : sizeof(float);
}

// `count` values of this type, which need not be aligned.
void read_values(const std::byte* from, StoredAs type, Index count, float* to);

struct MappedLayout {
  std::string source = "features";
  std::size_t offset = 0;  // bytes before the first value
  Index rows = 0;
  std::vector<Index> shape;          // of one row
  std::vector<std::string> columns;  // names; may be empty
  StoredAs type = StoredAs::float32;
};

// gather costs a copy of the asked rows; large requests are copied in parallel.
class MappedStore final : public FeatureStore {
 public:
  // Throws Error(data) when the file is too short for the layout or the columns do not fit it.
  MappedStore(const std::filesystem::path& path, MappedLayout layout);

  [[nodiscard]] Index rows() const override { return layout_.rows; }

  [[nodiscard]] std::vector<std::string> sources() const override { return {layout_.source}; }

  [[nodiscard]] std::vector<Index> shape(std::string_view source) const override;
  void gather(std::string_view source, Rows rows, MatrixRef out) const override;

  [[nodiscard]] bool has_cheap_rows() const override { return true; }

  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const override;
  [[nodiscard]] std::string digest() const override;

 private:
  MappedFile file_;
  MappedLayout layout_;
  Index width_ = 1;
};

// Digest of a file too big to read: its size, its first and last 64 KiB and 62 blocks of 4 KiB
// spread evenly between. A change elsewhere in a large file goes unseen; below 512 KiB all is read.
std::string sampled_digest(std::span<const std::byte> bytes);

// Throws Error(data) unless `asked` is `have`.
void expect_source(std::string_view asked, std::string_view have);

// Throws Error(data) unless every row is in [0, count).
void expect_rows(Rows rows, Index count);

}  // namespace tyto
