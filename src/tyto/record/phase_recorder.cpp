// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/phase_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tyto/core/error.hpp"
#include "tyto/core/options.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

template <class T>
void append(std::vector<T>& to, std::span<const T> from) {
  to.insert(to.end(), from.begin(), from.end());
}

// The decision, then the entries of the greatest probability, ties to the first; none of them NaN.
// As many as `best` has places, in one pass: most entries are less than the last of these.
void best_entries(std::span<const float> probability, std::int32_t decision,
                  std::span<std::int32_t> best) {
  const std::size_t most = best.size();
  if (most == 0) {
    return;
  }
  best[0] = decision;
  std::size_t found = 1;
  const auto of = [&](std::size_t place) {
    return probability[static_cast<std::size_t>(best[place])];
  };
  for (std::int32_t entry = 0; entry < std::ssize(probability); ++entry) {
    const float here = probability[static_cast<std::size_t>(entry)];
    if (entry == decision || most == 1 || (found == most && here <= of(most - 1))) {
      continue;
    }
    std::size_t place = std::min(found, most - 1);
    for (; place > 1 && of(place - 1) < here; --place) {
      best[place] = best[place - 1];
    }
    best[place] = entry;
    found = std::min(found + 1, most);
  }
}

}  // namespace

void RecordOptions::describe(OptionVisitor& visitor) {
  visitor.field("top", top, {1, 100}, "best entries kept per sample");
  visitor.field("full", full, "keep whole probability rows as well");
  visitor.field("reliability", reliability,
                "keep what measures of confidence need: 16 bytes a sample");
  visitor.field("epochs", epochs,
                "keep how sure each answer was after the epochs of a calibrator that trains, for "
                "ECE by epoch: 4 bytes a sample and epoch");
  visitor.field("states", states,
                "keep the state after every increment, in states/: other runs may start from it");
}

PhaseRecorder::PhaseRecorder(RecordOptions options, const Truth* truth, Sink sink)
    : options_(options), truth_(truth), sink_(std::move(sink)) {}

void PhaseRecorder::begin(const PhaseKey& key, const PhaseFacts& facts) {
  phase_ = Phase();
  phase_.key = key;
  phase_.granted = facts.granted;
  phase_.shown = facts.shown;
  phase_.last_shown = facts.last_shown;
  phase_.labels_granted = facts.labels_granted;
  phase_.task_of_class = facts.task_of_class;
  phase_.feedback = facts.feedback;
  full_.clear();
  by_epoch_.clear();
  top_.clear();
  top_probability_.clear();
}

void PhaseRecorder::add(const Samples& samples, const Prediction& prediction,
                        std::span<const float> changed) {
  const LabelSpace& space = *prediction.space;
  if (phase_.sample.empty()) {
    phase_.space = space;
    phase_.known = space.known_names();
  }
  const Index n = samples.size();
  const Index entries = space.size();
  const Index k = std::min(options_.top, entries);
  std::vector<std::int32_t> best(static_cast<std::size_t>(k));
  for (Index i = 0; i < n; ++i) {
    const auto row = prediction.probability.row(i);
    const auto decision = static_cast<std::int32_t>(prediction.label[static_cast<std::size_t>(i)]);
    phase_.sample.push_back(samples.id(i));
    best_entries({row.data(), static_cast<std::size_t>(entries)}, decision, best);
    for (Index j = 0; j < options_.top; ++j) {
      const std::int32_t entry = j < k ? best[static_cast<std::size_t>(j)] : -1;
      top_.push_back(entry);
      top_probability_.push_back(entry < 0 ? 0.0F : row(entry));
    }
    phase_.p_unknown.push_back(row(0));
    phase_.confidence.push_back(row(decision));
    if (truth_ != nullptr) {
      const auto label = space.find(truth_->label_of(samples.id(i)));
      phase_.p_true.push_back(label ? row(static_cast<Index>(*label)) : 0.0F);
    }
  }
  append<float>(phase_.novelty, prediction.novelty);
  append<float>(phase_.p_value, prediction.p_value);
  append(phase_.changed, changed);
  if (options_.full) {
    full_.push_back(prediction.probability);
  }
  add_given_known(samples, prediction);
}

