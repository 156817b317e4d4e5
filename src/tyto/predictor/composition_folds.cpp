// SPDX-License-Identifier: Apache-2.0
// Novelty of labelled samples as predictors see it that were fitted without them: where few samples
// are held out, a threshold stands on these (docs/decisions/0012-thresholds-from-folds.md).
#include <deque>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tyto/calibrate/folds.hpp"
#include "tyto/parts/pooled_scale.hpp"
#include "tyto/predictor/composition.hpp"
#include "tyto/predictor/gathered.hpp"

namespace tyto {

namespace {

constexpr Index kMost = 4000;      // labelled samples; with more, enough are held out
constexpr Index kFewestDrawn = 5;  // of a class; with fewer its chosen samples count too

struct Folds {
  std::vector<Index> of;  // of each row
  Index count = 0;
};

// Whole groups where there are two or more: the next sample is likely to be of another group.
Folds make_folds(const Samples& samples, Index wanted, bool by_groups, const Rng& rng) {
  std::vector<Index> groups;
  for (Index i = 0; i < samples.size(); ++i) {
    groups.push_back(static_cast<Index>(samples.group(i)));
  }
  const auto found = std::ssize(std::set<Index>(groups.begin(), groups.end()));
  if (!by_groups || found < 2) {
    groups.clear();
  }
  const Index count = std::min(wanted, groups.empty() ? samples.size() : found);
  return {fold_of(samples.size(), groups, count, rng), count};
}

}  // namespace

std::vector<bool> Composition::that_count(const Samples& samples,
                                          const std::vector<Label>& labels) const {
  std::vector<bool> counts;
  std::map<Label, Index> drawn;
  for (Index i = 0; i < samples.size(); ++i) {
    counts.push_back(granted_unasked_.contains(static_cast<std::uint32_t>(samples.id(i))) ||
                     role_for(samples, i) == Role::hold);
    drawn[labels[static_cast<std::size_t>(i)]] += counts.back() ? 1 : 0;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = counts[i] || drawn.at(labels[i]) < kFewestDrawn;
  }
  return counts;
}

Composition::HeldNovelty Composition::score_folds(const Gathered& experience, const Work& work) {
  std::vector<Index> rows;
  std::vector<Label> labels;
  for (Index row = 0; row < experience.size(); ++row) {
    if (const Label label = experience.labels()[static_cast<std::size_t>(row)];
        label != Label::unknown) {
      rows.push_back(row);
      labels.push_back(label);
    }
  }
  if (config_.folds < 2 || std::ssize(rows) < 2 || std::ssize(rows) > kMost) {
    return {};
  }
  const Samples samples = experience.samples(rows);
  const std::vector<bool> counts = that_count(samples, labels);
  const Folds folds =
      make_folds(samples, config_.folds, config_.holdout_groups, work.rng.fork("folds"));

  PredictorConfig config = config_;
  config.folds = 0;
  config.sets.reset();
  const auto make = [this] {
    Parts parts = make_();
    parts.recogniser = nullptr;  // nothing is asked of these
    parts.alarm = nullptr;
    parts.feedback = nullptr;
    return parts;
  };
  HeldNovelty out;
  std::deque<Composition> without;
  std::vector<const Detector*> detectors;
  for (Index fold = 0; fold < folds.count; ++fold) {
    std::set<Label> fitted;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (folds.of[i] != fold) {
        fitted.insert(labels[i]);
      }
    }
    Lesson lesson;
    std::vector<Index> picked;
    std::vector<Index> left_out;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const bool out_of_it = folds.of[i] == fold;
      // To a predictor that has none of a class, it is new: that says nothing of the class.
      if (out_of_it && !(counts[i] && fitted.contains(labels[i]))) {
        continue;
      }
      picked.push_back(static_cast<Index>(i));
      lesson.names.push_back(experience.space().name(labels[i]));
      lesson.roles.push_back(out_of_it ? Role::hold : Role::fit);
      if (out_of_it) {
        left_out.push_back(static_cast<Index>(i));
        out.labels.push_back(labels[i]);
      }
    }
    if (left_out.empty()) {
      continue;
    }
    lesson.samples = samples.pick(picked);
    Composition& other = without.emplace_back(config, seed_, make);
    other.space_ = std::make_shared<const LabelSpace>(experience.space());
    Work own = work.fork(fmt::format("fold {}", fold));
    other.learn(lesson, own);
    const std::vector<float> novelty = other.examined(samples.pick(left_out)).novelty;
    out.novelty.insert(out.novelty.end(), novelty.begin(), novelty.end());
    detectors.push_back(other.parts_.detector);
  }
  if (auto* scale = dynamic_cast<PooledScale*>(parts_.detector);
      scale != nullptr && !detectors.empty()) {
    out.novelty = scale->pool(detectors);
    TYTO_ASSERT(out.novelty.size() == out.labels.size());
  }
  return out;
}

}  // namespace tyto
