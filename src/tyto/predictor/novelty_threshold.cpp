// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/novelty_threshold.hpp"

#include <algorithm>
#include <utility>

namespace tyto {

namespace {

// Classes count alike, whatever the number of their samples; the mean is 1.
std::vector<float> by_classes(std::span<const Label> labels) {
  std::map<Label, float> count;
  for (const Label label : labels) {
    ++count[label];
  }
  const float each = static_cast<float>(labels.size()) / static_cast<float>(count.size());
  std::vector<float> weight;
  for (const Label label : labels) {
    weight.push_back(each / count.at(label));
  }
  return weight;
}

Matrix as_row(const std::vector<float>& values) {
  return Eigen::Map<const Matrix>(values.data(), 1, std::ssize(values));
}

std::vector<float> as_list(const Matrix& row) {
  return {row.data(), row.data() + row.size()};
}

}  // namespace

HeldNovelty score_held(const Experience& experience, const Detector& detector) {
  HeldNovelty held;
  experience.each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label> labels) {
    held.labels.insert(held.labels.end(), labels.begin(), labels.end());
    Evidence evidence = block;
    detector.detect(evidence);
    held.novelty.insert(held.novelty.end(), evidence.novelty.begin(), evidence.novelty.end());
  });
  return held;
}

NoveltyThreshold::NoveltyThreshold(const PredictorConfig& config)
    : accepted_error_(config.accepted_error),
      heed_(config.heed),
      frozen_(config.threshold_frozen),
      by_classes_(config.threshold_by_classes),
      aim_(config.accepted_error) {}

bool NoveltyThreshold::set(HeldNovelty held, std::optional<float> own) {
  std::vector<float> weight = by_classes_ ? by_classes(held.labels) : std::vector<float>{};
  if (own) {
    threshold_ = threshold_given(std::move(held.novelty), *own, std::move(weight));
  } else if (!held.novelty.empty()) {
    threshold_ = threshold_at(std::move(held.novelty), aim_, std::move(weight));
  }
  // A small lesson without held-out samples leaves the threshold as it was.
  return threshold_.has_value();
}

void NoveltyThreshold::hear(const std::map<std::string, double>& measures,
                            std::optional<float> own) {
  const auto told = measures.find("false_alarm_rate");
  if (told == measures.end() || !threshold_ || threshold_->held.empty() || frozen_ || own) {
    return;
  }
  aim_ = std::clamp(aim_ + heed_ * (accepted_error_ - told->second), 0.0, 1.0);
  threshold_ = threshold_at(std::move(threshold_->held), aim_, std::move(threshold_->weight));
}

void NoveltyThreshold::save(State& state) const {
  state.set("aim", double{aim_});
  if (threshold_) {
    State& threshold = state.make_child("threshold");
    threshold.set("value", double{threshold_->value});
    threshold.set("scale", double{threshold_->scale});
    threshold.set("held", as_row(threshold_->held));
    threshold.set("weight", as_row(threshold_->weight));
  }
}

void NoveltyThreshold::load(const State& state) {
  aim_ = state.get<double>("aim");
  threshold_.reset();
  if (state.children.contains("threshold")) {
    const State& saved = state.child("threshold");
    threshold_.emplace();
    threshold_->value = static_cast<float>(saved.get<double>("value"));
    threshold_->scale = static_cast<float>(saved.get<double>("scale"));
    threshold_->held = as_list(saved.get<Matrix>("held"));
    threshold_->weight = as_list(saved.get<Matrix>("weight"));
    threshold_->sum_weights();
  }
}

}  // namespace tyto
