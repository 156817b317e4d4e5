// SPDX-License-Identifier: Apache-2.0
// What feedback makes of the groups: names for some, and the end of what their members explain.
#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

void Discovery::revise(const Experience& experience, LabelSpace& space, Work& work) {
  if (pool_.size() == 0) {
    return;
  }
  if (experience.starts_over()) {  // the pool's features mean nothing any more
    for (const Group& group : groups_) {
      if (group.label != Label::unknown) {
        space.retire(group.label, Label::unknown, "dissolved: the features have moved");
      }
    }
    groups_.clear();
    scored_.clear();
    scores_.reset();
    pool_.clear();
    return;
  }
  // Names that members were given in this lesson.
  std::vector<std::map<Label, Index>> votes(groups_.size());
  std::vector<std::uint8_t> gone(static_cast<std::size_t>(pool_.size()), 0);
  std::vector<Index> fresh(
      static_cast<std::size_t>(std::max<Index>(0, experience.size() - experience.fresh())));
  std::iota(fresh.begin(), fresh.end(), experience.fresh());
  const Samples samples = experience.samples(fresh);
  bool touched = false;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const Label label = experience.labels()[static_cast<std::size_t>(fresh[i])];
    const auto place = pool_.find(samples.id(static_cast<Index>(i)));
    if (label == Label::unknown || !place) {
      continue;
    }
    touched = true;
    gone[static_cast<std::size_t>(*place)] = 1;
    if (const std::int32_t group = pool_.groups()[static_cast<std::size_t>(*place)]; group >= 0) {
      ++votes[static_cast<std::size_t>(group)][label];
    }
  }
  if (!touched && !options_.known) {
    return;
  }
  std::vector<std::uint8_t> named(groups_.size(), 0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Index all = 0;
    const std::pair<const Label, Index>* top = nullptr;
    for (const auto& vote : votes[g]) {
      all += vote.second;
      if (top == nullptr || vote.second > top->second) {
        top = &vote;
      }
    }
    if (top == nullptr || 2 * top->second < all) {
      continue;
    }
    named[g] = 1;
    rename(groups_[g].label, top->first);
    if (groups_[g].label != Label::unknown) {
      space.retire(groups_[g].label, top->first,
                   fmt::format("named by feedback: {} of {} labelled members are {}", top->second,
                               all, space.name(top->first)));
    }
  }
  // The other members of a group that was named are explained by that class.
  std::vector<std::int32_t> number(groups_.size(), GroupPool::kNone);
  std::vector<Group> still;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (named[g] == 0) {
      number[g] = static_cast<std::int32_t>(still.size());
      still.push_back(groups_[g]);
    }
  }
  std::vector<std::int32_t> groups = pool_.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] >= 0) {
      gone[i] = named[static_cast<std::size_t>(groups[i])] != 0 ? 1 : gone[i];
      groups[i] = number[static_cast<std::size_t>(groups[i])];
    }
  }
  pool_.set_groups(std::move(groups));
  pool_.remove(gone);
  groups_ = std::move(still);
  const auto members = group_sizes(pool_.groups(), groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {  // all members named, each otherwise
    if (members[g] == 0 && groups_[g].label != Label::unknown) {
      space.retire(groups_[g].label, Label::unknown, "dissolved: its members bear several names");
      rename(groups_[g].label, Label::unknown);
      groups_[g].label = Label::unknown;
    }
  }
  if (!scores_) {  // these stay until the next grouping, under the names of today
    Guides guides = options_.known ? pick_guides(experience, work) : Guides{};
    Matrix of_guides, of_pool;
    guides.rows = seen(guides.rows, of_guides);
    refit(seen(pool_.rows(), of_pool), guides);
  }
}

void Discovery::rename(Label from, Label to) {
  if (scores_ && from != Label::unknown) {
    std::replace(scored_.begin(), scored_.end(), from, to);
  }
}

}  // namespace tyto
