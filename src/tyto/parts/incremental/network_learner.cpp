// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/incremental/network_learner.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/segments.hpp"
#include "tyto/nn/backbones.hpp"
#include "tyto/nn/module.hpp"

namespace tyto {

namespace {

// Frames of the second view of temporal consistency, out of n.
std::vector<Index> thinned_frames(const LearnerOptions& options, Index n, bool remembered,
                                  Rng& rng) {
  const Index segments = options.segments;
  const Index most = std::min(options.tc_frames, n);
  std::vector<Index> frames = drawn_frames(most, segments, rng);
  if (options.tc == "released") {  // indices into the thinned clip, applied to the whole one
    if (remembered) {
      std::fill(frames.begin(), frames.end(), Index{-1});
    }
    return frames;
  }
  const std::vector<Index> kept = centre_frames(n, most);
  for (Index& frame : frames) {
    frame = kept[static_cast<std::size_t>(frame)];
  }
  return frames;
}

}  // namespace

void NetworkLearner::learn(const Experience& experience, Work& work) {
  if (experience.starts_over() || options_.start == "anew") {
    net_.reset();
    classes_.clear();
  }
  const auto old_outputs = static_cast<Index>(classes_.size());
  std::vector<Label> known;
  for (const Label label : experience.space().known()) {
    known.push_back(label);
  }
  TYTO_ASSERT(known.size() >= classes_.size() &&
              std::equal(classes_.begin(), classes_.end(), known.begin()));
  if (known.empty()) {
    return;
  }
  classes_ = std::move(known);
  const auto outputs = static_cast<Index>(classes_.size());
  ClipLesson lesson = lesson_of(experience, old_outputs);
  if (lesson.clips.size() == 0) {
    if (net_) {
      net_->grow(outputs, work.rng.fork("outputs"), options_.new_outputs());
    } else {
      classes_.clear();
    }
    return;
  }
  begin(lesson);
  if (!net_) {
    width_ = lesson.clips.width();
    net_ = nn_module().make_network(options_.network(width_, outputs), work.rng.fork("weights"));
  } else {
    net_->grow(outputs, work.rng.fork("outputs"), options_.new_outputs());
  }
  class_weight_.clear();
  if (options_.balance == "classes") {
    std::vector<float> count(static_cast<std::size_t>(outputs), 0.0F);
    for (const std::int64_t target : lesson.targets) {
      count[static_cast<std::size_t>(target)] += 1.0F;
    }
    const auto shown = static_cast<float>(
        std::count_if(count.begin(), count.end(), [](float n) { return n > 0.0F; }));
    for (const float n : count) {
      class_weight_.push_back(n > 0.0F ? static_cast<float>(lesson.targets.size()) / (n * shown)
                                       : 0.0F);
    }
  }
  Training training = options_.training(lesson.clips.size());
  plan(lesson, training);
  Work own = work.fork("fit");
  train(lesson, training, own);
  Work after = work.fork("finish");
  finish(lesson, training, after);
}

ClipLesson NetworkLearner::lesson_of(const Experience& experience, Index old_outputs) const {
  std::vector<Index> rows;
  Index fresh = 0;
  for (const Index row : experience.labelled(Role::fit)) {
    const bool remembered = row < experience.fresh();
    if (!remembered || rehearses()) {
      rows.push_back(row);
      fresh += remembered ? 1 : 0;
    }
  }
  std::vector<std::int64_t> output(static_cast<std::size_t>(experience.space().size()), 0);
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    output[static_cast<std::size_t>(classes_[c])] = static_cast<std::int64_t>(c);
  }
  std::vector<std::int64_t> targets;
  for (const Index row : rows) {
    const Label label = experience.labels()[static_cast<std::size_t>(row)];
    targets.push_back(output[static_cast<std::size_t>(label)]);
  }
  return {experience, Clips(experience, std::move(rows)), std::move(targets), fresh, old_outputs};
}

