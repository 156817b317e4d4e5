// SPDX-License-Identifier: Apache-2.0
// tyto detect TRAIN NEW --out scores.csv
#include "tyto/engine/detect/detect.hpp"

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/destination.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

using DetectJson = nlohmann::ordered_json;

constexpr double kUnusualShare = 0.1;  // of TRAIN with --contaminated alone
constexpr Index kExplainedRows = 10;

struct DetectArguments {
  DetectCall call;
  std::string cost, contaminated, missing = "refuse";
  bool is_contaminated = false, why = false, json = false, quiet = false;
  std::filesystem::path out = "/dev/stdout";
  int threads = 0;
};

double unusual_share(const std::string& text) {
  if (text.empty()) {
    return kUnusualShare;
  }
  const auto share = number_in<double>(text);
  if (!share || !(*share >= 0.0 && *share < 1.0)) {
    throw Error(ErrorKind::config,
                fmt::format("--contaminated {}: is to be the share of TRAIN that may be unusual, "
                            "from 0 and below 1; name the tables before it",
                            text));
  }
  return *share;
}

std::string row_name(const DetectOutcome& found, Index row) {
  return found.id.empty() ? fmt::format("{}", row + 1) : found.id[at(row)];
}

std::string scores_csv(const DetectOutcome& found) {
  std::string text = found.id.empty() ? "row" : "id";
  text += ",novelty,p_value,novel\n";
  for (std::size_t i = 0; i < found.novelty.size(); ++i) {
    if (found.id.empty()) {
      fmt::format_to(std::back_inserter(text), "{}", i + 1);
    } else {
      append_csv_field(text, found.id[i]);
    }
    fmt::format_to(std::back_inserter(text), ",{},{:.6g},{}\n", found.novelty[i], found.p_value[i],
                   found.novel[i]);
  }
  return text;
}

void print_json(std::FILE* to, const DetectArguments& given, const DetectOutcome& found) {
  DetectJson out{{"train", given.call.train},
                 {"new", given.call.fresh},
                 {"detector", found.detector},
                 {"columns", found.columns.size()},
                 {"train_rows", found.train_seen},
                 {"learned_rows", found.learned},
                 {"set_aside", found.set_aside},
                 {"held_rows", found.held},
                 {"rows", found.novelty.size()},
                 {"alarms", found.alarms},
                 {"rate", found.rate},
                 {"distinct_scores", found.distinct},
                 {"largest_tie", found.largest_tie}};
  out["shifted_columns"] = DetectJson::array();
  for (const ColumnShift& shift : found.shifts) {
    out["shifted_columns"].push_back({{"column", found.columns[at(shift.column)]},
                                      {"distance", shift.distance},
                                      {"p_value", shift.p_value},
                                      {"median_train", shift.median_before},
                                      {"median_new", shift.median_now}});
  }
  if (given.why) {
    out["why"] = DetectJson::array();
    for (const ExplainedRow& row : found.why) {
      DetectJson columns = DetectJson::array();
      for (const UnusualColumn& column : row.columns) {
        columns.push_back({{"column", reason_name(found, column.column)},
                           {"share", column.share},
                           {"value", column.value},
                           {"usual", column.usual}});
      }
      out["why"].push_back({{"row", row_name(found, row.row)},
                            {"novelty", found.novelty[at(row.row)]},
                            {"p_value", found.p_value[at(row.row)]},
                            {"columns", std::move(columns)}});
    }
  }
  out["notes"] = found.notes;
  out["out"] = given.out.string();
  fmt::print(to, "{}\n", out.dump(2, ' ', false, DetectJson::error_handler_t::replace));
}

void print_text(std::FILE* to, const DetectArguments& given, const DetectOutcome& found) {
  fmt::print(to,
             "{}: {} of {} rows are novel, by {} from {} rows of {} numbers; {:.3g} % of normal "
             "rows are to be expected among them\n",
             given.call.fresh, found.alarms, found.novelty.size(), found.detector, found.learned,
             found.columns.size(), 100.0 * found.rate);
  if (given.why) {
    TextTable table({"row", "novelty", "p-value", "novel", "because of"});
    for (const ExplainedRow& row : found.why) {
      std::string reasons;
      for (const UnusualColumn& column : row.columns) {
        reasons += fmt::format("{}{} = {:.4g}, usual {:.4g} ({:.0f} %)",
                               reasons.empty() ? "" : "; ", reason_name(found, column.column),
                               column.value, column.usual, 100.0 * column.share);
      }
      table.add({row_name(found, row.row), fmt::format("{:.4g}", found.novelty[at(row.row)]),
                 fmt::format("{:.2g}", found.p_value[at(row.row)]),
                 found.novel[at(row.row)] != 0 ? "*" : "",
                 !reasons.empty()        ? reasons
                 : found.patches.empty() ? "no column alone"
                                         : "no patch alone"});
    }
    fmt::print(to, "\n{}\n", table.text(5));
  }
  for (const std::string& note : found.notes) {
    fmt::print(to, "{}", wrapped("note: " + note, 100, 0));
  }
  if (!is_standard_output(given.out)) {
    fmt::print(to, "the novelty of every row is in {}\n", given.out.string());
  }
}

