// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/thumbnail.hpp"

#include <algorithm>

#include "tyto/video/module.hpp"
#include "tyto/video/prepare.hpp"

namespace tyto {

namespace {

constexpr Index kThumbnailHeight = 64;
constexpr Index kWidestThumbnail = 128;
constexpr Index kThumbnailFrames = 6;
constexpr int kThumbnailQuality = 75;

}  // namespace

std::set<Index> ThumbnailStrip::spread(const std::set<Index>& frames) {
  const std::vector<Index> all(frames.begin(), frames.end());
  const auto n = static_cast<Index>(all.size());
  std::set<Index> out;
  for (Index k = 0; k < std::min(n, kThumbnailFrames); ++k) {
    out.insert(all[at(n <= kThumbnailFrames ? k : k * (n - 1) / (kThumbnailFrames - 1))]);
  }
  return out;
}

void ThumbnailStrip::add(const Picture& picture) {
  const Index width =
      std::clamp<Index>(picture.width * kThumbnailHeight / picture.height, 1, kWidestThumbnail);
  pictures_.push_back(resized(picture, Resizer::pillow_bilinear,
                              pictures_.empty() ? width : pictures_.front().width,
                              kThumbnailHeight));
}

std::string ThumbnailStrip::jpeg() const {
  if (pictures_.empty()) {
    return "";
  }
  const Index width = pictures_.front().width;
  Picture strip(width * frames(), kThumbnailHeight);
  for (Index k = 0; k < frames(); ++k) {
    for (Index y = 0; y < kThumbnailHeight; ++y) {
      std::copy_n(pictures_[at(k)].pixel(0, y), width * 3, strip.pixel(k * width, y));
    }
  }
  return video_module().as_jpeg(strip, kThumbnailQuality);
}

}  // namespace tyto
