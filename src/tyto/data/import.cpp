// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/import.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/build_info.hpp"
#include "tyto/core/error.hpp"
#include "tyto/data/dataset_file.hpp"

namespace tyto {

Dataset import_dataset(std::string_view importer, const std::filesystem::path& folder,
                       std::string_view variant) {
  const ImportSpec& spec = find_importer(importer);
  if (variant.empty() && !spec.variants.empty()) {
    variant = spec.variants.front();
  }
  if (!variant.empty() &&
      std::find(spec.variants.begin(), spec.variants.end(), variant) == spec.variants.end()) {
    throw Error(ErrorKind::config,
                spec.variants.empty()
                    ? fmt::format("{} has no variants, but \"{}\" was asked for", importer, variant)
                    : fmt::format("{} has no variant \"{}\"; there are: {}", importer, variant,
                                  fmt::join(spec.variants, ", ")));
  }
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::io, fmt::format("{}: not a folder", folder.string()));
  }
  Dataset dataset = spec.read(folder, variant);
  dataset.about.emplace(
      "importer", fmt::format("{}{}{}, tyto {}", importer, variant.empty() ? "" : " ", variant,
                              build_info().version));
  expect_rows_match(dataset, folder.string());
  return dataset;
}

}  // namespace tyto
