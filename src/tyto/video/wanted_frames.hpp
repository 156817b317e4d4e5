// SPDX-License-Identifier: Apache-2.0
// Inside the module only: wanted frames in order, each loaded once.
#pragma once

#include <filesystem>
#include <functional>
#include <span>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/video/picture.hpp"

namespace tyto {

// `load` makes the picture of a frame. Throws Error(data) naming `path` for a frame that it does
// not have.
inline void give_wanted(std::span<const Index> wanted, Index frames,
                        const std::filesystem::path& path,
                        const std::function<Picture(Index frame)>& load,
                        const std::function<void(Index frame, const Picture& picture)>& take) {
  Index last = -1;
  Picture picture;
  for (const Index frame : wanted) {
    if (frame < 0 || frame >= frames) {
      throw Error(ErrorKind::data, fmt::format("{}: frame {} is wanted, and it has {} frames",
                                               path.string(), frame, frames));
    }
    TYTO_ASSERT(frame >= last);
    if (frame != last) {
      picture = load(frame);
    }
    last = frame;
    take(frame, picture);
  }
}

}  // namespace tyto
