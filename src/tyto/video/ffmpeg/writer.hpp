// SPDX-License-Identifier: Apache-2.0
// Frames as a video file.
#pragma once

#include <filesystem>
#include <span>

#include "tyto/video/picture.hpp"

namespace tyto {

// FFV1 in Matroska: every pixel comes back as it was. The same frames give the same bytes.
void write_lossless(std::span<const Picture> frames, double fps, const std::filesystem::path& path);

}  // namespace tyto
