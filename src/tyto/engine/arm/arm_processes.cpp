// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/arm_processes.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

// The processes under way, by their number. Those still there when it is destroyed are asked to
// stop, and waited for.
class ArmProcesses {
 public:
  explicit ArmProcesses(const RunOptions& options) : options_(options) {}

  ~ArmProcesses() {
    for (const auto& [process, arm] : arms_) {
      kill(process, SIGTERM);
    }
    for (const auto& [process, arm] : arms_) {
      waitpid(process, nullptr, 0);
    }
  }

  ArmProcesses(const ArmProcesses&) = delete;
  ArmProcesses& operator=(const ArmProcesses&) = delete;

  [[nodiscard]] Index size() const { return std::ssize(arms_); }

  void start(const std::string& arm) {
    std::vector<std::string> words = options_.arm_command;
    words.insert(words.end(), {options_.folder.string(), arm});
    std::vector<char*> pointers;
    for (std::string& word : words) {
      pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    pid_t process = 0;
    const int problem =
        posix_spawn(&process, words.front().c_str(), nullptr, nullptr, pointers.data(), environ);
    if (problem != 0) {
      throw Error(ErrorKind::io, fmt::format("{}: cannot be started for the arm {}: {}",
                                             words.front(), arm, std::strerror(problem)));
    }
    arms_[process] = arm;
  }

  // The number of arms that have ended since the last look. Throws Error(state) where one failed.
  Index ended() {
    Index count = 0;
    for (auto one = arms_.begin(); one != arms_.end();) {
      int status = 0;
      const pid_t done = waitpid(one->first, &status, WNOHANG);
      if (done == 0 || (done < 0 && errno == EINTR)) {
        ++one;
        continue;
      }
      const std::string arm = one->second;
      one = arms_.erase(one);
      if (done < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw Error(ErrorKind::state, fmt::format("the arm {} {}; what was committed is kept", arm,
                                                  how(done, status)));
      }
      ++count;
    }
    return count;
  }

 private:
  static std::string how(pid_t done, int status) {
    if (done > 0 && WIFSIGNALED(status)) {
      return fmt::format("was ended by signal {}", WTERMSIG(status));
    }
    return fmt::format("ended with exit code {}", done > 0 ? WEXITSTATUS(status) : -1);
  }

  const RunOptions& options_;
  std::map<pid_t, std::string> arms_;
};

}  // namespace

void run_arms_in_processes(const PreparedRun& run, const RunOptions& options, Progress& progress) {
  if (options.arm_command.empty()) {
    throw Error(ErrorKind::config, "arms in processes of their own need a program that runs one");
  }
  ArmProcesses processes(options);
  std::size_t next = 0;
  while (next < run.arms.size() || processes.size() > 0) {
    while (next < run.arms.size() && processes.size() < options.jobs) {
      processes.start(run.arms[next++].name);
    }
    progress.note(fmt::format("{} arms at a time", processes.size()));
    std::this_thread::sleep_for(kBetweenLooks);
    progress.pulse();  // Ctrl-C reaches the arms too: they are stopped then, and have not failed
    progress.advance(static_cast<double>(processes.ended()) * run.samples_predicted());
  }
}

}  // namespace tyto
