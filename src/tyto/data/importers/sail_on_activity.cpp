// SPDX-License-Identifier: Apache-2.0
// Importer of the activity tests of SAIL-ON: three views of a video as its frames.
#include "tyto/data/import.hpp"
#include "tyto/data/importers/frame_runs.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

constexpr std::string_view kParFeatures = "timesformer_features_f32.bin.gz";
constexpr Index kParViews = 3;
constexpr Index kParWidth = 768;

Dataset read_sail_on_activity(const std::filesystem::path& folder, std::string_view) {
  const CsvTable csv = CsvTable::load(needed_file(folder, "timesformer_index.csv"));
  Dataset dataset;
  dataset.name = "sail_on_activity";
  dataset.summary =
      "640 videos of two SAIL-ON tests, TimeSformer features of three views, 17 "
      "classes known of 189 of them";
  dataset.about = {
      {"origin", "tests of the repository darpa-sail-on/sail-on-client, classes of the PAR table"},
      {"licence", "Apache-2.0 (features), MIT (classes)"},
      {"citation",
       "D. Prijatelj et al., Human Activity Recognition in an Open World, JAIR 81, 2024"},
      {"prior_knowledge",
       "TimeSformer pre-trained on Kinetics; the labelled videos belong to its training table, so "
       "that the network has probably seen them"}};
  dataset.table = read_index(csv, {{"label", "class"}, {"source", "test_id"}}, {csv.column("row")});
  for (Index row = 0; row < csv.rows(); ++row) {
    dataset.table.id[at(row)] = csv.text(row, csv.column("video"));
  }
  expect_distinct_ids(dataset.table, csv.name());
  dataset.table.frames.assign(static_cast<std::size_t>(csv.rows()), kParViews);
  Matrix views = all_frames(
      *open_raw(needed_file(folder, kParFeatures), {kParWidth}, "features", {}, StoredAs::float32));
  if (views.rows() != kParViews * csv.rows()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: has {} rows of {} values, and {} videos with {} views each need "
                            "{}",
                            kParFeatures, views.rows(), kParWidth, csv.rows(), kParViews,
                            kParViews * csv.rows()));
  }
  dataset.store = frame_store(std::move(views), {});
  return dataset;
}

}  // namespace

ImportSpec sail_on_activity_import() {
  return {"sail_on_activity",
          "videos of SAIL-ON's activity tests, TimeSformer features, three views as frames",
          {"timesformer_index.csv", std::string(kParFeatures)},
          {},
          read_sail_on_activity};
}

}  // namespace tyto
