// SPDX-License-Identifier: Apache-2.0
// What `tyto data make` writes besides the worlds of the list: a whole published layout.
#pragma once

#include <string_view>

namespace tyto {

inline constexpr std::string_view kNovelCraftLayout = "novelcraft";
inline constexpr std::string_view kNovelCraftSummary =
    "for `tyto data make`: a block world, drawn and played, in the layout of NovelCraft: pictures, "
    "states and episodes on disk, imported as the dataset is";

}  // namespace tyto
