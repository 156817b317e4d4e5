// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/detection/fusion.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

void expect_one_length(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) {
    throw Error(ErrorKind::data,
                fmt::format("{} scores cannot be fused with {}", a.size(), b.size()));
  }
}

// -ln p of each score.
std::vector<double> rarity(std::span<const double> score, std::span<const double> normal) {
  if (normal.empty()) {
    throw Error(ErrorKind::data, "scores can be ranked among normal frames only if there are some");
  }
  std::vector<double> sorted(normal.begin(), normal.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> out;
  const auto all = static_cast<double>(1 + sorted.size());
  for (const double s : score) {
    const auto above = sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), s);
    out.push_back(-std::log(static_cast<double>(1 + above) / all));
  }
  return out;
}

}  // namespace

void FusedRange::check() const {
  if (!(low < high) || !std::isfinite(low) || !std::isfinite(high)) {
    throw Error(ErrorKind::config,
                fmt::format("a range of scores from {} to {} cannot be made 0 to 1", low, high));
  }
}

std::pair<std::span<const double>, std::span<const double>> aligned_frames(
    std::span<const double> a, std::span<const double> b) {
  if (a.size() == b.size() + 1) {
    a = a.subspan(1);
  } else if (b.size() == a.size() + 1) {
    b = b.subspan(1);
  }
  expect_one_length(a, b);
  return {a, b};
}

std::vector<double> fuse_by_range(std::span<const double> a, const FusedRange& range_a,
                                  std::span<const double> b, const FusedRange& range_b) {
  range_a.check();
  range_b.check();
  expect_one_length(a, b);
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    out.push_back((a[i] - range_a.low) / (range_a.high - range_a.low) +
                  (b[i] - range_b.low) / (range_b.high - range_b.low));
  }
  return out;
}

std::vector<double> fuse_by_rank(std::span<const double> a, std::span<const double> normal_a,
                                 std::span<const double> b, std::span<const double> normal_b) {
  expect_one_length(a, b);
  std::vector<double> out = rarity(a, normal_a);
  const std::vector<double> more = rarity(b, normal_b);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] += more[i];
  }
  return out;
}

}  // namespace tyto
