// SPDX-License-Identifier: Apache-2.0
// --help, and a sentence for an option that a program does not have.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace tyto {

// The exit code where there is nothing to run, -1 where there is. `text` begins with a line of
// usage; options are words of it that begin with "--".
inline int answer_usage(int argc, char** argv, std::string_view text) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      std::fprintf(stdout, "usage: %.*s", static_cast<int>(text.size()), text.data());
      return 0;
    }
    if (word.starts_with("--") && text.find("[" + word) == std::string_view::npos) {
      std::fprintf(stderr, "there is no option %s; usage: %.*s", word.c_str(),
                   static_cast<int>(text.find('\n')) + 1, text.data());
      return 2;
    }
  }
  return -1;
}

}  // namespace tyto
