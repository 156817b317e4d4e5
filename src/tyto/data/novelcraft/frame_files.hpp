// SPDX-License-Identifier: Apache-2.0
// The frames of NovelCraft as they lie on disk: <class>/<episode>/<frame>.png or .json, and those
// of NovelCraft+ in folders below `normal` whose names begin with normal_.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct NovelCraftFile {
  std::string class_name;
  std::string episode;  // the folder below the class: "21", or "normal_3", "normal_3/0" of plus
  Index number = -1;    // of the episode; -1: of NovelCraft+
  Index frame = 0;

  [[nodiscard]] bool is_plus() const { return number < 0; }

  [[nodiscard]] std::string group() const { return class_name + '/' + episode; }

  [[nodiscard]] std::string id() const { return group() + '/' + std::to_string(frame); }
};

struct NovelCraftFiles {
  // Classes by name, episodes by number, then those of plus by name; frames by number.
  std::vector<NovelCraftFile> files;
  Index ignored = 0;  // folders and files that are called otherwise
};

// All files of this suffix, such as ".png".
NovelCraftFiles novelcraft_files(const std::filesystem::path& folder, std::string_view suffix);

}  // namespace tyto
