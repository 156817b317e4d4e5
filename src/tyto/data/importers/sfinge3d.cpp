// SPDX-License-Identifier: Apache-2.0
// Importer of sfinge3d: hand gestures, alone, cut out of their sequences or with what surrounds
// them.
#include "tyto/data/import.hpp"
#include "tyto/data/importers/frame_runs.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

constexpr std::string_view kSfingeFrames = "frames_f16.bin.gz";
constexpr Index kDictionaryTrains = 18;  // numbers 1 to 18; neighbouring numbers look alike

std::vector<std::string> sfinge_columns() {
  std::vector<std::string> columns{"palm_x",  "palm_y",  "palm_z", "palm_qx",
                                   "palm_qy", "palm_qz", "palm_qw"};
  for (const auto& [finger, joints] :
       {std::pair("thumb", 3), std::pair("index", 4), {"middle", 4}, {"ring", 4}, {"pinky", 4}}) {
    for (int joint = 1; joint <= joints; ++joint) {
      for (const char axis : {'x', 'y', 'z'}) {
        columns.push_back(fmt::format("{}{}_{}", finger, joint, axis));
      }
    }
  }
  return columns;
}

std::vector<FrameRun> dictionary_runs(const CsvTable& index, const std::vector<FrameSpan>& rows) {
  const auto numbers = index.counts(index.column("number"));
  std::vector<FrameRun> runs;
  for (Index row = 0; row < index.rows(); ++row) {
    if (index.text(row, index.column("part")) != "dictionary") {
      continue;
    }
    const std::string label(index.text(row, index.column("class")));
    const Index number = numbers[at(row)];
    runs.push_back({fmt::format("{}_{}", label, number), label, fmt::format("{}", number),
                    number <= kDictionaryTrains ? "train" : "test", rows[at(row)]});
  }
  return runs;
}

// The gestures of the sequences, cut out or in their surroundings.
std::vector<FrameRun> sequence_runs(const CsvTable& index, const CsvTable& csv,
                                    const std::vector<FrameSpan>& recordings, bool trimmed) {
  const auto numbers = index.counts(index.column("number"));
  // The last segments of two sequences run a frame or two past the end.
  const auto segments = read_segments(
      csv, {"first_frame", "last_frame", /*end_is_last=*/true, /*beyond=*/2}, recordings);
  std::vector<FrameRun> runs = runs_of(segments, recordings, trimmed);
  Index gesture = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Index recording = segments[i].recording;
    gesture = i > 0 && segments[i - 1].recording == recording ? gesture + 1 : 1;
    const Index number = numbers[at(recording)];
    runs[i].group = fmt::format("s{}", number);
    runs[i].id = fmt::format("{}_{}", runs[i].group, gesture);
    runs[i].split = odd_trains(number);
  }
  return runs;
}

Dataset read_sfinge3d(const std::filesystem::path& folder, std::string_view variant) {
  const CsvTable index = CsvTable::load(needed_file(folder, "index.csv"));
  const auto recordings = read_recordings(index, "frames");
  Dataset dataset;
  dataset.name = fmt::format("sfinge3d_{}", variant);
  dataset.summary =
      fmt::format("13 hand gestures as finger trajectories, {}",
                  variant == "dictionary" ? "one at a time"
                  : variant == "segments" ? "cut out of sequences"
                                          : "in the surroundings they have in sequences");
  dataset.about = {
      {"origin", "SFINGE 3D version 1, the authors' repository SFINGE3D/DatasetV1"},
      {"licence", "none stated; to be cited"},
      {"citation",
       "A. Caputo, A. Giachetti, F. Giannini, K. Lupinetti, M. Monti, M. Pegoraro, A. Ranieri, "
       "SFINGE 3D: A novel benchmark for online detection and recognition of heterogeneous hand "
       "gestures from 3D fingers' trajectories, Computers & Graphics 2020"},
      {"units", "20 frames per second; palm, its quaternion, and 19 joints relative to the palm"},
      {"prior_knowledge",
       "the people are not stated; neighbouring numbers look alike, so the dictionary is split by "
       "number and sequences by odd and even number"}};
  auto store = open_raw(needed_file(folder, kSfingeFrames), {std::ssize(sfinge_columns())},
                        "features", sfinge_columns(), StoredAs::float16);
  expect_frames(recordings, store->rows(), index.name());
  if (variant == "dictionary") {
    put_runs(dataset, dictionary_runs(index, recordings), std::move(store));
  } else {
    const CsvTable segments = CsvTable::load(needed_file(folder, "segments.csv"));
    put_runs(dataset, sequence_runs(index, segments, recordings, variant == "segments"),
             std::move(store));
  }
  expect_distinct_ids(dataset.table, index.name());
  return dataset;
}

}  // namespace

ImportSpec sfinge3d_import() {
  return {"sfinge3d",
          "13 hand gestures by frame: trimmed alone, trimmed from sequences, or untrimmed",
          {"index.csv", "segments.csv", std::string(kSfingeFrames)},
          {"dictionary", "segments", "untrimmed"},
          read_sfinge3d};
}

}  // namespace tyto
