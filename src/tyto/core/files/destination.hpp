// SPDX-License-Identifier: Apache-2.0
// Where that which is written to a path goes: behind its links, and whether it may be replaced.
#pragma once

#include <filesystem>

namespace tyto {

struct Destination {
  enum class Kind {
    file,    // a regular file, or nothing yet: replaced whole
    device,  // a pipe, a terminal, /dev/null: written to, and never replaced
    open     // an open file of this program, as /dev/stdout names one
  };

  Kind kind = Kind::file;
  std::filesystem::path path;  // no link
  int descriptor = -1;         // of Kind::open
  int mode = -1;               // permissions of the file that is there; -1: none is
};

// Throws Error(io) where a folder is, the file there may not be written, or links lead in a circle.
Destination destination_of(const std::filesystem::path& path);

// Whether text for `path` appears among what the program prints.
bool is_standard_output(const std::filesystem::path& path);

}  // namespace tyto
