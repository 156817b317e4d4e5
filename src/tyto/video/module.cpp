// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/module.hpp"

#include "tyto/core/files/locations.hpp"
#include "tyto/core/files/module_file.hpp"

namespace tyto {

const VideoModule& video_module() {
  static const VideoModule& module = []() -> const VideoModule& {
    using Factory = const VideoModule* (*)();
    return *reinterpret_cast<Factory>(module_function(
        library_folder() / "libtyto_video.so", "tyto_video_module", "pictures and videos"))();
  }();
  return module;
}

}  // namespace tyto
