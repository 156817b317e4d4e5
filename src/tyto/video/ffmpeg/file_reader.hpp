// SPDX-License-Identifier: Apache-2.0
// Videos in files.
#pragma once

#include "tyto/video/module.hpp"

namespace tyto {

// Of a video whose decoded frames fit into `most_kept` bytes read() converts alone. Of a larger one
// it decodes again, from the nearest place before a wanted frame; a frame found that way must be
// the frame of the first time to the bit, else it is decoded from the start.
std::unique_ptr<VideoReader> open_video_file(const std::filesystem::path& path, Index most_kept);

}  // namespace tyto
