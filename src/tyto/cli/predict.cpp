// SPDX-License-Identifier: Apache-2.0
// tyto predict MODEL FEATURES: what a predictor says of samples, also along a stream.
#include <algorithm>
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

namespace tyto {

namespace {

constexpr Index kBlock = 4096;  // rows of a file at a time
constexpr Index kBurst = 256;   // of a stream, where so many have arrived

struct Arguments {
  std::string model, features, arm, id_column, label_column = "label", save;
  std::vector<std::string> ignore, data;
  std::optional<Index> increment;
  Index top = 3, lesson = 10;
  int threads = 0;
  bool json = false, stream = false, learn = false, observe = false, why = false;
};

class Session {
 public:
  Session(const Arguments& given, ReadyPredictor& model, AnswerWriter& answers)
      : given_(given), model_(model), answers_(answers) {}

  void run(FeatureInput& input) {
    while (true) {
      const InputRows rows = input.next(given_.stream ? kBurst : kBlock);
      if (rows.id.empty()) {
        break;
      }
      take(rows);
      flush();
    }
    learn();  // what is left of a lesson
  }

 private:
  // Rows are answered in order; a lesson comes between the rows before and behind its last one.
  void take(const InputRows& rows) {
    std::vector<Index> waiting;
    const auto answer_waiting = [&] {
      if (!waiting.empty()) {
        answer(rows, waiting);
        waiting.clear();
      }
    };
    for (Index i = 0; i < rows.samples.size(); ++i) {
      const std::string& label = rows.label[static_cast<std::size_t>(i)];
      const auto id = static_cast<std::uint32_t>(rows.samples.id(i));
      model_.next_id = std::max(model_.next_id, id + 1);
      if (!given_.learn || label.empty()) {
        waiting.push_back(i);
        continue;
      }
      model_.names[id] = rows.id[static_cast<std::size_t>(i)];
      pieces_.push_back(rows.samples.pick(std::span(&i, 1)));
      names_.push_back(label);
      if (static_cast<Index>(names_.size()) >= given_.lesson) {
        answer_waiting();
        learn();
      }
    }
    answer_waiting();
  }

  void answer(const InputRows& rows, const std::vector<Index>& which) {
    const Samples samples = rows.samples.pick(which);
    const Prediction prediction = model_.predictor->predict(samples);
    std::vector<WhyNovel> reasons;
    std::vector<Index> novel;
    if (given_.why) {
      for (Index i = 0; i < samples.size(); ++i) {
        if (is_novel(prediction, i)) {
          novel.push_back(i);
        }
      }
      if (!novel.empty()) {
        if (!explainer_) {
          explainer_.emplace(*model_.predictor);
        }
        reasons = explainer_->explain(samples.pick(novel));
      }
    }
    std::size_t next = 0;
    for (Index i = 0; i < samples.size(); ++i) {
      const bool explained = next < novel.size() && novel[next] == i;
      const WhyNovel* why = explained ? &reasons[next++] : nullptr;
      answers_.write(rows.id[static_cast<std::size_t>(which[static_cast<std::size_t>(i)])],
                     prediction, i, why, model_);
    }
    if (given_.observe) {
      observe(samples, rows.first, which);
    }
  }

  void observe(const Samples& samples, Index first, const std::vector<Index>& which) {
    for (const Index i : which) {
      // Rows are watched one behind another but for labelled ones, so that few breaks are kept.
      if (breaks_.empty() || breaks_.back().second + watched_ - breaks_.back().first != first + i) {
        breaks_.emplace_back(watched_, first + i);
      }
      ++watched_;
    }
    Work work{Rng(1, "predict observe", static_cast<std::uint64_t>(first + which.front())),
              progress_};
    model_.predictor->observe(samples, work);
    const Alarm* alarm = model_.predictor->parts().alarm;
    if (alarm == nullptr) {
      return;
    }
    const Change change = alarm->change();
    if (change.changed && !told_) {
      flush();
      std::cerr << fmt::format("# changed since row {} ({}, novel share {:.2g})\n",
                               row_of(std::max<Index>(change.since, 0)), change.kind,
                               change.novel_share);
    }
    told_ = change.changed;
  }

  [[nodiscard]] Index row_of(Index watched) const {
    Index row = watched + 1;
    for (const auto& [begin, first] : breaks_) {
      if (begin <= watched) {
        row = first + watched - begin;
      }
    }
    return row;
  }

  void learn() {
    if (names_.empty()) {
      return;
    }
    Work work{Rng(1, "predict lesson", model_.next_id), progress_};
    model_.predictor->learn({lesson_samples(), names_, {}}, work);
    explainer_.reset();
    pieces_.clear();
    names_.clear();
    breaks_.clear();
    watched_ = 0;
    told_ = false;
  }

  // Rows of one store stay there; those of several are copied together.
  [[nodiscard]] Samples lesson_samples() const {
    const auto& store = pieces_.front().store();
    if (std::all_of(pieces_.begin(), pieces_.end(),
                    [&](const Samples& piece) { return piece.store() == store; })) {
      Samples all;
      for (const Samples& piece : pieces_) {
        all = Samples::joined(all, piece);
      }
      return all.lent();
    }
    Matrix features(static_cast<Index>(pieces_.size()), pieces_.front().width());
    Samples::Table table;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      features.row(static_cast<Index>(i)) = pieces_[i].rows();
      table.id.push_back(pieces_[i].id(0));
      table.row.push_back(static_cast<Index>(i));
      table.group.push_back(pieces_[i].group(0));
    }
    std::vector<DenseStore::Source> sources;
    sources.push_back({"features", std::move(features), pieces_.front().column_names("features")});
    return Samples(std::make_shared<const DenseStore>(std::move(sources)), std::move(table),
                   Lifetime::lent);
  }

  static void flush() {
    std::cout.flush();
    if (!std::cout) {
      throw Error(ErrorKind::io, "cannot write to standard output");
    }
  }

  const Arguments& given_;
  ReadyPredictor& model_;
  AnswerWriter& answers_;
  Progress progress_;
  std::optional<NoveltyExplainer> explainer_;  // of the predictor as it is now
  std::vector<Samples> pieces_;                // of the next lesson
  std::vector<std::string> names_;
  Index watched_ = 0;                            // since the last lesson
  std::vector<std::pair<Index, Index>> breaks_;  // watched so far, row
  bool told_ = false;
};

void check(const Arguments& given) {
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

void predict(const Arguments& given) {
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
                         !given.stream};
    const auto input = given.stream ? csv_input(STDIN_FILENO, "standard input", options)
                                    : open_input(given.features, catalog, options);
    AnswerWriter answers(std::cout, {given.json, given.top, input->has_ids()});
    answers.header();
    Session(given, model, answers).run(*input);
  }
  if (!given.save.empty()) {
    save_model(given.save, model);
  }
}

}  // namespace

void add_predict_command(CLI::App& app) {
  auto given = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("predict", "Say of samples what they are, and whether they are new");
  command
      ->add_option("model", given->model,
                   "Folder of a run, RUN:ARM, or a file that --save has written")
      ->required();
  command->add_option("features", given->features,
                      "CSV with or without a header, .npy, or a dataset by name or folder");
  command->add_option("--arm", given->arm, "Arm of the run (default: the last one)");
  command->add_option("--increment", given->increment,
                      "As it was after this increment, where the run kept states");
  command->add_option("--id-column", given->id_column, "Column of the CSV that names the samples");
  command->add_option("--ignore", given->ignore, "Columns of the CSV that are no features")
      ->delimiter(',')
      ->allow_extra_args(false);
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
      ->check(CLI::Range(1, 1000000));
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
