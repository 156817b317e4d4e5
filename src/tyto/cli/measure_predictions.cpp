// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/measure_predictions.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/cli/column_option.hpp"
#include "tyto/cli/group_column.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/measure/tables/confusion_table.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

class MeasureCall {
 public:
  explicit MeasureCall(const MeasureArguments& given)
      : given_(given), progress_(given.quiet ? nullptr : stderr) {
    if (!given.by.empty()) {
      std::tie(by_column_, parts_) = parse_by(given.by);
    }
    if (!given.annotations.empty()) {
      annotations_.emplace(given.annotations, given.data);
    }
    if (given.by.empty() && given.by_group.empty() && annotations_) {
      throw Error(ErrorKind::config, "--annotations is of use with --by or --by-group only");
    }
  }

  void run() { given_.is_paired() ? compare() : measure(); }

 private:
  [[nodiscard]] std::vector<MeasureTarget> open(const std::string& path,
                                                const std::string& arm) const {
    PredictionTableOptions options;
    options.columns = given_.columns;
    if (!given_.known.empty()) {
      options.known = KnownList::parse(given_.known);
    }
    for (const std::string& name : {by_column_, given_.by_group}) {
      if (!name.empty() && name != "label") {
        options.wanted.push_back(name);
      }
    }
    std::vector<MeasureTarget> targets;
    try {
      ActualClasses actual;
      if (!given_.labels.empty()) {
        actual = {given_.labels, given_.columns.truth, given_.data};
      }
      targets = open_targets(path, arm, options, annotations_.has_value(), actual);
    } catch (const ColumnNotFound& problem) {
      throw Error(problem.kind(),
                  fmt::format("{}; {} names one", problem.what(), option_of(problem.role())));
    }
    if (targets.front().is_run && !given_.known.empty()) {
      throw Error(ErrorKind::config,
                  "--known is for tables: a run has its known classes on record");
    }
    if (!targets.front().is_run && given_.novel_again > 0) {
      throw Error(
          ErrorKind::config,
          fmt::format("--novel-again is for runs: {} does not say what was shown when", path));
    }
    return targets;
  }

  [[nodiscard]] TableOptions table_options(const MeasureTarget& target) const {
    TableOptions options;
    options.measures = given_.measures;
    options.only = given_.only;
    if (target.is_run && !given_.for_people()) {
      options.novel_to =
          references(given_.novel_again > 0 ? given_.novel_again : target.novel_again);
    } else if (given_.novel_again > 0) {
      options.novel_to = {NovelTo::again(given_.novel_again)};
    }
    const bool between_splits =
        std::any_of(given_.measures.begin(), given_.measures.end(),
                    [](const std::string& name) { return name.starts_with("nuisance_loss"); });
    if (given_.for_people() && options.only.split.empty() && !between_splits) {
      for (const PhaseKey& key : target.record->phases()) {
        options.only.split = key.split == "test" ? key.split : options.only.split;
      }
    }
    return options;
  }

  [[nodiscard]] std::vector<std::string> values_of(const Truth& truth,
                                                   const std::string& column) const {
    const bool joined =
        annotations_ && (annotations_->has(column) || !truth.annotations.contains(column));
    return joined ? annotations_->values(truth, column) : annotation_values(truth, column);
  }

  template <class Series>
  [[nodiscard]] std::vector<Series> grouped(std::vector<Series> series, const Truth& truth,
                                            const std::vector<std::uint8_t>& measured) {
    if (by_column_.empty()) {
      return series;
    }
    const Groups groups =
        make_groups(truth, values_of(truth, by_column_), measured, by_column_, parts_);
    if (!groups.note.empty()) {
      note(groups.note);
    }
    return by_group(series, groups);
  }

