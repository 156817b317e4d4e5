// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/novelty_threshold.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/math/quantile.hpp"
#include "tyto/predictor/composition/group_evidence.hpp"

namespace tyto {

namespace {

// A class counts as often as it came and once more (the rule of succession: where nothing came,
// classes are alike), whatever the number of its samples here; the mean is 1.
std::vector<float> by_classes(std::span<const Label> labels, const std::map<Label, Index>& came) {
  std::map<Label, double> count;
  for (const Label label : labels) {
    ++count[label];
  }
  const auto to_come = [&](Label label) {
    const auto found = came.find(label);
    return found == came.end() ? 1.0 : static_cast<double>(found->second + 1);
  };
  double all = 0.0;
  for (const auto& [label, samples] : count) {
    all += to_come(label);
  }
  std::vector<float> weight;
  for (const Label label : labels) {
    const double each = static_cast<double>(labels.size()) / count.at(label);
    weight.push_back(static_cast<float>(each * to_come(label) / all));
  }
  return weight;
}

// The fewest samples, all of one weight, that can promise this error.
double least_held(double error) {
  return std::ceil(1.0 / error - 1.0 - 1e-9);
}

Matrix as_row(const std::vector<float>& values) {
  return Eigen::Map<const Matrix>(values.data(), 1, std::ssize(values));
}

std::vector<float> as_list(const Matrix& row) {
  return {row.data(), row.data() + row.size()};
}

}  // namespace

std::map<Label, Index> count_unchosen(std::span<const Label> labels, std::span<const Role> roles,
                                      bool is_first) {
  std::map<Label, Index> came;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != Label::unknown && (is_first || roles[i] == Role::hold)) {
      ++came[labels[i]];
    }
  }
  return came;
}

HeldNovelty score_held(const Experience& experience, const Detector& detector) {
  HeldNovelty held;
  experience.each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label> labels) {
    Evidence evidence = block;
    detector.detect(evidence);
    held.add(evidence.novelty, labels, block.samples);
  });
  return held;
}

void HeldNovelty::add(const std::vector<float>& scores, std::span<const Label> names,
                      const Samples& samples) {
  novelty.insert(novelty.end(), scores.begin(), scores.end());
  labels.insert(labels.end(), names.begin(), names.end());
  for (Index i = 0; i < samples.size(); ++i) {
    ids.push_back(static_cast<std::uint32_t>(samples.id(i)));
    groups.push_back(samples.group(i));
  }
}

double design_effect(const HeldNovelty& held, const std::vector<float>& weight, double error) {
  constexpr double kLeast = 0.05;  // share to be exceeded: of less, few samples tell little
  const std::set<std::uint32_t> groups(held.groups.begin(), held.groups.end());
  if (groups.size() < 2) {
    return 1.0;
  }
  const float value = threshold_at(held.novelty, std::max(error, kLeast), weight).value;
  const auto weight_of = [&](std::size_t i) {
    return weight.empty() ? 1.0 : static_cast<double>(weight[i]);
  };
  const auto above = [&](std::size_t i) { return held.novelty[i] > value ? 1.0 : 0.0; };
  double all = 0.0;
  double share = 0.0;
  for (std::size_t i = 0; i < held.novelty.size(); ++i) {
    all += weight_of(i);
    share += weight_of(i) * above(i);
  }
  share /= all;
  std::map<std::uint32_t, double> sums;
  std::map<std::uint32_t, double> sizes;
  double single = 0.0;
  for (std::size_t i = 0; i < held.novelty.size(); ++i) {
    const double part = weight_of(i) * (above(i) - share);
    sums[held.groups[i]] += part;
    ++sizes[held.groups[i]];
    single += part * part;
  }
  double whole = 0.0;
  double greatest = 1.0;
  for (const auto& [group, sum] : sums) {
    whole += sum * sum;
    greatest = std::max(greatest, sizes.at(group));
  }
  const auto count = static_cast<double>(groups.size());
  return single > 0.0 ? std::clamp(whole / single * count / (count - 1.0), 1.0, greatest) : 1.0;
}

NoveltyThreshold::NoveltyThreshold(const PredictorConfig& config)
    : accepted_error_(config.accepted_error),
      heed_(config.heed),
      frozen_(config.threshold_frozen),
      plain_(config.threshold_plain),
      by_groups_(config.holdout_groups),
      by_(config.threshold_by),
      aim_(config.accepted_error) {}

Threshold NoveltyThreshold::placed(std::vector<float> held, double error, std::vector<float> weight,
                                   double alike) const {
  if (!plain_) {
    return threshold_at(std::move(held), error, std::move(weight), alike);
  }
  const auto value = static_cast<float>(quantile<float>(held, 1.0 - error));
  return threshold_given(std::move(held), value, std::move(weight), alike);
}

