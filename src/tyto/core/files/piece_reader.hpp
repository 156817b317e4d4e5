// SPDX-License-Identifier: Apache-2.0
// A file from its beginning to its end, piece by piece, unpacked on the way if its name ends in
// .gz: files of any length in constant memory. Where the whole is wanted, see read_maybe_gz.
#pragma once

#include <cstddef>
#include <filesystem>

namespace tyto {

class PieceReader {
 public:
  explicit PieceReader(const std::filesystem::path& path);
  ~PieceReader();
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;

  // The next bytes, at most `most`; 0 at the end. Throws Error(io) where the file cannot be read,
  // Error(data) where it is packed and damaged or cut short.
  std::size_t read(char* to, std::size_t most);

 private:
  std::filesystem::path path_;
  void* packed_ = nullptr;  // zlib's, of a .gz
  int file_ = -1;           // of any other
};

}  // namespace tyto
