// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/whole_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

void sync_folder(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file >= 0) {
    ::fsync(file);
    ::close(file);
  }
}

}  // namespace

void expect_free_folder(const std::filesystem::path& folder) {
  std::error_code problem;
  auto status = std::filesystem::symlink_status(folder, problem);
  if (std::filesystem::is_symlink(status) && std::filesystem::is_directory(folder, problem)) {
    status = std::filesystem::status(folder, problem);  // one that leads nowhere is in the way
  }
  const bool is_free =
      !std::filesystem::exists(status) || (std::filesystem::is_directory(status) &&
                                           std::filesystem::is_empty(folder, problem) && !problem);
  if (!is_free) {
    throw Error(ErrorKind::io,
                fmt::format("{}: {}; remove it or choose another", folder.string(),
                            std::filesystem::is_directory(status) ? "the folder is not empty"
                                                                  : "is there and no folder"));
  }
}

void write_whole_folder(const std::filesystem::path& given,
                        const std::function<void(const std::filesystem::path&)>& fill) {
  auto folder = std::filesystem::absolute(given / "").parent_path();
  expect_free_folder(folder);
  if (std::filesystem::is_symlink(folder)) {  // the link stays, the empty folder behind it fills
    folder = std::filesystem::canonical(folder);
  }
  const std::filesystem::path beside = folder.string() + fmt::format(".{}.part", ::getpid());
  std::error_code ignored;
  try {
    std::filesystem::create_directories(beside);
    fill(beside);
    sync_folder(beside);
    std::filesystem::rename(beside, folder);
    sync_folder(folder.parent_path());
  } catch (const std::filesystem::filesystem_error& problem) {
    std::filesystem::remove_all(beside, ignored);
    throw Error(ErrorKind::io, fmt::format("{}: cannot write the folder: {}", folder.string(),
                                           problem.code().message()));
  } catch (...) {
    std::filesystem::remove_all(beside, ignored);
    throw;
  }
}

}  // namespace tyto