std::vector<std::optional<Label>> PhaseRecorder::true_labels(const Samples& samples,
                                                             const LabelSpace& space) const {
  std::vector<std::optional<Label>> labels(static_cast<std::size_t>(samples.size()));
  if (truth_ != nullptr) {
    for (Index i = 0; i < samples.size(); ++i) {
      labels[static_cast<std::size_t>(i)] = space.find(truth_->label_of(samples.id(i)));
    }
  }
  return labels;
}

void PhaseRecorder::add_given_known(const Samples& samples, const Prediction& prediction) {
  if (!options_.reliability || prediction.log_known.cols() == 0) {
    return;
  }
  GivenKnown& to = phase_.given_known;
  std::map<Label, Index> columns;
  for (std::size_t c = 0; c < prediction.known.size(); ++c) {
    columns.emplace(prediction.known[c], static_cast<Index>(c));
  }
  const std::vector<std::optional<Label>> truth = true_labels(samples, *prediction.space);
  const std::size_t before = to.best.size();
  const std::size_t after = before + truth.size();
  to.best.resize(after);
  to.confidence.resize(after);
  to.log_true.resize(after);
  to.squares.resize(after);
  for_each_index(samples.size(), [&](Index i) {
    const auto at = before + static_cast<std::size_t>(i);
    const auto row = prediction.log_known.row(i);
    Index best = 0;
    const float highest = row.maxCoeff(&best);
    to.best[at] = static_cast<std::int32_t>(prediction.known[static_cast<std::size_t>(best)]);
    to.confidence[at] = std::exp(highest);
    to.squares[at] = static_cast<float>((2.0 * row.cast<double>().array()).exp().sum());
    const auto& label = truth[static_cast<std::size_t>(i)];
    const auto column = label ? columns.find(*label) : columns.end();
    to.log_true[at] =
        column == columns.end() ? std::numeric_limits<float>::quiet_NaN() : row(column->second);
  });
  append<float>(to.temperature, prediction.temperature);
  if (options_.epochs) {
    to.by_epoch.epoch = prediction.by_epoch.epoch;
    append<float>(to.by_epoch.native, prediction.by_epoch.native);
    by_epoch_.push_back(prediction.by_epoch.confidence);
  }
  to.set_promise = prediction.set_promise;
  for (std::size_t i = 0; i < prediction.sets.size(); ++i) {
    const std::vector<Label>& set = prediction.sets[i];
    const bool holds = truth[i] && std::find(set.begin(), set.end(), *truth[i]) != set.end();
    to.set_size.push_back(static_cast<float>(set.size()));
    to.in_set.push_back(holds ? 1.0F : 0.0F);
  }
}

namespace {

// One below the other; none where they have other columns or are not of so many rows.
Matrix stacked(const std::vector<Matrix>& blocks, Index rows, Index columns) {
  Matrix out(rows, columns);
  Index at = 0;
  for (const Matrix& block : blocks) {
    if (block.cols() != columns || at + block.rows() > rows) {
      return {};
    }
    out.middleRows(at, block.rows()) = block;
    at += block.rows();
  }
  return at == rows ? out : Matrix();
}

}  // namespace

void PhaseRecorder::end() {
  const Index n = phase_.size();
  phase_.top = Eigen::Map<const Dense<std::int32_t>>(top_.data(), n, options_.top);
  phase_.top_probability = Eigen::Map<const Matrix>(top_probability_.data(), n, options_.top);
  if (options_.full && n > 0) {
    phase_.probability = stacked(full_, n, phase_.space.size());
  }
  if (std::ssize(phase_.given_known.best) != n) {  // not of all batches
    phase_.given_known = {};
  }
  for (std::vector<float>* column : {&phase_.given_known.temperature, &phase_.given_known.set_size,
                                     &phase_.given_known.in_set}) {
    if (std::ssize(*column) != n) {
      column->clear();
    }
  }
  if (ByEpoch& by_epoch = phase_.given_known.by_epoch; !by_epoch.epoch.empty()) {
    by_epoch.confidence = stacked(by_epoch_, n, std::ssize(by_epoch.epoch));
    if (by_epoch.confidence.size() == 0 || std::ssize(by_epoch.native) != n) {
      by_epoch = {};
    }
  }
  sink_(phase_);
}

}  // namespace tyto
