// SPDX-License-Identifier: Apache-2.0
// Files that are whole or absent, mapped without a copy, and folders held by one process.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace tyto {

// Writes beside the target, syncs, then renames: a reader sees the old content or the new. A link
// stays, and what it leads to is replaced; a pipe or device is written to (see Destination).
void write_file(const std::filesystem::path& path, std::string_view content);

// With its parents; an Error names it where it cannot be made.
void make_folder(const std::filesystem::path& path);

// Removes what write_file left in `folder` and below when the program was killed in it.
void remove_unfinished(const std::filesystem::path& folder);

std::string read_file(const std::filesystem::path& path);

// Whole content of a file, unpacked if its name ends in .gz.
std::string read_maybe_gz(const std::filesystem::path& path);
std::string gzip(std::string_view content);  // a whole .gz file; no date inside
void write_gz(const std::filesystem::path& path, std::string_view content);

// A file mapped read-only; its pages are the kernel's, shared and dropped at will.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Holds `folder` for this process until destroyed; a second holder gets an Error naming it.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

// Hex digest of the bytes (64-bit, for recognising a file again, not for security).
std::string digest(std::span<const std::byte> bytes);

}  // namespace tyto
