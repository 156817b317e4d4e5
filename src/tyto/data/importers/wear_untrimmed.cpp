// SPDX-License-Identifier: Apache-2.0
// Importer of wear_untrimmed: workouts in their surroundings, as levels of four accelerometers.
#include "tyto/data/import.hpp"
#include "tyto/data/importers/frame_runs.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

constexpr std::string_view kWearLevels = "levels_u8.bin.gz";
constexpr std::string_view kWearNull = "null";
constexpr std::string_view kHalves = "odd_even";
constexpr Index kWearChannels = 12;
constexpr Index kWearFrame = 25;  // samples of one frame: half a second

struct WearScale {  // acceleration in g = (level - zero) * g
  Eigen::RowVectorXf zero, g;
  std::vector<std::string> names;
};

std::vector<WearScale> wear_scales(const CsvTable& csv, std::size_t recordings) {
  std::vector<WearScale> scales(recordings);
  const auto seq = csv.counts(csv.column("seq"));
  const auto channel = csv.counts(csv.column("channel"));
  const Index rows = static_cast<Index>(recordings) * kWearChannels;
  for (Index row = 0; row < csv.rows(); ++row) {
    if (csv.rows() != rows || seq[at(row)] != row / kWearChannels ||
        channel[at(row)] != row % kWearChannels) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: {} channels of each of the {} recordings belong here, "
                              "in order",
                              csv.name(), csv.line(row), kWearChannels, recordings));
    }
    WearScale& scale = scales[at(row / kWearChannels)];
    scale.zero.conservativeResize(kWearChannels);
    scale.g.conservativeResize(kWearChannels);
    scale.zero[row % kWearChannels] = static_cast<float>(csv.number(row, csv.column("zero_level")));
    scale.g[row % kWearChannels] = static_cast<float>(csv.number(row, csv.column("g_per_level")));
    scale.names.emplace_back(csv.text(row, csv.column("name")));
  }
  return scales;
}

// Mean and standard deviation of each channel over one frame.
void wear_frame(const Matrix& levels, Index first, const WearScale& scale, MatrixRef out) {
  const Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic> g =
      ((levels.middleRows(first, kWearFrame).rowwise() - scale.zero).array().rowwise() *
       scale.g.array())
          .cast<double>();
  const Eigen::Array<double, 1, Eigen::Dynamic> mean = g.colwise().mean();
  out.leftCols(kWearChannels) = mean.matrix().cast<float>();
  out.rightCols(kWearChannels) =
      (g.rowwise() - mean).square().colwise().mean().sqrt().matrix().cast<float>();
}

// The frames of a run are counted from the first sample of its segment, so that no frame of the
// segment holds a sample from outside; a rest too short for a frame is left out.
struct WearRun {
  Index first_sample;  // of its first frame
  Index frames;
  FrameSpan segment;
};

WearRun wear_run(FrameSpan samples, FrameSpan segment) {
  const Index before = (segment.first - samples.first) / kWearFrame;
  const Index within = segment.size() / kWearFrame;
  const Index first = segment.first - before * kWearFrame;
  return {first, (samples.end - first) / kWearFrame, {before, before + within}};
}

std::vector<FrameSegment> activities_alone(std::vector<FrameSegment> segments) {
  std::erase_if(segments, [](const FrameSegment& s) { return s.label == kWearNull; });
  for (const FrameSegment& segment : segments) {
    if (segment.span.size() < kWearFrame) {
      throw Error(ErrorKind::data,
                  fmt::format("segments.csv: {} from sample {} of recording {} on has {} samples, "
                              "fewer than the {} of a frame",
                              segment.label, segment.span.first, segment.recording,
                              segment.span.size(), kWearFrame));
    }
  }
  return segments;
}

std::string wear_split(std::string_view variant, Index subject) {
  if (variant == kHalves) {
    return odd_trains(subject);
  }
  return variant == fmt::format("test_{}", subject) ? "test" : "train";
}

Dataset read_wear_untrimmed(const std::filesystem::path& folder, std::string_view variant) {
  const CsvTable index = CsvTable::load(needed_file(folder, "index.csv"));
  const auto recordings = read_recordings(index, "samples");
  const auto segments =
      activities_alone(read_segments(CsvTable::load(needed_file(folder, "segments.csv")),
                                     {"first_sample", "end_sample"}, recordings));
  const auto scales =
      wear_scales(CsvTable::load(needed_file(folder, "calibration.csv")), recordings.size());
  const Matrix levels = all_frames(*open_raw(needed_file(folder, kWearLevels), {kWearChannels},
                                             "features", {}, StoredAs::uint8));
  expect_frames(recordings, levels.rows(), index.name());
  Dataset dataset;
  dataset.name = fmt::format("wear_untrimmed_{}", variant);
  dataset.summary =
      "18 workouts of 5 people in their surroundings, 4 accelerometers, frames of 0.5 s";
  dataset.about = {
      {"origin", "WEAR, five of its people, by way of jahnavid10/wearviz"},
      {"licence", "CC BY-NC-SA 4.0: non-commercial, share alike"},
      {"citation",
       "M. Bock, H. Kuehne, K. Van Laerhoven, M. Moeller, WEAR: An Outdoor Sports Dataset for "
       "Wearable and Egocentric Activity Recognition, IMWUT 8(4), 2024"},
      {"units", "mean and standard deviation of 12 channels over 25 samples at 50 Hz, in g"},
      {"prior_knowledge",
       "quantised to 95 levels; the scale is exact for subjects 0 and 1, estimated for 2, 5 and "
       "9"}};
  const std::vector<FrameSpan> around = runs_around(segments, recordings);
  const auto subjects = index.counts(index.column("wear_subject"));
  std::vector<WearRun> cuts;
  std::vector<FrameRun> runs;
  Index rows = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const FrameSegment& segment = segments[i];
    const Index subject = subjects[at(segment.recording)];
    cuts.push_back(wear_run(around[i], segment.span));
    const FrameSpan span{rows, rows + cuts.back().frames};
    runs.push_back({fmt::format("s{}_{}", subject, segment.span.first), segment.label,
                    std::to_string(subject), wear_split(variant, subject), span,
                    cuts.back().segment});
    rows = span.end;
  }
  Matrix frames(rows, 2 * kWearChannels);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Index from = recordings[at(segments[i].recording)].first + cuts[i].first_sample;
    for (Index f = 0; f < cuts[i].frames; ++f) {
      wear_frame(levels, from + f * kWearFrame, scales[at(segments[i].recording)],
                 frames.middleRows(runs[i].rows.first + f, 1));
    }
  }
  std::vector<std::string> columns;
  if (!scales.empty()) {
    for (const char* statistic : {"mean", "std"}) {
      for (Index c = 0; c < kWearChannels; ++c) {
        columns.push_back(fmt::format("{}_{}", scales.front().names[at(c)], statistic));
      }
    }
  }
  put_runs(dataset, runs, frame_store(std::move(frames), std::move(columns)));
  expect_distinct_ids(dataset.table, index.name());
  return dataset;
}

}  // namespace

ImportSpec wear_untrimmed_import() {
  return {"wear_untrimmed",
          "18 workouts in their surroundings, 4 accelerometers; split by people",
          {"index.csv", "segments.csv", "calibration.csv", std::string(kWearLevels)},
          {std::string(kHalves), "test_0", "test_1", "test_2", "test_5", "test_9"},
          read_wear_untrimmed};
}

}  // namespace tyto
