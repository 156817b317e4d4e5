// SPDX-License-Identifier: Apache-2.0
// Pictures of samples that lie as files beside a dataset.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tyto/report/page/sample_data.hpp"

namespace tyto {

// What a dataset notes of one sample; "": nothing.
struct PicturePaths {
  std::string thumbnail, thumbnail_frames, media;
};

// A thumbnail is made to be shown; media may be the video itself, or too large. Below the folder of
// the dataset, of a kind a browser shows; none if there is none.
std::optional<SamplePicture> filed_picture(const std::filesystem::path& folder,
                                           const PicturePaths& paths, std::size_t most_bytes);

}  // namespace tyto
