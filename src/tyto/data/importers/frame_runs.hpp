// SPDX-License-Identifier: Apache-2.0
// What importers of frames share: recordings that follow one another in one file of frames, and
// samples that are runs cut from them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/csv/csv.hpp"
#include "tyto/data/dataset.hpp"

namespace tyto {

// Frames `first` to `end` - 1.
struct FrameSpan {
  Index first = 0, end = 0;

  [[nodiscard]] Index size() const { return end - first; }

  bool operator==(const FrameSpan&) const = default;
};

// The rows of each recording: `length` names the column of its frames; where there is a column
// `start`, it must say the same. `seq` counts the recordings from 0.
std::vector<FrameSpan> read_recordings(const CsvTable& index, std::string_view length);

// Refuses a file of frames that has more or fewer than the recordings.
void expect_frames(const std::vector<FrameSpan>& recordings, Index rows, std::string_view index);

struct FrameSegment {
  Index recording = 0;
  std::string label;
  FrameSpan span;  // counted from the first frame of the recording
};

struct SegmentColumns {
  std::string_view first, end;
  bool end_is_last = false;  // the column names the last frame, not the one after it
  Index beyond = 0;          // frames past the end of a recording that are cut off, not refused
};

// In the order of the file. Refuses a segment that is empty, leaves its recording or begins before
// the one above it has ended.
std::vector<FrameSegment> read_segments(const CsvTable& csv, const SegmentColumns& columns,
                                        const std::vector<FrameSpan>& recordings);

// The run around each segment: with half of the gap before it and half of the gap after; where two
// segments touch, with half of the neighbour. The first of a recording begins with it, the last
// ends with it. Counted as the segments are.
std::vector<FrameSpan> runs_around(const std::vector<FrameSegment>& segments,
                                   const std::vector<FrameSpan>& recordings);

// A sample: a run of rows of the frames and, where it is not trimmed, the segment in it, counted
// from the first frame of the run.
struct FrameRun {
  std::string id, label, group, split;
  FrameSpan rows;
  std::optional<FrameSpan> segment = {};
};

// A run for each segment, cut out or as runs_around has it; id, group and split are left empty.
std::vector<FrameRun> runs_of(const std::vector<FrameSegment>& segments,
                              const std::vector<FrameSpan>& recordings, bool trimmed);

// Makes these the samples of the dataset; frames that two of them share are given to both. The
// segments become the annotations segment_first and segment_end.
void put_runs(Dataset& dataset, const std::vector<FrameRun>& runs,
              std::shared_ptr<const FeatureStore> frames);

// Refuses an id that stands twice; `file` is named in the sentence.
void expect_distinct_ids(const IndexTable& table, std::string_view file);

Matrix all_frames(const FeatureStore& store);  // of the source "features"

std::shared_ptr<const FeatureStore> frame_store(Matrix frames, std::vector<std::string> columns);

// The usual protocol of people by number: odd ones train.
inline std::string odd_trains(Index number) {
  return number % 2 == 1 ? "train" : "test";
}

}  // namespace tyto
