// SPDX-License-Identifier: Apache-2.0
// Resizing as OpenCV's INTER_AREA does it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tyto/video/resize/resizers.hpp"

namespace tyto {

namespace {

constexpr float kLinearScale = 2048.0F;  // fixed point of the linear rule

std::uint8_t rounded_even(float value) {  // the rounding mode is to nearest, halves to even
  return static_cast<std::uint8_t>(std::clamp(std::nearbyint(value), 0.0F, 255.0F));
}

// In this order, since 1 / (d / s) need not be s / d.
double area_scale(Index in, Index out) {
  return 1.0 / (static_cast<double>(out) / static_cast<double>(in));
}

bool is_whole(double scale) {
  return std::abs(scale - std::nearbyint(scale)) < std::numeric_limits<double>::epsilon();
}

Picture means_of_blocks(const Picture& picture, Index width, Index height, Index sx, Index sy) {
  Picture out(width, height);
  const float share = 1.0F / static_cast<float>(sx * sy);
  std::vector<std::int32_t> sums(at(width * 3));
  for (Index y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), 0);
    for (Index row = y * sy; row < (y + 1) * sy; ++row) {
      for (Index x = 0; x < width; ++x) {
        for (Index k = 0; k < sx; ++k) {
          const std::uint8_t* from = picture.pixel(x * sx + k, row);
          for (Index c = 0; c < 3; ++c) {
            sums[at(x * 3 + c)] += from[c];
          }
        }
      }
    }
    std::uint8_t* to = out.pixel(0, y);
    for (Index v = 0; v < width * 3; ++v) {
      to[v] = sx == 2 && sy == 2 ? static_cast<std::uint8_t>((sums[at(v)] + 2) >> 2)
                                 : rounded_even(static_cast<float>(sums[at(v)]) * share);
    }
  }
  return out;
}

// A share of pixel `from` goes into pixel `to`.
struct AreaShare {
  Index to, from;
  float share;
};

std::vector<AreaShare> area_shares(Index in, Index out) {
  constexpr double kNothing = 1e-3;
  const double scale = area_scale(in, out);
  std::vector<AreaShare> shares;
  for (Index i = 0; i < out; ++i) {
    const double begin = static_cast<double>(i) * scale;
    const double end = begin + scale;
    const double covered = std::min(scale, static_cast<double>(in) - begin);
    const Index last = std::min(static_cast<Index>(std::floor(end)), in - 1);
    const Index first = std::min(static_cast<Index>(std::ceil(begin)), last);
    if (static_cast<double>(first) - begin > kNothing) {
      shares.push_back(
          {i, first - 1, static_cast<float>((static_cast<double>(first) - begin) / covered)});
    }
    for (Index k = first; k < last; ++k) {
      shares.push_back({i, k, static_cast<float>(1.0 / covered)});
    }
    const double rest = end - static_cast<double>(last);
    if (rest > kNothing) {
      shares.push_back(
          {i, last, static_cast<float>(std::min(std::min(rest, 1.0), covered) / covered)});
    }
  }
  return shares;
}

Picture means_of_areas(const Picture& picture, Index width, Index height) {
  const std::vector<AreaShare> across = area_shares(picture.width, width);
  const std::vector<AreaShare> down = area_shares(picture.height, height);
  Picture out(width, height);
  std::vector<float> narrow(at(width * 3));
  std::vector<float> sums(at(width * 3));
  for (std::size_t j = 0; j < down.size(); ++j) {
    const AreaShare& row = down[j];
    std::fill(narrow.begin(), narrow.end(), 0.0F);
    const std::uint8_t* from = picture.pixel(0, row.from);
    for (const AreaShare& column : across) {
      for (Index c = 0; c < 3; ++c) {
        narrow[at(column.to * 3 + c)] +=
            static_cast<float>(from[column.from * 3 + c]) * column.share;
      }
    }
    const bool begins = j == 0 || down[j - 1].to != row.to;
    for (std::size_t v = 0; v < sums.size(); ++v) {
      sums[v] = begins ? row.share * narrow[v] : sums[v] + row.share * narrow[v];
    }
    if (j + 1 == down.size() || down[j + 1].to != row.to) {
      std::transform(sums.begin(), sums.end(), out.pixel(0, row.to), rounded_even);
    }
  }
  return out;
}

