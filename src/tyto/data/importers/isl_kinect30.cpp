// SPDX-License-Identifier: Apache-2.0
// Importer of isl_kinect30: signs as runs of skeletons.
#include <array>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/frame_runs.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

constexpr std::string_view kIslFrames = "skeleton_f16.bin.gz";
constexpr std::array<std::string_view, 12> kIslJoints{
    "head",       "shoulder_centre", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
    "left_wrist", "right_wrist",     "left_hand",     "right_hand",     "spine",      "hip_centre"};
constexpr Index kIslWidth = 3 * std::ssize(kIslJoints);
constexpr Index kIslRelative = kIslWidth - 3;  // the hip centre comes last, in camera coordinates

// Signers differ in size: the joints about the hip, in units of the mean head-hip distance of their
// recording.
void scale_to_signer(Matrix& frames, const std::vector<FrameSpan>& recordings) {
  for (const FrameSpan& span : recordings) {
    const double height =
        frames.block(span.first, 0, span.size(), 3).cast<double>().rowwise().norm().mean();
    if (!(height > 0)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: frames {} to {} have the head in the hip; they cannot be scaled",
                              kIslFrames, span.first, span.end - 1));
    }
    frames.block(span.first, 0, span.size(), kIslRelative) /= static_cast<float>(height);
  }
}

Dataset read_isl_kinect30(const std::filesystem::path& folder, std::string_view) {
  const CsvTable csv = CsvTable::load(needed_file(folder, "index.csv"));
  const auto recordings = read_recordings(csv, "frames");
  Dataset dataset;
  dataset.name = "isl_kinect30";
  dataset.summary = "30 words of Indian sign language by 10 signers, Kinect skeletons by frame";
  dataset.about = {
      {"origin", "RawDataset of the repository Boyinglby/ADM_SignLangRecog"},
      {"licence", "MIT for the repository; none stated for the data"},
      {"citation",
       "P. Roy, S. Bhattacharya, P. P. Roy, U. Pal, Position and Rotation Invariant Sign Language "
       "Recognition from 3D Kinect Data with Recurrent Neural Networks, arXiv 2010.12669, 2020"},
      {"units",
       "11 joints about the hip centre in units of the mean head-hip distance of the recording; "
       "the hip centre in metres from the camera"}};
  dataset.table =
      read_index(csv, {{"label", "class"}, {"group", "subject"}}, {csv.column("start")});
  const auto subjects = csv.counts(csv.column("subject"));
  for (Index row = 0; row < csv.rows(); ++row) {
    dataset.table.id[at(row)] =
        fmt::format("{}_s{}_r{}", dataset.table.label[at(row)], subjects[at(row)],
                    csv.text(row, csv.column("repetition")));
    dataset.table.split.push_back(odd_trains(subjects[at(row)]));
  }
  expect_distinct_ids(dataset.table, csv.name());
  std::vector<std::string> columns;
  for (const std::string_view joint : kIslJoints) {
    for (const char axis : {'x', 'y', 'z'}) {
      columns.push_back(fmt::format("{}_{}", joint, axis));
    }
  }
  Matrix frames = all_frames(
      *open_raw(needed_file(folder, kIslFrames), {kIslWidth}, "features", {}, StoredAs::float16));
  expect_frames(recordings, frames.rows(), csv.name());
  scale_to_signer(frames, recordings);
  dataset.store = frame_store(std::move(frames), std::move(columns));
  return dataset;
}

}  // namespace

ImportSpec isl_kinect30_import() {
  return {"isl_kinect30",
          "30 signs, upper-body skeletons by frame; odd signers train, even signers test",
          {"index.csv", std::string(kIslFrames)},
          {},
          read_isl_kinect30};
}

}  // namespace tyto
