// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/files.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/destination.hpp"
#include "tyto/core/files/stream_file.hpp"

namespace tyto {

namespace {

constexpr std::string_view kUnfinished = ".part";

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what) {
  throw Error(ErrorKind::io, fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags, int mode = 0644)
      : value_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}

  ~Descriptor() { close(); }

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return value_; }

  int close() {
    const int result = value_ < 0 ? 0 : ::close(value_);
    value_ = -1;
    return result;
  }

 private:
  int value_;
};

void write_all(int file, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail(path, "cannot write");
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Beside the target and renamed over it; messages name the path that was given.
void replace_file(const std::filesystem::path& path, const Destination& to,
                  const std::function<void(const PutBytes&)>& fill) {
  const auto beside = to.path.string() + fmt::format(".{}{}", ::getpid(), kUnfinished);
  try {
    Descriptor file(beside, O_WRONLY | O_CREAT | O_TRUNC);
    if (file.get() < 0) {
      fail(path, path == to.path
                     ? "cannot create"
                     : fmt::format("cannot create {}, to which it links", to.path.string()));
    }
    fill([&](std::string_view bytes) { write_all(file.get(), bytes, path); });
    if (to.mode >= 0) {
      ::fchmod(file.get(), static_cast<mode_t>(to.mode));  // may fail on odd disks: no matter
    }
    if (::fsync(file.get()) != 0 || file.close() != 0) {
      fail(path, "cannot write");
    }
    if (::rename(beside.c_str(), to.path.c_str()) != 0) {
      fail(path, "cannot rename into place");
    }
  } catch (...) {
    ::unlink(beside.c_str());
    throw;
  }
}

struct Unzip {  // a z_stream that ends itself
  z_stream stream{};

  Unzip() { inflateInit2(&stream, 15 + 16); }

  ~Unzip() { inflateEnd(&stream); }

  Unzip(const Unzip&) = delete;
  Unzip& operator=(const Unzip&) = delete;
};

std::string unpack(std::string_view packed, const std::filesystem::path& path) {
  Unzip zip;
  std::string out;
  std::string block(1 << 20, '\0');
  zip.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  std::size_t left = packed.size();
  int status = Z_OK;
  while (status != Z_STREAM_END || left + zip.stream.avail_in > 0) {
    if (status == Z_STREAM_END) {
      inflateReset(&zip.stream);  // a gzip file may have several members
    }
    if (zip.stream.avail_in == 0) {
      const std::size_t chunk = left < (1U << 30) ? left : (1U << 30);
      zip.stream.avail_in = static_cast<uInt>(chunk);
      left -= chunk;
    }
    zip.stream.next_out = reinterpret_cast<Bytef*>(block.data());
    zip.stream.avail_out = static_cast<uInt>(block.size());
    status = inflate(&zip.stream, Z_NO_FLUSH);
    out.append(block.data(), block.size() - zip.stream.avail_out);
    if (status != Z_OK && status != Z_STREAM_END) {
      throw Error(ErrorKind::data, fmt::format("{}: not a whole gzip file ({} bytes unpacked)",
                                               path.string(), out.size()));
    }
  }
  return out;
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view content) {
  write_file(path, [&](const PutBytes& put) { put(content); });
}

void write_file(const std::filesystem::path& path,
                const std::function<void(const PutBytes& put)>& fill) {
  const Destination to = destination_of(path);
  if (to.kind == Destination::Kind::file) {
    replace_file(path, to, fill);
    return;
  }
  std::fflush(stdout);  // what was printed before comes before
  if (to.kind == Destination::Kind::open) {
    fill([&](std::string_view bytes) { write_all(to.descriptor, bytes, path); });
    return;
  }
  Descriptor device(to.path, O_WRONLY | O_NOCTTY);
  if (device.get() < 0) {
    fail(path, "cannot open");
  }
  fill([&](std::string_view bytes) { write_all(device.get(), bytes, path); });
  if (device.close() != 0) {
    fail(path, "cannot write");
  }
}

void make_folder(const std::filesystem::path& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (problem) {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot create the folder: {}", path.string(), problem.message()));
  }
}

void remove_unfinished(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> unfinished;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == kUnfinished) {
      unfinished.push_back(entry.path());
    }
  }
  for (const auto& path : unfinished) {
    std::filesystem::remove(path);
  }
}

std::string read_file(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) {
    fail(path, "cannot open");
  }

  struct stat about {};

  if (::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
    throw Error(ErrorKind::io, fmt::format("{}: not a file", path.string()));
  }
  std::string content(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t have = 0;
  while (have < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      fail(path, "cannot read");
    }
    have += static_cast<std::size_t>(got);
  }
  return content;
}

std::string read_maybe_gz(const std::filesystem::path& path) {
  std::string content = read_file(path);
  return path.extension() == ".gz" ? unpack(content, path) : content;
}

std::string gzip(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  TYTO_ASSERT(status == Z_STREAM_END);
  return packed;
}

void write_gz(const std::filesystem::path& path, std::string_view content) {
  write_file(path, gzip(content));
}

MappedFile::MappedFile(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDONLY);

  struct stat about {};

  if (file.get() < 0 || ::fstat(file.get(), &about) != 0) {
    fail(path, "cannot open");
  }
  size_ = static_cast<std::size_t>(about.st_size);
  if (size_ == 0) {
    return;
  }
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) {
    fail(path, "cannot map");
  }
  data_ = static_cast<const std::byte*>(mapped);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    ::munmap(const_cast<std::byte*>(data_), size_);
  }
}

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const auto path = folder / ".lock";
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) {
    fail(path, "cannot create");
  }
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    ::close(file_);
    throw Error(ErrorKind::io,
                fmt::format("{}: the folder is in use by another process; wait for it or choose "
                            "another folder",
                            folder.string()));
  }
}

FolderLock::~FolderLock() {
  ::close(file_);  // the lock goes with it; the file stays, or a waiting process would lock a ghost
}

std::string digest(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ULL ^ bytes.size();
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  for (; at < bytes.size(); ++at) {
    hash = (hash ^ std::to_integer<std::uint64_t>(bytes[at])) * 0x100000001B3ULL;
  }
  hash ^= hash >> 32;
  return fmt::format("{:016x}", hash);
}

}  // namespace tyto
