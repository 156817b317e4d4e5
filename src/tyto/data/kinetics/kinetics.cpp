// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/kinetics/kinetics.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

// Of labels of k400, by the authors' hand.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kRenames{{
    {"balloon blowing", "inflating balloons"},
    {"dying hair", "dyeing hair"},
    {"garbage collecting", "person collecting garbage"},
    {"making bed", "making the bed"},
    {"strumming guitar", "playing guitar"},
    {"tying tie", "tying necktie"},
}};

constexpr std::size_t kReleases = kReleaseNames.size();
constexpr Index kNone = -1;

std::string_view renamed(std::size_t release, std::string_view label) {
  if (release == static_cast<std::size_t>(Release::k400)) {
    for (const auto& [from, to] : kRenames) {
      if (label == from) {
        return to;
      }
    }
  }
  return label;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

class Names {
 public:
  Names(const PerRelease<std::vector<KineticsRow>>& lists, bool merge_case)
      : merge_case_(merge_case) {
    for (std::size_t release = kReleases; release-- > 0;) {  // the newest spells
      for (const KineticsRow& row : lists[release]) {
        if (!row.label.empty() && listed_[release].insert(row.label).second) {
          const std::string_view name = renamed(release, row.label);
          spelling_.try_emplace(lower_case(name), name);
        }
      }
    }
  }

  [[nodiscard]] std::string unified(std::size_t release, std::string_view label) const {
    const std::string_view name = renamed(release, label);
    return merge_case_ ? spelling_.at(lower_case(name)) : std::string(name);
  }

  [[nodiscard]] std::vector<UnifiedName> all() const {
    std::map<std::string, UnifiedName> names;
    for (std::size_t release = 0; release < kReleases; ++release) {
      for (const std::string& label : listed_[release]) {
        UnifiedName& name = names[label];
        name.listed = label;
        name.unified = unified(release, label);
        name.in[release] = true;
      }
    }
    std::vector<UnifiedName> out;
    for (auto& [label, name] : names) {
      out.push_back(std::move(name));
    }
    return out;
  }

 private:
  bool merge_case_;
  PerRelease<std::set<std::string>> listed_;
  std::map<std::string, std::string> spelling_;  // by lower case
};

struct Clip {
  ClipKey key;
  bool by_id = false;  // first listed without times: every later row of the video may be it
  bool is_lost = false;
  PerRelease<const std::string*> label{};
  const KineticsRow* first = nullptr;
  Index next = kNone;  // clip of the same video
};

class Clips {
 public:
  // The clip of this key: of equal times, else one known by its id alone.
  [[nodiscard]] Index find(const ClipKey& key) const {
    const auto video = videos_.find(key.youtube_id);
    Index by_id = kNone;
    for (Index i = video == videos_.end() ? kNone : video->second; i != kNone;
         i = clips_[at(i)].next) {
      const Clip& clip = clips_[at(i)];
      if (!key.is_timed() || clip.key == key) {
        return i;
      }
      by_id = by_id == kNone && clip.by_id ? i : by_id;
    }
    return by_id;
  }

  Index find_or_add(const KineticsRow& row) {
    const Index found = find(row.key);
    if (found == kNone) {
      return add(row);
    }
    Clip& clip = clips_[at(found)];
    if (!clip.key.is_timed()) {
      clip.key = row.key;
    }
    return found;
  }

  Clip& operator[](Index i) { return clips_[at(i)]; }

 private:
  Index add(const KineticsRow& row) {
    const auto number = static_cast<Index>(clips_.size());
    Clip& clip = clips_.emplace_back();
    clip.key = row.key;
    clip.by_id = !row.key.is_timed();
    clip.first = &row;
    const auto [video, is_new] = videos_.try_emplace(row.key.youtube_id, number);
    if (!is_new) {  // behind the others, so that the first listed is found first
      Index last = video->second;
      while (clips_[at(last)].next != kNone) {
        last = clips_[at(last)].next;
      }
      clips_[at(last)].next = number;
    }
    return number;
  }

  std::vector<Clip> clips_;
  std::unordered_map<std::string_view, Index> videos_;  // first clip of each
};

class Unifier {
 public:
  Unifier(const PerRelease<std::vector<KineticsRow>>& lists, bool merge_case)
      : lists_(lists), names_(lists, merge_case) {}

  UnifiedKinetics operator()(std::span<const ClipKey> blacklist) {
    gather();
    for (const ClipKey& key : blacklist) {
      const Index clip = clips_.find(key);
      out_.blacklist_strays += clip == kNone ? 1 : 0;
      if (clip != kNone) {
        clips_[clip].is_lost = true;
      }
    }
    for (std::size_t release = 0; release < kReleases; ++release) {
      for (std::size_t row = 0; row < lists_[release].size(); ++row) {
        assign(release, row);
      }
    }
    out_.names = names_.all();
    return std::move(out_);
  }

 private:
  static bool is_unused(std::size_t release, std::size_t split) {
    return release == static_cast<std::size_t>(Release::k700) && kListSplits[split] == "test";
  }

  void gather() {
    for (std::size_t release = 0; release < kReleases; ++release) {
      clip_of_[release].assign(lists_[release].size(), kNone);
      for (std::size_t split = 0; split < kListSplits.size(); ++split) {
        for (std::size_t i = 0; i < lists_[release].size(); ++i) {
          const KineticsRow& row = lists_[release][i];
          if (row.split == split && !row.label.empty()) {
            place(release, i);
          }
        }
      }
    }
  }

  // Labelled rows that no split takes still say how an earlier clip is called.
  void place(std::size_t release, std::size_t i) {
    const KineticsRow& row = lists_[release][i];
    const Index clip =
        is_unused(release, row.split) ? clips_.find(row.key) : clips_.find_or_add(row);
    clip_of_[release][i] = clip;
    if (clip != kNone && clips_[clip].label[release] == nullptr) {
      clips_[clip].label[release] = &row.label;
    }
  }

  void assign(std::size_t release, std::size_t i) {
    const KineticsRow& row = lists_[release][i];
    ListCounts& counts = out_.counts[release][row.split];
    ++counts.rows;
    if (row.label.empty()) {
      ++counts.unlabelled;
    } else if (is_unused(release, row.split)) {
      ++counts.unused;
    } else if (const Clip& clip = clips_[clip_of_[release][i]]; clip.is_lost) {
      ++counts.lost;
    } else if (clip.first != &row) {
      ++counts.repeated;
    } else {
      ++counts.shown;
      out_.clips[release].push_back({clip.key, newest_label(clip), row.split});
    }
  }

  std::string newest_label(const Clip& clip) {
    std::size_t release = kReleases - 1;
    while (clip.label[release] == nullptr) {
      --release;  // the clip is shown, so some release labels it
    }
    const std::string& listed = *clip.label[release];
    const std::string_view name = renamed(release, listed);
    std::string unified = names_.unified(release, listed);
    if (name != listed) {
      ++out_.renamed[listed];
    }
    if (unified != name) {
      ++out_.recased[listed];
    }
    return unified;
  }

  const PerRelease<std::vector<KineticsRow>>& lists_;
  Names names_;
  Clips clips_;
  PerRelease<std::vector<Index>> clip_of_;  // by row
  UnifiedKinetics out_;
};

std::size_t release_of(const CsvTable& csv, Index row, Index column) {
  const std::string_view word = csv.text(row, column);
  const auto found =
      std::find(kReleaseNames.begin(), kReleaseNames.end(), word == "k700_2020" ? "k700" : word);
  if (found == kReleaseNames.end()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: \"{}\" is not one of k400, k600, k700 or k700_2020",
                            csv.place(row, column), word));
  }
  return static_cast<std::size_t>(found - kReleaseNames.begin());
}

}  // namespace

