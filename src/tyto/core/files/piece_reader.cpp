// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/piece_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;  // of one call; zlib counts in int

}  // namespace

PieceReader::PieceReader(const std::filesystem::path& path) : path_(path) {
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(errno)));
  }
  if (path.extension() == ".gz") {
    packed_ = ::gzdopen(file_, "rb");
    if (packed_ == nullptr) {
      ::close(file_);
      throw Error(ErrorKind::io, fmt::format("{}: no memory to unpack it", path.string()));
    }
    file_ = -1;  // zlib's now
  }
}

PieceReader::~PieceReader() {
  if (packed_ != nullptr) {
    ::gzclose_r(static_cast<gzFile>(packed_));
  }
  if (file_ >= 0) {
    ::close(file_);
  }
}

std::size_t PieceReader::read(char* to, std::size_t most) {
  if (packed_ == nullptr) {
    ssize_t got = 0;
    do {
      got = ::read(file_, to, most);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      throw Error(ErrorKind::io,
                  fmt::format("{}: cannot be read: {}", path_.string(), std::strerror(errno)));
    }
    return static_cast<std::size_t>(got);
  }
  const auto file = static_cast<gzFile>(packed_);
  const int got = ::gzread(file, to, static_cast<unsigned>(std::min(most, kMostUnpacked)));
  int problem = Z_OK;
  const char* why = ::gzerror(file, &problem);
  // Cut short, zlib gives what there is and only then says so.
  if (got < 0 || (problem != Z_OK && problem != Z_STREAM_END)) {
    throw Error(ErrorKind::data, fmt::format("{}: cannot be unpacked: {}", path_.string(),
                                             problem == Z_BUF_ERROR ? "it ends too soon" : why));
  }
  return static_cast<std::size_t>(got);
}

}  // namespace tyto