  [[nodiscard]] std::optional<BootstrapOptions> bootstrap_options(
      Index standard, const Truth& truth, const std::vector<std::uint8_t>& measured) {
    BootstrapOptions options;
    options.replicates = given_.bootstrap < 0 ? standard : given_.bootstrap;
    if (options.replicates == 0) {
      if (given_.stratify || !given_.by_group.empty()) {
        throw Error(ErrorKind::config,
                    "--stratify and --by-group say how to resample: they need "
                    "--bootstrap N");
      }
      return {};
    }
    options.level = given_.level;
    options.stratified = given_.stratify;
    options.seed = given_.seed;
    std::string units =
        given_.stratify ? "within each class and increment" : "within each increment";
    if (!given_.by_group.empty()) {
      Groups groups =
          make_groups(truth, values_of(truth, given_.by_group), measured, given_.by_group);
      const auto without = static_cast<std::int32_t>(groups.names.size()) - 1;
      std::replace(groups.of.begin(), groups.of.end(), without, std::int32_t{-1});
      options.unit = std::move(groups.of);
      units = fmt::format("in whole groups of one {} ({} of them)", given_.by_group,
                          groups.names.size() - 1);
    }
    options.check();
    note(
        fmt::format("{:g} % intervals: percentiles of {} resamples drawn {}, seed {}; none for "
                    "measures that hang on the order of the samples",
                    100 * options.level, options.replicates, units, options.seed));
    return options;
  }

  void measure() {
    const auto targets = open(given_.targets.front(), given_.arm);
    std::vector<ArmMeasures> measures;
    std::vector<ArmClasses> classes;
    std::vector<ArmSeries> matrices;
    const bool plain = by_column_.empty() && given_.bootstrap <= 0 && !given_.per_class &&
                       given_.confusion.empty() && given_.by_group.empty() && !given_.stratify;
    for (const MeasureTarget& target : targets) {
      begin(target);
      const TableOptions options = table_options(target);
      if (given_.for_people() && given_.novel_again > 0) {
        note(fmt::format(
            "novel are the classes that were not shown in the last {} increments before "
            "each; measures of whole runs go by what the predictor was told",
            given_.novel_again));
      }
      if (given_.for_people() && targets.size() > 1 && !given_.per_class) {
        note("over all increments; --arm NAME shows those of one arm, --csv all there is");
      }
      if (plain) {
        measures.push_back({target.leading, measure_run(*target.record, options)});
        continue;
      }
      auto series = view_series(*target.record, options);
      const Truth& truth = truth_of(*target.record);
      const auto measured = measured_samples(series, truth);
      series = grouped(std::move(series), truth, measured);
      if (given_.per_class) {
        ArmClasses& arm = classes.emplace_back();
        arm.leading = target.leading;
        for (const PhaseSeries& one : series) {
          auto rows = tyto::per_class(one);
          std::move(rows.begin(), rows.end(), std::back_inserter(arm.rows));
        }
      } else {
        const auto bootstrap = bootstrap_options(0, truth, measured);
        auto rows = measure_series(series, columns(), bootstrap ? &*bootstrap : nullptr, progress_);
        auto of_run = measure_whole_run(series, truth, asked());
        std::move(of_run.begin(), of_run.end(), std::back_inserter(rows));
        measures.push_back({target.leading, std::move(rows)});
      }
      if (!given_.confusion.empty()) {
        matrices.push_back({target.leading, std::move(series)});
      }
    }
    const MoreColumns more{!by_column_.empty(), given_.bootstrap > 0};
    if (!given_.confusion.empty()) {
      write_file(given_.confusion, csv_text(confusion_table(matrices, more)));
      note(fmt::format("confusion matrices: {}", given_.confusion));
    }
    if (given_.per_class) {
      answer(class_table(classes), long_table(classes, more));
    } else {
      answer(more.intervals ? interval_table(measures, given_.shown())
                            : measure_table(measures, given_.shown()),
             long_table(measures, more));
    }
  }

  [[nodiscard]] MeasureTarget one_of(const std::string& path, const std::string& arm,
                                     std::string_view option) const {
    auto targets = open(path, arm);
    if (targets.size() > 1) {
      std::string names;
      for (const MeasureTarget& target : targets) {
        names += (names.empty() ? "" : ", ") + target.leading.front().second;
      }
      throw Error(ErrorKind::config,
                  fmt::format("{}: has several arms; choose one by {}: {}", path, option, names));
    }
    return std::move(targets.front());
  }

