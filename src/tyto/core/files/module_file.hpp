// SPDX-License-Identifier: Apache-2.0
// Modules of Tyto that are opened on demand, so that who does not need a large library does not
// wait for it.
#pragma once

#include <filesystem>
#include <string_view>

namespace tyto {

// The function called `name` in a module; `who` needs it ("networks"). The module is never closed.
// Throws Error(io) naming the file where it is missing or does not fit.
void* module_function(const std::filesystem::path& file, const char* name, std::string_view who);

}  // namespace tyto
