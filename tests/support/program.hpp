// SPDX-License-Identifier: Apache-2.0
// The built program as a user runs it: arguments in, exit code and text out.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/places.hpp"
#include "support/scratch.hpp"
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tyto::testing_support {

struct Outcome {
  int code = -1;  // of the exit; -signal if killed
  std::string out, err;
};

struct Conditions {
  std::filesystem::path folder = ".";   // working directory
  std::function<bool()> kill_when;      // asked again and again; killed when it says so
  rlim_t largest_file = RLIM_INFINITY;  // bytes; beyond it writing fails, as on a full disk
  std::string stdout_file;              // instead of a file of ours
  int kill_by = SIGKILL;                // SIGINT: as Ctrl-C does
  bool ignores_hangups = false;         // as started by nohup
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline Outcome run_program(const std::vector<std::string>& arguments,
                           const Conditions& conditions = {}) {
  const Scratch scratch;
  const std::string out =
      conditions.stdout_file.empty() ? (scratch / "out").string() : conditions.stdout_file;
  const std::string err = (scratch / "err").string();
  std::vector<char*> argv;
  std::string program = built_program();
  argv.push_back(program.data());
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(out_file, 1);
    ::dup2(err_file, 2);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {  // whoever runs the tests may ignore them
      ::signal(signal, SIG_DFL);
    }
    if (conditions.ignores_hangups) {
      ::signal(SIGHUP, SIG_IGN);
    }
    if (conditions.largest_file != RLIM_INFINITY) {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{conditions.largest_file, conditions.largest_file};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (::chdir(conditions.folder.c_str()) != 0) {
      ::_exit(126);
    }
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  int status = 0;
  while (conditions.kill_when && ::waitpid(child, &status, WNOHANG) == 0) {
    if (conditions.kill_when()) {
      ::kill(child, conditions.kill_by);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::waitpid(child, &status, 0);  // fails, and leaves the status, where it was waited for above
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  outcome.out = conditions.stdout_file.empty() ? slurp(out) : "";
  outcome.err = slurp(err);
  return outcome;
}

}  // namespace tyto::testing_support
