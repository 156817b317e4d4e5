// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/releases/unify.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr Index kNone = -1;

class Names {
 public:
  Names(const std::vector<std::vector<ListedRow>>& lists, const UnifyRules& rules)
      : rules_(rules), listed_(lists.size()) {
    for (std::size_t i = 0; i < lists.size(); ++i) {  // who has the say spells
      const std::size_t release = rules.recent_first ? lists.size() - 1 - i : i;
      for (const ListedRow& row : lists[release]) {
        if (!row.label.empty() && listed_[release].insert(row.label).second) {
          const std::string_view name = rules.renamed(release, row.label);
          spelling_.try_emplace(folded_case(name), name);
        }
      }
    }
  }

  [[nodiscard]] std::string unified(std::size_t release, std::string_view label) const {
    const std::string_view name = rules_.renamed(release, label);
    return rules_.merge_case ? spelling_.at(folded_case(name)) : std::string(name);
  }

  [[nodiscard]] std::vector<UnifiedName> all() const {
    std::map<std::string, UnifiedName> names;
    for (std::size_t release = 0; release < listed_.size(); ++release) {
      for (const std::string& label : listed_[release]) {
        UnifiedName& name = names[label];
        const bool is_new = name.in.empty();
        name.listed = label;
        name.in.resize(listed_.size());
        if (is_new || rules_.recent_first) {
          name.unified = unified(release, label);
        }
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
  const UnifyRules& rules_;
  std::vector<std::set<std::string>> listed_;    // by release
  std::map<std::string, std::string> spelling_;  // by lower case
};

struct Clip {
  ClipKey key;
  bool by_id = false;  // first listed without times: every later row of the video may be it
  bool is_lost = false;
  const std::string* label = nullptr;  // of the release that has the say so far
  std::size_t labelled_by = 0;
  const ListedRow* first = nullptr;
  Index next = kNone;  // clip of the same video
};

class Clips {
 public:
  // The clip of this key: of equal times, else one known by its id alone.
  [[nodiscard]] Index find(const ClipKey& key) const {
    const auto video = videos_.find(key.video);
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

  Index find_or_add(const ListedRow& row) {
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
  Index add(const ListedRow& row) {
    const auto number = static_cast<Index>(clips_.size());
    Clip& clip = clips_.emplace_back();
    clip.key = row.key;
    clip.by_id = !row.key.is_timed();
    clip.first = &row;
    const auto [video, is_new] = videos_.try_emplace(row.key.video, number);
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
  Unifier(const std::vector<std::vector<ListedRow>>& lists, const UnifyRules& rules)
      : lists_(lists), rules_(rules), names_(lists, rules), clip_of_(lists.size()) {
    TYTO_ASSERT(lists.size() == rules.releases.size());
    out_.clips.resize(lists.size());
    for (const ReleaseRules& release : rules.releases) {
      out_.counts.emplace_back(release.splits.size());
    }
  }

  UnifiedReleases operator()(std::span<const LostClip> blacklist) {
    gather();
    for (std::size_t i = 0; i < blacklist.size(); ++i) {
      const Index clip = clips_.find(blacklist[i].key);
      if (clip == kNone) {
        out_.strays.push_back(i);
      } else {
        clips_[clip].is_lost = true;
      }
    }
    for (std::size_t release = 0; release < lists_.size(); ++release) {
      for (std::size_t row = 0; row < lists_[release].size(); ++row) {
        assign(release, row);
      }
    }
    out_.names = names_.all();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_unused(std::size_t release, std::size_t split) const {
    return rules_.releases[release].splits[split].is_unused();
  }

  void gather() {
    for (std::size_t release = 0; release < lists_.size(); ++release) {
      clip_of_[release].assign(lists_[release].size(), kNone);
      for (std::size_t split = 0; split < rules_.releases[release].splits.size(); ++split) {
        for (std::size_t i = 0; i < lists_[release].size(); ++i) {
          const ListedRow& row = lists_[release][i];
          if (row.split == split && !row.label.empty()) {
            place(release, i);
          }
        }
      }
    }
  }

  // Labelled rows that no split takes still say how an earlier clip is called.
  void place(std::size_t release, std::size_t i) {
    const ListedRow& row = lists_[release][i];
    const Index number =
        is_unused(release, row.split) ? clips_.find(row.key) : clips_.find_or_add(row);
    clip_of_[release][i] = number;
    if (number == kNone) {
      return;
    }
    Clip& clip = clips_[number];
    if (clip.label == nullptr || (rules_.recent_first && clip.labelled_by < release)) {
      clip.label = &row.label;
      clip.labelled_by = release;
    }
  }

  void assign(std::size_t release, std::size_t i) {
    const ListedRow& row = lists_[release][i];
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
      out_.clips[release].push_back({clip.key, label_of(clip), row.split});
    }
  }

  std::string label_of(const Clip& clip) {
    const std::string_view name = rules_.renamed(clip.labelled_by, *clip.label);
    std::string unified = names_.unified(clip.labelled_by, *clip.label);
    if (name != *clip.label) {
      ++out_.renamed[*clip.label];
    }
    if (unified != name) {
      ++out_.recased[*clip.label];
    }
    return unified;
  }

  const std::vector<std::vector<ListedRow>>& lists_;
  const UnifyRules& rules_;
  Names names_;
  Clips clips_;
  std::vector<std::vector<Index>> clip_of_;  // by release and row
  UnifiedReleases out_;
};

}  // namespace

std::string folded_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

std::string_view UnifyRules::renamed(std::size_t release, std::string_view label) const {
  const auto step = [&](const NewNames& names) {
    const auto found = names.find(label);
    label = found == names.end() ? label : std::string_view(found->second);
  };
  step(releases[release].renames);
  for (std::size_t later = release + 1; later < releases.size(); ++later) {
    step(releases[later].supersedes);
  }
  return label;
}

ListCounts& ListCounts::operator+=(const ListCounts& other) {
  rows += other.rows;
  shown += other.shown;
  repeated += other.repeated;
  lost += other.lost;
  unlabelled += other.unlabelled;
  unused += other.unused;
  return *this;
}

Index UnifiedReleases::classes() const {
  std::set<std::string_view> distinct;
  for (const UnifiedName& name : names) {
    distinct.insert(name.unified);
  }
  return static_cast<Index>(distinct.size());
}

ListCounts UnifiedReleases::total(std::size_t release) const {
  ListCounts sum;
  for (const ListCounts& list : counts[release]) {
    sum += list;
  }
  return sum;
}

ListCounts UnifiedReleases::total() const {
  ListCounts sum;
  for (std::size_t release = 0; release < counts.size(); ++release) {
    sum += total(release);
  }
  return sum;
}

UnifiedReleases unify_releases(const std::vector<std::vector<ListedRow>>& lists,
                               const UnifyRules& rules, std::span<const LostClip> blacklist) {
  return Unifier(lists, rules)(blacklist);
}

}  // namespace tyto
