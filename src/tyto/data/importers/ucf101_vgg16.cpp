// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/import.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

Dataset read_ucf101_vgg16(const std::filesystem::path& folder, std::string_view) {
  const CsvTable csv = CsvTable::load(needed_file(folder, "index.csv"));
  Dataset dataset;
  dataset.name = "ucf101_vgg16";
  dataset.summary = "15 classes of UCF101, VGG16 features of 2,010 videos, official split 1";
  dataset.about = {{"origin", "UCF101; features of the repository tyagi-iiitv/UCF101_release"},
                   {"licence", "none stated"},
                   {"citation",
                    "K. Soomro, A. Zamir, M. Shah, UCF101: A Dataset of 101 Human Action Classes "
                    "From Videos in The Wild, CRCV-TR-12-01, 2012"}};
  dataset.table = read_index(csv, {{"id", "video"}, {"label", "class"}}, {csv.column("row")});
  dataset.store = open_raw(needed_file(folder, "features_pca256_f32.bin.gz"), {256});
  return dataset;
}

}  // namespace

ImportSpec ucf101_vgg16_import() {
  return {"ucf101_vgg16",
          "15 video classes, 256 principal components of VGG16, official split 1",
          {"index.csv", "features_pca256_f32.bin.gz"},
          {},
          read_ucf101_vgg16};
}

}  // namespace tyto
