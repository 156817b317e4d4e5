// SPDX-License-Identifier: Apache-2.0
// Importers turn a published layout into a dataset: one file each in data/importers/ and one line
// in data/CMakeLists.txt, or, where a descriptor tells it all, one in datasets/layouts/.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/config.hpp"
#include "tyto/core/options.hpp"
#include "tyto/data/dataset.hpp"

namespace tyto {

struct ImportSpec {
  std::string name, summary;
  std::vector<std::string> files;     // expected in the folder
  std::vector<std::string> variants;  // the first is the standard; empty: there is one only
  std::function<Dataset(const std::filesystem::path& folder, std::string_view variant)> read = {};
  // Of a published list of videos: its samples without features, which features are made by. The
  // column `source` says where the video lies among the others. None: there is no such list.
  std::function<IndexTable(const std::filesystem::path& folder)> list = {};
  // Of an importer with options: their description, and the same two with them.
  std::vector<OptionHelp> options = {};
  std::function<Dataset(const std::filesystem::path& folder, std::string_view variant,
                        const ConfigNode& options)>
      read_with = {};
  // `notes`: sentences about what was left out.
  std::function<IndexTable(const std::filesystem::path& folder, const ConfigNode& options,
                           std::vector<std::string>& notes)>
      list_with = {};
};

std::span<const ImportSpec> import_specs();  // by name

// Throws Error(config) naming the importers and the likeliest spelling.
const ImportSpec& find_importer(std::string_view name);

// The dataset in `folder`, not yet written; `variant` "" is the standard one. A file that is
// missing is named. `options` of an importer that has some; null: the standard ones.
Dataset import_dataset(std::string_view importer, const std::filesystem::path& folder,
                       std::string_view variant = "", const ConfigNode& options = {});

// The list of that importer as a table: id, video, start and end where samples are parts of videos,
// label, group, split and time where it tells them, and the official splits, a column each. Throws
// Error(config) where it has none. `notes` gets what was left out, a sentence each.
std::string list_csv(std::string_view importer, const std::filesystem::path& folder,
                     const ConfigNode& options = {}, std::vector<std::string>* notes = nullptr);

}  // namespace tyto
