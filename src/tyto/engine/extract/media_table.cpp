// SPDX-License-Identifier: Apache-2.0
// Lists of media as tables: rows that name parts of videos, lists to compare with, and our own.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/engine/extract/media.hpp"

namespace tyto {

namespace {

std::string last_name(const std::string& id) {
  return std::filesystem::path(id).filename().string();
}

// Media by every name a table may call them.
class MediaNames {
 public:
  explicit MediaNames(const MediaList& media) {
    for (std::size_t i = 0; i < media.samples.size(); ++i) {
      const MediaSample& sample = media.samples[i];
      add(sample.id, i);
      add(last_name(sample.id), i);
      add(sample.path.filename().string(), i);
      add(sample.id + sample.path.extension().string(), i);
    }
  }

  enum class Found { none, one, several };

  [[nodiscard]] std::pair<Found, std::size_t> find(const std::string& name) const {
    const auto it = names_.find(name);
    if (it == names_.end()) {
      return {Found::none, 0};
    }
    return {it->second ? Found::one : Found::several, it->second.value_or(0)};
  }

 private:
  void add(const std::string& name, std::size_t i) {
    const auto [it, fresh] = names_.emplace(name, i);
    if (!fresh && it->second != i) {
      it->second.reset();
    }
  }

  std::unordered_map<std::string, std::optional<std::size_t>> names_;
};

const std::set<std::string, std::less<>> kSegmentColumns{
    "video", "id", "label", "split", "group", "start", "end", "first_frame", "end_frame"};

// Columns that mean something else in the index of a dataset.
const std::set<std::string, std::less<>> kTakenColumns{"source", "time", "frames", "thumbnail",
                                                       "thumbnail_frames"};

std::string cell(const CsvTable& csv, Index row, std::string_view column) {
  const auto at_column = csv.find(column);
  return at_column ? std::string(csv.text(row, *at_column)) : "";
}

double number_or_none(const CsvTable& csv, Index row, std::string_view column) {
  return cell(csv, row, column).empty() ? std::nan("") : csv.number(row, csv.column(column));
}

Index frame_or_none(const CsvTable& csv, Index row, std::string_view column) {
  const double value = number_or_none(csv, row, column);
  if (std::isnan(value)) {
    return -1;
  }
  if (value < 0 || value != std::floor(value)) {
    throw Error(ErrorKind::data, fmt::format("{}: {} is not the number of a frame, which is whole "
                                             "and counts from 0",
                                             csv.place(row, csv.column(column)), value));
  }
  return static_cast<Index>(value);
}

MediaSample read_row(const CsvTable& csv, Index row, const MediaSample& video) {
  MediaSample sample = video;
  sample.start = number_or_none(csv, row, "start");
  sample.end = number_or_none(csv, row, "end");
  sample.first_frame = frame_or_none(csv, row, "first_frame");
  sample.end_frame = frame_or_none(csv, row, "end_frame");
  const auto time = number_in<double>(cell(csv, row, "time"));  // a clock's is none
  sample.time = time.value_or(std::nan(""));
  if (csv.find("label")) {
    sample.label = cell(csv, row, "label");
  }
  if (csv.find("split")) {
    sample.split = cell(csv, row, "split");
  }
  sample.group = csv.find("group") ? cell(csv, row, "group") : video.id;
  sample.id = cell(csv, row, "id");
  if (sample.id.empty()) {
    sample.id = video.id;
    const std::string from = cell(csv, row, "start") + cell(csv, row, "first_frame");
    const std::string to = cell(csv, row, "end") + cell(csv, row, "end_frame");
    if (!from.empty() || !to.empty()) {
      sample.id += fmt::format("@{}-{}", from, to);
    }
  }
  for (std::size_t j = 0; j < csv.columns().size(); ++j) {
    const std::string& name = csv.columns()[j];
    if (!kSegmentColumns.contains(name) && !(name == "time" && time)) {
      const std::string kept = kTakenColumns.contains(name) ? "original_" + name : name;
      sample.annotations[kept] = csv.text(row, static_cast<Index>(j));
    }
  }
  return sample;
}

double length_of(const MediaSample& sample) {
  if (sample.end_frame >= 0 || sample.first_frame >= 0) {
    return static_cast<double>(sample.end_frame - std::max<Index>(sample.first_frame, 0));
  }
  return sample.end - (std::isnan(sample.start) ? 0.0 : sample.start);
}

bool is_part(const MediaSample& sample) {
  return !std::isnan(sample.start) || !std::isnan(sample.end) || sample.first_frame >= 0 ||
         sample.end_frame >= 0;
}

std::string bound(double seconds, Index frame) {
  return !std::isnan(seconds) ? fmt::format("{}", seconds)
         : frame >= 0         ? fmt::format("{}", frame)
                              : "";
}

// Of samples of one video that stand together: the one to keep, as a whole video.
void keep_untrimmed(const std::vector<MediaSample>& rows, std::size_t begin, std::size_t end,
                    MediaList& out) {
  const std::string& video = rows[begin].path.string();
  std::size_t best = end;
  double longest = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (rows[i].label != rows[begin].label) {
      out.problems.push_back({video, fmt::format("shows both \"{}\" and \"{}\"; untrimmed, a video "
                                                 "has one class",
                                                 rows[begin].label, rows[i].label)});
      return;
    }
    const double length = is_part(rows[i]) ? length_of(rows[i]) : 1e300;
    if (length > longest) {
      best = i;
      longest = length;
    }
  }
  if (best == end) {
    out.problems.push_back({video, "all its segments have no length"});
    return;
  }
  MediaSample whole = rows[best];
  whole.annotations["segment_start"] = bound(whole.start, whole.first_frame);
  whole.annotations["segment_end"] = bound(whole.end, whole.end_frame);
  whole.start = whole.end = std::nan("");
  whole.first_frame = whole.end_frame = -1;
  out.samples.push_back(std::move(whole));
}

}  // namespace

