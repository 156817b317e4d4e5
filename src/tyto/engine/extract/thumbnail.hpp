// SPDX-License-Identifier: Apache-2.0
// A sample at a glance: up to six of its frames side by side, 64 pixels high.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tyto/video/picture.hpp"

namespace tyto {

class ThumbnailStrip {
 public:
  // Six frames of these, evenly spread, the first and the last among them.
  static std::set<Index> spread(const std::set<Index>& frames);

  void add(const Picture& picture);

  [[nodiscard]] Index frames() const { return static_cast<Index>(pictures_.size()); }

  [[nodiscard]] std::string jpeg() const;

 private:
  std::vector<Picture> pictures_;  // of one size
};

}  // namespace tyto
