// SPDX-License-Identifier: Apache-2.0
// A folder that appears with all its files or not at all.
#pragma once

#include <filesystem>
#include <functional>

namespace tyto {

// Throws Error(io) unless there is nothing at `folder` or an empty folder.
void expect_free_folder(const std::filesystem::path& folder);

// Lets `fill` write into a new folder beside `folder`, then renames it; parents are made. Nothing
// is left behind where `fill` throws.
void write_whole_folder(const std::filesystem::path& folder,
                        const std::function<void(const std::filesystem::path&)>& fill);

}  // namespace tyto
