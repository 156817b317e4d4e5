// SPDX-License-Identifier: Apache-2.0
// Datasets by name: folders with a dataset.yaml, in the places where datasets are kept.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/data/dataset.hpp"

namespace tyto {

class Catalog {
 public:
  // Searched in this order, the first find wins.
  explicit Catalog(std::vector<std::filesystem::path> places) : places_(std::move(places)) {}

  // `first` (--data), then $TYTO_DATA (colon-separated), `datasets/` of the working directory, and
  // the datasets that ship with Tyto.
  static Catalog standard(std::vector<std::filesystem::path> first = {});

  [[nodiscard]] const std::vector<std::filesystem::path>& places() const { return places_; }

  // Sorted. A place that does not exist holds nothing.
  [[nodiscard]] std::vector<std::string> names() const;

  // The folder (or descriptor) of a name, or of a path to a folder, descriptor or table. Throws
  // Error(config) with places searched, names there are and the likeliest, or what to do instead.
  [[nodiscard]] std::filesystem::path find(std::string_view name) const;

  [[nodiscard]] Dataset load(std::string_view name) const;
  [[nodiscard]] std::string summary(std::string_view name) const;  // its one line, nothing loaded

 private:
  std::vector<std::filesystem::path> places_;
};

}  // namespace tyto

// Example:
//
//   const Dataset letters = Catalog::standard().load("letters");
