// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/zip_records.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/little_endian.hpp"
#include "tyto/nn/tensors/printable.hpp"

namespace tyto {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kEndMark = "PK\5\6"sv;
constexpr std::string_view kWideEndMark = "PK\6\6"sv;
constexpr std::string_view kLocatorMark = "PK\6\7"sv;
constexpr std::string_view kCentralMark = "PK\1\2"sv;
constexpr std::string_view kLocalMark = "PK\3\4"sv;
constexpr std::size_t kEndSize = 22, kWideEndSize = 56, kLocatorSize = 20;
constexpr std::size_t kCentralSize = 46, kLocalSize = 30;
constexpr std::size_t kLongestEnd = 65'557;  // with a comment

Error no_zip(std::string_view name, std::string_view what) {
  return Error(ErrorKind::data, fmt::format("{}: {}", name, what));
}

bool is_inside(std::uint64_t at, std::uint64_t size, std::uint64_t whole) {
  return at <= whole && size <= whole - at;
}

bool has_mark(std::span<const std::byte> file, std::uint64_t at, std::string_view mark,
              std::size_t size) {
  return is_inside(at, size, file.size()) && as_text(file.subspan(at, mark.size())) == mark;
}

// Where an entry has all ones the true value stands in the field 1 of its extra bytes.
void take_wide_values(std::span<const std::byte> extra, ZipRecords::Entry& entry) {
  constexpr auto kElsewhere = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t at = 0; is_inside(at, 4, extra.size());) {
    const auto kind = little_endian<std::uint16_t>(extra, at);
    const auto size = little_endian<std::uint16_t>(extra, at + 2);
    at += 4;
    if (!is_inside(at, size, extra.size())) {
      return;
    }
    if (kind == 1) {
      const auto field = extra.subspan(at, size);
      std::size_t next = 0;
      for (std::uint64_t* value : {&entry.size, &entry.packed, &entry.offset}) {
        if (*value == kElsewhere && is_inside(next, 8, field.size())) {
          *value = little_endian<std::uint64_t>(field, next);
          next += 8;
        }
      }
      return;
    }
    at += size;
  }
}

std::array<std::uint32_t, 256> checksum_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1U) != 0 ? 0xedb88320U ^ (value >> 1U) : value >> 1U;
    }
    table[byte] = value;
  }
  return table;
}

}  // namespace

ZipRecords::ZipRecords(std::span<const std::byte> file, std::string_view name)
    : file_(file), name_(name) {
  const std::size_t tail = file.size() - std::min(file.size(), kLongestEnd);
  const auto found = as_text(file.subspan(tail)).rfind(kEndMark);
  if (found == std::string_view::npos || !is_inside(tail + found, kEndSize, file.size())) {
    throw no_zip(name_, "this zip is truncated: it has no directory at its end");
  }
  const std::size_t end = tail + found;
  std::uint64_t count = little_endian<std::uint16_t>(file, end + 10);
  std::uint64_t size = little_endian<std::uint32_t>(file, end + 12);
  std::uint64_t at = little_endian<std::uint32_t>(file, end + 16);
  const bool is_wide = count == 0xffff || size == 0xffffffff || at == 0xffffffff;
  if (is_wide && end >= kLocatorSize &&
      has_mark(file, end - kLocatorSize, kLocatorMark, kLocatorSize)) {
    const auto wide = little_endian<std::uint64_t>(file, end - kLocatorSize + 8);
    if (!has_mark(file, wide, kWideEndMark, kWideEndSize)) {
      throw no_zip(name_, fmt::format("no zip64 record at byte {}, where its locator says", wide));
    }
    count = little_endian<std::uint64_t>(file, wide + 32);
    size = little_endian<std::uint64_t>(file, wide + 40);
    at = little_endian<std::uint64_t>(file, wide + 48);
  }
  read_directory(at, size, count);
}

