// SPDX-License-Identifier: Apache-2.0
// tyto calibrate --fit LOGITS LABELS --apply MORE --out calibrated.csv
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/named.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/engine/use/table_calibration.hpp"
#include "tyto/measure/calibration/by_class.hpp"
#include "tyto/measure/calibration/by_epoch.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

struct CalibrateCall {
  std::string method = "temperature", kind = "auto", write = "probabilities";
  std::vector<std::string> fit, settings, set_settings;
  std::string features, apply, apply_labels, apply_features, out, sets, sets_out, save, load;
  double error = 0.1;
  std::uint64_t seed = 1;
  int threads = 0;
  bool json = false;
};

struct Calibrated {
  explicit Calibrated(TableCalibration given) : by(std::move(given)) {}

  TableCalibration by;
  NamedValues fit_before, fit_after, before, after;
  Index fitted_rows = 0, fitted_columns = 0, applied_rows = -1;
  EpochErrors by_epoch;  // of those applied to
  std::optional<SetReport> report;
  std::vector<std::string> notes;
};

ConfigNode settings_of(const std::vector<std::string>& settings,
                       const std::vector<OptionHelp>& options, std::string_view flag,
                       std::string_view owner) {
  ConfigNode out = ConfigNode::empty_map();
  for (const std::string& setting : settings) {
    apply_setting(out, setting, flag, options, owner);
  }
  return out;
}

void check(const CalibrateCall& call) {
  const auto need = [](bool fine, const char* sentence) {
    if (!fine) {
      throw Error(ErrorKind::config, sentence);
    }
  };
  need(call.fit.empty() != call.load.empty(),
       "give either --fit LOGITS LABELS or --load FILE of an earlier --save");
  need(call.out.empty() || !call.apply.empty(), "--out is for the scores of --apply");
  need(call.apply_labels.empty() || !call.apply.empty(), "--apply-labels belongs to --apply");
  need(call.sets_out.empty() || (!call.apply.empty() && !call.sets.empty()),
       "--sets-out is for the sets of --apply, and needs --sets");
  need(call.sets.empty() || !call.fit.empty(), "--sets needs --fit: they are fitted there too");
}

Calibrated fitted(const CalibrateCall& call) {
  const CalibratorSpec& spec = find_calibrator(call.method);
  Calibrated out(
      TableCalibration(spec.name, settings_of(call.settings, spec.options, "--set",
                                              fmt::format("the method \"{}\"", spec.name))));
  if (spec.needs_features && call.features.empty()) {
    throw Error(ErrorKind::config, fmt::format("the method {} looks at features: --features FILE, "
                                               "and --apply-features FILE with --apply",
                                               spec.name));
  }
  const GivenScores known = read_given_scores(call.fit[0], call.fit[1], call.features, call.kind);
  Progress progress(stderr);
  progress.begin(fmt::format("calibrate {}", spec.name), 1.0);
  Work work{Rng(call.seed, "calibrate"), progress};
  out.by.fit(known, work);
  progress.end();
  out.fitted_rows = known.scores.values.rows();
  out.fitted_columns = known.scores.values.cols();
  out.fit_before = table_measures(known.scores.values, known.truth, {});
  out.fit_after = table_measures(out.by.apply(known), known.truth, {});
  if (!call.sets.empty()) {
    SetOptions standard;
    ConfigNode given =
        settings_of(call.set_settings,
                    explain_options([&](OptionVisitor& visitor) { standard.describe(visitor); }),
                    "--sets-set", "a set");
    set_path(given, "score", call.sets);
    set_path(given, "error", fmt::format("{}", call.error));
    out.by.fit_sets(read_options<SetOptions>(given, "sets"), known, call.seed);
  }
  if (!call.save.empty()) {
    out.by.save(call.save);
  }
  return out;
}

std::string sets_csv(const std::vector<ClassSet>& sets, const ScoreTable& scores) {
  std::string text = "row,size,classes\n";
  for (std::size_t i = 0; i < sets.size(); ++i) {
    std::string names;
    for (const Index column : sets[i]) {
      names += (names.empty() ? "" : " ") +
               (scores.columns.empty() ? std::to_string(column)
                                       : scores.columns[static_cast<std::size_t>(column)]);
    }
    text += fmt::format("{},{},\"{}\"\n", i, sets[i].size(), names);
  }
  return text;
}

void apply(const CalibrateCall& call, const GivenScores& more, Calibrated& out) {
  if (out.by.method().needs_features && !more.features) {
    throw Error(ErrorKind::config, fmt::format("the method {} looks at features: give those of {} "
                                               "by --apply-features FILE",
                                               out.by.method().name, call.apply));
  }
  const Dense<double> calibrated = out.by.apply(more);
  out.applied_rows = calibrated.rows();
  if (!more.truth.empty()) {
    out.before = table_measures(more.scores.values, more.truth, {});
    out.after = table_measures(calibrated, more.truth, {});
    std::vector<std::int8_t> right;
    for (std::size_t i = 0; i < more.truth.size(); ++i) {
      const Index best = best_column(more.scores.values, static_cast<Index>(i));
      right.push_back(best == more.truth[i] ? 1 : 0);
    }
    out.by_epoch = errors_by_epoch(out.by.by_epoch(more), right);
  }
  if (out.by.fitted_sets()) {
    const std::vector<ClassSet> sets = out.by.sets(more, calibrated, call.seed);
    if (!more.truth.empty()) {
      out.report = report_sets(sets, more.truth, calibrated.cols(), call.error);
    }
    if (!call.sets_out.empty()) {
      write_file(call.sets_out, sets_csv(sets, more.scores));
    }
  }
  if (!call.out.empty()) {
    write_file(call.out,
               numbers_csv(call.write == "logits" ? calibrated : score_probabilities(calibrated),
                           more.scores.columns));
  }
}

