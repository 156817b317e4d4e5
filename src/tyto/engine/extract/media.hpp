// SPDX-License-Identifier: Apache-2.0
// What features are made of: pictures, videos, folders of numbered frames, and parts of videos that
// a table names.
#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct MediaSample {
  std::string id, label, split, group;
  std::filesystem::path path;  // a file, or a folder of numbered frames
  bool moving = false;         // a video; else one picture
  // The part that is meant, in seconds or in frames, the end not in it; NaN and -1: all of it.
  double start = std::numeric_limits<double>::quiet_NaN();
  double end = std::numeric_limits<double>::quiet_NaN();
  Index first_frame = -1, end_frame = -1;
  double time = std::numeric_limits<double>::quiet_NaN();  // of the sample; NaN: not told
  std::map<std::string, std::string> annotations = {};
};

struct MediaProblem {
  std::string id;  // of a sample, or a file's path
  std::string reason;
};

struct MediaList {
  // By id; those of one video together, by their start; pictures of a table as it has them.
  std::vector<MediaSample> samples;
  std::vector<MediaProblem> problems;  // what was asked for and cannot be
  Index ignored = 0;                   // files that are neither picture nor video
};

struct MediaOptions {
  bool single_pictures = false;  // pictures are samples also where they are numbered
};

// All media at or below these files and folders. Below a folder the id is the path without the
// suffix and the label its first folder; one called train, validate, val or test is the split. A
// folder of pictures whose names differ in their number alone is a video. Throws Error(io) for a
// source that is not there, Error(data) where two have one id.
MediaList find_media(const std::vector<std::filesystem::path>& sources,
                     const MediaOptions& options = {});

// One sample per row of a table with the columns video and, as there are, start and end (seconds)
// or first_frame and end_frame, label, split, group, time, id; others become annotations. A video
// is found by its id, its file name or its name without folder and suffix. `untrimmed`: one sample
// per video, the whole of it: of those with a single class, the row that covers the largest share;
// a video of several classes is left out, as are rows of no length.
MediaList media_segments(const std::filesystem::path& table, const MediaList& media,
                         bool untrimmed);

// Which ids of the table's column `id` (or `video`) the samples lack, and which they have beyond.
struct MediaComparison {
  std::vector<std::string> missing, extra;
};

MediaComparison compare_media(const std::filesystem::path& table, const MediaList& media);

// The list as a CSV, and back: what a resumed extraction goes on with.
std::string media_csv(const MediaList& media);
MediaList media_from_csv(const std::filesystem::path& path);

// The frames of a video of n frames that a sample means: first and end. Bounds in seconds are
// rounded to the nearest frame, halves to even; what lies beyond the end is cut off.
std::pair<Index, Index> frames_of(const MediaSample& sample, Index n, double fps);

}  // namespace tyto
