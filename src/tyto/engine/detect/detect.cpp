// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/detect/detect.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "tyto/engine/detect/pixel_patches.hpp"
#include "tyto/engine/detect/row_draw.hpp"
#include "tyto/engine/use/model.hpp"
#include "tyto/engine/use/prediction_session.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kScoredRows = 4096;            // at a time
constexpr Index kComparedRows = 10000;         // of TRAIN and NEW, column by column
constexpr std::uint32_t kNewId = 0x80000000U;  // as of rows that a saved predictor is shown
constexpr std::size_t kColumnsTold = 3;

InputOptions input_options(const DetectCall& call) {
  InputOptions options;
  options.ignore = call.ignore;
  options.missing = call.fill_missing;
  options.absent = std::make_shared<std::set<std::string>>();
  return options;
}

// Tells what a user can do about a column or cell that is no feature.
template <class Read>
auto with_advice(const Read& read) {
  try {
    return read();
  } catch (const ColumnError& error) {
    throw Error(error.kind(),
                fmt::format("{}; --id-column and --ignore name columns that are no features",
                            error.what()));
  } catch (const Error& error) {
    const std::string what = error.what();
    if (what.find("is not a finite number") == what.npos) {
      throw;
    }
    throw Error(error.kind(),
                fmt::format("{}; --ignore leaves a column out, --missing median fills what is "
                            "missing; words are to be turned into numbers before",
                            what));
  }
}

// The rows with the greatest novelty so far, the greatest first, ties to the earlier row.
class MostUnusual {
 public:
  explicit MostUnusual(Index most) : most_(most) {}

  void offer(Index row, float novelty, const Eigen::RowVectorXf& values) {
    if (most_ == 0 || (std::ssize(kept_) == most_ && !(novelty > kept_.back().novelty))) {
      return;
    }
    const auto after =
        std::upper_bound(kept_.begin(), kept_.end(), novelty,
                         [](float score, const Kept& kept) { return score > kept.novelty; });
    kept_.insert(after, {row, novelty, values});
    if (std::ssize(kept_) > most_) {
      kept_.pop_back();
    }
  }

  struct Kept {
    Index row = 0;
    float novelty = 0;
    Eigen::RowVectorXf values;
  };

  [[nodiscard]] const std::vector<Kept>& rows() const { return kept_; }

 private:
  Index most_;
  std::vector<Kept> kept_;
};

class Detection {
 public:
  Detection(const DetectCall& call, Progress& progress)
      : call_(call), progress_(progress), catalog_(Catalog::standard(call.places)) {}

  DetectOutcome run() {
    call_.terms.check();
    PredictorConfig config = detector_config(
        !call_.detector.empty() ? call_.detector
                                : std::string(call_.contaminated ? kMixedPreset : kDetectPreset));
    config.accepted_error = call_.terms.rate_asked();
    out_.detector = config.name;
    read_training();
    LearnedDetector learned =
        learn_detector(config, training_, call_.contaminated, call_.seed, progress_);
    note_learning(learned);
    score_new(*learned.predictor);
    decide();
    note_ties();
    note_drift();
    explain(*learned.predictor);
    if (!call_.save.empty()) {
      save(config, std::move(learned));
    }
    return std::move(out_);
  }

 private:
  void read_training() {
    with_advice([&] {
      InputOptions options = input_options(call_);
      if (!call_.id_column.empty()) {
        options.ignore.push_back(call_.id_column);  // rows of TRAIN are called by no name
      }
      const auto input = open_rows(call_.train, catalog_, options, call_.pictures, progress_);
      training_ =
          read_training_rows(*input, call_.train, call_.train_rows, Rng(call_.seed, "detect"));
      absent_ = *options.absent;
      return 0;
    });
    for (Index c = 0; c < training_.rows.cols(); ++c) {
      out_.columns.push_back(training_.column_name(c));
    }
    out_.train_seen = training_.seen;
    if (training_.rows.rows() < training_.seen) {
      out_.notes.push_back(
          fmt::format("{} has {} rows; {} of them, drawn at random, were learned "
                      "from (--train-rows)",
                      call_.train, training_.seen, training_.rows.rows()));
    }
    if (training_.filled > 0) {
      out_.notes.push_back(fmt::format("{} missing values of {} became the median of their column",
                                       training_.filled, call_.train));
    }
    std::error_code ignored;
    if (!call_.contaminated && std::filesystem::equivalent(call_.train, call_.fresh, ignored)) {
      out_.notes.push_back(
          "TRAIN and NEW are one file: every row has been seen, so that none is novel; "
          "--contaminated takes a table for a mixture");
    }
  }

