// SPDX-License-Identifier: Apache-2.0
// Where files that come with the program lie, in a build tree and after `make install` alike.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace tyto {

std::filesystem::path library_folder();  // of libtyto.so

// Existing folders called `name` ("presets", "datasets"), the first to be preferred: of the working
// directory, installed with the library, of the source tree in whose build tree the library lies.
std::vector<std::filesystem::path> shared_folders(std::string_view name);

}  // namespace tyto
