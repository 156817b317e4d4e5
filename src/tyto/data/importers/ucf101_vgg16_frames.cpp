// SPDX-License-Identifier: Apache-2.0
// Importer of ucf101_vgg16_frames: 25 frames of each of 15 classes of videos.
#include "tyto/data/import.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

constexpr std::string_view kUcfFrames = "frames_pca128_f16.bin.gz";
constexpr Index kUcfWidth = 128;
constexpr Index kFramesPerVideo = 25;
constexpr std::string_view kRandom = "random";

Dataset read_ucf101_vgg16_frames(const std::filesystem::path& folder, std::string_view variant) {
  const CsvTable csv = CsvTable::load(needed_file(folder, "index.csv"));
  Dataset dataset;
  dataset.name = fmt::format("ucf101_vgg16_frames_{}", variant);
  dataset.summary = "15 classes of UCF101, VGG16 features of 25 frames of 2,010 videos, " +
                    (variant == kRandom ? std::string("not split")
                                        : fmt::format("official split {}", variant.substr(5)));
  dataset.about = {
      {"origin", "UCF101; features of the repository tyagi-iiitv/UCF101_release"},
      {"licence", "none stated"},
      {"citation",
       "K. Soomro, A. Zamir, M. Shah, UCF101: A Dataset of 101 Human Action Classes From Videos in "
       "The Wild, CRCV-TR-12-01, 2012"},
      {"units",
       "128 principal components of fc6 after ReLU, mean over 5 crops; fitted on the frames of the "
       "train part of split 1"},
      {"prior_knowledge",
       "ApplyEyeMakeup was made by another run than the other classes; clips of one group come "
       "from one recording, so a random split lets a neighbour rule look them up"}};
  std::map<std::string, std::string> columns{{"id", "ucf_video"}, {"label", "class"}};
  if (variant != kRandom) {
    columns["split"] = variant;
  }
  dataset.table = read_index(csv, columns, {});
  // g01 of one class has nothing to do with g01 of another.
  for (std::size_t i = 0; i < dataset.table.id.size(); ++i) {
    dataset.table.group[i] = fmt::format("{}_{}", dataset.table.label[i], dataset.table.group[i]);
  }
  if (variant == kRandom) {  // the leaky way: a world that makes the split knows of no groups
    dataset.table.annotations["ucf_group"] = std::move(dataset.table.group);
    dataset.table.group.clear();
  }
  dataset.table.frames.assign(dataset.table.id.size(), kFramesPerVideo);
  dataset.store =
      open_raw(needed_file(folder, kUcfFrames), {kUcfWidth}, "features", {}, StoredAs::float16);
  return dataset;
}

}  // namespace

ImportSpec ucf101_vgg16_frames_import() {
  return {"ucf101_vgg16_frames",
          "15 video classes, 25 frames of VGG16 each; official splits, or none (random)",
          {"index.csv", std::string(kUcfFrames)},
          {"split1", "split2", "split3", std::string(kRandom)},
          read_ucf101_vgg16_frames};
}

}  // namespace tyto
