// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/destination.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr int kMostLinks = 40;  // as the kernel follows

[[noreturn]] void refuse_destination(const std::filesystem::path& given,
                                     const std::filesystem::path& path, std::string_view what) {
  throw Error(ErrorKind::io, given == path ? fmt::format("{}: {}", given.string(), what)
                                           : fmt::format("{}: a link to {}: {}", given.string(),
                                                         path.string(), what));
}

// /proc/self/fd/1 and what links to it. Its own target may be no path, as "pipe:[42]", or a file
// that whoever started the program goes on writing.
std::optional<int> open_file_at(const std::filesystem::path& link) {
  std::error_code problem;
  const auto folder = std::filesystem::canonical(link.parent_path() / ".", problem);
  if (problem || folder != std::filesystem::canonical("/proc/self/fd", problem) || problem) {
    return {};
  }
  const std::string name = link.filename().string();
  int descriptor = -1;
  const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), descriptor);
  return bad == std::errc() && end == name.data() + name.size() ? std::optional(descriptor)
                                                                : std::nullopt;
}

}  // namespace

Destination destination_of(const std::filesystem::path& given) {
  std::filesystem::path path = given;
  for (int links = 0; links <= kMostLinks; ++links) {
    struct stat about {};

    if (::lstat(path.c_str(), &about) != 0) {
      if (errno != ENOENT) {
        refuse_destination(given, path, std::strerror(errno));
      }
      return {Destination::Kind::file, path};
    }
    if (S_ISDIR(about.st_mode)) {
      refuse_destination(given, path, "is a folder; name a file to write");
    }
    if (S_ISREG(about.st_mode)) {
      if (::access(path.c_str(), W_OK) != 0) {
        refuse_destination(given, path, fmt::format("cannot write: {}", std::strerror(errno)));
      }
      return {Destination::Kind::file, path, -1, static_cast<int>(about.st_mode & 07777U)};
    }
    if (!S_ISLNK(about.st_mode)) {
      return {Destination::Kind::device, path};
    }
    if (const auto descriptor = open_file_at(path)) {
      return {Destination::Kind::open, path, *descriptor};
    }
    std::error_code problem;
    const auto target = std::filesystem::read_symlink(path, problem);
    if (problem) {
      refuse_destination(given, path, problem.message());
    }
    path = path.parent_path() / target;  // an absolute one stands alone
  }
  throw Error(ErrorKind::io,
              fmt::format("{}: a link that leads in a circle, or over more than {} others",
                          given.string(), kMostLinks));
}

bool is_standard_output(const std::filesystem::path& path) {
  return destination_of(path).descriptor == STDOUT_FILENO;
}

}  // namespace tyto