MediaList media_segments(const std::filesystem::path& table, const MediaList& media,
                         bool untrimmed) {
  const CsvTable csv = CsvTable::load(table);
  const Index video_column = csv.column("video");
  const MediaNames names(media);
  MediaList out;
  std::vector<std::pair<std::size_t, MediaSample>> rows;  // with the number of the video
  std::set<std::string> seen;
  for (Index row = 0; row < csv.rows(); ++row) {
    const std::string video(csv.text(row, video_column));
    const auto [found, at_media] = names.find(video);
    if (found != MediaNames::Found::one) {
      out.problems.push_back(
          {video, fmt::format("{}: {}", csv.place(row, video_column),
                              found == MediaNames::Found::none
                                  ? "there is no such video"
                                  : "several videos are called so; give the path")});
      continue;
    }
    MediaSample sample = read_row(csv, row, media.samples[at_media]);
    if (is_part(sample) && length_of(sample) <= 0) {
      out.problems.push_back(
          {sample.id, fmt::format("{}: the segment has no length", csv.place(row, video_column))});
      continue;
    }
    if (!untrimmed && !seen.insert(sample.id).second) {
      out.problems.push_back(
          {sample.id, fmt::format("{}: the row stands there twice", csv.place(row, video_column))});
      continue;
    }
    // Single pictures stay in the order of the table: 2.png before 10.png, if it has them so.
    const std::size_t place = sample.moving ? at_media : media.samples.size() + at(row);
    rows.emplace_back(place, std::move(sample));
  }
  // Rows of one video together and in the order of time, so that it is decoded once.
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    const auto key = [](const auto& row) {
      const double from = std::isnan(row.second.start)
                              ? static_cast<double>(std::max<Index>(row.second.first_frame, 0))
                              : row.second.start;
      return std::pair(row.first, from);
    };
    return untrimmed ? a.first < b.first : key(a) < key(b);
  });
  std::vector<MediaSample> samples;
  std::vector<std::size_t> videos;
  for (auto& [video, sample] : rows) {
    videos.push_back(video);
    samples.push_back(std::move(sample));
  }
  if (!untrimmed) {
    out.samples = std::move(samples);
    return out;
  }
  for (std::size_t begin = 0; begin < samples.size();) {
    std::size_t end = begin;
    while (end < samples.size() && videos[end] == videos[begin]) {
      ++end;
    }
    keep_untrimmed(samples, begin, end, out);
    begin = end;
  }
  return out;
}

