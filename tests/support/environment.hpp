// SPDX-License-Identifier: Apache-2.0
// Environment variables of the programs a test starts.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "support/program.hpp"
#include "support/scratch.hpp"

namespace tyto::testing_support {

// Set as long as it lives; then what it was before.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) {
      before_ = before;
    }
    ::setenv(name, value.c_str(), 1);
  }

  ~Variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// What the loader says of the libraries that the programs started by `call` open.
template <class Call>
std::string opened_libraries(const Call& call) {
  const Scratch log;
  {
    const Variable what("LD_DEBUG", "files");
    const Variable where("LD_DEBUG_OUTPUT", (log / "ld").string());
    call();
  }
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(log.path())) {
    text += slurp(entry.path());
  }
  return text;
}

}  // namespace tyto::testing_support
