// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/table_calibration.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/math/score_rows.hpp"

namespace tyto {

namespace {

std::vector<double> uniforms(Index rows, std::uint64_t seed, std::string_view name) {
  Rng rng(seed, name);
  std::vector<double> out;
  for (Index i = 0; i < rows; ++i) {
    out.push_back(rng.uniform());
  }
  return out;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 40;
  const std::span<const std::string> first(names.data(), std::min(names.size(), kMost));
  return fmt::format("{}{}", fmt::join(first, ", "),
                     names.size() > kMost ? fmt::format(", ... ({})", names.size()) : "");
}

Index place_of(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : found - names.begin();
}

}  // namespace

GivenScores read_given_scores(const std::string& scores, const std::string& labels,
                              const std::string& features, std::string_view kind) {
  GivenScores out;
  out.scores = read_scores(scores, kind);
  expect_scores(out.scores.values, scores);
  if (!labels.empty()) {
    out.truth = read_truth(labels, out.scores);
  }
  if (!features.empty()) {
    out.features = read_numbers(features);
    if (out.features->values.rows() != out.scores.values.rows()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} rows of features for the {} of {}", features,
                              out.features->values.rows(), out.scores.values.rows(), scores));
    }
  }
  return out;
}

TableCalibration::TableCalibration(std::string_view method, const ConfigNode& options)
    : spec_(&find_calibrator(method)),
      options_(spec_->resolve(options, spec_->name)),
      calibrator_(spec_->make(options, spec_->name)) {}

TableCalibration TableCalibration::load(const std::string& file) {
  const State state = read_archive(file);
  TableCalibration out(state.get<std::string>("method"),
                       parse_yaml(state.get<std::string>("options"), file));
  const auto columns = [&](std::string_view key) -> Columns {
    const State& of = state.child(key);
    return {of.get<std::vector<std::string>>("names"),
            static_cast<Index>(of.get<std::int64_t>("count"))};
  };
  out.classes_ = columns("classes");
  out.features_ = columns("features");
  out.calibrator_->load(state.child("calibrator"));
  return out;
}

void TableCalibration::save(const std::string& file) const {
  State state;
  state.set("method", std::string(spec_->name));
  state.set("options", to_yaml(options_));
  const auto put = [&](std::string_view key, const Columns& columns) {
    State& of = state.make_child(key);
    of.set("names", std::vector<std::string>(columns.names));
    of.set("count", std::int64_t{columns.count});
  };
  put("classes", classes_);
  put("features", features_);
  calibrator_->save(state.make_child("calibrator"));
  write_archive(file, state);
}

TableCalibration::Columns TableCalibration::columns_of(const ScoreTable& table) {
  return {table.columns, table.values.cols()};
}

std::vector<Index> TableCalibration::places(const Columns& fitted, const ScoreTable& table) {
  std::vector<Index> out(static_cast<std::size_t>(fitted.count));
  if (fitted.names.empty() || table.columns.empty()) {
    if (table.values.cols() != fitted.count) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} columns, but the calibrator was fitted on {}{}", table.name,
                              table.values.cols(), fitted.count,
                              fitted.names.empty() ? "" : ": " + listed(fitted.names)));
    }
    std::iota(out.begin(), out.end(), Index{0});
    return out;
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (place_of(fitted.names, table.columns[c]) < 0) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: column {} (from 1), \"{}\", is none of those the calibrator was "
                              "fitted on: {}",
                              table.name, c + 1, table.columns[c], listed(fitted.names)));
    }
  }
  for (std::size_t c = 0; c < fitted.names.size(); ++c) {
    out[c] = place_of(table.columns, fitted.names[c]);
    if (out[c] < 0) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: there is no column \"{}\"; the calibrator was fitted on: {}",
                              table.name, fitted.names[c], listed(fitted.names)));
    }
  }
  return out;
}

std::optional<Dense<double>> TableCalibration::features_of(const GivenScores& given) const {
  if (!calibrator_->needs_features()) {
    return std::nullopt;
  }
  if (!given.features) {
    throw Error(ErrorKind::config,
                fmt::format("the method {} looks at features: give those of {} too", spec_->name,
                            given.scores.name));
  }
  return given.features->values(Eigen::all, places(features_, *given.features)).eval();
}

void TableCalibration::fit(const GivenScores& known, Work& work) {
  classes_ = columns_of(known.scores);
  if (known.features) {
    features_ = columns_of(*known.features);
  }
  const std::optional<Dense<double>> features = features_of(known);
  calibrator_->fit({known.scores.values, known.truth, features ? &*features : nullptr}, work);
}

Dense<double> TableCalibration::apply(const GivenScores& given) const {
  const std::vector<Index> columns = places(classes_, given.scores);
  const std::optional<Dense<double>> features = features_of(given);
  const Dense<double> ordered = given.scores.values(Eigen::all, columns);
  const Dense<double> calibrated = calibrator_->apply(ordered, features ? &*features : nullptr);
  Dense<double> out(calibrated.rows(), calibrated.cols());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    out.col(columns[c]) = calibrated.col(static_cast<Index>(c));
  }
  return out;
}

ByEpoch TableCalibration::by_epoch(const GivenScores& given) const {
  ByEpoch out;
  out.epoch = calibrator_->epochs();
  if (out.epoch.empty()) {
    return out;
  }
  const Dense<double> ordered = given.scores.values(Eigen::all, places(classes_, given.scores));
  const std::optional<Dense<double>> features = features_of(given);
  out.confidence =
      calibrator_->confidence_by_epoch(ordered, features ? &*features : nullptr).cast<float>();
  const Eigen::VectorXf native = score_probabilities(ordered).rowwise().maxCoeff().cast<float>();
  out.native.assign(native.begin(), native.end());
  return out;
}

void TableCalibration::fit_sets(SetOptions options, const GivenScores& known, std::uint64_t seed) {
  const Dense<double> calibrated = apply(known);
  sets_.emplace(std::move(options));
  sets_->fit(calibrated, known.truth, uniforms(calibrated.rows(), seed, "sets fit"));
}

std::vector<ClassSet> TableCalibration::sets(const GivenScores& given,
                                             const Dense<double>& calibrated,
                                             std::uint64_t seed) const {
  TYTO_ASSERT(sets_.has_value());
  const std::vector<Index> columns = places(classes_, given.scores);
  const Dense<double> ordered = calibrated(Eigen::all, columns);
  std::vector<ClassSet> out = sets_->sets(ordered, uniforms(calibrated.rows(), seed, "sets apply"));
  for (ClassSet& set : out) {
    for (Index& column : set) {
      column = columns[static_cast<std::size_t>(column)];
    }
  }
  return out;
}

std::vector<std::string> TableCalibration::notes(const GivenScores* applied) const {
  std::vector<std::string> out = calibrator_->notes();
  if (sets_) {
    out.emplace_back(
        "the calibrator and the sets were fitted on the same samples: the promise holds exactly "
        "for sets of scores that were calibrated on others");
  }
  if (applied != nullptr && classes_.names.empty() != applied->scores.columns.empty()) {
    out.push_back(fmt::format(
        "{}, so that the columns were taken as they stand",
        classes_.names.empty()
            ? std::string("the scores the calibrator was fitted on do not name their columns")
            : applied->scores.name + " does not name its columns"));
  }
  return out;
}

}  // namespace tyto
