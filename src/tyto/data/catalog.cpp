// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/catalog.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/locations.hpp"
#include "tyto/core/named.hpp"
#include "tyto/core/options.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/described_table.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

bool is_dataset(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kDescriptorName, ignored);
}

// Of a file or folder that is no dataset yet.
std::string what_to_do(const fs::path& path, bool is_file) {
  if (is_file) {
    return fmt::format(
        "{}: is neither a dataset.yaml nor a table (.csv, .tsv, .txt, or .gz of these)",
        path.string());
  }
  std::vector<fs::path> tables;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    if (entry.is_regular_file(ignored) && is_table(entry.path())) {
      tables.push_back(entry.path());
    }
  }
  std::sort(tables.begin(), tables.end());
  const std::string first =
      tables.empty() ? (path / "TABLE.csv").string() : tables.front().string();
  return fmt::format(
      "{}: holds no {}; `tyto data init {}` writes one for a table, `tyto data import` reads "
      "published layouts, `tyto extract` makes a dataset of pictures or videos",
      path.string(), kDescriptorName, first);
}

}  // namespace

Catalog Catalog::standard(std::vector<fs::path> first) {
  std::vector<fs::path> places = std::move(first);
  if (const char* list = std::getenv("TYTO_DATA")) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const auto colon = rest.find(':');
      if (colon != 0) {
        places.emplace_back(rest.substr(0, colon));
      }
      rest = colon == rest.npos ? "" : rest.substr(colon + 1);
    }
  }
  for (fs::path& place : shared_folders("datasets")) {
    places.push_back(std::move(place));
  }
  return Catalog(std::move(places));
}

std::vector<std::string> Catalog::names() const {
  std::set<std::string> found;
  for (const fs::path& place : places_) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(place, ignored)) {
      if (is_dataset(entry.path()) && entry.path().extension() != ".part") {
        found.insert(entry.path().filename().string());
      }
    }
  }
  return {found.begin(), found.end()};
}

fs::path Catalog::find(std::string_view name) const {
  std::error_code ignored;
  const fs::path path(name);
  const bool is_plain_name = name.find('/') == name.npos && path.extension() != ".yaml";
  if (!name.empty() && is_plain_name) {
    for (const fs::path& place : places_) {
      if (is_dataset(place / path)) {
        return place / path;
      }
    }
  }
  const bool is_file = fs::is_regular_file(path, ignored);
  if (is_dataset(path) || (is_file && (path.extension() == ".yaml" || is_table(path)))) {
    return path;
  }
  if (is_file || fs::is_directory(path, ignored)) {
    throw Error(ErrorKind::config, what_to_do(path, is_file));
  }
  const auto known = names();
  if (!is_plain_name || is_table(path)) {
    throw Error(ErrorKind::config,
                fmt::format("{}: there is no such file or folder{}; datasets by name: {}", name,
                            did_you_mean(name, known),
                            known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  }
  std::vector<std::string> searched;
  for (const fs::path& place : places_) {
    searched.push_back(place.string());
  }
  throw Error(ErrorKind::config,
              fmt::format("no dataset is called \"{}\"{}; there are: {} (searched: {})", name,
                          did_you_mean(name, known),
                          known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                          fmt::join(searched, ", ")));
}

std::string Catalog::summary(std::string_view name) const {
  const fs::path path = find(name);
  if (is_table(path)) {
    return "";
  }
  const ConfigNode root = load_yaml(fs::is_directory(path) ? path / kDescriptorName : path);
  const ConfigNode* summary = root.find("summary");
  return summary == nullptr ? "" : summary->text;
}

Dataset Catalog::load(std::string_view name) const {
  return load_dataset(find(name));
}

}  // namespace tyto
