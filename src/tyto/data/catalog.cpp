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

namespace tyto {

namespace {

namespace fs = std::filesystem;

bool is_dataset(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kDescriptorName, ignored);
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
  if (is_dataset(path) || (path.extension() == ".yaml" && fs::is_regular_file(path, ignored))) {
    return path;
  }
  const auto known = names();
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
  const ConfigNode root = load_yaml(fs::is_directory(path) ? path / kDescriptorName : path);
  const ConfigNode* summary = root.find("summary");
  return summary == nullptr ? "" : summary->text;
}

Dataset Catalog::load(std::string_view name) const {
  return load_dataset(find(name));
}

}  // namespace tyto