void detect(DetectArguments given) {
  DetectCall& call = given.call;
  if (!given.cost.empty()) {
    const auto [miss, wrong] = costs_in(given.cost);
    call.terms.miss = miss;
    call.terms.wrong = wrong;
  }
  if (given.is_contaminated) {
    call.contaminated = unusual_share(given.contaminated);
  }
  if (given.threads > 0) {
    set_thread_count(given.threads);
  }
  call.fill_missing = given.missing == "median";
  call.explained = given.why ? kExplainedRows : 0;
  Progress progress(given.quiet ? nullptr : stderr);
  const DetectOutcome found = detect_unusual(call, progress);
  write_file(given.out, scores_csv(found));
  // Where the scores themselves are printed, a summary among them would be in the way.
  std::FILE* summary = is_standard_output(given.out) ? stderr : stdout;
  if (given.json) {
    print_json(summary, given, found);
  } else {
    print_text(summary, given, found);
  }
}

}  // namespace

void add_detect_command(CLI::App& app) {
  auto given = std::make_shared<DetectArguments>();
  DetectCall& call = given->call;
  CLI::App* command = app.add_subcommand(
      "detect", "Say what is unusual in a table or a folder of pictures, from normal ones");
  command
      ->add_option("train", call.train,
                   "What is normal: a CSV with names of columns (.csv.gz too), .npy, a dataset, or "
                   "a folder of pictures")
      ->required();
  command->add_option("new", call.fresh, "What is to be judged, with the same columns")->required();
  command->add_option("--rate", call.terms.rate, "Share of normal rows that may be called novel")
      ->capture_default_str();
  command->add_option("--cost", given->cost,
                      "Instead: the cost of a miss and of a false alarm, as 10:1");
  command->add_option(
      "--frequency", call.terms.frequency,
      "Share of rows that will be novel, for --cost (standard: estimated from NEW)");
  command->add_option("--alarms-per-day", call.terms.alarms,
                      "Instead: as many as there may be, right or false");
  command->add_option("--rows-per-day", call.terms.rows, "Rows a day, for --alarms-per-day");
  command->add_option("--detector", call.detector,
                      "A detector (`tyto list detector`), a preset or a .yaml (standard: "
                      "tyto-detect, with --contaminated tyto-detect-mixed)");
  command
      ->add_option_function<std::string>(
          "--contaminated",
          [given](const std::string& share) {
            given->is_contaminated = true;
            given->contaminated = share;
          },
          "TRAIN is a mixture: this share of it, 0.1 unless given, may be unusual")
      ->expected(0, 1);
  command->add_flag(
      "--why", given->why,
      "Which columns make the most unusual rows so; of pictures without a network which "
      "patches");
  command->add_option("--out", given->out, "Novelty, p-value and decision of every row of NEW")
      ->capture_default_str();
  command->add_flag("--json", given->json, "The summary as JSON");
  command->add_option("--id-column", call.id_column, "Column that names the rows");
  command->add_option("--ignore", call.ignore, "Columns that are no features: --ignore a b, or a,b")
      ->delimiter(',');
  command->add_option("--missing", given->missing, "What to do with values that are missing")
      ->check(CLI::IsMember({"refuse", "median"}))
      ->capture_default_str();
  command
      ->add_option("--train-rows", call.train_rows,
                   "Rows of TRAIN learned from, at most; drawn at random")
      ->check(CLI::Range(Index{2}, Index{1} << 31))
      ->capture_default_str();
  command->add_option("--backbone", call.pictures.backbone.network,
                      "Network that makes features of pictures, a name or a file (standard: their "
                      "pixels)");
  command->add_option("--weights", call.pictures.backbone.weights,
                      "Checkpoint of a network by name");
  command->add_option("--pixels", call.pictures.pixels, "Pixels each way, without a network")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option("--data", call.places, "Folder with datasets; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--seed", call.seed, "Of all that is drawn")->capture_default_str();
  command->add_option("--save", call.save, "Keep the detector for `tyto predict` (.npz)");
  command->add_option("--threads", given->threads, "Threads")->check(CLI::Range(1, 1024));
  command->add_flag("--quiet", given->quiet, "No progress");
  command->footer(
      "Example: tyto detect january.csv february.csv --why --out scores.csv\n"
      "Example: tyto detect all.csv all.csv --contaminated 0.05 --alarms-per-day 20 --rows-per-day "
      "10000 --out scores.csv");
  command->callback([given] { detect(*given); });
}

}  // namespace tyto
