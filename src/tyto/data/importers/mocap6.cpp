// SPDX-License-Identifier: Apache-2.0
// Importer of mocap6: exercises as runs of joint angles, cut out or with their neighbours.
#include <set>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/frame_runs.hpp"
#include "tyto/data/importers/pieces.hpp"

namespace tyto {

namespace {

constexpr std::string_view kMocapFrames = "frames.csv.gz";

std::shared_ptr<const FeatureStore> mocap_frames(const CsvTable& csv,
                                                 const std::vector<FrameSpan>& recordings,
                                                 std::string_view index_name) {
  std::vector<Index> columns;
  std::vector<std::string> names;
  for (Index column = csv.column("class") + 1; column < std::ssize(csv.columns()); ++column) {
    columns.push_back(column);
    names.push_back(csv.columns()[at(column)]);
  }
  expect_frames(recordings, csv.rows(), index_name);
  const auto seq = csv.counts(csv.column("seq"));
  const auto frame = csv.counts(csv.column("frame"));
  for (std::size_t r = 0; r < recordings.size(); ++r) {
    for (Index row = recordings[r].first; row < recordings[r].end; ++row) {
      if (at(seq[at(row)]) != r || frame[at(row)] != row - recordings[r].first) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: line {}: here stands frame {} of sequence {}, not {} of {}",
                                csv.name(), csv.line(row), frame[at(row)], seq[at(row)],
                                row - recordings[r].first, r));
      }
    }
  }
  return frame_store(csv.matrix(columns), std::move(names));
}

Dataset read_mocap6(const std::filesystem::path& folder, std::string_view variant) {
  const CsvTable index = CsvTable::load(needed_file(folder, "index.csv"));
  const auto recordings = read_recordings(index, "frames");
  const auto segments = read_segments(CsvTable::load(needed_file(folder, "segments.csv")),
                                      {"first_frame", "end_frame"}, recordings);
  Dataset dataset;
  dataset.name = fmt::format("mocap6_{}", variant);
  dataset.summary =
      fmt::format("12 exercises in six motion capture sequences, {}",
                  variant == "segments" ? "cut out" : "with half of the exercise on either side");
  dataset.about = {
      {"origin",
       "michaelchughes/mocap6dataset; motions of mocap.cs.cmu.edu, created with funding from NSF "
       "EIA-0196217"},
      {"licence", "BSD 2-clause; the motions are free for research and commercial use"},
      {"citation",
       "E. Fox, M. Hughes, E. Sudderth, M. Jordan, Joint modeling of multiple time series via the "
       "beta process with application to motion capture segmentation, Annals of Applied Statistics "
       "8(3), 2014"},
      {"units",
       "10 frames per second; joint angles in degrees and root height, mean 0 per sequence"},
      {"prior_knowledge",
       "5 of the 12 classes occur in one sequence only (annotation sequences_with_class): a split "
       "by group leaves them untrained or untested"}};
  std::map<std::string, std::set<Index>> where;
  for (const FrameSegment& segment : segments) {
    where[segment.label].insert(segment.recording);
  }
  std::vector<FrameRun> runs = runs_of(segments, recordings, variant == "segments");
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const FrameSegment& segment = segments[i];
    runs[i].group = index.text(segment.recording, index.column("cmu_trial"));
    runs[i].id = fmt::format("{}_{}", runs[i].group, segment.span.first);
    dataset.table.annotations["sequences_with_class"].push_back(
        std::to_string(where.at(segment.label).size()));
    dataset.table.annotations["subject"].emplace_back(
        index.text(segment.recording, index.column("subject")));
  }
  const CsvTable frames = CsvTable::load(needed_file(folder, kMocapFrames));
  put_runs(dataset, runs, mocap_frames(frames, recordings, index.name()));
  expect_distinct_ids(dataset.table, index.name());
  return dataset;
}

}  // namespace

ImportSpec mocap6_import() {
  return {"mocap6",
          "12 exercises in six sequences of joint angles, cut out or with their neighbours",
          {"index.csv", "segments.csv", std::string(kMocapFrames)},
          {"segments", "untrimmed"},
          read_mocap6};
}

}  // namespace tyto
