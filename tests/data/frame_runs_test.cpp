// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/importers/frame_runs.hpp"

#include "data/frame_baseline.hpp"
#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<FrameSpan> recordings_of(const std::string& text, std::string_view length = "frames") {
  return read_recordings(CsvTable::parse(text, "index.csv"), length);
}

std::vector<FrameSegment> segments_of(const std::string& rows, const SegmentColumns& columns) {
  return read_segments(CsvTable::parse("seq,class,first,end\n" + rows, "segments.csv"), columns,
                       {{0, 100}, {100, 130}});
}

TEST(FrameRuns, recordings_follow_one_another) {
  EXPECT_THAT(recordings_of("seq,start,frames\n0,0,5\n1,5,2\n"),
              ElementsAre(FrameSpan{0, 5}, FrameSpan{5, 7}));
  EXPECT_THAT(recordings_of("seq,samples\n0,3\n1,4\n", "samples"),
              ElementsAre(FrameSpan{0, 3}, FrameSpan{3, 7}));
  EXPECT_THAT(refusal([] { recordings_of("seq,start,frames\n0,0,5\n1,4,2\n"); }),
              HasSubstr("line 3, column \"start\": the recordings follow one another, so this one "
                        "begins at 5, not at 4"));
  EXPECT_THAT(refusal([] { recordings_of("seq,frames\n1,5\n"); }),
              HasSubstr("column \"seq\": the recordings are counted from 0, so 0 must stand here"));
  EXPECT_THAT(refusal([] { recordings_of("seq,frames\n0,0\n"); }),
              HasSubstr("a recording needs at least one frame"));
  EXPECT_THAT(refusal([] {
                expect_frames({{0, 5}, {5, 7}}, 8, "index.csv");
              }),
              HasSubstr("index.csv: the recordings have 7 frames in all, but there are 8"));
}

TEST(FrameRuns, segments_lie_in_their_recordings_one_after_the_other) {
  const auto segments = segments_of("0,a,10,20\n0,b,20,30\n1,a,0,30\n", {"first", "end"});
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[1].label, "b");
  EXPECT_EQ(segments[1].span, (FrameSpan{20, 30}));
  EXPECT_EQ(segments[2].recording, 1);
  const auto refused = [](const std::string& rows) {
    return refusal([&] { segments_of(rows, {"first", "end"}); });
  };
  EXPECT_THAT(refused("2,a,0,5\n"), HasSubstr("there is no recording 2; they are 0 to 1"));
  EXPECT_THAT(refused("1,a,0,31\n"),
              HasSubstr("frames 0 to 30 are no stretch of recording 1, which has 30"));
  EXPECT_THAT(refused("1,a,5,5\n"), HasSubstr("line 2, column \"end\": frames 5 to 4 are no"));
  EXPECT_THAT(refused("0,a,5,9\n0,b,8,12\n"),
              HasSubstr("line 3, column \"first\": a segment begins at frame 8 of recording 0 "
                        "before the one above it has ended"));
  EXPECT_THAT(refused("1,a,5,9\n0,b,8,12\n"), HasSubstr("begins at frame 8 of recording 0"));
}

TEST(FrameRuns, a_last_frame_is_included_and_one_past_the_end_cut_off_where_allowed) {
  const SegmentColumns last{"first", "end", true, 1};
  EXPECT_EQ(segments_of("1,a,10,28\n", last)[0].span, (FrameSpan{10, 29}));
  EXPECT_EQ(segments_of("1,a,10,30\n", last)[0].span, (FrameSpan{10, 30}));
  EXPECT_THAT(refusal([&] { segments_of("1,a,10,31\n", last); }), HasSubstr("no stretch"));
}

TEST(FrameRuns, surroundings_are_shared_in_the_middle_of_a_gap) {
  // Gaps of 10 and 5 frames; the first run begins with the recording, the last ends with it.
  const std::vector<FrameSegment> segments{
      {0, "a", {4, 20}}, {0, "b", {30, 40}}, {0, "c", {45, 50}}, {1, "a", {3, 9}}};
  EXPECT_THAT(
      runs_around(segments, {{0, 100}, {100, 130}}),
      ElementsAre(FrameSpan{0, 25}, FrameSpan{25, 42}, FrameSpan{42, 100}, FrameSpan{0, 30}));
}

TEST(FrameRuns, segments_that_touch_get_half_of_their_neighbour) {
  const std::vector<FrameSegment> segments{
      {0, "a", {0, 20}}, {0, "b", {20, 40}}, {0, "c", {40, 50}}};
  EXPECT_THAT(runs_around(segments, {{0, 50}}),
              ElementsAre(FrameSpan{0, 30}, FrameSpan{10, 45}, FrameSpan{30, 50}));
}

TEST(FrameRuns, a_run_counts_rows_of_the_file_and_its_segment_frames_of_the_run) {
  const std::vector<FrameSegment> segments{{1, "a", {4, 6}}, {1, "b", {10, 12}}};
  const std::vector<FrameSpan> recordings{{0, 100}, {100, 120}};
  const auto untrimmed = runs_of(segments, recordings, false);
  EXPECT_EQ(untrimmed[1].rows, (FrameSpan{108, 120}));
  EXPECT_EQ(untrimmed[1].segment, (FrameSpan{2, 4}));
  EXPECT_EQ(untrimmed[1].label, "b");
  const auto trimmed = runs_of(segments, recordings, true);
  EXPECT_EQ(trimmed[1].rows, (FrameSpan{110, 112}));
  EXPECT_FALSE(trimmed[1].segment.has_value());
}

TEST(FrameRuns, samples_that_share_frames_have_a_copy_each) {
  Matrix rows(4, 1);
  rows << 0, 1, 2, 3;
  Dataset data;
  put_runs(data,
           {{"x", "a", "g", "train", {0, 3}, FrameSpan{0, 2}},
            {"y", "b", "g", "test", {1, 4}, FrameSpan{1, 3}}},
           frame_store(rows, {"value"}));
  EXPECT_THAT(data.table.frames, ElementsAre(3, 3));
  EXPECT_THAT(data.table.split, ElementsAre("train", "test"));
  EXPECT_THAT(data.table.annotations.at("segment_first"), ElementsAre("0", "1"));
  EXPECT_THAT(data.table.annotations.at("segment_end"), ElementsAre("2", "3"));
  EXPECT_EQ(frames_between(data, 0, 6), (Matrix(6, 1) << 0, 1, 2, 1, 2, 3).finished());
  EXPECT_THAT(data.store->column_names("features"), ElementsAre("value"));
  data.table.id[1] = "x";
  EXPECT_THAT(refusal([&] { expect_distinct_ids(data.table, "index.csv"); }),
              HasSubstr("index.csv: the sample x stands there twice"));
}

}  // namespace
}  // namespace tyto
