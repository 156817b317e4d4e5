// SPDX-License-Identifier: Apache-2.0
// tyto report RUN [RUN...]: a page about one run, or several side by side.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/cli/commands.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files.hpp"
#include "tyto/engine/report_source.hpp"
#include "tyto/report/page/page.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> runs, data;
  std::string out;
  bool force = false, quiet = false;
};

void expect_replaceable(const fs::path& file, bool force) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    throw Error(ErrorKind::config, fmt::format("--out {}: is a folder; name a file, as in {}",
                                               file.string(), (file / "report.html").string()));
  }
  if (!force && fs::exists(file, ignored) && !is_page(read_file(file))) {
    throw Error(ErrorKind::config,
                fmt::format("{}: is there already and is no report page; --force replaces it, "
                            "--out writes elsewhere",
                            file.string()));
  }
}

void report(const Arguments& given) {
  const std::vector<RunReference> runs = parse_run_references(given.runs);
  const fs::path file = !given.out.empty() ? fs::path(given.out)
                        : runs.size() == 1 ? runs.front().folder / "report.html"
                                           : fs::path("report.html");
  expect_replaceable(file, given.force);
  const auto catalog =
      Catalog::standard(std::vector<fs::path>(given.data.begin(), given.data.end()));
  Progress::catch_interrupts();
  Progress progress(given.quiet ? nullptr : stderr);
  const PageSource source = read_page_source(runs, catalog);
  const std::string html = page_html(page_data(source, progress));
  for (const PageRun& run : source.runs) {
    for (const std::string& warning : run.warnings) {
      std::cerr << "tyto: " << warning << "\n";
    }
  }
  write_file(file, html);
  std::cout << fmt::format("{} ({:.1f} MB)\n", file.string(),
                           static_cast<double>(html.size()) / 1e6);
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto given = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("report", "Make a page about a run, or about several side by side");
  command
      ->add_option("run", given->runs,
                   "Folder of a run, of several seeds too; RUN:ARM takes one arm of it")
      ->required();
  command->add_option("--out", given->out,
                      "File to write (default: report.html in the folder of the run; of several "
                      "runs, in the current folder)");
  command->add_option("--data", given->data, "Folder with datasets; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--force", given->force, "Replace a file that is no report page");
  command->add_flag("--quiet", given->quiet, "No progress");
  command->footer(
      "Example: tyto report runs/quickstart\n"
      "         tyto report runs/first runs/second:tyto-50pct --out compare.html\n"
      "The page needs no network and no other file; docs/report.md tells what it shows.");
  command->callback([given] { report(*given); });
}

}  // namespace tyto
