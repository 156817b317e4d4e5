// SPDX-License-Identifier: Apache-2.0
// The three official splits of UCF101, as published or gathered in one table.
#include <regex>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/official_list.hpp"
#include "tyto/data/importers/pieces.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kUcfSplits{"split1", "split2", "split3"};

// v_HandStandPushups_g01_c02 of the class HandstandPushups: clips of a group are cut from one
// recording. g01 of one class has nothing to do with g01 of another.
ListedVideo ucf_video(const std::string& label, const std::string& name, std::string_view place) {
  static const std::regex kName("v_.+_(g[0-9]+)_c[0-9]+");
  std::smatch match;
  if (!std::regex_match(name, match, kName)) {
    throw Error(ErrorKind::data,
                fmt::format("{}: \"{}\" is not called like v_Archery_g01_c01", place, name));
  }
  return {.id = name,
          .label = label,
          .group = fmt::format("{}_{}", label, match[1].str()),
          .video = fmt::format("{}/{}.avi", label, name)};
}

OfficialList ucf_table(const fs::path& path) {
  OfficialList list(kUcfSplits);
  const CsvTable csv = CsvTable::load(path);
  const Index label = csv.column("class");
  const Index video = csv.column("video");
  for (Index row = 0; row < csv.rows(); ++row) {
    const ListedVideo found = ucf_video(std::string(csv.text(row, label)),
                                        std::string(csv.text(row, video)), csv.place(row, video));
    for (std::size_t k = 0; k < kUcfSplits.size(); ++k) {
      const Index column = csv.column(kUcfSplits[k]);
      list.add(found, k, csv.text(row, column), csv.place(row, column));
    }
  }
  return list;
}

// Lines "Archery/v_Archery_g01_c01.avi 3", of the test lists without the number.
OfficialList ucf_files(const fs::path& folder) {
  OfficialList list(kUcfSplits);
  for (std::size_t k = 0; k < kUcfSplits.size(); ++k) {
    for (const std::string_view side : {"train", "test"}) {
      const fs::path path = needed_file(folder, fmt::format("{}list0{}.txt", side, k + 1));
      for (const std::string& line : lines_of(path)) {
        const std::string file = line.substr(0, line.find(' '));
        const auto slash = file.find('/');
        if (slash == file.npos || !file.ends_with(".avi")) {
          throw Error(ErrorKind::data,
                      fmt::format("{}: \"{}\" is no line like Archery/v_Archery_g01_c01.avi",
                                  path.string(), line));
        }
        const std::string name = file.substr(slash + 1, file.size() - slash - 5);
        list.add(ucf_video(file.substr(0, slash), name, path.string()), k, side, path.string());
      }
    }
  }
  return list;
}

IndexTable ucf101_list(const fs::path& folder) {
  for (const auto* file : {"ucf101.csv.gz", "ucf101.csv"}) {
    if (fs::is_regular_file(folder / file)) {
      return ucf_table(folder / file).table();
    }
  }
  return ucf_files(folder).table();
}

Dataset read_ucf101(const fs::path& folder, std::string_view variant) {
  Dataset dataset = with_features(ucf101_list(folder), folder, "ucf101", variant);
  dataset.summary = fmt::format("101 classes of videos, official {}", variant);
  dataset.about["origin"] = "UCF101";
  dataset.about["licence"] = "none stated";
  dataset.about["citation"] =
      "K. Soomro, A. Zamir, M. Shah, UCF101: A Dataset of 101 Human Action Classes From Videos in "
      "The Wild, CRCV-TR-12-01, 2012";
  return dataset;
}

}  // namespace

ImportSpec ucf101_import() {
  return {"ucf101",
          "101 video classes, three official splits, with features extracted elsewhere",
          {"trainlist01.txt", "testlist01.txt", "features/dataset.yaml"},
          kUcfSplits,
          read_ucf101,
          ucf101_list};
}

}  // namespace tyto
