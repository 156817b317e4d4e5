// SPDX-License-Identifier: Apache-2.0
// The releases of one collection, by age, as one set of clips under one set of labels.
//
// Label: that of the newest release which labels the clip (or of the oldest). Names pass the
// renames of the release that gives them, then what each later release supersedes. Names that
// differ only in letter case (ASCII) become one, in the spelling of the release that has the say,
// the first listed. Place: first come, first assigned; releases by age, in each its splits in
// order, then as listed. Two rows are one clip if id and times are equal, or, where one of them has
// no times, the id alone. A row without times is the first clip listed of its video. Where there is
// none yet, it is a clip that takes in all later rows of the video, so that nothing is shown twice,
// and the first's times. Time O(rows) for few clips per video.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/data/releases/release_list.hpp"

namespace tyto {

// What a name becomes, in one step.
using NewNames = std::map<std::string, std::string, std::less<>>;

struct ReleaseRules {
  std::string name;
  std::vector<ListSplit> splits = standard_splits();
  NewNames renames = {};     // of labels that this release gives
  NewNames supersedes = {};  // of labels that earlier ones give, after their own renames
};

struct UnifyRules {
  std::vector<ReleaseRules> releases;
  bool recent_first = true;  // false: the first release that labels a clip names it
  bool merge_case = true;

  // What a label of that release is called, letter case aside.
  [[nodiscard]] std::string_view renamed(std::size_t release, std::string_view label) const;
};

struct UnifiedClip {
  ClipKey key;
  std::string label;
  std::size_t split = 0;  // of its release's splits
};

struct UnifiedName {
  std::string listed, unified;
  std::vector<bool> in = {};  // by release
};

// Each row is counted in one of the five below `rows`.
struct ListCounts {
  Index rows = 0;
  Index shown = 0;
  Index repeated = 0;    // shown by an earlier row
  Index lost = 0;        // on the black list
  Index unlabelled = 0;  // no label in this row
  Index unused = 0;      // labelled, in a split that no split of the benchmark takes

  ListCounts& operator+=(const ListCounts& other);
};

struct UnifiedReleases {
  std::vector<std::vector<UnifiedClip>> clips;  // by release, as listed
  std::vector<UnifiedName> names;               // by listed name
  std::vector<std::vector<ListCounts>> counts;  // by release and split
  // Clips shown by the listed name that a rename, or the merge of letter cases, took from them.
  std::map<std::string, Index> renamed, recased;
  std::vector<std::size_t> strays;  // of the black list, those that are no labelled clip

  [[nodiscard]] Index classes() const;  // distinct unified names
  [[nodiscard]] ListCounts total(std::size_t release) const;
  [[nodiscard]] ListCounts total() const;
};

// A list of rows for each release of the rules.
UnifiedReleases unify_releases(const std::vector<std::vector<ListedRow>>& lists,
                               const UnifyRules& rules, std::span<const LostClip> blacklist = {});

std::string folded_case(std::string_view text);  // ASCII

}  // namespace tyto
