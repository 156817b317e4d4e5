// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/feature_files/feature_folder.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/feature_files/file_rows.hpp"
#include "tyto/data/join.hpp"
#include "tyto/sample/stores/hdf5_store.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFeatureEnding = "_feat", kLogitsEnding = "_logits";

bool is_hdf5(const fs::path& path) {
  return path.extension() == ".h5" || path.extension() == ".hdf5";
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) {
    entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

class FeatureFolder {
 public:
  explicit FeatureFolder(const FeatureFolderOptions& options) : options_(options) {}

  void add(const fs::path& entry) {
    if (fs::is_directory(entry)) {
      add_tree(entry);
    } else if (entry.extension() == ".npy" || is_hdf5(entry)) {
      add_file(entry);
    }
  }

  std::vector<FeatureSource> take() {
    const std::vector<std::string> names(seen_.begin(), seen_.end());
    std::vector<FeatureSource> all;
    for (auto& [name, source] : found_) {
      source.name = name;
      expect_single_ids(source);
      all.push_back(std::move(source));
    }
    for (const std::string& wanted : options_.sources) {
      if (std::find(names.begin(), names.end(), wanted) == names.end()) {
        throw unknown_name("source", wanted, names);
      }
    }
    return all;
  }

 private:
  bool is_wanted(const std::string& source) {
    seen_.insert(source);
    const auto& wanted = options_.sources;
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), source) != wanted.end();
  }

  // x3d of x3d_k400_train: what stands before the name of a release.
  [[nodiscard]] std::string source_of(const std::string& stem) const {
    for (const std::string& release : options_.releases) {
      for (auto at = stem.find("_" + release); at != stem.npos && at > 0;
           at = stem.find("_" + release, at + 1)) {
        const auto end = at + 1 + release.size();
        if (end == stem.size() || stem[end] == '_') {
          return stem.substr(0, at);
        }
      }
    }
    return stem;
  }

  void add_file(const fs::path& file) {
    const std::string source = source_of(file.stem().string());
    if (!is_wanted(source)) {
      return;
    }
    const fs::path base = file.parent_path() / (file.stem().string() + "_ids");
    fs::path list = base.string() + ".txt";
    if (!fs::is_regular_file(list)) {
      list = base.string() + ".csv";
    }
    if (!fs::is_regular_file(list)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the ids of its rows are missing; they are looked for in {}.txt "
                              "and {}.csv",
                              file.string(), base.string(), base.string()));
    }
    const auto store =
        is_hdf5(file) ? open_hdf5(file, options_.dataset, source) : open_npy(file, source);
    const std::vector<std::string> ids = read_id_list(list, "");
    if (std::ssize(ids) != store->rows()) {
      throw Error(ErrorKind::data, fmt::format("{} has {} ids, but {} has {} rows", list.string(),
                                               ids.size(), file.string(), store->rows()));
    }
    put(source, ids, {file.string(), store});
  }

  void add_tree(const fs::path& folder) {
    struct Tree {
      std::vector<std::string> ids;
      std::vector<fs::path> files;
    };

    const std::string name = folder.filename().string();
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && is_row_file(entry.path())) {
        files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());
    std::map<std::string, Tree> trees;
    for (const fs::path& file : files) {
      std::string id = file.stem().string();
      std::string source = name;
      if (id.ends_with(kLogitsEnding)) {
        id.resize(id.size() - kLogitsEnding.size());
        source += name.ends_with("logits") ? "" : kLogitsEnding;
      } else if (id.ends_with(kFeatureEnding)) {
        id.resize(id.size() - kFeatureEnding.size());
      }
      if (is_wanted(source)) {
        trees[source].ids.push_back(std::move(id));
        trees[source].files.push_back(file);
      }
    }
    for (auto& [source, tree] : trees) {
      place_of_[source].resize(found_[source].ids.size());
      for (const fs::path& file : tree.files) {
        place_of_[source].push_back(file.string());
      }
      put(source, tree.ids, {folder.string(), open_file_rows(std::move(tree.files), source)});
    }
  }

  void put(const std::string& source, const std::vector<std::string>& ids, StorePiece piece) {
    FeatureSource& held = found_[source];
    held.ids.insert(held.ids.end(), ids.begin(), ids.end());
    auto& places = place_of_[source];
    places.resize(held.ids.size(), piece.name);
    held.pieces.push_back(std::move(piece));
  }

  void expect_single_ids(const FeatureSource& source) {
    std::unordered_map<std::string_view, std::size_t> first;
    const std::vector<std::string>& places = place_of_[source.name];
    for (std::size_t i = 0; i < source.ids.size(); ++i) {
      const auto [known, is_new] = first.try_emplace(source.ids[i], i);
      if (!is_new) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: \"{}\" has features of {} already, in {}", places[i],
                                source.ids[i], source.name, places[known->second]));
      }
    }
  }

  const FeatureFolderOptions& options_;
  std::set<std::string> seen_;  // sources, wanted or not
  std::map<std::string, FeatureSource> found_;
  std::map<std::string, std::vector<std::string>> place_of_;  // by source and row, for messages
};

}  // namespace

std::shared_ptr<const FeatureStore> FeatureSource::store() const {
  return pieces.size() == 1 ? pieces.front().store : std::make_shared<const JoinedStore>(pieces);
}

std::vector<FeatureSource> find_features(const fs::path& folder,
                                         const FeatureFolderOptions& options) {
  FeatureFolder found(options);
  for (const fs::path& entry : sorted_entries(folder)) {
    found.add(entry);
  }
  std::vector<FeatureSource> sources = found.take();
  if (sources.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: holds no features: no .npy or HDF5 file with ids beside it, no "
                            "folder with .npy or .pt files",
                            folder.string()));
  }
  return sources;
}

}  // namespace tyto