Index UnifiedKinetics::classes() const {
  std::set<std::string_view> distinct;
  for (const UnifiedName& name : names) {
    distinct.insert(name.unified);
  }
  return static_cast<Index>(distinct.size());
}

ListCounts UnifiedKinetics::total() const {
  ListCounts sum;
  for (const auto& release : counts) {
    for (const ListCounts& list : release) {
      sum.rows += list.rows;
      sum.shown += list.shown;
      sum.repeated += list.repeated;
      sum.lost += list.lost;
      sum.unlabelled += list.unlabelled;
      sum.unused += list.unused;
    }
  }
  return sum;
}

UnifiedKinetics unify_kinetics(const PerRelease<std::vector<KineticsRow>>& lists,
                               std::span<const ClipKey> blacklist, bool merge_case) {
  return Unifier(lists, merge_case)(blacklist);
}

PerRelease<Index> possible_classes(const UnifiedKinetics& unified, const CsvTable& changes) {
  std::map<std::string_view, std::string_view> unified_of;
  PerRelease<std::set<std::string_view>> carried;
  for (const UnifiedName& name : unified.names) {
    unified_of[name.listed] = name.unified;
    for (std::size_t release = 0; release < kReleases; ++release) {
      if (name.in[release]) {
        carried[release].insert(name.unified);
      }
    }
  }
  const Index from = changes.column("from_dataset");
  const Index to = changes.column("to_label");
  for (Index row = 0; row < changes.rows(); ++row) {
    const std::string_view label = changes.text(row, to);
    const auto found = unified_of.find(label);
    carried[release_of(changes, row, from)].insert(found == unified_of.end() ? label
                                                                             : found->second);
  }
  PerRelease<Index> counts{};
  std::set<std::string_view> so_far;
  for (std::size_t release = 0; release < kReleases; ++release) {
    so_far.merge(carried[release]);
    counts[release] = static_cast<Index>(so_far.size());
  }
  return counts;
}

}  // namespace tyto