// Two taps of the linear rule that stands for area where a side grows: the pixel is repeated, and
// mixed with the next where it covers both.
struct LinearTap {
  Index from;
  std::int32_t here, next;  // of 2048
};

std::vector<LinearTap> growing_taps(Index in, Index out) {
  const double scale = area_scale(in, out);
  const double inverse = static_cast<double>(out) / static_cast<double>(in);
  std::vector<LinearTap> taps;
  for (Index i = 0; i < out; ++i) {
    const auto from = static_cast<Index>(std::floor(static_cast<double>(i) * scale));
    auto part =
        static_cast<float>(static_cast<double>(i + 1) - static_cast<double>(from + 1) * inverse);
    part = part <= 0.0F ? 0.0F : part - std::floor(part);
    taps.push_back({from, static_cast<std::int32_t>(std::nearbyint((1.0F - part) * kLinearScale)),
                    static_cast<std::int32_t>(std::nearbyint(part * kLinearScale))});
  }
  return taps;
}

Picture grown(const Picture& picture, Index width, Index height) {
  const std::vector<LinearTap> across = growing_taps(picture.width, width);
  const std::vector<LinearTap> down = growing_taps(picture.height, height);
  Picture out(width, height);
  const auto widened = [&](Index row, std::vector<std::int32_t>& to) {
    const std::uint8_t* from = picture.pixel(0, row);
    for (Index x = 0; x < width; ++x) {
      const LinearTap& tap = across[at(x)];
      const bool last = tap.from >= picture.width - 1;
      for (Index c = 0; c < 3; ++c) {
        to[at(x * 3 + c)] =
            last ? from[(picture.width - 1) * 3 + c] * static_cast<std::int32_t>(kLinearScale)
                 : from[tap.from * 3 + c] * tap.here + from[tap.from * 3 + 3 + c] * tap.next;
      }
    }
  };
  std::vector<std::int32_t> here(at(width * 3));
  std::vector<std::int32_t> next(at(width * 3));
  Index here_row = -1;
  Index next_row = -1;
  for (Index y = 0; y < height; ++y) {
    const LinearTap& tap = down[at(y)];
    const Index first = std::min(tap.from, picture.height - 1);
    const Index second = std::min(tap.from + 1, picture.height - 1);
    if (first != here_row && first == next_row) {
      std::swap(here, next);
      std::swap(here_row, next_row);
    }
    if (first != here_row) {
      widened(here_row = first, here);
    }
    if (second != next_row) {
      widened(next_row = second, next);
    }
    std::uint8_t* to = out.pixel(0, y);
    for (Index v = 0; v < width * 3; ++v) {
      const std::int32_t sum =
          ((tap.here * (here[at(v)] >> 4)) >> 16) + ((tap.next * (next[at(v)] >> 4)) >> 16);
      to[v] = static_cast<std::uint8_t>(std::clamp((sum + 2) >> 2, 0, 255));
    }
  }
  return out;
}

}  // namespace

Picture area_resized(const Picture& picture, Index width, Index height) {
  if (width == picture.width && height == picture.height) {
    return picture;
  }
  const double sx = area_scale(picture.width, width);
  const double sy = area_scale(picture.height, height);
  if (sx < 1.0 || sy < 1.0) {
    return grown(picture, width, height);
  }
  if (is_whole(sx) && is_whole(sy)) {
    return means_of_blocks(picture, width, height, static_cast<Index>(std::nearbyint(sx)),
                           static_cast<Index>(std::nearbyint(sy)));
  }
  return means_of_areas(picture, width, height);
}

}  // namespace tyto
