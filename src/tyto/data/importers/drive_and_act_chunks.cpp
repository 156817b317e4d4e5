// SPDX-License-Identifier: Apache-2.0
// The official lists of Drive&Act: mid-level activities cut into chunks of at most three seconds,
// in three splits by person.
#include "tyto/data/import.hpp"
#include "tyto/data/importers/official_list.hpp"
#include "tyto/data/importers/pieces.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kDriveSplits{"split0", "split1", "split2"};

// Where the next chunk begins at the end of the one before: frames [start, end).
void add_chunks(OfficialList& list, const fs::path& path, std::size_t split,
                std::string_view side) {
  const CsvTable csv = CsvTable::load(path);
  const Index file = csv.column("file_id");
  const Index person = csv.column("participant_id");
  const Index annotation = csv.column("annotation_id");
  const Index chunk = csv.column("chunk_id");
  const Index start = csv.column("frame_start");
  const Index end = csv.column("frame_end");
  const Index activity = csv.column("activity");
  for (Index row = 0; row < csv.rows(); ++row) {
    const ListedVideo found{.id = fmt::format("{}:{}:{}", csv.text(row, file),
                                              csv.text(row, annotation), csv.text(row, chunk)),
                            .label = std::string(csv.text(row, activity)),
                            .group = fmt::format("vp{}", csv.text(row, person)),
                            .video = fmt::format("{}.mp4", csv.text(row, file)),
                            .start = csv.number(row, start),
                            .end = csv.number(row, end)};
    if (!(found.start >= 0 && found.end > found.start)) {
      throw Error(ErrorKind::data, fmt::format("{}: the chunk from frame {} to {} is empty",
                                               csv.place(row, end), found.start, found.end));
    }
    const std::string_view word = side.empty() ? csv.text(row, csv.column("split")) : side;
    list.add(found, split, word, csv.place(row, file));
  }
}

// A list may be missing, as that of a validation set often is.
IndexTable chunk_list(const fs::path& folder) {
  OfficialList list(kDriveSplits);
  for (std::size_t k = 0; k < kDriveSplits.size(); ++k) {
    const fs::path gathered = folder / fmt::format("annotations_{}.csv.gz", kDriveSplits[k]);
    if (fs::is_regular_file(gathered)) {
      add_chunks(list, gathered, k, "");
      continue;
    }
    for (const std::string_view side : {"train", "val", "test"}) {
      const fs::path path = folder / fmt::format("midlevel.chunks_90.split_{}.{}.csv", k, side);
      if (fs::is_regular_file(path)) {
        add_chunks(list, path, k, side);
      }
    }
  }
  if (list.empty()) {
    needed_file(folder, "midlevel.chunks_90.split_0.train.csv");  // says what is missing
  }
  return list.table();
}

Dataset read_drive_and_act_chunks(const fs::path& folder, std::string_view variant) {
  Dataset dataset = with_features(chunk_list(folder), folder, "drive_and_act_chunks", variant);
  dataset.summary = fmt::format("chunks of activities in a car, official {}", variant);
  dataset.about["origin"] = "Drive&Act, mid-level activities";
  dataset.about["licence"] = "for non-commercial research";
  dataset.about["citation"] =
      "M. Martin, A. Roitberg, M. Haurilet, M. Horne, S. Reiss, M. Voit, R. Stiefelhagen, "
      "Drive&Act: A Multi-Modal Dataset for Fine-Grained Driver Behavior Recognition in "
      "Autonomous Vehicles, ICCV 2019";
  return dataset;
}

}  // namespace

ImportSpec drive_and_act_chunks_import() {
  return {"drive_and_act_chunks",
          "34 activities in a car, official chunks and splits, with features extracted elsewhere",
          {"midlevel.chunks_90.split_0.train.csv", "features/dataset.yaml"},
          kDriveSplits,
          read_drive_and_act_chunks,
          chunk_list};
}

}  // namespace tyto