  void note_learning(const LearnedDetector& learned) {
    out_.set_aside = std::ssize(learned.set_aside);
    out_.learned = training_.rows.rows() - out_.set_aside;
    if (call_.contaminated) {
      out_.notes.push_back(
          fmt::format("{} rows of {} were taken for unusual and set aside; the rate of false "
                      "alarms is that of rows like the {} others",
                      out_.set_aside, call_.train, out_.learned));
    }
    for (const std::string& caution : learned.predictor->cautions()) {
      out_.notes.push_back(caution);
    }
  }

  void score_new(const Composition& predictor) {
    with_advice([&] {
      InputOptions options = input_options(call_);
      options.columns = training_.columns;
      options.width = training_.rows.cols();
      options.first_id = kNewId;
      options.id_column = call_.id_column;
      const auto input = open_rows(call_.fresh, catalog_, options, call_.pictures, progress_);
      const Index most = rows_per_block(options.width, kScoredRows);
      for (InputRows block = input->next(most); !block.id.empty(); block = input->next(most)) {
        if (out_.novelty.empty()) {
          expect_ignored(*options.absent);
        }
        take(predictor, block, input->has_ids());
        progress_.pulse();
      }
      return 0;
    });
    if (out_.novelty.empty()) {
      throw Error(ErrorKind::data, fmt::format("{}: has no rows", call_.fresh));
    }
  }

  // A column may be ignored that only one of the two has, such as a label.
  void expect_ignored(const std::set<std::string>& absent) const {
    for (const std::string& name : absent) {
      if (absent_.contains(name)) {
        throw Error(ErrorKind::data, fmt::format("--ignore {}: neither {} nor {} has such a column",
                                                 name, call_.train, call_.fresh));
      }
    }
  }

  void take(const Composition& predictor, InputRows& block, bool has_ids) {
    Matrix rows = block.samples.rows();
    Samples samples = block.samples;
    if (call_.fill_missing) {
      filled_ += fill_missing(rows, training_.median);
      samples = samples_of(rows, training_.columns,
                           kNewId + static_cast<std::uint32_t>(block.first - 1), Lifetime::lent);
    }
    const Prediction said = predictor.predict(samples);
    if (out_.held == 0) {
      const Index first = 0;
      out_.held = predictor.evidence(samples.pick(std::span(&first, 1))).held;
    }
    for (Index i = 0; i < rows.rows(); ++i) {
      unusual_.offer(block.first - 1 + i, said.novelty[at(i)], rows.row(i));
      out_.novel.push_back(is_novel(said, i) ? 1 : 0);
    }
    out_.novelty.insert(out_.novelty.end(), said.novelty.begin(), said.novelty.end());
    out_.p_value.insert(out_.p_value.end(), said.p_value.begin(), said.p_value.end());
    if (has_ids) {
      std::move(block.id.begin(), block.id.end(), std::back_inserter(out_.id));
    }
    compared_.add(rows);
  }

  void decide() {
    const double least = 1.0 / static_cast<double>(out_.held + 1);
    out_.rate = std::max(call_.terms.rate_asked(), least);
    if (call_.terms.by_cost() || call_.terms.by_budget()) {
      const AlarmRule rule = alarm_rule(call_.terms, out_.novelty, out_.p_value, out_.held);
      for (std::size_t i = 0; i < out_.novel.size(); ++i) {
        out_.novel[i] =
            out_.p_value[i] <= rule.p && (!rule.bounded || out_.novelty[i] > rule.above) ? 1 : 0;
      }
      out_.rate = std::min(rule.p, 1.0);
      out_.notes.insert(out_.notes.end(), rule.notes.begin(), rule.notes.end());
    }
    out_.alarms = std::count(out_.novel.begin(), out_.novel.end(), 1);
    if (filled_ > 0) {
      out_.notes.push_back(fmt::format("{} missing values of {} became the median of {}", filled_,
                                       call_.fresh, call_.train));
    }
  }

