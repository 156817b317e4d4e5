// SPDX-License-Identifier: Apache-2.0
// The published annotation lists of Kinetics: a clip of a video, its label and its split per row.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/csv/csv.hpp"

namespace tyto {

enum class Release : std::uint8_t { k400, k600, k700 };  // k700: the list of 2020

constexpr std::array<std::string_view, 3> kReleaseNames{"k400", "k600", "k700"};
constexpr std::array<std::string_view, 3> kListSplits{"train", "validate", "test"};

template <class T>
using PerRelease = std::array<T, 3>;

struct ClipKey {
  std::string youtube_id;
  Index start = -1, end = -1;  // seconds; both -1: not known

  [[nodiscard]] bool is_timed() const { return start >= 0; }

  // As the files are called: {youtube_id}_{start:06d}_{end:06d}; without times the id alone.
  [[nodiscard]] std::string text() const;

  bool operator==(const ClipKey&) const = default;
};

struct KineticsRow {
  ClipKey key;
  std::string label;      // "": none published
  std::size_t split = 0;  // of kListSplits
};

// The files of one release, one after another. Columns label, youtube_id, time_start, time_end,
// split; others are ignored, and a file of k700 test rows alone may lack the label. Throws
// Error(data) naming file, line, rule and value, also where one clip has two labels.
std::vector<KineticsRow> read_kinetics(std::span<const CsvTable> files, Release release);

// A key per line, as ClipKey::text writes it with times; blank lines are skipped.
std::vector<ClipKey> read_blacklist(std::string_view text, std::string_view name);

}  // namespace tyto
