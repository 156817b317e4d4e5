// SPDX-License-Identifier: Apache-2.0
// Which frames of NovelCraft on disk are samples, of what class and in which split.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/data/novelcraft/frame_files.hpp"
#include "tyto/data/novelcraft/tables.hpp"

namespace tyto {

struct NovelCraftOptions {
  std::string of = "frames";
  double visible = kNovelCraftVisible;
  bool plus = false;
  Index history = 5;
  std::string state;

  void describe(OptionVisitor& visitor);
};

struct NovelCraftSelection {
  std::vector<NovelCraftFile> files;
  // A row per file: id, label, split, group, time (the number of the frame) and the annotations
  // role, novel and, of frames, visible_share.
  IndexTable table;
  std::map<std::string, std::string> about;  // what was left out, as sentences
};

// frames    those of classes with a role (classes.csv) that show at least `visible` of their block,
//           and all of `normal`; a normal class where splits.csv puts its episode, a class new in
//           validation or test there alone
// episodes  all of the classes that episode_classes.csv uses: `normal` where splits.csv puts them,
//           the others in test; before its first novel episode a class is labelled normal
// Where classes.csv or episode_classes.csv is missing, the roles and numbers of the published
// release. With `plus`, frames of NovelCraft+ are training frames of normal. A frame that
// targets.csv does not name is left out and told of, as is one of its frames that is not on disk.
// Throws Error(data) where nothing is left.
NovelCraftSelection select_novelcraft(const std::filesystem::path& folder, std::string_view suffix,
                                      const NovelCraftOptions& options);

}  // namespace tyto
