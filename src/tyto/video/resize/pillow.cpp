// SPDX-License-Identifier: Apache-2.0
// Resizing as Pillow's bilinear filter does it, in its fixed point.
#include <algorithm>
#include <array>
#include <cmath>

#include "tyto/video/resize/resizers.hpp"

namespace tyto {

namespace {

constexpr int kPillowBits = 22;
constexpr Index kRowsAtOnce = 16;               // of the pass over columns
constexpr Index kPixelLanes = kRowsAtOnce * 3;  // one pixel of each of those rows
constexpr Index kValuesAtOnce = 256;            // of the pass over rows

// What goes into each output pixel of an axis: weights of the pixels from `first` on.
struct PillowTaps {
  Index most = 0;
  std::vector<Index> first, count;
  std::vector<std::int32_t> weights;  // `most` for each output pixel
};

double triangle(double x) {
  x = std::abs(x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

double pillow_cubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1.0) {
    return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1.0;
  }
  return x < 2.0 ? (((x - 5.0) * x + 8.0) * x - 4.0) * kA : 0.0;
}

PillowTaps pillow_taps(Index in, Index out, bool cubic) {
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  const double stretched = std::max(scale, 1.0);
  const double support = (cubic ? 2.0 : 1.0) * stretched;
  const double narrow = 1.0 / stretched;
  PillowTaps taps;
  taps.most = static_cast<Index>(std::ceil(support)) * 2 + 1;
  taps.weights.resize(at(out * taps.most));
  std::vector<double> real(at(taps.most));
  for (Index i = 0; i < out; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const Index first = std::max<Index>(0, static_cast<Index>(centre - support + 0.5));
    const Index count = std::min(in, static_cast<Index>(centre + support + 0.5)) - first;
    double sum = 0.0;
    for (Index k = 0; k < count; ++k) {
      const double x = (static_cast<double>(k + first) - centre + 0.5) * narrow;
      real[at(k)] = cubic ? pillow_cubic(x) : triangle(x);
      sum += real[at(k)];
    }
    for (Index k = 0; k < count; ++k) {
      const double weight = (sum != 0.0 ? real[at(k)] / sum : real[at(k)]) * (1 << kPillowBits);
      taps.weights[at(i * taps.most + k)] =
          static_cast<std::int32_t>(weight < 0.0 ? weight - 0.5 : weight + 0.5);
    }
    taps.first.push_back(first);
    taps.count.push_back(count);
  }
  return taps;
}

std::uint8_t shifted_down(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kPillowBits, 0, 255));
}

// The pass over columns works on some rows at once, turned so that their values lie side by side.
Picture columns_resized(const Picture& picture, bool cubic, Index width) {
  const PillowTaps taps = pillow_taps(picture.width, width, cubic);
  Picture out(width, picture.height);
  std::vector<std::uint8_t> turned(at(picture.width * kPixelLanes));
  for (Index top = 0; top < picture.height; top += kRowsAtOnce) {
    const Index rows = std::min(kRowsAtOnce, picture.height - top);
    for (Index r = 0; r < rows; ++r) {
      const std::uint8_t* row = picture.pixel(0, top + r);
      for (Index v = 0; v < picture.width * 3; ++v) {
        turned[at(v * kRowsAtOnce + r)] = row[v];
      }
    }
    for (Index x = 0; x < width; ++x) {
      std::array<std::int32_t, kPixelLanes> sums;
      sums.fill(1 << (kPillowBits - 1));
      const std::uint8_t* from = turned.data() + taps.first[at(x)] * kPixelLanes;
      const std::int32_t* weights = taps.weights.data() + x * taps.most;
      for (Index k = 0; k < taps.count[at(x)]; ++k, from += kPixelLanes) {
        for (Index lane = 0; lane < kPixelLanes; ++lane) {
          sums[at(lane)] += weights[k] * from[lane];
        }
      }
      for (Index r = 0; r < rows; ++r) {
        for (Index c = 0; c < 3; ++c) {
          out.pixel(x, top + r)[c] = shifted_down(sums[at(c * kRowsAtOnce + r)]);
        }
      }
    }
  }
  return out;
}

Picture rows_resized(const Picture& picture, bool cubic, Index height) {
  const PillowTaps taps = pillow_taps(picture.height, height, cubic);
  Picture out(picture.width, height);
  const Index values = picture.width * 3;
  std::array<std::int32_t, kValuesAtOnce> sums;
  for (Index y = 0; y < height; ++y) {
    const std::int32_t* weights = taps.weights.data() + y * taps.most;
    for (Index begin = 0; begin < values; begin += kValuesAtOnce) {
      const Index count = std::min(kValuesAtOnce, values - begin);
      sums.fill(1 << (kPillowBits - 1));
      for (Index k = 0; k < taps.count[at(y)]; ++k) {
        const std::uint8_t* row = picture.pixel(0, taps.first[at(y)] + k) + begin;
        for (Index v = 0; v < count; ++v) {
          sums[at(v)] += weights[k] * row[v];
        }
      }
      std::uint8_t* to = out.pixel(0, y) + begin;
      for (Index v = 0; v < count; ++v) {
        to[v] = shifted_down(sums[at(v)]);
      }
    }
  }
  return out;
}

}  // namespace

Picture pillow_resized(const Picture& picture, bool cubic, Index width, Index height) {
  if (width == picture.width) {
    return height == picture.height ? picture : rows_resized(picture, cubic, height);
  }
  Picture narrow = columns_resized(picture, cubic, width);
  return height == picture.height ? narrow : rows_resized(narrow, cubic, height);
}

}  // namespace tyto
