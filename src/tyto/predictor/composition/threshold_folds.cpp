// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/threshold_folds.hpp"

#include <algorithm>
#include <set>

#include "tyto/math/folds.hpp"

namespace tyto {

namespace {

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
  if (std::ssize(rows) <= kMostFolded) {
    out.samples = experience.samples(rows);
  }
  return out;
}

FoldLesson lesson_without(Index fold, const Folds& folds, const Labelled& all,
                          const std::vector<bool>& counts, const LabelSpace& space) {
  std::set<Label> fitted;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    if (folds.of[i] != fold) {
      fitted.insert(all.labels[i]);
    }
  }
  FoldLesson out;
  out.fold = fold;
  std::vector<Index> picked;
  std::vector<Index> left_out;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    const bool leave_out = folds.of[i] == fold;
    // To a predictor that has none of a class, it is new: that says nothing of the class.
    if (leave_out && !(counts[i] && fitted.contains(all.labels[i]))) {
      continue;
    }
    picked.push_back(static_cast<Index>(i));
    out.lesson.names.push_back(space.name(all.labels[i]));
    out.lesson.roles.push_back(leave_out ? Role::hold : Role::fit);
    if (leave_out) {
      left_out.push_back(static_cast<Index>(i));
      out.labels.push_back(all.labels[i]);
    }
  }
  out.lesson.samples = all.samples.pick(picked);
  out.left_out = all.samples.pick(left_out);
  return out;
}

}  // namespace

std::vector<FoldLesson> fold_lessons(const Gathered& experience, const HeldOut& held_out,
                                     Index wanted, bool by_groups, const Rng& rng) {
  if (wanted < 2) {
    return {};
  }
  const Labelled all = labelled_of(experience);
  if (all.samples.size() < 2 || held_out.has_given_roles(all.samples, all.roles)) {
    return {};
  }
  const std::vector<bool> counts = held_out.that_count(all.samples, all.labels);
  const Folds folds = make_folds(all.samples, wanted, by_groups, rng);
  std::vector<FoldLesson> lessons;
  for (Index fold = 0; fold < folds.count; ++fold) {
    FoldLesson without = lesson_without(fold, folds, all, counts, experience.space());
    if (!without.labels.empty()) {
      lessons.push_back(std::move(without));
    }
  }
  return lessons;
}

}  // namespace tyto
