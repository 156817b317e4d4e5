// SPDX-License-Identifier: Apache-2.0
// The one program. Each verb is a file; errors become a sentence and an exit code here.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/spelling.hpp"
#include "tyto/core/build_info.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/core/start_up.hpp"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUse = 2;
constexpr int kSignalled = 128;  // and the signal, as shells count

std::string version_text() {
  const tyto::BuildInfo info = tyto::build_info();
  return fmt::format("tyto {} ({}, {}, {})\n{}, {} threads", info.version, info.revision,
                     info.build_type, info.compiler, info.blas, info.threads);
}

std::string stop_text(int signal, bool can_resume) {
  const std::string_view name = signal == SIGINT    ? "Ctrl-C"
                                : signal == SIGTERM ? "SIGTERM"
                                                    : "SIGHUP";
  return fmt::format("stopped by {}{}", name,
                     can_resume ? "; what was committed is kept, --resume continues it" : "");
}

// Verbs that only look things up need no fast libraries, and start faster without. --version tells
// the kernel that runs use.
bool computes(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  const auto asks = [&](std::string_view flag) {
    return std::find(argv + 1, argv + argc, flag) != argv + argc;
  };
  return !(verb.empty() || verb == "list" || verb == "explain" || verb == "serve" ||
           (verb == "runs" && (argc == 2 || argv[2] != std::string_view("diff"))) ||
           (verb == "data" && argc > 2 && argv[2] == std::string_view("list")) || asks("--help") ||
           asks("-h"));
}

int complain(std::string_view what, int code) {
  std::cerr << "tyto: " << what << "\n";
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (computes(argc, argv)) {
    tyto::use_fast_libraries(argv);
  }
  CLI::App app(
      "Tyto, an open-world learning engine: what does a recogniser do when the world shows "
      "it something new?");
  app.name("tyto");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text, "Version, revision, compiler and BLAS");
  app.footer(
      "Start with: tyto run experiments/quickstart.yaml\n"
      "Exit codes: 0 fine, 1 failed, 2 wrong use, 128 + N stopped by signal N (Ctrl-C: 130).");
  tyto::add_run_command(app);
  tyto::add_run_arm_command(app);
  tyto::add_runs_command(app);
  tyto::add_report_command(app);
  tyto::add_learn_command(app);
  tyto::add_predict_command(app);
  tyto::add_list_command(app);
  tyto::add_explain_command(app);
  tyto::add_calibrate_command(app);
  tyto::add_cluster_command(app);
  tyto::add_data_command(app);
  tyto::add_detect_command(app);
  tyto::add_extract_command(app);
  tyto::add_train_backbone_command(app);
  tyto::add_measure_command(app);
  tyto::add_serve_command(app);
  tyto::add_agent_command(app);
  tyto::add_split_command(app);
  tyto::add_make_tests_command(app);
  try {
    app.parse(argc, argv);
    std::cout.flush();
    return std::cout ? 0 : complain("cannot write to standard output", kFailed);
  } catch (const CLI::ParseError& problem) {
    const std::string misspelled =
        problem.get_exit_code() == 0 ? "" : tyto::misspelled_word(app, argc, argv);
    if (!misspelled.empty()) {
      return complain(misspelled, kWrongUse);
    }
    const int code = app.exit(problem);
    return code == 0 ? 0 : kWrongUse;
  } catch (const tyto::Error& error) {
    return complain(error.what(), error.kind() == tyto::ErrorKind::config ? kWrongUse : kFailed);
  } catch (const tyto::Cancelled&) {
    const int signal = tyto::Progress::interrupt();
    return complain(stop_text(signal, app.got_subcommand("run")), kSignalled + signal);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", kFailed);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}
