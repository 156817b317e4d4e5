// SPDX-License-Identifier: Apache-2.0
// The three official splits of HMDB-51, as published or gathered in one table.
#include <algorithm>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/official_list.hpp"
#include "tyto/data/importers/pieces.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kHmdbSplits{"split1", "split2", "split3"};

// April_09_brush_hair_u_nm_np1_ba_goo_0: what stands before the class is the film it was cut from.
// Films show several classes, on different sides: no split keeps those apart, so a group is a film
// within a class.
ListedVideo hmdb_video(const std::string& label, const std::string& name, std::string_view place) {
  const auto at = name.find("_" + label + "_");
  if (at == name.npos) {
    throw Error(ErrorKind::data,
                fmt::format("{}: \"{}\" does not name its class {}", place, name, label));
  }
  return {.id = name,
          .label = label,
          .group = fmt::format("{}: {}", label, name.substr(0, at)),
          .video = fmt::format("{}/{}.avi", label, name)};
}

OfficialList hmdb_table(const fs::path& path) {
  OfficialList list(kHmdbSplits);
  const CsvTable csv = CsvTable::load(path);
  const Index label = csv.column("class");
  const Index video = csv.column("video");
  for (Index row = 0; row < csv.rows(); ++row) {
    const ListedVideo found = hmdb_video(std::string(csv.text(row, label)),
                                         std::string(csv.text(row, video)), csv.place(row, video));
    for (std::size_t k = 0; k < kHmdbSplits.size(); ++k) {
      const Index column = csv.column(kHmdbSplits[k]);
      list.add(found, k, csv.text(row, column), csv.place(row, column));
    }
  }
  return list;
}

// brush_hair_test_split1.txt with lines "NAME.avi 1": 0 not used, 1 train, 2 test.
void add_hmdb_file(OfficialList& list, const fs::path& path, const std::string& label,
                   std::size_t split) {
  for (const std::string& line : lines_of(path)) {
    const auto blank = line.rfind(' ');
    const std::string file = line.substr(0, line.find_last_not_of(' ', blank) + 1);
    const std::string_view number =
        blank == line.npos ? "" : std::string_view(line).substr(blank + 1);
    if (!file.ends_with(".avi") || (number != "0" && number != "1" && number != "2")) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: \"{}\" is no line like NAME.avi 1", path.string(), line));
    }
    const std::string_view word = number == "0" ? "" : number == "1" ? "train" : "test";
    list.add(hmdb_video(label, file.substr(0, file.size() - 4), path.string()), split, word,
             path.string());
  }
}

OfficialList hmdb_files(const fs::path& folder) {
  OfficialList list(kHmdbSplits);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    const std::string name = path.filename().string();
    for (std::size_t k = 0; k < kHmdbSplits.size(); ++k) {
      const std::string suffix = fmt::format("_test_{}.txt", kHmdbSplits[k]);
      if (name.ends_with(suffix)) {
        add_hmdb_file(list, path, name.substr(0, name.size() - suffix.size()), k);
      }
    }
  }
  if (list.empty()) {
    needed_file(folder, "brush_hair_test_split1.txt");  // says what is missing
  }
  return list;
}

IndexTable hmdb51_list(const fs::path& folder) {
  for (const auto* file : {"hmdb51.csv.gz", "hmdb51.csv"}) {
    if (fs::is_regular_file(folder / file)) {
      return hmdb_table(folder / file).table();
    }
  }
  return hmdb_files(folder).table();
}

Dataset read_hmdb51(const fs::path& folder, std::string_view variant) {
  Dataset dataset = with_features(hmdb51_list(folder), folder, "hmdb51", variant);
  dataset.summary = fmt::format("51 classes of videos, official {}", variant);
  dataset.about["origin"] = "HMDB-51";
  dataset.about["licence"] = "CC BY 4.0";
  dataset.about["citation"] =
      "H. Kuehne, H. Jhuang, E. Garrote, T. Poggio, T. Serre, HMDB: A Large Video Database for "
      "Human "
      "Motion Recognition, ICCV 2011";
  return dataset;
}

}  // namespace

ImportSpec hmdb51_import() {
  return {"hmdb51",
          "51 video classes, three official splits, with features extracted elsewhere",
          {"brush_hair_test_split1.txt", "features/dataset.yaml"},
          kHmdbSplits,
          read_hmdb51,
          hmdb51_list};
}

}  // namespace tyto
