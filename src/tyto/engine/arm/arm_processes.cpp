// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/arm_processes.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/arm/processes.hpp"

namespace tyto {

namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

}  // namespace

void run_arms_in_processes(const PreparedRun& run, const RunOptions& options, Progress& progress) {
  if (options.arm_command.empty()) {
    throw Error(ErrorKind::config, "arms in processes of their own need a program that runs one");
  }
  Processes processes;
  std::size_t next = 0;
  while (next < run.arms.size() || processes.size() > 0) {
    while (next < run.arms.size() && processes.size() < options.jobs) {
      const std::string& arm = run.arms[next++].name;
      std::vector<std::string> words = options.arm_command;
      words.insert(words.end(), {options.folder.string(), arm});
      processes.start(std::move(words), "the arm " + arm);
    }
    progress.note(fmt::format("{} arms at a time", processes.size()));
    std::this_thread::sleep_for(kBetweenLooks);
    progress.pulse();  // Ctrl-C reaches the arms too: they are stopped then, and have not failed
    progress.advance(static_cast<double>(processes.ended()) * run.samples_predicted());
  }
}

}  // namespace tyto
