// SPDX-License-Identifier: Apache-2.0
// Importer of sisfall: activities and falls, frames of a waist sensor.
#include <charconv>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/frame_runs.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

constexpr std::string_view kSisfallFrames = "frames_f16.bin.gz";

std::vector<std::string> sisfall_columns() {
  return {"acceleration_x",
          "acceleration_y",
          "acceleration_z",
          "rotation_x",
          "rotation_y",
          "rotation_z",
          "peak"};
}

std::map<std::string, std::string> names_by_code(const CsvTable& classes) {
  std::map<std::string, std::string> names;
  for (Index row = 0; row < classes.rows(); ++row) {
    names.emplace(classes.text(row, classes.column("code")),
                  classes.text(row, classes.column("activity")));
  }
  return names;
}

// 7 of SA07 and of SE07.
Index subject_number(const CsvTable& csv, Index row, Index column) {
  const std::string_view word = csv.text(row, column);
  Index number = 0;
  const std::string_view digits = word.substr(std::min<std::size_t>(2, word.size()));
  const auto [stop, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc() || stop != digits.data() + digits.size()) {
    throw Error(ErrorKind::data, fmt::format("{}: \"{}\" is no subject like SA07 or SE07",
                                             csv.place(row, column), word));
  }
  return number;
}

Dataset read_sisfall(const std::filesystem::path& folder, std::string_view) {
  const CsvTable csv = CsvTable::load(needed_file(folder, "index.csv"));
  const auto names = names_by_code(CsvTable::load(needed_file(folder, "classes.csv")));
  Dataset dataset;
  dataset.name = "sisfall";
  dataset.summary = "19 daily activities and 15 falls of 38 people, a sensor at the waist, 20 Hz";
  dataset.about = {
      {"origin", "SisFall, by way of the repository JiayangLai/SisFallDatasetAnnotation"},
      {"licence", "none stated; offered publicly by its authors, with citation"},
      {"citation",
       "A. Sucerquia, J. D. Lopez, J. F. Vargas-Bonilla, SisFall: A Fall and Movement Dataset, "
       "Sensors 17(1):198, 2017"},
      {"units",
       "means of 10 samples at 200 Hz: acceleration in g, rotation in degrees per second; peak is "
       "the greatest norm of the 10 accelerations, in g"},
      {"prior_knowledge",
       "a trial holds what comes before and after the activity; of the elderly, SE alone, only one "
       "fell"}};
  const auto recordings = read_recordings(csv, "frames");
  const Index code = csv.column("code");
  const Index subject = csv.column("subject");
  dataset.table = read_index(csv, {{"group", "subject"}}, {csv.column("start")});
  for (Index row = 0; row < csv.rows(); ++row) {
    const auto name = names.find(std::string(csv.text(row, code)));
    if (name == names.end()) {
      throw Error(ErrorKind::data, fmt::format("{}: classes.csv has no code {}",
                                               csv.place(row, code), csv.text(row, code)));
    }
    dataset.table.label[at(row)] = name->second;
    // The names that the authors gave their files.
    dataset.table.id[at(row)] =
        fmt::format("{}_{}_R{:0>2}", csv.text(row, code), csv.text(row, subject),
                    csv.text(row, csv.column("trial")));
    dataset.table.split.push_back(odd_trains(subject_number(csv, row, subject)));
  }
  expect_distinct_ids(dataset.table, csv.name());
  dataset.store = open_raw(needed_file(folder, kSisfallFrames), {std::ssize(sisfall_columns())},
                           "features", sisfall_columns(), StoredAs::float16);
  expect_frames(recordings, dataset.store->rows(), csv.name());
  return dataset;
}

}  // namespace

ImportSpec sisfall_import() {
  return {"sisfall",
          "34 activities and falls, a waist sensor by frame; odd people train, even people test",
          {"index.csv", "classes.csv", std::string(kSisfallFrames)},
          {},
          read_sisfall};
}

}  // namespace tyto
