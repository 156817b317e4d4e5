// SPDX-License-Identifier: Apache-2.0
#include "kowl718_data.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/core/random.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr Index kWidth = 768;
constexpr float kMeanScale =
    0.15F;  // against noise 1: a linear rule gets some three quarters right

struct Part {  // rows of some classes, spread evenly over them
  std::string prefix;
  Index classes, train, test;
};

// Groups of novel classes, rarest first, as rows per increment times the increments they come in.
std::vector<Part> parts_of(const std::string& dataset) {
  if (dataset == "k400") {
    return {{"base", 389, 217691, 35056}, {"small", 20, 680, 200}};
  }
  if (dataset == "k600") {
    return {{"base", 389, 79923, 1438}, {"small", 20, 97, 0},       {"k600_0", 46, 15815, 895},
            {"k600_1", 46, 22052, 928}, {"k600_2", 46, 23190, 798}, {"k600_3", 46, 24596, 744},
            {"k600_4", 43, 25538, 612}};
  }
  return {{"base", 389, 171204, 24194}, {"small", 9, 45, 0},       {"k700_0", 17, 9350, 815},
          {"k700_1", 17, 9660, 832},    {"k700_2", 17, 9993, 831}, {"k700_3", 17, 10546, 822},
          {"k700_4", 14, 10144, 684}};
}

struct Row {
  std::string label;
  const char* split;
};

std::vector<Row> rows_of(const std::string& dataset, double scale) {
  std::vector<Row> rows;
  for (const Part& part : parts_of(dataset)) {
    for (const auto& [split, total] : {std::pair("train", part.train), {"test", part.test}}) {
      const auto scaled = static_cast<Index>(std::ceil(static_cast<double>(total) * scale));
      for (Index i = 0; i < scaled; ++i) {
        rows.push_back({fmt::format("{}_{:03}", part.prefix, i % part.classes), split});
      }
    }
  }
  Rng(1, dataset).shuffle(rows);
  return rows;
}

void write_features(const fs::path& file, const std::vector<Row>& rows,
                    const std::string& dataset) {
  constexpr Index kBlock = 4096;
  NpyWriter writer(file, static_cast<Index>(rows.size()), {kWidth});
  Matrix block;
  in_blocks(static_cast<Index>(rows.size()), kBlock, [&](Index begin, Index count) {
    block.resize(count, kWidth);
    for_each_index(count, [&](Index i) {
      const Row& row = rows[static_cast<std::size_t>(begin + i)];
      Rng mean(1, row.label);
      Rng noise(1, dataset, static_cast<std::uint64_t>(begin + i));
      for (Index j = 0; j < kWidth; ++j) {
        block(i, j) =
            kMeanScale * static_cast<float>(mean.normal()) + static_cast<float>(noise.normal());
      }
    });
    writer.append(block);
  });
  writer.finish();
}

}  // namespace

void make_kowl718_data(const fs::path& folder, double scale) {
  for (const std::string dataset : {"k400", "k600", "k700"}) {
    const fs::path target = folder / dataset;
    if (fs::exists(target / "dataset.yaml")) {
      continue;
    }
    make_folder(target);
    const std::vector<Row> rows = rows_of(dataset, scale);
    write_features(target / "features.npy", rows, dataset);
    std::string index = "id,label,split\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
      index += fmt::format("{}_{},{},{}\n", dataset, i, rows[i].label, rows[i].split);
    }
    write_file(target / "index.csv", index);
    write_file(target / "dataset.yaml",
               fmt::format("name: {}\nsummary: seeded, for benchmarks\nindex: index.csv\n"
                           "features:\n  - {{source: features, file: features.npy}}\n",
                           dataset));
  }
}

}  // namespace tyto