Json as_json(const Dense<double>& values) {
  const auto number = [](double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  if (values.size() == 1) {
    return number(values(0, 0));
  }
  Json out = Json::array();
  if (values.rows() == 1 || values.cols() == 1) {
    for (Index i = 0; i < values.size(); ++i) {
      out.push_back(number(values.data()[i]));
    }
    return out;
  }
  for (Index i = 0; i < values.rows(); ++i) {
    out.push_back(as_json(Dense<double>(values.row(i))));
  }
  return out;
}

Json as_json(const NamedValues& values) {
  Json out = Json::object();
  for (const auto& [name, value] : values) {
    out[name] = name == "n"                      ? Json(static_cast<Index>(*value))
                : value && std::isfinite(*value) ? Json(*value)
                                                 : Json(nullptr);
  }
  return out;
}

void print_json(const CalibrateCall& call, const Calibrated& outcome) {
  const Parameters parameters = outcome.by.calibrator().parameters();
  Json out{{"method", outcome.by.method().name}};
  if (const auto found = parameters.find("temperature"); found != parameters.end()) {
    out["temperature"] = as_json(found->second);
  }
  out["keeps_predictions"] = outcome.by.calibrator().keeps_order();
  out["parameters"] = Json::object();
  for (const auto& [name, values] : parameters) {
    out["parameters"][name] = as_json(values);
  }
  if (!call.fit.empty()) {
    out["fit"] = {{"logits", call.fit[0]},
                  {"labels", call.fit[1]},
                  {"rows", outcome.fitted_rows},
                  {"classes", outcome.fitted_columns},
                  {"before", as_json(outcome.fit_before)},
                  {"after", as_json(outcome.fit_after)}};
  }
  if (outcome.applied_rows >= 0) {
    out["apply"] = {{"logits", call.apply}, {"rows", outcome.applied_rows}};
    if (!outcome.after.empty()) {
      out["apply"]["before"] = as_json(outcome.before);
      out["apply"]["after"] = as_json(outcome.after);
    }
    if (!outcome.by_epoch.epoch.empty()) {
      out["apply"]["by_epoch"] = {{"epoch", outcome.by_epoch.epoch},
                                  {"ece10", outcome.by_epoch.ece}};
    }
    if (!call.out.empty()) {
      out["apply"]["out"] = call.out;
      out["apply"]["written"] = call.write;
    }
  }
  if (const auto& sets = outcome.by.fitted_sets()) {
    Dense<double> thresholds(1, std::ssize(sets->thresholds()));
    std::copy(sets->thresholds().begin(), sets->thresholds().end(), thresholds.data());
    out["sets"] = {{"score", call.sets},
                   {"error", call.error},
                   {"promised_coverage", 1.0 - call.error},
                   {"exact_coverage", sets->exact_coverage()},
                   {"qhat", as_json(thresholds)}};
    if (outcome.report) {
      const SetReport& report = *outcome.report;
      Dense<double> by_class(1, std::ssize(report.class_coverage));
      std::copy(report.class_coverage.begin(), report.class_coverage.end(), by_class.data());
      out["sets"].update({{"coverage", report.coverage},
                          {"mean_size", report.mean_size},
                          {"empty", report.empty},
                          {"size_hist", report.sizes},
                          {"class_coverage", as_json(by_class)}});
    }
  }
  out["notes"] = outcome.notes;
  fmt::print("{}\n", out.dump(2));
}

void print_text(const CalibrateCall& call, const Calibrated& outcome) {
  fmt::print("{}: {}\n", outcome.by.method().name, outcome.by.method().summary);
  for (const auto& [name, values] : outcome.by.calibrator().parameters()) {
    if (values.size() == 1) {
      fmt::print("  {} = {:.10g}\n", name, values(0, 0));
    }
  }
  const auto compare = [](const std::string& what, const NamedValues& before,
                          const NamedValues& after) {
    if (after.empty()) {
      return;
    }
    TextTable table({what, "before", "after"});
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::string& name = after[i].first;
      constexpr std::string_view kShown[] = {
          "accuracy", "mean_confidence",       "nll", "brier_sum", "ece10", "classwise_ece15",
          "ks_error", "failure_auroc_maxprob", "aurc"};
      if (std::find(std::begin(kShown), std::end(kShown), name) != std::end(kShown)) {
        const auto text = [](const std::optional<double>& value) {
          return value ? fmt::format("{:.4f}", *value) : std::string("-");
        };
        table.add({name, text(before[i].second), text(after[i].second)});
      }
    }
    fmt::print("\n{}", table.text());
  };
  compare("fitted on", outcome.fit_before, outcome.fit_after);
  compare("applied to", outcome.before, outcome.after);
  if (outcome.by.fitted_sets()) {
    fmt::print("\nsets ({}): at least {:.4g} % are promised to hold the true class", call.sets,
               100.0 * (1.0 - call.error));
    if (outcome.report) {
      fmt::print("; {:.4g} % of {} do, {:.4g} classes each, {} empty",
                 100.0 * outcome.report->coverage, outcome.report->samples,
                 outcome.report->mean_size, outcome.report->empty);
    }
    fmt::print("\n");
  }
  for (const std::string& note : outcome.notes) {
    fmt::print("{}", wrapped(note, 100, 0));
  }
  if (!call.out.empty()) {
    fmt::print("{} of {} rows are in {}\n", call.write, outcome.applied_rows, call.out);
  }
}

