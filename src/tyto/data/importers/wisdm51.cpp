// SPDX-License-Identifier: Apache-2.0
// Importer of wisdm51: windows of a phone or a watch, a group per person.
#include <numeric>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/pieces.hpp"

namespace tyto {

namespace {

Dataset read_wisdm51(const std::filesystem::path& folder, std::string_view variant) {
  const CsvTable csv = CsvTable::load(needed_file(folder, fmt::format("{}_accel.csv.gz", variant)));
  const Index first = csv.column("X0");
  std::vector<Index> columns(static_cast<std::size_t>(csv.column("RESULTANT") - first + 1));
  std::iota(columns.begin(), columns.end(), first);
  std::vector<DenseStore::Source> sources(1);
  sources.front().name = "features";
  sources.front().values = csv.matrix(columns);
  for (const Index column : columns) {
    sources.front().columns.push_back(csv.columns()[static_cast<std::size_t>(column)]);
  }
  Dataset dataset;
  dataset.name = fmt::format("wisdm51_{}", variant);
  dataset.summary =
      fmt::format("18 activities by their {} accelerometer in windows of 10 s", variant);
  dataset.about = {{"origin",
                    "WISDM Smartphone and Smartwatch Activity and Biometrics Dataset, UCI Machine "
                    "Learning Repository"},
                   {"licence", "CC BY 4.0"},
                   {"citation",
                    "G. Weiss, K. Yoneda, T. Hayajneh, Smartphone and Smartwatch-Based Biometrics "
                    "Using Activities of Daily Living, IEEE Access 7, 2019"}};
  dataset.table = read_index(csv, {{"label", "activity_name"}, {"group", "subject"}}, columns);
  dataset.store = std::make_shared<DenseStore>(std::move(sources));
  return dataset;
}

}  // namespace

ImportSpec wisdm51_import() {
  return {"wisdm51",
          "18 activities, phone or watch accelerometer, 91 window features; groups are people",
          {"watch_accel.csv.gz", "phone_accel.csv.gz"},
          {"watch", "phone"},
          read_wisdm51};
}

}  // namespace tyto
