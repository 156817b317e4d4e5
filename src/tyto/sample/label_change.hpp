// SPDX-License-Identifier: Apache-2.0
// From some moment on classes are called otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tyto {

enum class LabelChangeKind : std::uint8_t { rename, merge, split };

struct LabelChange {
  LabelChangeKind kind = LabelChangeKind::rename;
  std::vector<std::string> from;  // names that are no longer used; of a merge several
  std::string to = {};  // the name used instead; of a split none: labels to come will tell
};

}  // namespace tyto
