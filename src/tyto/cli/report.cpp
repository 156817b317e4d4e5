// SPDX-License-Identifier: Apache-2.0
// tyto report RUN [RUN...]: a page about one run, or several side by side.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/report_groups.hpp"
#include "tyto/cli/report_watch.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/page/report_source.hpp"
#include "tyto/report/page/page.hpp"
#include "tyto/report/page/paper_rows.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::vector<std::string> runs, data, by;
  std::string out, annotations;
  int port = 0;
  bool force = false, quiet = false, watch = false;
  bool csv = false, markdown = false, latex = false;

  [[nodiscard]] std::optional<PaperFormat> table() const {
    return csv        ? std::optional(PaperFormat::csv)
           : markdown ? std::optional(PaperFormat::markdown)
           : latex    ? std::optional(PaperFormat::latex)
                      : std::nullopt;
  }
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

void tell_warnings(const PageSource& source) {
  for (const PageRun& run : source.runs) {
    for (const std::string& warning : run.warnings) {
      std::cerr << "tyto: " << warning << "\n";
    }
  }
}

// To standard output, or whole into a file.
void write_table(const PageSource& source, PaperFormat format, const std::string& out,
                 Progress& progress) {
  const std::string table = paper_table(paper_rows(source, progress), format, paper_note(source));
  tell_warnings(source);
  if (out.empty()) {
    std::cout << table;
  } else {
    write_file(out, table);
  }
}

void report(const ReportArguments& given) {
  const std::vector<RunReference> runs = parse_run_references(given.runs);
  const auto catalog =
      Catalog::standard(std::vector<fs::path>(given.data.begin(), given.data.end()));
  std::vector<WantedGroups> groups = wanted_groups(given.by, given.annotations, given.data);
  Progress::catch_interrupts();
  Progress progress(given.quiet ? nullptr : stderr);
  if (given.watch) {
    Progress quiet;  // the page itself shows how far it is
    watch_report(runs, catalog, static_cast<std::uint16_t>(given.port), groups, quiet);
    return;
  }
  if (const auto format = given.table()) {
    write_table(read_page_source(runs, catalog), *format, given.out, progress);
    return;
  }
  const fs::path file = !given.out.empty() ? fs::path(given.out)
                        : runs.size() == 1 ? runs.front().folder / "report.html"
                                           : fs::path("report.html");
  expect_replaceable(file, given.force);
  PageSource source = read_page_source(runs, catalog);
  source.wanted_groups = std::move(groups);
  const std::string html = page_html(page_data(source, progress));
  tell_warnings(source);
  write_file(file, html);
  std::cout << fmt::format("{} ({:.1f} MB)\n", file.string(),
                           static_cast<double>(html.size()) / 1e6);
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto given = std::make_shared<ReportArguments>();
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
  CLI::Option* by =
      command
          ->add_option("--by", given->by,
                       "Show groups of samples by this column; COLUMN:3 cuts a number "
                       "into thirds; may be repeated")
          ->allow_extra_args(false);
  CLI::Option* annotations = command->add_option(
      "--annotations", given->annotations,
      "Where the columns of --by are: a CSV file with ids, or a dataset; without --by all of its "
      "columns are shown");
  command->add_flag("--force", given->force, "Replace a file that is no report page");
  command->add_flag("--quiet", given->quiet, "No progress");
  CLI::Option* csv = command->add_flag(
      "--csv", given->csv, "Instead of a page, the headline as a table: every digit, for programs");
  CLI::Option* markdown =
      command->add_flag("--markdown", given->markdown, "The same in Markdown, the best in bold");
  CLI::Option* latex =
      command->add_flag("--latex", given->latex, "The same in LaTeX, with booktabs");
  for (CLI::Option* table : {csv, markdown, latex}) {
    table->excludes(by)->excludes(annotations);
  }
  csv->excludes(markdown)->excludes(latex);
  markdown->excludes(latex);
  CLI::Option* watch = command->add_flag(
      "--watch", given->watch,
      "Serve a page to this machine that follows the runs while they go on, until Ctrl-C");
  watch->excludes(csv)->excludes(markdown)->excludes(latex)->excludes("--out");
  command->add_option("--port", given->port, "Of --watch (default: one that is free)")
      ->check(CLI::Range(1, 65535))
      ->needs(watch);
  command->footer(
      "Example: tyto report runs/quickstart\n"
      "         tyto report runs/first runs/second:tyto-50pct --out compare.html\n"
      "         tyto report runs/first runs/second --latex --out table.tex\n"
      "         tyto report runs/quickstart --watch\n"
      "         tyto report runs/kowl --annotations ava_kinetics --by mean_box_area:3\n"
      "The page needs no network and no other file; docs/report.md tells what it shows.");
  command->callback([given] { report(*given); });
}

}  // namespace tyto