  void note_ties() {
    std::vector<float> sorted = out_.novelty;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t begin = 0; begin < sorted.size();) {
      const std::size_t end =
          static_cast<std::size_t>(std::upper_bound(sorted.begin() + static_cast<Index>(begin),
                                                    sorted.end(), sorted[begin]) -
                                   sorted.begin());
      ++out_.distinct;
      out_.largest_tie = std::max(out_.largest_tie, static_cast<Index>(end - begin));
      begin = end;
    }
    const Index rows = std::ssize(sorted);
    if (out_.largest_tie > 1 && (100 * out_.largest_tie > rows || 2 * out_.distinct < rows)) {
      out_.notes.push_back(fmt::format(
          "ties: {} distinct scores of {} rows, {} rows share one; a threshold takes or leaves "
          "them together",
          out_.distinct, rows, out_.largest_tie));
    }
  }

  void note_drift() {
    const auto rows = static_cast<double>(out_.novelty.size());
    const double share = static_cast<double>(out_.alarms) / rows;
    const double chance = std::sqrt(out_.rate * (1.0 - std::min(out_.rate, 1.0)) / rows);
    if (!call_.terms.by_budget() && share > 3.0 * out_.rate && share > out_.rate + 5.0 * chance) {
      out_.notes.push_back(fmt::format(
          "{:.3g} % of the rows of {} are called novel where {:.3g} % would be by chance: much is "
          "novel, or all of it has drifted",
          100.0 * share, call_.fresh, 100.0 * out_.rate));
    }
    RowDraw before(kComparedRows, Rng(call_.seed, "detect compared"));
    before.add(training_.rows);
    out_.shifts = shifted_columns(before.rows(), compared_.rows());
    if (!out_.shifts.empty()) {
      std::string named;
      for (std::size_t i = 0; i < std::min(kColumnsTold, out_.shifts.size()); ++i) {
        const ColumnShift& shift = out_.shifts[i];
        named += fmt::format("{}{} (median {:.4g}, was {:.4g}; gap {:.2g})", i == 0 ? "" : ", ",
                             out_.columns[at(shift.column)], shift.median_now, shift.median_before,
                             shift.distance);
      }
      out_.notes.push_back(
          fmt::format("{} of {} columns of {} are distributed otherwise than in "
                      "{}; the most: {}",
                      out_.shifts.size(), out_.columns.size(), call_.fresh, call_.train, named));
    }
  }

  void explain(const Composition& predictor) {
    const auto& rows = unusual_.rows();
    Matrix values(std::ssize(rows), training_.rows.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      values.row(static_cast<Index>(i)) = rows[i].values;
    }
    const bool of_pixels =
        holds_pictures(call_.train) && call_.pictures.backbone.network.empty() && !rows.empty();
    if (of_pixels) {
      PixelPatches patches = pixel_patches(call_.pictures.pixels);
      add_reasons(why_unusual(predictor, training_, values, patches.columns, kColumnsTold));
      out_.patches = std::move(patches.names);
    } else {
      add_reasons(why_unusual(predictor, training_, values, kColumnsTold));
    }
  }

  void add_reasons(std::vector<std::vector<UnusualColumn>> why) {
    const auto& rows = unusual_.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out_.why.push_back({rows[i].row, std::move(why[i])});
    }
  }

  // With the rate that was decided on, so that `tyto predict` decides alike; scores do not depend
  // on it.
  void save(PredictorConfig config, LearnedDetector learned) {
    if (call_.terms.by_cost()) {
      config.accepted_error = std::min(out_.rate, 1.0);
      learned = learn_detector(config, training_, call_.contaminated, call_.seed, progress_);
    }
    ReadyPredictor model;
    model.predictor = std::move(learned.predictor);
    model.columns = training_.columns;
    save_model(call_.save, model);
  }

  const DetectCall& call_;
  Progress& progress_;
  Catalog catalog_;
  TrainingRows training_;
  std::set<std::string> absent_;  // from TRAIN, of what is to be ignored
  MostUnusual unusual_{call_.explained};
  RowDraw compared_{kComparedRows, Rng(call_.seed, "detect compared")};
  Index filled_ = 0;  // values of NEW
  DetectOutcome out_;
};

}  // namespace

const std::string& reason_name(const DetectOutcome& outcome, Index column) {
  return outcome.patches.empty() ? outcome.columns[at(column)] : outcome.patches[at(column)];
}

DetectOutcome detect_unusual(const DetectCall& call, Progress& progress) {
  return Detection(call, progress).run();
}

}  // namespace tyto
