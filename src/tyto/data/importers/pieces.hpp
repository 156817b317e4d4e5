// SPDX-License-Identifier: Apache-2.0
// What the importers share.
#pragma once

#include <filesystem>

#include <fmt/format.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/data/dataset_file.hpp"

namespace tyto {

// The path of a file that the layout needs; a sentence if it is missing.
inline std::filesystem::path needed_file(const std::filesystem::path& folder,
                                         std::string_view file) {
  std::filesystem::path path = folder / file;
  if (!std::filesystem::is_regular_file(path)) {
    throw Error(ErrorKind::io,
                fmt::format("{}: the file is missing; is this the right folder?", path.string()));
  }
  return path;
}

}  // namespace tyto
