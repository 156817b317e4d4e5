// SPDX-License-Identifier: Apache-2.0
// tyto run-arm FOLDER ARM: one arm of a run that `tyto run --jobs` has prepared. Not for people.
#include <csignal>
#include <memory>

#include <CLI/CLI.hpp>
#include <sys/prctl.h>

#include "tyto/cli/commands.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/engine/arm/arm_run.hpp"
#include "tyto/engine/run/run_info.hpp"

namespace tyto {

namespace {

struct RunArmArguments {
  std::string folder, arm;
  std::vector<std::string> data;
};

void run_one_arm(const RunArmArguments& given) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // ends with the run it belongs to
  Progress::catch_interrupts();
  const RunFolder folder(given.folder);
  set_thread_count(read_run_info(folder.file("run.json")).threads);
  const PreparedRun run = open_prepared(
      folder.path(),
      Catalog::standard(std::vector<std::filesystem::path>(given.data.begin(), given.data.end())));
  Progress silent;
  run_arm(run, run.arm(given.arm), silent);
}

}  // namespace

void add_run_arm_command(CLI::App& app) {
  auto given = std::make_shared<RunArmArguments>();
  CLI::App* command = app.add_subcommand("run-arm", "Run one arm of a prepared run");
  command->group("");  // hidden
  command->add_option("folder", given->folder, "Folder of the run")->required();
  command->add_option("arm", given->arm, "Name of the arm")->required();
  command->add_option("--data", given->data, "Folder with datasets; may be repeated")
      ->allow_extra_args(false);
  command->callback([given] { run_one_arm(*given); });
}

}  // namespace tyto
