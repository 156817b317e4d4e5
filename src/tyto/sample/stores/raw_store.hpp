// SPDX-License-Identifier: Apache-2.0
// Headerless rows of a stated shape, little-endian float32, float16 or uint8: `.bin` is mapped,
// `.bin.gz` unpacked.
#pragma once

#include <filesystem>
#include <memory>

#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

// `shape` is that of one row. Throws Error(data) when the size is no whole number of rows.
std::shared_ptr<const FeatureStore> open_raw(const std::filesystem::path& path,
                                             const std::vector<Index>& shape,
                                             std::string_view source = "features",
                                             std::vector<std::string> columns = {},
                                             StoredAs type = StoredAs::float32);

}  // namespace tyto
