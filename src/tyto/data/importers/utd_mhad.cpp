// SPDX-License-Identifier: Apache-2.0
// Importer of utd_mhad: actions as features of a skeleton and an inertial sensor.
#include "tyto/data/import.hpp"
#include "tyto/data/importers/frame_runs.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

constexpr Index kWidth = 984;  // 16 frames x 20 joints x 3, then 4 statistics of 6 channels
constexpr Index kUtdJoints = 20;
constexpr Index kUtdHead = 0, kUtdHip = 3;

// Joints of each frame relative to the hip, in units of the mean head-hip distance of the sequence.
// The hip itself is left out: it is zero.
std::shared_ptr<const FeatureStore> utd_frames(const CsvTable& csv,
                                               const std::vector<Index>& lengths) {
  std::vector<Index> columns;
  std::vector<std::string> names;
  for (Index joint = 0; joint < kUtdJoints; ++joint) {
    for (const char axis : {'x', 'y', 'z'}) {
      const std::string name = fmt::format("j{}{}", joint + 1, axis);
      columns.push_back(csv.column(name));
      if (joint != kUtdHip) {
        names.push_back(name);
      }
    }
  }
  const auto seq = csv.counts(csv.column("seq"));
  Index begin = 0;
  for (std::size_t i = 0; i < lengths.size(); begin += lengths[i], ++i) {
    for (Index row = begin; row < begin + lengths[i]; ++row) {
      if (row >= csv.rows() || at(seq[at(row)]) != i) {
        throw Error(ErrorKind::data, fmt::format("{}: {} frames of sequence {} are expected from "
                                                 "row {} on",
                                                 csv.name(), lengths[i], i, begin));
      }
    }
  }
  const Matrix metres = csv.matrix(columns);
  Matrix out(metres.rows(), metres.cols() - 3);
  begin = 0;
  for (const Index length : lengths) {
    const auto joint = [&](Index number) { return metres.block(begin, 3 * number, length, 3); };
    const Matrix hip = joint(kUtdHip);
    const auto height =
        static_cast<float>((joint(kUtdHead) - hip).cast<double>().rowwise().norm().mean());
    if (!(height > 0)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: lines {} to {} have the head in the hip; they cannot be scaled",
                              csv.name(), csv.line(begin), csv.line(begin + length - 1)));
    }
    for (Index number = 0; number < kUtdJoints; ++number) {
      if (number != kUtdHip) {
        out.block(begin, 3 * (number - (number > kUtdHip ? 1 : 0)), length, 3) =
            (joint(number) - hip) / height;
      }
    }
    begin += length;
  }
  return frame_store(std::move(out), std::move(names));
}

Dataset read_utd_mhad(const std::filesystem::path& folder, std::string_view variant) {
  const CsvTable csv = CsvTable::load(needed_file(folder, "index.csv"));
  Dataset dataset;
  dataset.name = "utd_mhad";
  dataset.summary = "27 actions of 8 people, Kinect skeleton and wearable inertial sensor";
  dataset.about = {{"origin", "UTD Multimodal Human Action Dataset, University of Texas at Dallas"},
                   {"licence", "for research, with citation"},
                   {"citation",
                    "C. Chen, R. Jafari, N. Kehtarnavaz, UTD-MHAD: A Multimodal Dataset for Human "
                    "Action Recognition Utilizing a Depth Camera and a Wearable Inertial Sensor, "
                    "ICIP 2015"}};
  std::map<std::string, std::string> columns{{"label", "action_name"}, {"group", "subject"}};
  if (variant == "frames") {
    dataset.name = "utd_mhad_frames";
    dataset.summary = "27 actions of 8 people, Kinect skeleton by frame";
    dataset.about["units"] =
        "19 joints about the hip, in units of the mean head-hip distance of the sequence";
    columns["frames"] = "skeleton_frames";
  }
  dataset.table = read_index(csv, columns, {});
  const auto subjects = csv.counts(csv.column("subject"));
  for (Index row = 0; row < csv.rows(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    // The names that the authors gave their files; the usual protocol is odd against even.
    dataset.table.id[at] = fmt::format("a{}_s{}_t{}", csv.text(row, csv.column("action")),
                                       subjects[at], csv.text(row, csv.column("trial")));
    dataset.table.split.emplace_back(subjects[at] % 2 == 1 ? "train" : "test");
  }
  dataset.store =
      variant == "frames"
          ? utd_frames(CsvTable::load(needed_file(folder, "skeleton.csv.gz")), dataset.table.frames)
          : open_raw(needed_file(folder, "features_f32.bin.gz"), {kWidth});
  return dataset;
}

}  // namespace

ImportSpec utd_mhad_import() {
  return {"utd_mhad",
          "27 actions, skeleton and inertial features; odd people train, even people test",
          {"index.csv", "features_f32.bin.gz", "skeleton.csv.gz"},
          {"features", "frames"},
          read_utd_mhad};
}

}  // namespace tyto
