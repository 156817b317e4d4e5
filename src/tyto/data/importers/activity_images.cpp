// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/import.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

Dataset read_activity_images(const std::filesystem::path& folder, std::string_view) {
  const CsvTable csv = CsvTable::load(needed_file(folder, "index.csv.gz"));
  Dataset dataset;
  dataset.name = "activity_images";
  dataset.summary = "37 everyday activities and sports in photographs, MobileNetV2 features";
  dataset.about = {{"origin",
                    "umareddy123/Human_activity_recognition (har15) and "
                    "jurjsorinliviu/Sports-Type-Classifier (sports22)"},
                   {"licence", "none stated; the photographs keep the rights of their owners"},
                   {"citation", "the two repositories named as origin"}};
  dataset.table = read_index(csv, {{"id", "row"}}, {});
  dataset.store = open_raw(needed_file(folder, "features_f32.bin.gz"), {128});
  return dataset;
}

}  // namespace

ImportSpec activity_images_import() {
  return {"activity_images",
          "37 classes from two photo collections, 128 principal components of MobileNetV2",
          {"index.csv.gz", "features_f32.bin.gz"},
          {},
          read_activity_images};
}

}  // namespace tyto
