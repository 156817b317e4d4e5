// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/learn/learn.hpp"

#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/data/described_table.hpp"
#include "tyto/engine/detect/learned_detector.hpp"

namespace tyto {

std::string_view learn_preset(const Dataset& dataset) {
  std::set<std::string> classes(dataset.table.label.begin(), dataset.table.label.end());
  classes.erase("");
  return classes.size() > 1 ? "tyto" : "tyto-detect";
}

LearnOutcome learn_model(const LearnCall& call, const Dataset& dataset,
                         const PredictorConfig& given, Progress& progress) {
  PredictorConfig config = given;
  add_classifier(config);
  const Rng rng(call.seed, "learn");
  const LessonData data = lesson_data(dataset, rng);
  LearnOutcome out;
  out.predictor = config.name;
  out.samples = data.size();
  out.unlabelled = data.unlabelled;
  out.classes = data.classes();
  out.without_labels = data.without_labels;
  out.accepted_error = config.accepted_error;
  if (data.unlabelled > 0) {
    out.notes.push_back(fmt::format("{} samples without a label were left out", data.unlabelled));
  }
  if (data.without_labels) {
    out.notes.push_back(
        fmt::format("no sample has a label: all are taken for one class, \"{}\"", kOneClass));
  }
  try {
    out.model.predictor = std::make_unique<Composition>(config, config.stream_seed(call.seed));
    Work work{rng.fork("lesson"), progress};
    progress.begin(fmt::format("learning {}", dataset.name), 1);
    out.model.predictor->learn({data.samples, data.label, {}}, work);
    progress.end();
    out.judged = judge_left_out(config, data, {call.folds, 4000, call.seed}, progress);
  } catch (const Error& problem) {
    throw Error(problem.kind(),
                fmt::format("{}, learned by {}: {}", dataset.name, config.name, problem.what()));
  }
  out.features = out.model.predictor->width();
  out.model.columns = data.samples.reading(config.features).column_names("features");
  out.model.names = data.names;
  OtherColumns others = other_columns(dataset, out.model.columns);
  out.model.others = std::move(others.names);
  out.model.id_column = std::move(others.id);
  for (const std::string& caution : out.model.predictor->cautions()) {
    out.notes.push_back(caution);
  }
  return out;
}

}  // namespace tyto
