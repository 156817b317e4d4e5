// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/clips/clip_store.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

namespace {

constexpr Index kCells = 8;  // in each direction

}  // namespace

ClipStore::ClipStore(Index width, Index height, std::vector<std::uint8_t> bytes)
    : width_(width),
      height_(height),
      across_(std::min(kCells, width)),
      down_(std::min(kCells, height)),
      bytes_(std::move(bytes)) {}

Index ClipStore::rows() const {
  return std::ssize(bytes_) / (3 * width_ * height_);
}

std::vector<std::string> ClipStore::sources() const {
  return {"features", "rgb"};
}

std::vector<Index> ClipStore::shape(std::string_view source) const {
  if (source == "features") {
    return {3 * across_ * down_};
  }
  if (source == "rgb") {
    return {3, height_, width_};
  }
  throw Error(ErrorKind::data,
              fmt::format("the data have no source \"{}\"; there are: features, rgb", source));
}

void ClipStore::shrink(const std::uint8_t* picture, float* out) const {
  for (Index c = 0; c < 3; ++c) {
    for (Index i = 0; i < down_; ++i) {
      for (Index j = 0; j < across_; ++j) {
        const Index top = i * height_ / down_;
        const Index end_y = (i + 1) * height_ / down_;
        const Index left = j * width_ / across_;
        const Index end_x = (j + 1) * width_ / across_;
        Index sum = 0;
        for (Index y = top; y < end_y; ++y) {
          for (Index x = left; x < end_x; ++x) {
            sum += picture[(c * height_ + y) * width_ + x];
          }
        }
        *out++ =
            static_cast<float>(sum) / (255.0F * static_cast<float>((end_y - top) * (end_x - left)));
      }
    }
  }
}

void ClipStore::gather(std::string_view source, Rows rows, MatrixRef out) const {
  const bool small = shape(source).size() == 1;
  expect_rows(rows, this->rows());
  const Index values = 3 * width_ * height_;
  share_loop(std::ssize(rows), values, [&](Index i) {
    const std::uint8_t* picture = bytes_.data() + rows[at(i)] * values;
    if (small) {
      shrink(picture, &out(i, 0));
    } else {
      std::copy_n(picture, values, &out(i, 0));
    }
  });
}

std::vector<std::string> ClipStore::column_names(std::string_view source) const {
  static_cast<void>(shape(source));  // throws for one it does not have
  return {};
}

std::string ClipStore::digest() const {
  return fmt::format("clips {} x {} {}", width_, height_,
                     tyto::digest(std::as_bytes(std::span(bytes_))));
}

}  // namespace tyto