void calibrate(const CalibrateCall& call) {
  check(call);
  std::optional<GivenScores> more;
  if (!call.apply.empty()) {
    more = read_given_scores(call.apply, call.apply_labels, call.apply_features, call.kind);
  }
  const GivenScores* applied = more ? &*more : nullptr;
  Calibrated outcome =
      call.load.empty() ? fitted(call) : Calibrated(TableCalibration::load(call.load));
  if (applied != nullptr) {
    apply(call, *applied, outcome);
  }
  outcome.notes = outcome.by.notes(applied);
  if (call.json) {
    print_json(call, outcome);
  } else {
    print_text(call, outcome);
  }
}

std::string calibrators_text() {
  std::string text = "Methods and their options for --set:\n";
  for (const CalibratorSpec& spec : calibrator_specs()) {
    text += fmt::format("  {:<18} {}\n", spec.name, spec.summary);
    for (const OptionHelp& option : spec.options) {
      text += fmt::format("    {}={}: {}\n", option.key, option.standard, option.help);
    }
  }
  return text;
}

}  // namespace

void add_calibrate_command(CLI::App& app) {
  auto call = std::make_shared<CalibrateCall>();
  CLI::App* command = app.add_subcommand(
      "calibrate", "Make class scores of any model into probabilities one can trust");
  command->add_option("--method", call->method, "How; see below")->capture_default_str();
  command
      ->add_option("--fit", call->fit,
                   "LOGITS LABELS that the model was not trained on: a row of class scores per "
                   "sample (.csv, .gz too, or .npy), and its column (a number from 0, or a name) a "
                   "line")
      ->expected(2);
  command->add_option("--features", call->features, "Rows to those of --fit, for caring");
  command->add_option("--apply", call->apply,
                      "Scores to calibrate; columns are matched by name where both files have "
                      "names, else there must be as many");
  command->add_option("--apply-labels", call->apply_labels,
                      "Their columns: measured before and after, never fitted on");
  command->add_option("--apply-features", call->apply_features, "Their features");
  command->add_option("--out", call->out, "CSV to write: a row of --apply a line");
  command->add_option("--write", call->write, "probabilities or logits")
      ->check(CLI::IsMember({"probabilities", "logits"}))
      ->capture_default_str();
  command->add_option("--scores", call->kind, "Of the input: auto, logits or probabilities")
      ->check(CLI::IsMember({"auto", "logits", "probabilities"}))
      ->capture_default_str();
  command->add_option("--set", call->settings, "option=value of the method; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--sets", call->sets, "Sets of classes as well: lac, aps or raps")
      ->check(CLI::IsMember({"lac", "aps", "raps"}));
  command->add_option("--error", call->error, "Accepted share of sets without the true class")
      ->check(CLI::Range(1e-9, 1.0 - 1e-9))
      ->capture_default_str();
  command
      ->add_option("--sets-set", call->set_settings,
                   "option=value of the sets: lambda, k, randomised, by_class, crossing, "
                   "never_empty; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--sets-out", call->sets_out, "CSV to write the sets of --apply to");
  command->add_option("--save", call->save, "File to keep the calibrator in");
  command->add_option("--load", call->load, "A kept calibrator, instead of --fit");
  command->add_option("--seed", call->seed, "Of methods and sets that draw")->capture_default_str();
  command->add_option("--threads", call->threads, "Threads")->check(CLI::Range(1, 1024));
  command->add_flag("--json", call->json, "Answer as JSON");
  command->footer([] {
    return "Example: tyto calibrate --method temperature --fit logits.csv labels.csv --apply "
           "more.csv --out calibrated.csv --json\n"
           "         tyto calibrate --method caring --fit logits.csv labels.csv --features z.csv\n"
           "         tyto calibrate --fit logits.csv labels.csv --apply more.csv --sets raps "
           "--error 0.05 --sets-out sets.csv\n\n" +
           calibrators_text();
  });
  command->callback([call] {
    if (call->threads > 0) {
      set_thread_count(call->threads);
    }
    Progress::catch_interrupts();
    calibrate(*call);
  });
}

}  // namespace tyto
