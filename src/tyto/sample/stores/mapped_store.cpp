// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/mapped_store.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "tyto/core/parallel.hpp"

namespace tyto {

static_assert(std::endian::native == std::endian::little, "feature files are little-endian");

namespace {

constexpr Index kBlockValues = 1 << 16;  // per task of a parallel copy: 256 KiB

}  // namespace

void expect_source(std::string_view asked, std::string_view have) {
  if (asked != have) {
    throw Error(ErrorKind::data,
                fmt::format("the data have no source \"{}\"; there are: {}", asked, have));
  }
}

void expect_rows(Rows rows, Index count) {
  for (const Index row : rows) {
    if (row < 0 || row >= count) {
      throw Error(ErrorKind::data,
                  fmt::format("row {} was asked for, but the store has {} rows", row, count));
    }
  }
}

StoredAs stored_as(std::string_view word) {
  const auto found = std::find(kStoredWords.begin(), kStoredWords.end(), word);
  TYTO_ASSERT(found != kStoredWords.end());
  return static_cast<StoredAs>(found - kStoredWords.begin());
}

void read_values(const std::byte* from, StoredAs type, Index count, float* to) {
  if (type == StoredAs::float32) {  // as bytes: an old header may leave the floats unaligned
    std::memcpy(to, from, at(count) * sizeof(float));
    return;
  }
  if (type == StoredAs::float16) {
    for (Index i = 0; i < count; ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, from + i * 2, 2);
      to[i] = static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
    }
    return;
  }
  std::transform(from, from + count, to,
                 [](std::byte b) { return static_cast<float>(std::to_integer<int>(b)); });
}

MappedStore::MappedStore(const std::filesystem::path& path, MappedLayout layout)
    : file_(path), layout_(std::move(layout)) {
  for (const Index extent : layout_.shape) {
    width_ *= extent;
  }
  const auto values = static_cast<std::size_t>(layout_.rows * width_);
  const std::size_t needed = layout_.offset + values * bytes_of(layout_.type);
  if (file_.bytes().size() != needed) {
    throw Error(ErrorKind::data,
                fmt::format("{}: {} rows of {} values need {} bytes, the file has {}",
                            path.string(), layout_.rows, width_, needed, file_.bytes().size()));
  }
  if (!layout_.columns.empty() && static_cast<Index>(layout_.columns.size()) != width_) {
    throw Error(ErrorKind::data, fmt::format("{}: {} column names for rows of {} values",
                                             path.string(), layout_.columns.size(), width_));
  }
}

std::vector<Index> MappedStore::shape(std::string_view source) const {
  expect_source(source, layout_.source);
  return layout_.shape;
}

void MappedStore::gather(std::string_view source, Rows rows, MatrixRef out) const {
  expect_source(source, layout_.source);
  expect_rows(rows, layout_.rows);
  const auto count = static_cast<Index>(rows.size());
  TYTO_ASSERT(out.rows() == count && out.cols() == width_);
  const std::byte* values = file_.bytes().data() + layout_.offset;
  const std::size_t row_bytes = static_cast<std::size_t>(width_) * bytes_of(layout_.type);
  const auto copy = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      read_values(values + at(rows[at(i)]) * row_bytes, layout_.type, width_,
                  out.data() + i * out.outerStride());
    }
  };
  const Index block = std::max<Index>(1, kBlockValues / std::max<Index>(1, width_));
  if (count <= block) {
    copy(0, count);
    return;
  }
  for_each_index((count + block - 1) / block,
                 [&](Index b) { copy(b * block, std::min(count, (b + 1) * block)); });
}

std::vector<std::string> MappedStore::column_names(std::string_view source) const {
  expect_source(source, layout_.source);
  return layout_.columns;
}

std::string MappedStore::digest() const {
  std::string all = fmt::format("{} {} {}", layout_.source, width_, sampled_digest(file_.bytes()));
  if (layout_.type != StoredAs::float32) {  // the same bytes are other numbers
    all += to_word(layout_.type);
  }
  return tyto::digest(std::as_bytes(std::span(all)));
}

std::string sampled_digest(std::span<const std::byte> bytes) {
  constexpr std::size_t kWhole = 512 << 10;
  constexpr std::size_t kEdge = 64 << 10;
  constexpr std::size_t kBlock = 4 << 10;
  constexpr std::size_t kBlocks = 62;
  if (bytes.size() <= kWhole) {
    return tyto::digest(bytes);
  }
  std::string all = fmt::format("{} {} {}", bytes.size(), tyto::digest(bytes.first(kEdge)),
                                tyto::digest(bytes.last(kEdge)));
  const std::size_t step = (bytes.size() - 2 * kEdge) / kBlocks;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    all += tyto::digest(bytes.subspan(kEdge + i * step, kBlock));
  }
  return tyto::digest(std::as_bytes(std::span(all)));
}

}  // namespace tyto