void NetworkLearner::draw(const ClipLesson& lesson, Rows clips, const Rng& rng,
                          Batch& batch) const {
  batch.clear();
  Rng frames = rng.fork("frames");
  const auto choose = [&](std::size_t, Index n) {
    return drawn_frames(n, options_.segments, frames);
  };
  batch.rows = options_.seen(lesson.clips.frames(clips, choose));
  options_.augmented(batch.rows, rng);
  for (const Index clip : clips) {
    const std::int64_t target = lesson.targets[static_cast<std::size_t>(clip)];
    batch.targets.push_back(target);
    if (!class_weight_.empty()) {
      batch.weights.push_back(class_weight_[static_cast<std::size_t>(target)]);
    }
  }
  if (options_.tc != "none") {
    Rng thin = rng.fork("thinned");
    batch.second = options_.seen(lesson.clips.frames(clips, [&](std::size_t clip, Index n) {
      return thinned_frames(options_, n, lesson.is_remembered(static_cast<Index>(clip)), thin);
    }));
    options_.augmented(batch.second, rng);
  }
  fill(lesson, clips, batch);
}

DrawBatch NetworkLearner::draw_from(const ClipLesson& lesson) const {
  return [this, &lesson](Rows which, const Rng& rng, Batch& batch) {
    draw(lesson, which, rng, batch);
  };
}

void NetworkLearner::train(const ClipLesson& lesson, const Training& training, Work& work) {
  net_->fit(lesson.clips.size(), draw_from(lesson), training, work);
}

Matrix NetworkLearner::rows_of(const Frames& frames) const {
  return options_.seen(
      chosen_frames(frames, [&](Index, Index n) { return centre_frames(n, options_.segments); }));
}

Matrix NetworkLearner::logits_of(const Frames& frames, Matrix* embedding) const {
  return net_->forward(rows_of(frames), options_.segments, embedding);
}

// The mean over segments that are all the same frame is that of the frame.
Matrix NetworkLearner::pull_back(const Evidence& evidence, const Matrix& weight) const {
  check_learned();
  const bool clips = !options_.trunk.empty() && options_.segments > 1 &&
                     find_backbone(options_.trunk).input.frames > 1;
  if (clips || (!evidence.samples.one_row_each() &&
                evidence.frames.features.rows() != evidence.features.rows())) {
    throw Error(ErrorKind::data,
                fmt::format("{} can be derived by the features of samples that are one row, not of "
                            "runs of frames",
                            name_));
  }
  return net_->pull_back(evidence.features, weight);
}

void NetworkLearner::classify(Evidence& evidence) const {
  check_learned();
  evidence.classes = classes_;
  if (evidence.size() == 0) {
    evidence.logits = Matrix(0, std::ssize(classes_));
    evidence.embedding = Matrix(0, net_->output_layer().weight.cols());
    return;
  }
  evidence.logits = logits_of(evidence.frames, &evidence.embedding);
  decide(evidence);
}

LinearHead NetworkLearner::head() const {
  check_learned();
  OutputLayer layer = net_->output_layer();
  return {std::move(layer.weight), std::move(layer.bias), true};
}

void NetworkLearner::save(State& state) const {
  if (!net_) {
    return;
  }
  state.set("width", std::int64_t{width_});
  save_labels(state, "classes", classes_);
  net_->save(state.make_child("net"));
  save_more(state);
}

void NetworkLearner::load(const State& state, const Shelf& shelf) {
  net_.reset();
  classes_.clear();
  if (!state.has("width")) {
    return;
  }
  classes_ = load_labels(state, "classes");
  width_ = state.get<std::int64_t>("width");
  net_ = nn_module().make_network(options_.network(width_, std::ssize(classes_)), Rng(0));
  net_->load(state.child("net"));
  if (net_->settings().outputs != std::ssize(classes_)) {
    throw Error(ErrorKind::state, fmt::format("the saved {} has {} outputs for {} classes", name_,
                                              net_->settings().outputs, classes_.size()));
  }
  load_more(state, shelf);
}

void NetworkLearner::check_learned() const {
  if (!net_) {
    throw Error(ErrorKind::state,
                fmt::format("{}: asked to classify before it has learned any class", name_));
  }
}

}  // namespace tyto
