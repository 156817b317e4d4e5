// SPDX-License-Identifier: Apache-2.0
// write_file for content that is never in memory as a whole.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace tyto {

using PutBytes = std::function<void(std::string_view)>;  // the next ones

// `fill` is called once. The file is whole or absent, also where it throws.
void write_file(const std::filesystem::path& path,
                const std::function<void(const PutBytes& put)>& fill);

}  // namespace tyto
