// SPDX-License-Identifier: Apache-2.0
// Kinetics-400, -600 and -700-2020 as one set of clips under one set of labels.
//
// Label: that of the newest release which labels the clip; a label of k400 passes six renames.
// Names that differ only in letter case (ASCII) become one, in the newest spelling, the first
// listed. Place: first come, first assigned; releases by age, in each train, validate, test, then
// as listed. Two rows are one clip if id and times are equal, or, where one of them has no times,
// the id alone. A row without times is the first clip listed of its video. Where there is none yet,
// it is a clip that takes in all later rows of the video, so that nothing is shown twice, and the
// first's times. Time O(rows) for few clips per video.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/data/kinetics/kinetics_list.hpp"

namespace tyto {

struct UnifiedClip {
  ClipKey key;
  std::string label;
  std::size_t split = 0;  // of kListSplits, in the release it is shown with
};

struct UnifiedName {
  std::string listed, unified;
  PerRelease<bool> in{};
};

// Each row is counted in one of the five below `rows`.
struct ListCounts {
  Index rows = 0;
  Index shown = 0;
  Index repeated = 0;    // shown by an earlier row
  Index lost = 0;        // on the blacklist
  Index unlabelled = 0;  // no label in this row
  Index unused = 0;      // labelled test rows of k700, which no split takes
};

struct UnifiedKinetics {
  PerRelease<std::vector<UnifiedClip>> clips;    // as listed
  std::vector<UnifiedName> names;                // by listed name
  PerRelease<std::array<ListCounts, 3>> counts;  // by kListSplits
  // Clips shown by the listed name that a rename, or the merge of letter cases, took from them.
  std::map<std::string, Index> renamed, recased;
  Index blacklist_strays = 0;  // lines that are no clip

  [[nodiscard]] Index classes() const;  // distinct unified names
  [[nodiscard]] ListCounts total() const;
};

UnifiedKinetics unify_kinetics(const PerRelease<std::vector<KineticsRow>>& lists,
                               std::span<const ClipKey> blacklist = {}, bool merge_case = true);

// `changes` has columns from_dataset (k400, k600, k700 or k700_2020), from_label and to_label: what
// clips of one release are called in a later one. Returns how many unified classes clips of the
// releases up to each can carry: the names listed there and those their clips change to.
PerRelease<Index> possible_classes(const UnifiedKinetics& unified, const CsvTable& changes);

}  // namespace tyto
