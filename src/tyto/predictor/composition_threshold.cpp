// SPDX-License-Identifier: Apache-2.0
// The threshold of novelty: from held-out samples or, where few are labelled, from samples as
// predictors see them that were fitted without them (docs/decisions/0012-thresholds-from-folds.md).
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/math/folds.hpp"
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

struct Labelled {
  Samples samples;
  std::vector<Label> labels;
  std::vector<Role> roles;
};

Labelled labelled_of(const Gathered& experience) {
  Labelled out;
  std::vector<Index> rows;
  for (Index row = 0; row < experience.size(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    if (experience.labels()[at] != Label::unknown) {
      rows.push_back(row);
      out.labels.push_back(experience.labels()[at]);
      out.roles.push_back(experience.roles()[at]);
    }
  }
  if (std::ssize(rows) <= kMost) {
    out.samples = experience.samples(rows);
  }
  return out;
}

struct FoldLesson {
  Lesson lesson;                // all other folds to fit on, and what is left out held
  std::vector<Index> left_out;  // rows that count
};

FoldLesson lesson_without(Index fold, const Folds& folds, const Labelled& all,
                          const std::vector<bool>& counts, const LabelSpace& space) {
  std::set<Label> fitted;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    if (folds.of[i] != fold) {
      fitted.insert(all.labels[i]);
    }
  }
  FoldLesson out;
  std::vector<Index> picked;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    const bool left_out = folds.of[i] == fold;
    // To a predictor that has none of a class, it is new: that says nothing of the class.
    if (left_out && !(counts[i] && fitted.contains(all.labels[i]))) {
      continue;
    }
    picked.push_back(static_cast<Index>(i));
    out.lesson.names.push_back(space.name(all.labels[i]));
    out.lesson.roles.push_back(left_out ? Role::hold : Role::fit);
    if (left_out) {
      out.left_out.push_back(static_cast<Index>(i));
    }
  }
  out.lesson.samples = all.samples.pick(picked);
  return out;
}

}  // namespace

bool Composition::has_given_roles(const Samples& samples, const std::vector<Role>& roles) const {
  for (Index i = 0; i < samples.size(); ++i) {
    if (roles[static_cast<std::size_t>(i)] == Role::hold && role_for(samples, i) == Role::fit) {
      return true;
    }
  }
  return false;
}

void Composition::note_unasked(const Samples& samples) {
  if (config_.folds == 0 || samples.size() > kMost) {
    return;  // folds will never be made
  }
  for (Index i = 0; i < samples.size(); ++i) {
    granted_unasked_.insert(static_cast<std::uint32_t>(samples.id(i)));
  }
}

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
  if (config_.folds < 2) {
    return {};
  }
  const Labelled all = labelled_of(experience);
  // A validation split was given to be what the threshold rests on.
  if (all.samples.size() < 2 || has_given_roles(all.samples, all.roles)) {
    return {};
  }
  const std::vector<bool> counts = that_count(all.samples, all.labels);
  const Folds folds =
      make_folds(all.samples, config_.folds, config_.holdout_groups, work.rng.fork("folds"));

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
    const auto [lesson, left_out] = lesson_without(fold, folds, all, counts, experience.space());
    if (left_out.empty()) {
      continue;
    }
    Composition& other = without.emplace_back(config, seed_, make);
    other.space_ = std::make_shared<const LabelSpace>(experience.space());
    Work own = work.fork(fmt::format("fold {}", fold));
    other.learn(lesson, own);
    detectors.push_back(other.parts_.detector);
    const std::vector<float> novelty = other.examined(all.samples.pick(left_out)).novelty;
    out.novelty.insert(out.novelty.end(), novelty.begin(), novelty.end());
    for (const Index row : left_out) {
      out.labels.push_back(all.labels[static_cast<std::size_t>(row)]);
    }
  }
  if (auto* scale = dynamic_cast<PooledScale*>(parts_.detector);
      scale != nullptr && !detectors.empty()) {
    out.novelty = scale->pool(detectors);
    TYTO_ASSERT(out.novelty.size() == out.labels.size());
  }
  return out;
}

Composition::HeldNovelty Composition::score_held(const Gathered& experience) const {
  HeldNovelty held;
  experience.each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label> labels) {
    held.labels.insert(held.labels.end(), labels.begin(), labels.end());
    Evidence evidence = block;
    parts_.detector->detect(evidence);
    held.novelty.insert(held.novelty.end(), evidence.novelty.begin(), evidence.novelty.end());
  });
  return held;
}

void Composition::set_threshold(const Gathered& experience, const Work& work) {
  if (config_.threshold_frozen && threshold_) {
    return;
  }
  HeldNovelty scored = score_folds(experience, work);
  if (scored.novelty.empty()) {
    scored = score_held(experience);
  }
  auto& [held, classes] = scored;
  std::map<Label, float> count;
  for (const Label label : classes) {
    ++count[label];
  }
  std::vector<float> weight;
  if (config_.threshold_by_classes) {
    const float each = static_cast<float>(held.size()) / static_cast<float>(count.size());
    for (const Label label : classes) {
      weight.push_back(each / count.at(label));
    }
  }
  if (const auto own = parts_.detector->own_threshold()) {
    threshold_ = threshold_given(std::move(held), *own, std::move(weight));
    return;
  }
  if (held.empty()) {
    if (threshold_) {
      return;  // a small lesson without held-out samples leaves the threshold as it was
    }
    throw Error(ErrorKind::data,
                fmt::format("{}: none of {} labelled samples was held out (holdout {}), so no "
                            "threshold can be set; give more samples or a larger holdout",
                            config_.name, experience.size(), config_.holdout));
  }
  threshold_ = threshold_at(std::move(held), aim_, std::move(weight));
}

void Composition::hear(const std::map<std::string, double>& measures) {
  const auto told = measures.find("false_alarm_rate");
  if (told == measures.end() || !threshold_ || threshold_->held.empty() ||
      config_.threshold_frozen || parts_.detector->own_threshold()) {
    return;
  }
  aim_ = std::clamp(aim_ + config_.heed * (config_.accepted_error - told->second), 0.0, 1.0);
  threshold_ = threshold_at(std::move(threshold_->held), aim_, std::move(threshold_->weight));
}

}  // namespace tyto
