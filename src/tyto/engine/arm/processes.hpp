// SPDX-License-Identifier: Apache-2.0
// Programs that run beside this one, such as the arms of a run or the tests of an agent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tyto/core/matrix.hpp"

namespace tyto {

// Those still there when it is destroyed are asked to stop, and waited for.
class Processes {
 public:
  Processes() = default;
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  [[nodiscard]] Index size() const { return std::ssize(names_); }

  // A program with its arguments; `name` is for messages: "the arm ann". Throws Error(io).
  void start(std::vector<std::string> words, std::string name);

  // The number of those that have ended since the last look. Throws Error(state) where one failed.
  Index ended();

 private:
  std::map<pid_t, std::string> names_;
};

}  // namespace tyto
