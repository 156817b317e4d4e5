// SPDX-License-Identifier: Apache-2.0
// tyto predict MODEL FEATURES: what a predictor says of samples, also along a stream.
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "tyto/cli/answers.hpp"
#include "tyto/cli/commands.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/engine/use/prediction_session.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kBlock = 4096;  // rows of a file at a time
constexpr Index kBurst = 256;   // of a stream, where so many have arrived

struct PredictArguments {
  std::string model, features, arm, id_column, label_column = "label", save;
  std::vector<std::string> ignore, data;
  std::optional<Index> increment;
  Index top = 3, lesson = 10;
  int threads = 0;
  bool json = false, stream = false, learn = false, observe = false, why = false;
};

void flush() {
  std::cout.flush();
  if (!std::cout) {
    throw Error(ErrorKind::io, "cannot write to standard output");
  }
}

void work_through(FeatureInput& input, const PredictArguments& given, ReadyPredictor& model) {
  const bool sets = model.predictor->config().sets.has_value();
  AnswerWriter answers(std::cout, {given.json, given.top, input.has_ids(), sets});
  PredictionSession session(
      model, {given.learn, given.observe, given.why, given.lesson},
      [&](const std::string& id, const Prediction& prediction, Index row, const WhyNovel* why) {
        answers.write(id, prediction, row, why, model);
      },
      [](Index row, const Change& change) {
        flush();
        std::cerr << fmt::format("# changed since row {} ({}, novel share {:.2g})\n", row,
                                 change_name(change.kind), change.novel_share);
      });
  answers.header();
  flush();
  const Index most = rows_per_block(model.predictor->width(), given.stream ? kBurst : kBlock);
  while (true) {
    const InputRows rows = input.next(most);
    if (rows.id.empty()) {
      break;
    }
    session.take(rows);
    flush();
  }
  session.finish();
}

void check(const PredictArguments& given) {
  const auto refuse = [](std::string_view what) {
    throw Error(ErrorKind::config, std::string(what));
  };
  if (given.stream && !given.features.empty()) {
    refuse("--stream reads standard input: leave FEATURES away");
  }
  if (!given.stream && given.features.empty() && given.save.empty()) {
    refuse("name the FEATURES to predict, or --stream, or --save to keep the predictor in a file");
  }
}

// `--ignore a b new.csv` hands all three to --ignore; the last is the table where none else is.
void take_back_table(PredictArguments& given) {
  std::error_code ignored;
  if (given.features.empty() && !given.stream && given.ignore.size() > 1 &&
      std::filesystem::exists(given.ignore.back(), ignored)) {
    given.features = given.ignore.back();
    given.ignore.pop_back();
  }
}

void predict(PredictArguments given) {
  take_back_table(given);
  check(given);
  if (given.threads > 0) {
    set_thread_count(given.threads);
  }
  const auto catalog =
      Catalog::standard(std::vector<std::filesystem::path>(given.data.begin(), given.data.end()));
  ReadyPredictor model = load_model(given.model, {given.arm, given.increment}, catalog);
  if (!model.note.empty()) {
    std::cerr << "# " << model.note << "\n";
  }
  for (const std::string& caution : model.predictor->cautions()) {
    std::cerr << "# " << caution << "\n";
  }
  const Parts& parts = model.predictor->parts();
  if (given.observe && parts.alarm == nullptr && parts.recogniser == nullptr) {
    throw Error(ErrorKind::config,
                fmt::format("--observe: the predictor {} has neither a recogniser nor an alarm",
                            model.predictor->config().name));
  }
  if (given.stream || !given.features.empty()) {
    InputOptions options{given.id_column,
                         given.learn ? given.label_column : "",
                         given.ignore,
                         model.columns,
                         model.predictor->width(),
                         model.next_id,
                         !given.stream,
                         model.predictor->config().features,
                         false,
                         nullptr,
                         model.others,
                         model.id_column};
    try {
      const auto input = given.stream ? csv_input(STDIN_FILENO, "standard input", options)
                                      : open_input(given.features, catalog, options);
      work_through(*input, given, model);
    } catch (const ColumnError& error) {
      throw Error(error.kind(),
                  fmt::format("{}; --id-column and --ignore name columns that are no features",
                              error.what()));
    }
  }
  if (!given.save.empty()) {
    save_model(given.save, model);
  }
}

}  // namespace

void add_predict_command(CLI::App& app) {
  auto given = std::make_shared<PredictArguments>();
  CLI::App* command =
      app.add_subcommand("predict", "Say of samples what they are, and whether they are new");
  command
      ->add_option("model", given->model,
                   "Folder of a run, RUN:ARM, or a file that `tyto learn` or --save has written")
      ->required();
  command->add_option("features", given->features,
                      "CSV with or without a header, .npy, or a dataset by name or folder");
  command->add_option(
      "--arm", given->arm,
      "Arm of the run (default: one that remembers samples, with the most labels, the best)");
  command->add_option("--increment", given->increment,
                      "As it was after this increment, where the run kept states");
  command->add_option("--id-column", given->id_column, "Column of the CSV that names the samples");
  command
      ->add_option("--ignore", given->ignore,
                   "Columns of the CSV that are no features: --ignore a b, or a,b")
      ->delimiter(',');
  command->add_option("--top", given->top, "Classes listed with their probabilities (default: 3)")
      ->check(CLI::Range(0, 100000));
  command->add_option("--data", given->data, "Folder with datasets; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--threads", given->threads, "Threads")->check(CLI::Range(1, 1024));
  command->add_flag("--json", given->json, "An object per line, for programs");
  command->add_flag("--why", given->why, "Explain each sample that is called novel");
  command->add_flag("--stream", given->stream, "Rows of CSV from standard input, answered at once");
  command->add_flag("--learn", given->learn,
                    "Learn from rows with a label; the others are predicted");
  command->add_option("--label-column", given->label_column,
                      "Column with the labels to learn, empty for none (default: label)");
  command->add_option("--lesson", given->lesson, "Labelled rows learned at a time (default: 10)")
      ->check(CLI::Range(1, 10000));
  command->add_flag("--observe", given->observe,
                    "Let recogniser and alarm watch the rows that are predicted");
  command->add_option("--save", given->save,
                      "Keep the predictor, with what it has learned, in this file (.npz)");
  command->footer(
      "Example: tyto predict runs/quickstart new_letters.csv --arm slda-50pct --why\n"
      "Example: sensor | tyto predict runs/quickstart --stream --learn --observe --save new.npz");
  command->callback([given] { predict(*given); });
}

}  // namespace tyto
