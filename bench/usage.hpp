// SPDX-License-Identifier: Apache-2.0
// --help, and a sentence for an option that a program does not have.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace tyto {

// The exit code where there is nothing to run, -1 where there is. The options stand in the first
// line of `text`: [--flag], [--option VALUE].
inline int answer_usage(int argc, char** argv, std::string_view text) {
  const std::string line(text.substr(0, text.find('\n') + 1));
  const auto has = [&](const std::string& what) { return line.find(what) != std::string::npos; };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      std::fprintf(stdout, "usage: %.*s", static_cast<int>(text.size()), text.data());
      return 0;
    }
    if (!word.starts_with("-") || has("[" + word + "]")) {
      continue;
    }
    const bool takes_value = has("[" + word + " ");
    if (!takes_value || ++i == argc) {
      std::fprintf(stderr, "%s %s; usage: %s",
                   takes_value ? "a value is missing after" : "there is no option", word.c_str(),
                   line.c_str());
      return 2;
    }
  }
  return -1;
}

}  // namespace tyto
