// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/tasks/trimming.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace tyto {

namespace {

struct ListedVideo {
  std::vector<Index> rows;  // of the list
  bool untrimmed = false;
};

std::vector<ListedVideo> videos_of(const TaskList& list) {
  std::map<std::string_view, std::size_t> place;
  std::vector<ListedVideo> videos;  // by first appearance
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    const auto [entry, is_new] = place.try_emplace(list.rows[i].video, videos.size());
    if (is_new) {
      videos.emplace_back();
    }
    videos[entry->second].rows.push_back(static_cast<Index>(i));
  }
  return videos;
}

// Of each split so many, drawn without regard to the other splits.
void draw_untrimmed(const TaskList& list, const TrimRule& rule, const Rng& rng,
                    std::vector<ListedVideo>& videos) {
  std::map<std::string_view, std::vector<std::size_t>> by_split;
  for (std::size_t v = 0; v < videos.size(); ++v) {
    by_split[list.rows[at(videos[v].rows.front())].split].push_back(v);
  }
  for (auto& [split, members] : by_split) {
    const double share = split == "train" ? rule.untrimmed_train : rule.untrimmed_test;
    const auto count = std::lround(share * static_cast<double>(members.size()));
    rng.fork(split).shuffle(members);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      videos[members[i]].untrimmed = true;
    }
  }
}

// Half to even, as the default rounding mode does.
Index frame_at(double seconds, const TaskListRow& row) {
  const auto frame = static_cast<Index>(std::nearbyint(seconds * row.fps));
  return std::min(frame, row.video_frames);
}

void show_segments(const TaskList& list, const ListedVideo& video, Index least, TrimmedList& out) {
  for (const Index i : video.rows) {
    const TaskListRow& row = list.rows[at(i)];
    const TaskItem item{i, frame_at(row.start_s, row), frame_at(row.end_s, row), false};
    if (item.end - item.first < least) {
      ++out.too_short;
    } else {
      out.items.push_back(item);
    }
  }
}

void show_whole(const TaskList& list, const ListedVideo& video, TrimmedList& out) {
  const TaskListRow& first = list.rows[at(video.rows.front())];
  Index best = video.rows.front();
  const auto share = [&](Index i) {
    const TaskListRow& row = list.rows[at(i)];
    return (row.end_s - row.start_s) / (static_cast<double>(row.video_frames) / row.fps);
  };
  for (const Index i : video.rows) {
    if (list.rows[at(i)].label != first.label) {
      ++out.several_classes;
      return;
    }
    best = share(i) > share(best) ? i : best;
  }
  if (!(share(best) > 0)) {
    ++out.without_length;
    return;
  }
  out.items.push_back({best, 0, first.video_frames, true});
}

}  // namespace

std::vector<std::string> TrimmedList::notes() const {
  std::vector<std::string> notes;
  const auto note = [&](Index count, std::string_view what) {
    if (count > 0) {
      notes.push_back(fmt::format("{} {}", count, what));
    }
  };
  note(too_short, "segments left out: too few frames in them");
  note(several_classes, "untrimmed videos left out: segments of several classes");
  note(without_length, "untrimmed videos left out: no segment of any length");
  return notes;
}

TrimmedList trim_list(const TaskList& list, const TrimRule& rule, const Rng& rng) {
  TrimmedList out;
  if (!list.has_segments) {
    for (std::size_t i = 0; i < list.rows.size(); ++i) {
      out.items.push_back({static_cast<Index>(i), 0, 0, false});
    }
    return out;
  }
  std::vector<ListedVideo> videos = videos_of(list);
  draw_untrimmed(list, rule, rng, videos);
  for (const ListedVideo& video : videos) {
    if (video.untrimmed) {
      show_whole(list, video, out);
    } else {
      show_segments(list, video, rule.least_frames, out);
    }
  }
  std::stable_sort(out.items.begin(), out.items.end(),
                   [](const TaskItem& a, const TaskItem& b) { return a.row < b.row; });
  return out;
}

}  // namespace tyto
