// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/processes.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

std::string how_it_ended(pid_t done, int status) {
  if (done > 0 && WIFSIGNALED(status)) {
    return fmt::format("was ended by signal {}", WTERMSIG(status));
  }
  return fmt::format("ended with exit code {}", done > 0 ? WEXITSTATUS(status) : -1);
}

}  // namespace

Processes::~Processes() {
  for (const auto& [process, name] : names_) {
    kill(process, SIGTERM);
  }
  for (const auto& [process, name] : names_) {
    waitpid(process, nullptr, 0);
  }
}

void Processes::start(std::vector<std::string> words, std::string name) {
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  pid_t process = 0;
  const int problem =
      posix_spawn(&process, words.front().c_str(), nullptr, nullptr, pointers.data(), environ);
  if (problem != 0) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be started for {}: {}", words.front(), name,
                                           std::strerror(problem)));
  }
  names_[process] = std::move(name);
}

Index Processes::ended() {
  Index count = 0;
  for (auto one = names_.begin(); one != names_.end();) {
    int status = 0;
    const pid_t done = waitpid(one->first, &status, WNOHANG);
    if (done == 0 || (done < 0 && errno == EINTR)) {
      ++one;
      continue;
    }
    const std::string name = one->second;
    one = names_.erase(one);
    if (done < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      throw Error(ErrorKind::state, fmt::format("{} {}; what was committed is kept", name,
                                                how_it_ended(done, status)));
    }
    ++count;
  }
  return count;
}

}  // namespace tyto
