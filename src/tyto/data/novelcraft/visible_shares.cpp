// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/novelcraft/visible_shares.hpp"

#include <array>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/data/novelcraft/state_file.hpp"

namespace tyto {

namespace {

constexpr Index kStatesAtOnce = 256;  // between two looks at the progress
constexpr Index kMostSide = 4096;

// The width that the header of a PNG tells, which must be its height too.
Index side_of_png(const std::filesystem::path& path) {
  std::array<unsigned char, 24> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(head.data()), std::ssize(head));
  const auto number = [&](std::size_t begin) {
    return Index{head[begin]} << 24 | Index{head[begin + 1]} << 16 | Index{head[begin + 2]} << 8 |
           Index{head[begin + 3]};
  };
  const bool is_png = file && head[1] == 'P' && head[2] == 'N' && head[3] == 'G';
  if (!is_png || number(16) != number(20) || number(16) < 1 || number(16) > kMostSide) {
    throw Error(ErrorKind::data,
                fmt::format("{}: is no PNG of at most {} pixels across and as many down",
                            path.string(), kMostSide));
  }
  return number(16);
}

// A state without a map shows no block, as the release counts it.
Index pixels_in(const std::filesystem::path& path, const Block& block, Index side) {
  const nlohmann::json state = read_state_file(path);
  if (!state.contains("map")) {
    return 0;
  }
  const BlockScene scene = scene_of(state, path.string());
  try {
    return visible_pixels(scene.grid, scene.camera, block, side, side);
  } catch (const Error& problem) {
    throw Error(problem.kind(), fmt::format("{}: {}", path.string(), problem.what()));
  }
}

}  // namespace

std::vector<VisibleShare> visible_shares(const std::filesystem::path& folder, Index size,
                                         Progress& progress) {
  std::vector<NovelCraftFile> files;
  for (NovelCraftFile& file : novelcraft_files(folder, ".png").files) {
    if (novel_block_of(file.class_name) &&
        std::filesystem::exists(folder / (file.id() + ".json"))) {
      files.push_back(std::move(file));
    }
  }
  if (files.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: there is no <class>/<episode>/<frame>.png with a .json beside it "
                            "in a class that has a novel block",
                            folder.string()));
  }
  std::vector<VisibleShare> out(files.size());
  progress.begin("states", static_cast<double>(files.size()));
  in_blocks(std::ssize(files), kStatesAtOnce, [&](Index begin, Index count) {
    for_each_index(count, [&](Index i) {
      const NovelCraftFile& file = files[at(begin + i)];
      const Index side = size > 0 ? size : side_of_png(folder / (file.id() + ".png"));
      out[at(begin + i)] = {
          file.id(),
          pixels_in(folder / (file.id() + ".json"), *novel_block_of(file.class_name), side), side};
    });
    progress.advance(static_cast<double>(count));
  });
  progress.end();
  return out;
}

}  // namespace tyto
