// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/file_replacer.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

using namespace std::chrono_literals;

constexpr auto kRest = 1s;  // no program reads a small file for longer

void write_whole(const std::filesystem::path& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  bool done = file >= 0;
  for (std::size_t at = 0; done && at < content.size();) {
    const ssize_t wrote =
        ::pwrite(file, content.data() + at, content.size() - at, static_cast<off_t>(at));
    done = wrote > 0 || errno == EINTR;
    at += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
  }
  done = done && ::ftruncate(file, static_cast<off_t>(content.size())) == 0;
  const int problem = errno;
  if (file >= 0) {
    ::close(file);
  }
  if (!done) {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot write: {}", path.string(), strerror(problem)));
  }
}

}  // namespace

FileReplacer::FileReplacer(std::filesystem::path folder) : folder_(std::move(folder)) {}

std::filesystem::path FileReplacer::spare_path(std::uint64_t number) const {
  return folder_ / fmt::format("new-{}", number);
}

std::uint64_t FileReplacer::take() {
  const std::lock_guard guard(mutex_);
  if (spares_.empty() || Clock::now() - spares_.front().since < kRest) {
    return made_++;
  }
  const std::uint64_t number = spares_.front().number;
  spares_.pop_front();
  return number;
}

void FileReplacer::replace(const std::filesystem::path& path, std::string_view content) {
  const std::uint64_t number = take();
  const std::filesystem::path beside = spare_path(number);
  write_whole(beside, content);
  if (::renameat2(AT_FDCWD, beside.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
    const std::lock_guard guard(mutex_);
    spares_.push_back({number, Clock::now()});
    return;
  }
  // There was no such file yet, or this disk cannot exchange names.
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot be replaced: {}", path.string(), strerror(errno)));
  }
}

}  // namespace tyto
