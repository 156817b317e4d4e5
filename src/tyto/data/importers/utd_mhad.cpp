// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/import.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

constexpr Index kWidth = 984;  // 16 frames x 20 joints x 3, then 4 statistics of 6 channels

Dataset read_utd_mhad(const std::filesystem::path& folder, std::string_view) {
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
  dataset.table = read_index(csv, {{"label", "action_name"}, {"group", "subject"}}, {});
  const auto subjects = csv.counts(csv.column("subject"));
  for (Index row = 0; row < csv.rows(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    // The names that the authors gave their files; the usual protocol is odd against even.
    dataset.table.id[at] = fmt::format("a{}_s{}_t{}", csv.text(row, csv.column("action")),
                                       subjects[at], csv.text(row, csv.column("trial")));
    dataset.table.split.emplace_back(subjects[at] % 2 == 1 ? "train" : "test");
  }
  dataset.store = open_raw(needed_file(folder, "features_f32.bin.gz"), {kWidth});
  return dataset;
}

}  // namespace

ImportSpec utd_mhad_import() {
  return {"utd_mhad",
          "27 actions, skeleton and inertial features; odd people train, even people test",
          {"index.csv", "features_f32.bin.gz"},
          {},
          read_utd_mhad};
}

}  // namespace tyto
