// SPDX-License-Identifier: Apache-2.0
// A State in one file: a zip of .npy members that numpy.load opens, with a checksum per member.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tyto/core/state.hpp"

namespace tyto {

// Equal states give equal bytes: ordered members, no dates.
std::string to_archive(const State& state);

// `name` stands in the message when the bytes are truncated, damaged or of another version.
State from_archive(std::string_view bytes, std::string_view name);

void write_archive(const std::filesystem::path& path, const State& state);  // atomic
State read_archive(const std::filesystem::path& path);

}  // namespace tyto
