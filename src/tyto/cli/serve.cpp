// SPDX-License-Identifier: Apache-2.0
// tyto serve: an evaluation for agents elsewhere, in the words of the public protocol.
#include <csignal>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/cli/commands.hpp"
#include "tyto/server/evaluation_server.hpp"

namespace tyto {

namespace {

struct ServeOptions {
  std::string listen = "127.0.0.1:12345";
  EvaluationOptions evaluation;
  std::string log;
};

// Until somebody asks the program to end.
void serve(const ServeOptions& options) {
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGINT);
  ::sigaddset(&ends, SIGTERM);
  ::sigaddset(&ends, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before there are threads, which inherit it
  ListenOptions listen = listen_at(options.listen);
  listen.log = options.log;
  const EvaluationServer server(options.evaluation, listen);
  std::cout << fmt::format("serving {} at {} (Ctrl-C ends it)", options.evaluation.data.string(),
                           server.url())
            << std::endl;
  int signal = 0;
  ::sigwait(&ends, &signal);
}

}  // namespace

void add_serve_command(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* serving =
      app.add_subcommand("serve", "Serve tests to agents by the public SAIL-ON protocol");
  serving
      ->add_option("--listen", options->listen,
                   "host:port; port 0: any that is free, which is then told")
      ->capture_default_str();
  serving->add_option("--data", options->evaluation.data, "folder of tests in the public layout")
      ->required();
  serving
      ->add_option("--results", options->evaluation.results,
                   "folder for sessions in the public layout; made if it is not there")
      ->required();
  serving->add_flag("--compat", options->evaluation.compat,
                    "count windows and budgets, and check posts, as the public server does");
  serving->add_option("--log", options->log, "file to which a line is added for every request");
  serving->footer(
      "Example: tyto serve --data tests --results results\n"
      "What differs from the public server: docs/protocols/sail-on.md");
  serving->callback([options] { serve(*options); });
}

}  // namespace tyto