  void compare() {
    if (given_.per_class || !given_.confusion.empty()) {
      throw Error(ErrorKind::config, "--per-class and --confusion take one target, not two");
    }
    if (columns().empty()) {
      throw Error(ErrorKind::config,
                  fmt::format("--measures {}: a measure of a whole run has no samples to pair; "
                              "measure each target by itself",
                              fmt::join(given_.measures, ",")));
    }
    const MeasureTarget first = one_of(given_.targets.front(), given_.arm, "--arm");
    const MeasureTarget second = one_of(given_.targets.back(), given_.arm2, "--arm2");
    begin(first);
    begin(second);
    note(fmt::format("first: {}; second: {}; difference: second - first", first.name, second.name));
    TableOptions options = table_options(first);
    if (first.is_run != second.is_run) {
      options.novel_to = {NovelTo::predictor};  // a table has no other
    }
    std::vector<PairedSeries> pairs;
    try {
      pairs = pair_series(*first.record, *second.record, options, given_.common);
    } catch (const DifferentSamples& problem) {
      throw Error(problem.kind(),
                  fmt::format("{}; --common compares what they share", problem.what()));
    }
    const Truth& truth = truth_of(*first.record);
    std::vector<PhaseSeries> series;
    for (const PairedSeries& pair : pairs) {
      series.push_back(pair.first);
    }
    const auto measured = measured_samples(series, truth);
    pairs = grouped(std::move(pairs), truth, measured);
    const auto bootstrap = bootstrap_options(kPairedReplicates, truth, measured);
    if (bootstrap) {
      note(
          "about these two models on other samples of the kind, not about the methods that made "
          "them: trainings of one method differ as well; tyto runs diff compares several seeds");
    }
    const auto rows =
        measure_differences(pairs, columns(), bootstrap ? &*bootstrap : nullptr, progress_);
    answer(difference_table(rows, given_.shown()),
           long_table(rows, {!by_column_.empty(), bootstrap.has_value()}));
  }

  // For people the main measures alone are shown, so the others need no resamples.
  [[nodiscard]] std::vector<std::string> asked() const {
    return given_.for_people() && given_.measures.empty() ? main_measures() : given_.measures;
  }

  [[nodiscard]] std::vector<MeasureColumn> columns() const { return measure_columns(asked()); }

  void begin(const MeasureTarget& target) {
    if (target.is_run) {
      return;
    }
    note(fmt::format("{}: {} samples", target.name, target.record->truth()->label.size()));
    for (const std::string& line : target.notes) {
      note("  " + line);
    }
  }

  // What a reader should know besides the numbers: above the table, or beside a file.
  void note(const std::string& line) {
    if (std::find(notes_.begin(), notes_.end(), line) == notes_.end()) {
      notes_.push_back(line);
    }
  }

  void answer(const std::string& text, const LongTable& table) const {
    std::string notes;
    for (const std::string& line : notes_) {
      const auto indent = std::min(line.find_first_not_of(' '), line.size());
      notes += wrapped(line, 100, indent);
    }
    std::string content = given_.csv    ? csv_text(table)
                          : given_.json ? json_text(table)
                                        : (notes.empty() ? "" : notes + "\n") + text;
    if (!given_.for_people() && !given_.quiet) {
      std::cerr << notes;
    }
    if (given_.out.empty()) {
      std::cout << content;
    } else {
      write_file(given_.out, content);
    }
  }

  const MeasureArguments& given_;
  Progress progress_;
  std::string by_column_;
  std::optional<Index> parts_;
  std::optional<Annotations> annotations_;
  std::vector<std::string> notes_;
};

}  // namespace

void measure_predictions(const MeasureArguments& given) {
  MeasureCall(given).run();
}

}  // namespace tyto
