// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/compare/run_comparison.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/engine/use/arm_records.hpp"
#include "tyto/measure/headline.hpp"
#include "tyto/measure/intervals/paired.hpp"
#include "tyto/measure/intervals/trainings.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

namespace {

constexpr Index kFewestDraws = 100;  // of the samples of each of several trainings
constexpr Index kFewSeeds = 3;       // up to here it is said what they can resolve
constexpr Index kUsualSeeds = 5;

struct ComparedRun {
  RunFolder folder;
  RunInfo info;

  explicit ComparedRun(const std::filesystem::path& path)
      : folder(path), info(open_finished_run(folder)) {}

  // One a training.
  [[nodiscard]] std::vector<std::uint64_t> seeds() const {
    return info.seeds.empty() ? std::vector{info.seed} : info.seeds;
  }

  [[nodiscard]] std::shared_ptr<const RunRecord> record(std::uint64_t seed,
                                                        const std::string& arm) const {
    const RunFolder own = info.seeds.empty() ? folder : folder.seed(seed);
    ArmRecords records(own, open_finished_run(own));
    auto record = records.open(arm);
    records.expect_whole();
    return record;
  }

  // Of the headline that the run of that seed wrote down.
  [[nodiscard]] std::optional<double> number(std::uint64_t seed, const std::string& arm,
                                             const std::string& called) const {
    for (const RunInfo::Outcome& outcome : open_finished_run(folder.seed(seed)).arms) {
      if (outcome.arm == arm) {
        return outcome.number(called);
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<std::string> arm_names() const {
    std::vector<std::string> names;
    for (const RunInfo::Outcome& arm : info.arms) {
      names.push_back(arm.arm);
    }
    return names;
  }

  [[nodiscard]] std::string name() const { return folder.path().string(); }
};

template <class T>
std::vector<T> in_both(const std::vector<T>& ours, const std::vector<T>& theirs, bool wanted) {
  std::vector<T> out;
  std::copy_if(ours.begin(), ours.end(), std::back_inserter(out), [&](const T& one) {
    return (std::find(theirs.begin(), theirs.end(), one) != theirs.end()) == wanted;
  });
  return out;
}

// One measure of one phase, training by training.
struct ByTraining {
  MeasureRow row;  // of the first training
  std::vector<TrainingDraws> first, second, difference;
};

class Comparing {
 public:
  Comparing(const std::filesystem::path& first, const std::filesystem::path& second,
            const ComparisonOptions& options, Progress& progress)
      : options_(options), progress_(progress), first_(first), second_(second) {}

  RunComparison run() {
    match_arms();
    match_seeds();
    out_.configuration = config_differences(load_yaml(first_.folder.file("experiment.yaml")),
                                            load_yaml(second_.folder.file("experiment.yaml")));
    compare_machines();
    compare_knowledge();
    for (const std::string& arm : out_.arms) {
      out_.is_about_methods() ? compare_methods(arm) : compare_models(arm);
    }
    out_.interval = interval();
    out_.claim = claim();
    return std::move(out_);
  }

 private:
  // What an arm learned outside the data; "" where the run was made before this was written down.
  static std::string knowledge_of(const ComparedRun& run, const std::string& arm) {
    for (const RunInfo::Outcome& outcome : run.info.arms) {
      if (outcome.arm == arm) {
        return outcome.prior_knowledge;
      }
    }
    return "";
  }

  void compare_knowledge() {
    for (const std::string& arm : out_.arms) {
      const std::string ours = knowledge_of(first_, arm);
      const std::string theirs = knowledge_of(second_, arm);
      if (!ours.empty() && !theirs.empty() && ours != theirs) {
        out_.warnings.push_back(fmt::format(
            "{}: prior knowledge differs, which may be what sets these apart: first {} | second {}",
            arm, ours, theirs));
      }
    }
  }

  void match_arms() {
    const auto ours = first_.arm_names();
    const auto theirs = second_.arm_names();
    if (options_.arm.empty()) {
      out_.arms = in_both(ours, theirs, true);
      out_.only_first = in_both(ours, theirs, false);
      out_.only_second = in_both(theirs, ours, false);
      return;
    }
    for (const auto& [run, names] : {std::pair(&first_, &ours), {&second_, &theirs}}) {
      if (std::find(names->begin(), names->end(), options_.arm) == names->end()) {
        throw unknown_name("arm of " + run->name(), options_.arm, *names);
      }
    }
    out_.arms = {options_.arm};
  }

  void match_seeds() {
    out_.first_seeds = first_.seeds();
    out_.second_seeds = second_.seeds();
    if ((out_.first_seeds.size() > 1) != (out_.second_seeds.size() > 1)) {
      const bool is_first = out_.first_seeds.size() > 1;
      const ComparedRun& several = is_first ? first_ : second_;
      throw Error(ErrorKind::config,
                  fmt::format("{} holds a run for each of several seeds and {} is a single run; "
                              "compare one seed of it, as in {}",
                              several.name(), (is_first ? second_ : first_).name(),
                              several.folder.seed(several.info.seeds.front()).path().string()));
    }
    const auto shared = in_both(out_.first_seeds, out_.second_seeds, true);
    if (out_.is_about_methods() && shared.size() > 1) {
      out_.paired = true;
      out_.first_seeds = out_.second_seeds = shared;
    }
  }

  void compare_machines() {
    const RunInfo& a = first_.info;
    const RunInfo& b = second_.info;
    for (const auto& [name, ours, theirs] :
         {std::tuple("version", a.version, b.version),
          {"revision", a.revision, b.revision},
          {"threads", std::to_string(a.threads), std::to_string(b.threads)},
          {"blas_kernel", a.blas_kernel, b.blas_kernel}}) {
      if (ours != theirs) {
        out_.machine.push_back({name, ours, theirs});
      }
    }
  }

  // The numbers of the headline that are of the split compared; those of `test` may be asked of
  // another one.
  [[nodiscard]] std::vector<HeadlineNumber> legend() const {
    std::vector<HeadlineNumber> numbers =
        headline_legend(find_protocol(first_.info.protocol).headline);
    std::erase_if(numbers, [](const HeadlineNumber& number) {  // a run has no samples to draw
      return number.split != "test" || find_run_measure(number.measure) != nullptr;
    });
    return numbers;
  }

  // The headline, or what was asked for: rows over all increments of one split.
  [[nodiscard]] TableOptions table_options() const {
    TableOptions table;
    table.only.split = options_.split;
    table.measures = options_.measures;
    if (table.measures.empty()) {
      for (const HeadlineNumber& number : legend()) {
        table.measures.push_back(number.measure);
      }
    }
    return table;
  }

  // Those that were asked for, or the headline in its order; `rows` are over all increments.
  void add_outcome(const std::string& arm, const std::vector<ComparedMeasure>& rows) {
    if (!options_.measures.empty()) {
      for (ComparedMeasure row : rows) {
        row.arm = arm;
        row.title = fmt::format("{} ({}, {})", row.measure, row.phase, row.view);
        out_.outcome.push_back(std::move(row));
      }
      return;
    }
    for (const HeadlineNumber& number : legend()) {
      for (ComparedMeasure row : rows) {
        if (row.phase == number.phase && row.view == number.view && row.measure == number.measure) {
          row.arm = arm;
          row.title = number.title;
          out_.outcome.push_back(std::move(row));
        }
      }
    }
  }

  void compare_models(const std::string& arm) {
    const TableOptions table = table_options();
    const auto pairs =
        pair_series(*first_.record(out_.first_seeds.front(), arm),
                    *second_.record(out_.second_seeds.front(), arm), table, options_.common);
    const auto rows =
        measure_differences(pairs, measure_columns(table.measures),
                            options_.intervals ? &options_.bootstrap : nullptr, progress_);
    std::vector<ComparedMeasure> compared;
    for (const PairedRow& row : rows) {
      if (row.first.step == kAllSteps) {
        compared.push_back({"", "", row.first.phase, row.first.view, row.first.measure,
                            row.first.samples, row.first.value, row.second, row.difference,
                            row.interval.low, row.interval.high, row.p});
      }
    }
    add_outcome(arm, compared);
  }

  // The resamples asked for are dealt out to the trainings, so that several cost about what one
  // does; each training and side draws from a stream of its own.
  [[nodiscard]] BootstrapOptions inner_bootstrap(std::uint64_t seed, std::string_view side) const {
    BootstrapOptions inner = options_.bootstrap;
    const auto trainings = static_cast<Index>(out_.first_seeds.size());
    inner.replicates = std::max(kFewestDraws, options_.bootstrap.replicates / trainings);
    inner.seed = mix(options_.bootstrap.seed, side, seed);
    return inner;
  }

  // Values over all increments, and those of the resamples where there are any.
  static void add_training(std::vector<TrainingDraws>& to, const std::optional<double>& value,
                           std::vector<double> drawn) {
    to.push_back({value, std::move(drawn)});
  }

  using Measured = std::vector<ByTraining>;  // in order of first appearance

  ByTraining& place_of(Measured& measured, const MeasureRow& row) const {
    const auto found = std::find_if(measured.begin(), measured.end(), [&](const ByTraining& one) {
      return one.row.phase == row.phase && one.row.view == row.view &&
             one.row.measure == row.measure;
    });
    return found != measured.end() ? *found : measured.emplace_back(ByTraining{row, {}, {}, {}});
  }

  void add_pairs(Measured& measured, const std::vector<PairedSeries>& pairs, Columns columns,
                 std::uint64_t seed) {
    const std::vector<MeasureColumn> drawable = without_order(columns);
    for (const PairedSeries& pair : pairs) {
      // The last rows are those over all increments, by column.
      const auto a = measure_series({pair.first}, columns, nullptr, progress_);
      const auto b = measure_series({pair.second}, columns, nullptr, progress_);
      std::vector<std::vector<double>> drawn;
      if (options_.intervals && !drawable.empty()) {
        drawn = paired_draws(pair, drawable, inner_bootstrap(seed, "pair"), progress_).back();
      }
      std::size_t next = 0;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const MeasureRow& ours = a[a.size() - columns.size() + c];
        const MeasureRow& theirs = b[b.size() - columns.size() + c];
        ByTraining& to = place_of(measured, ours);
        const bool drawable_here = !columns[c].spec->needs_order && !drawn.empty();
        add_training(to.first, ours.value, {});
        add_training(to.second, theirs.value, {});
        add_training(
            to.difference,
            ours.value && theirs.value ? std::optional(*theirs.value - *ours.value) : std::nullopt,
            drawable_here ? std::move(drawn[next++]) : std::vector<double>());
      }
    }
  }

  void add_side(Measured& measured, const RunRecord& record,
                std::vector<TrainingDraws> ByTraining::*to, const TableOptions& table,
                Columns columns, const BootstrapOptions& inner) {
    const std::vector<MeasureColumn> drawable = without_order(columns);
    for (const PhaseSeries& series : view_series(record, table)) {
      const auto rows = measure_series({series}, columns, nullptr, progress_);
      std::vector<std::vector<double>> drawn;
      if (options_.intervals && !drawable.empty()) {
        drawn = bootstrap_draws(series.steps, drawable, inner, progress_);
        drawn.erase(drawn.begin(), drawn.end() - std::ssize(drawable));  // over all increments
      }
      std::size_t next = 0;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const MeasureRow& row = rows[rows.size() - columns.size() + c];
        const bool drawable_here = !columns[c].spec->needs_order && !drawn.empty();
        add_training(place_of(measured, row).*to, row.value,
                     drawable_here ? std::move(drawn[next++]) : std::vector<double>());
      }
    }
  }

  void compare_methods(const std::string& arm) {
    const TableOptions table = table_options();
    const std::vector<MeasureColumn> columns = measure_columns(table.measures);
    Measured measured;
    if (out_.paired) {
      for (const std::uint64_t seed : out_.first_seeds) {
        add_pairs(measured,
                  pair_series(*first_.record(seed, arm), *second_.record(seed, arm), table,
                              options_.common),
                  columns, seed);
      }
    } else {
      for (const std::uint64_t seed : out_.first_seeds) {
        add_side(measured, *first_.record(seed, arm), &ByTraining::first, table, columns,
                 inner_bootstrap(seed, "first"));
      }
      for (const std::uint64_t seed : out_.second_seeds) {
        add_side(measured, *second_.record(seed, arm), &ByTraining::second, table, columns,
                 inner_bootstrap(seed, "second"));
      }
    }
    std::vector<ComparedMeasure> compared;
    for (const ByTraining& one : measured) {
      const TrainingDifference found = difference_of(one);
      compared.push_back({"", "", one.row.phase, one.row.view, one.row.measure, one.row.samples,
                          found.first, found.second, found.difference, found.interval.low,
                          found.interval.high, found.p});
    }
    add_outcome(arm, compared);
    if (options_.measures.empty() && options_.split == "test") {
      compare_whole_runs(arm);
    }
  }

  // Measures of whole runs, as each run wrote them down: the seeds alone are drawn.
  void compare_whole_runs(const std::string& arm) {
    for (const HeadlineNumber& number :
         headline_legend(find_protocol(first_.info.protocol).headline)) {
      if (find_run_measure(number.measure) == nullptr) {
        continue;
      }
      ByTraining one;
      for (const std::uint64_t seed : out_.first_seeds) {
        one.first.push_back({first_.number(seed, arm, number.name), {}});
      }
      for (const std::uint64_t seed : out_.second_seeds) {
        one.second.push_back({second_.number(seed, arm, number.name), {}});
      }
      for (std::size_t s = 0; s < one.first.size() && out_.paired; ++s) {
        const auto& a = one.first[s].value;
        const auto& b = one.second[s].value;
        one.difference.push_back({a && b ? std::optional(*b - *a) : std::nullopt, {}});
      }
      const TrainingDifference found = difference_of(one);
      out_.outcome.push_back({arm, number.title, number.phase, number.view, number.measure, 0,
                              found.first, found.second, found.difference, found.interval.low,
                              found.interval.high, found.p});
    }
  }

  [[nodiscard]] TrainingDifference difference_of(const ByTraining& one) const {
    TrainingDifference found =
        out_.paired ? paired_difference(one.first, one.second, one.difference, options_.bootstrap)
                    : unpaired_difference(one.first, one.second, options_.bootstrap);
    if (!options_.intervals) {
      found.interval = {};
      found.p.reset();
    }
    return found;
  }

  [[nodiscard]] std::string seed_counts() const {
    return out_.paired
               ? fmt::format("the {} seeds both have, seed by seed", out_.first_seeds.size())
               : fmt::format(
                     "{} and {} seeds, of which they share fewer than two, so not "
                     "seed by seed",
                     out_.first_seeds.size(), out_.second_seeds.size());
  }

  [[nodiscard]] std::string interval() const {
    if (!options_.intervals) {
      return out_.is_about_methods()
                 ? fmt::format("means over {}; no intervals were asked for", seed_counts())
                 : "no intervals were asked for";
    }
    const double percent = 100 * options_.bootstrap.level;
    if (out_.is_about_methods()) {
      return fmt::format(
          "means over {}; low and high: {:g} % interval of the difference by {} resamples that "
          "draw the seeds first and then the samples within each, seed {}, with the tails of "
          "Student's t; p: two-sided; of measures that hang on the order of the samples the seeds "
          "alone are drawn",
          seed_counts(), percent, options_.bootstrap.replicates, options_.bootstrap.seed);
    }
    return fmt::format(
        "low and high: {:g} % interval of the difference by {} paired resamples of the samples "
        "within each increment, seed {}; p: two-sided; none for measures that hang on the order of "
        "the samples",
        percent, options_.bootstrap.replicates, options_.bootstrap.seed);
  }

  [[nodiscard]] std::string claim() const {
    if (!out_.is_about_methods()) {
      return "One training on each side: this is about these two models on other samples of the "
             "kind, not about the methods that made them, since trainings of one method differ as "
             "well. Several seeds on both sides compare the methods.";
    }
    const auto fewest =
        static_cast<Index>(std::min(out_.first_seeds.size(), out_.second_seeds.size()));
    std::string text =
        "Several trainings on each side: this is about the methods, as far as these seeds tell.";
    if (fewest <= kFewSeeds && options_.intervals) {
      const double level = options_.bootstrap.level;
      text += fmt::format(
          " With {} seeds a difference is told from none only where it is {:.1f} times the "
          "deviation between seeds or more; with {} it is {:.1f} times.",
          fewest, resolvable_difference(fewest, level), kUsualSeeds,
          resolvable_difference(kUsualSeeds, level));
    }
    return text;
  }

  const ComparisonOptions& options_;
  Progress& progress_;
  ComparedRun first_, second_;
  RunComparison out_;
};

}  // namespace

RunComparison compare_runs(const std::filesystem::path& first, const std::filesystem::path& second,
                           const ComparisonOptions& options, Progress& progress) {
  return Comparing(first, second, options, progress).run();
}

}  // namespace tyto
