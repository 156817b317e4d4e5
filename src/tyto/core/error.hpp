// SPDX-License-Identifier: Apache-2.0
// The one exception type. Its text is a sentence for the user: place, rule and offending value.
#pragma once

#include <stdexcept>
#include <string>

namespace tyto {

enum class ErrorKind {
  config,   // the experiment, a preset or an option is wrong (exit code 2)
  data,     // the user's data breaks a rule
  state,    // a call or file that does not fit what was done before
  numeric,  // a computation has no finite answer
  io        // the disk or the system said no
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

// The user pressed Ctrl-C or the system asked to end; what was committed stays.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

// A broken invariant: no input may reach it. Aborts in release builds too.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace tyto

#define TYTO_ASSERT(condition) \
  ((condition) ? void() : ::tyto::assertion_failed(#condition, __FILE__, __LINE__))

// Example:
//
//   throw Error(ErrorKind::data, "trees.csv:7: height: \"tall\" is not a number");
