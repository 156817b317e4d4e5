// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/prediction_session.hpp"

#include <algorithm>

namespace tyto {

bool is_novel(const Prediction& prediction, Index row) {
  return prediction.space->kind(prediction.label[at(row)]) != LabelKind::known;
}

PredictionSession::PredictionSession(ReadyPredictor& model, SessionOptions options, Answer answer,
                                     Changed changed)
    : model_(model), options_(options), answer_(std::move(answer)), changed_(std::move(changed)) {}

void PredictionSession::take(const InputRows& rows) {
  std::vector<Index> waiting;
  const auto answer_waiting = [&] {
    if (!waiting.empty()) {
      answer(rows, waiting);
      waiting.clear();
    }
  };
  for (Index i = 0; i < rows.samples.size(); ++i) {
    const std::string& label = rows.label[at(i)];
    const auto id = static_cast<std::uint32_t>(rows.samples.id(i));
    model_.next_id = std::max(model_.next_id, id + 1);
    if (!options_.learn || label.empty()) {
      waiting.push_back(i);
      continue;
    }
    model_.names[id] = rows.id[at(i)];
    pieces_.push_back(rows.samples.pick(std::span(&i, 1)));
    names_.push_back(label);
    if (static_cast<Index>(names_.size()) >= options_.lesson) {
      answer_waiting();
      learn();
    }
  }
  answer_waiting();
}

void PredictionSession::finish() {
  learn();
}

void PredictionSession::answer(const InputRows& rows, const std::vector<Index>& which) {
  const Samples samples = rows.samples.pick(which);
  const Prediction prediction = model_.predictor->predict(samples);
  std::vector<Index> novel;
  std::vector<WhyNovel> reasons;
  if (options_.why) {
    for (Index i = 0; i < samples.size(); ++i) {
      if (is_novel(prediction, i)) {
        novel.push_back(i);
      }
    }
  }
  if (!novel.empty()) {
    if (!explainer_) {
      explainer_.emplace(*model_.predictor);
    }
    reasons = explainer_->explain(samples.pick(novel));
  }
  std::size_t next = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    const bool explained = next < novel.size() && novel[next] == i;
    const WhyNovel* why = explained ? &reasons[next++] : nullptr;
    answer_(rows.id[at(which[at(i)])], prediction, i, why);
  }
  if (options_.observe) {
    observe(samples, rows.first, which);
  }
}

void PredictionSession::observe(const Samples& samples, Index first,
                                const std::vector<Index>& which) {
  for (const Index i : which) {
    if (breaks_.empty() || row_of(watched_) != first + i) {
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
    changed_(row_of(std::max<Index>(change.since, 0)), change);
  }
  told_ = change.changed;
}

Index PredictionSession::row_of(Index watched) const {
  // The last break at or before it; between breaks rows follow one another.
  const auto after = std::upper_bound(
      breaks_.begin(), breaks_.end(), watched,
      [](Index count, const std::pair<Index, Index>& one) { return count < one.first; });
  return after == breaks_.begin() ? watched + 1
                                  : std::prev(after)->second + watched - std::prev(after)->first;
}

void PredictionSession::learn() {
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
Samples PredictionSession::lesson_samples() const {
  if (std::all_of(pieces_.begin(), pieces_.end(), [&](const Samples& piece) {
        return Samples::share_store(piece, pieces_.front());
      })) {
    Samples all;
    for (const Samples& piece : pieces_) {
      all = Samples::joined(all, piece);
    }
    return all.lent();
  }
  return Samples::stacked(pieces_).lent();
}

}  // namespace tyto