void ZipRecords::read_directory(std::uint64_t at, std::uint64_t size, std::uint64_t count) {
  if (!is_inside(at, size, file_.size()) || count > size / kCentralSize) {
    throw no_zip(name_, fmt::format("its directory of {} records, {} bytes from byte {} on, does "
                                    "not fit into the file's {} bytes",
                                    count, size, at, file_.size()));
  }
  const auto directory = file_.subspan(at, size);
  std::size_t next = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!has_mark(directory, next, kCentralMark, kCentralSize)) {
      throw no_zip(name_, fmt::format("its directory breaks off after {} of {} records", i, count));
    }
    const std::size_t name_size = little_endian<std::uint16_t>(directory, next + 28);
    const std::size_t extra_size = little_endian<std::uint16_t>(directory, next + 30);
    const std::size_t whole =
        kCentralSize + name_size + extra_size + little_endian<std::uint16_t>(directory, next + 32);
    if (!is_inside(next, whole, directory.size())) {
      throw no_zip(name_, fmt::format("its directory breaks off after {} of {} records", i, count));
    }
    Entry entry{.packed = little_endian<std::uint32_t>(directory, next + 20),
                .size = little_endian<std::uint32_t>(directory, next + 24),
                .offset = little_endian<std::uint32_t>(directory, next + 42),
                .checksum = little_endian<std::uint32_t>(directory, next + 16),
                .flags = little_endian<std::uint16_t>(directory, next + 8),
                .method = little_endian<std::uint16_t>(directory, next + 10)};
    const auto name = as_text(directory.subspan(next + kCentralSize, name_size));
    take_wide_values(directory.subspan(next + kCentralSize + name_size, extra_size), entry);
    if (!entries_.emplace(name, entry).second) {
      throw no_zip(name_, fmt::format("two records are called {}", printable(name)));
    }
    next += whole;
  }
}

std::optional<std::span<const std::byte>> ZipRecords::find(std::string_view record) const {
  const auto found = entries_.find(record);
  if (found == entries_.end()) {
    return std::nullopt;
  }
  const Entry& entry = found->second;
  if (entry.method != 0 || (entry.flags & 1U) != 0 || entry.packed != entry.size) {
    throw no_zip(name_, fmt::format("the record {} is compressed or encrypted; PyTorch stores its "
                                    "records as they are",
                                    printable(record)));
  }
  if (!has_mark(file_, entry.offset, kLocalMark, kLocalSize)) {
    throw no_zip(name_, fmt::format("the record {} is not at byte {}, where the directory says",
                                    printable(record), entry.offset));
  }
  // Of this entry: the padding is not in the directory.
  const std::uint64_t begin = entry.offset + kLocalSize +
                              little_endian<std::uint16_t>(file_, entry.offset + 26) +
                              little_endian<std::uint16_t>(file_, entry.offset + 28);
  if (!is_inside(begin, entry.size, file_.size())) {
    throw no_zip(name_, fmt::format("the record {}, {} bytes from byte {} on, does not fit into "
                                    "the file's {} bytes",
                                    printable(record), entry.size, begin, file_.size()));
  }
  return file_.subspan(begin, entry.size);
}

std::span<const std::byte> ZipRecords::checked(std::string_view record) const {
  const auto bytes = find(record);
  if (!bytes) {
    throw no_zip(name_, fmt::format("has no record {}", printable(record)));
  }
  const std::uint32_t expected = entries_.at(record).checksum;
  if (const auto seen = zip_checksum(*bytes); seen != expected) {
    throw no_zip(name_, fmt::format("the record {} is damaged: its checksum is {:08x}, not {:08x}",
                                    printable(record), seen, expected));
  }
  return *bytes;
}

std::uint32_t zip_checksum(std::span<const std::byte> bytes) {
  static const auto kTable = checksum_table();
  std::uint32_t value = 0xffffffffU;
  for (const std::byte byte : bytes) {
    value = kTable[(value ^ static_cast<std::uint32_t>(byte)) & 0xffU] ^ (value >> 8U);
  }
  return ~value;
}

}  // namespace tyto