bool NoveltyThreshold::set(HeldNovelty held, const std::map<Label, Index>& came,
                           std::optional<float> own) {
  std::vector<float> weight;
  if (by_ != ThresholdBy::samples) {
    weight = by_classes(held.labels, by_ == ThresholdBy::recent ? came : std::map<Label, Index>{});
  }
  const double alike = by_groups_ ? design_effect(held, weight, aim_) : 1.0;
  if (!held.novelty.empty()) {
    held_ = {std::move(held.ids), held.novelty, weight};
  }
  if (own) {
    threshold_ = threshold_given(std::move(held.novelty), *own, std::move(weight), alike);
  } else if (!held.novelty.empty()) {
    threshold_ = placed(std::move(held.novelty), aim_, std::move(weight), alike);
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
  threshold_ =
      placed(std::move(threshold_->held), aim_, std::move(threshold_->weight), threshold_->alike);
}

std::vector<std::string> NoveltyThreshold::cautions(std::optional<float> own) const {
  constexpr double kRounding = 1e-6;  // weights are rounded
  if (own || plain_ || !threshold_ || accepted_error_ >= threshold_->least_error() - kRounding) {
    return {};
  }
  const std::size_t held = threshold_->held.size();
  const std::string more = accepted_error_ > 0.0 ? fmt::format("it takes {:.0f} that are not alike",
                                                               least_held(accepted_error_))
                                                 : "no number of them would do";
  // Rounded up, or the same number might be said to be too little and enough.
  const double least = std::ceil(1e4 * threshold_->least_error() - kRounding) / 100.0;
  return {fmt::format(
      "an accepted error of {:.3g} % cannot be promised from {} known sample{} not fitted on ({}); "
      "{:.3g} % can, and the threshold of novelty stands at the newest of them",
      100.0 * accepted_error_, held, held == 1 ? "" : "s", more, least)};
}

std::optional<GroupEvidence> NoveltyThreshold::with_groups(
    const std::vector<std::size_t>& which, const std::vector<std::uint8_t>& in_group,
    double suspected) const {
  TYTO_ASSERT(which.size() == in_group.size());
  if (!threshold_ || which.empty() || suspected <= aim_) {
    return std::nullopt;
  }
  std::vector<float> novelty;
  std::vector<float> weight;
  for (const std::size_t i : which) {
    novelty.push_back(held_.novelty[i]);
    if (!held_.weight.empty()) {
      weight.push_back(held_.weight[i]);
    }
  }
  const double alike = threshold_->alike;
  const float bonus =
      placed(novelty, aim_, weight, alike).value - placed(novelty, suspected, weight, alike).value;
  for (std::size_t i = 0; i < novelty.size(); ++i) {
    novelty[i] += in_group[i] != 0 ? bonus : 0.0F;
  }
  return GroupEvidence{bonus, placed(std::move(novelty), aim_, std::move(weight), alike)};
}

void save_threshold(const Threshold& threshold, State& state) {
  state.set("value", double{threshold.value});
  state.set("scale", double{threshold.scale});
  state.set("held", as_row(threshold.held));
  state.set("weight", as_row(threshold.weight));
  state.set("alike", double{threshold.alike});
}

Threshold loaded_threshold(const State& state) {
  Threshold out;
  out.value = static_cast<float>(state.get<double>("value"));
  out.scale = static_cast<float>(state.get<double>("scale"));
  out.held = as_list(state.get<Matrix>("held"));
  out.weight = as_list(state.get<Matrix>("weight"));
  out.alike = state.has("alike") ? state.get<double>("alike") : 1.0;
  out.sum_weights();
  return out;
}

void NoveltyThreshold::save(State& state) const {
  state.set("aim", double{aim_});
  if (threshold_) {
    save_threshold(*threshold_, state.make_child("threshold"));
  }
  state.set("held_ids", std::vector<std::int64_t>(held_.id.begin(), held_.id.end()));
  state.set("held_novelty", as_row(held_.novelty));
  state.set("held_weight", as_row(held_.weight));
}

void NoveltyThreshold::load(const State& state) {
  aim_ = state.get<double>("aim");
  threshold_.reset();
  if (state.children.contains("threshold")) {
    threshold_ = loaded_threshold(state.child("threshold"));
  }
  held_ = {};
  if (state.has("held_ids")) {  // not of a state written before these were kept
    const auto& ids = state.get<std::vector<std::int64_t>>("held_ids");
    held_.id.assign(ids.begin(), ids.end());
    held_.novelty = as_list(state.get<Matrix>("held_novelty"));
    held_.weight = as_list(state.get<Matrix>("held_weight"));
  }
}

}  // namespace tyto