MediaComparison compare_media(const std::filesystem::path& table, const MediaList& media) {
  const CsvTable csv = CsvTable::load(table);
  const Index column = csv.find("id") ? csv.column("id") : csv.column("video");
  const MediaNames names(media);
  std::vector<bool> wanted(media.samples.size(), false);
  MediaComparison out;
  for (Index row = 0; row < csv.rows(); ++row) {
    const std::string name(csv.text(row, column));
    const auto [found, i] = names.find(name);
    if (found == MediaNames::Found::one) {
      wanted[i] = true;
    } else {
      out.missing.push_back(name);
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) {
      out.extra.push_back(media.samples[i].id);
    }
  }
  return out;
}

std::string media_csv(const MediaList& media) {
  std::set<std::string> extra;
  for (const MediaSample& sample : media.samples) {
    for (const auto& [name, value] : sample.annotations) {
      extra.insert(name);
    }
  }
  std::string out = "id,label,split,group,path,moving,start,end,first_frame,end_frame,time";
  for (const std::string& name : extra) {
    out += ',';
    append_csv_field(out, "a:" + name);
  }
  out += '\n';
  for (const MediaSample& sample : media.samples) {
    const auto number = [](double value) {
      return std::isnan(value) ? std::string() : fmt::format("{}", value);
    };
    const std::string frame_first = bound(std::nan(""), sample.first_frame);
    const std::string frame_end = bound(std::nan(""), sample.end_frame);
    const std::vector<std::string> cells{sample.id,
                                         sample.label,
                                         sample.split,
                                         sample.group,
                                         sample.path.string(),
                                         sample.moving ? "1" : "0",
                                         number(sample.start),
                                         number(sample.end),
                                         frame_first,
                                         frame_end,
                                         number(sample.time)};
    for (std::size_t j = 0; j < cells.size(); ++j) {
      out += j == 0 ? "" : ",";
      append_csv_field(out, cells[j]);
    }
    for (const std::string& name : extra) {
      const auto it = sample.annotations.find(name);
      out += ',';
      append_csv_field(out, it == sample.annotations.end() ? "" : it->second);
    }
    out += '\n';
  }
  return out;
}

MediaList media_from_csv(const std::filesystem::path& path) {
  const CsvTable csv = CsvTable::load(path);
  MediaList out;
  for (Index row = 0; row < csv.rows(); ++row) {
    MediaSample sample;
    sample.id = cell(csv, row, "id");
    sample.label = cell(csv, row, "label");
    sample.split = cell(csv, row, "split");
    sample.group = cell(csv, row, "group");
    sample.path = cell(csv, row, "path");
    sample.moving = cell(csv, row, "moving") == "1";
    sample.start = number_or_none(csv, row, "start");
    sample.end = number_or_none(csv, row, "end");
    sample.first_frame = frame_or_none(csv, row, "first_frame");
    sample.end_frame = frame_or_none(csv, row, "end_frame");
    sample.time = number_or_none(csv, row, "time");
    for (std::size_t j = 0; j < csv.columns().size(); ++j) {
      if (csv.columns()[j].starts_with("a:")) {
        sample.annotations[csv.columns()[j].substr(2)] = csv.text(row, static_cast<Index>(j));
      }
    }
    out.samples.push_back(std::move(sample));
  }
  return out;
}

}  // namespace tyto
