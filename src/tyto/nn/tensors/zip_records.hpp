// SPDX-License-Identifier: Apache-2.0
// The records of a zip as PyTorch writes it: stored, sizes in the directory at the end alone, and
// padding that only the entry before a record tells of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tyto {

// Looks into bytes that must outlive it. Throws Error(data) beginning with `name`.
class ZipRecords {
 public:
  struct Entry {
    std::uint64_t packed = 0, size = 0, offset = 0;
    std::uint32_t checksum = 0;
    std::uint16_t flags = 0, method = 0;
  };

  ZipRecords(std::span<const std::byte> file, std::string_view name);

  [[nodiscard]] const std::map<std::string_view, Entry>& entries() const { return entries_; }

  // The content of the record called so, if there is one. Refuses what is compressed or encrypted.
  [[nodiscard]] std::optional<std::span<const std::byte>> find(std::string_view record) const;
  // Likewise, where there must be one, and its bytes as they were when it was written.
  [[nodiscard]] std::span<const std::byte> checked(std::string_view record) const;

 private:
  void read_directory(std::uint64_t at, std::uint64_t size, std::uint64_t count);

  std::span<const std::byte> file_;
  std::string name_;
  std::map<std::string_view, Entry> entries_;
};

// CRC-32 as in zip, gzip and PNG.
std::uint32_t zip_checksum(std::span<const std::byte> bytes);

}  // namespace tyto
