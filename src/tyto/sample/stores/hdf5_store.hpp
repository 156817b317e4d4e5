// SPDX-License-Identifier: Apache-2.0
// A two-dimensional dataset of an HDF5 file, read row by row as it is asked for.
#pragma once

#include <filesystem>
#include <memory>

#include "tyto/sample/feature_store.hpp"

namespace tyto {

// `dataset` is its path in the file, "/features". Any floating type, which HDF5
// converts to float32, or uint8, read as 0 to 255. Rows
// are read in file order, each run of neighbours in one call; one thread reads at a time.
std::shared_ptr<const FeatureStore> open_hdf5(const std::filesystem::path& path,
                                              std::string_view dataset,
                                              std::string_view source = "features",
                                              std::vector<std::string> columns = {});

}  // namespace tyto
