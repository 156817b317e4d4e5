// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/importers/ava_boxes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/csv/csv_stream.hpp"
#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

using PersonBox = std::array<double, 4>;  // x1, y1, x2, y2

constexpr std::array<std::string_view, 4> kCorners{"x1", "y1", "x2", "y2"};
constexpr std::size_t kShortRow = 8, kLongRow = 9;  // cells, the long one with a score
constexpr Index kRecordsAtOnce = 10'000;

struct KeyFrame {
  std::string video, second;                    // as written first
  bool is_empty = false;                        // said to be without people
  std::map<PersonBox, std::set<Index>> people;  // with their actions
};

double area(const PersonBox& box) {
  return (box[2] - box[0]) * (box[3] - box[1]);
}

class BoxReader {
 public:
  void read(const std::filesystem::path& list) {
    const std::string text = read_maybe_gz(list);
    std::size_t next = 0;
    CsvStream stream(
        [&](char* to, std::size_t most) {
          const std::size_t count = std::min(most, text.size() - next);
          std::copy_n(text.data() + next, count, to);
          next += count;
          return count;
        },
        list.filename().string());
    name_ = stream.name();
    bool is_first = true;
    for (auto records = stream.read(kRecordsAtOnce, true); !records.empty();
         records = stream.read(kRecordsAtOnce, true)) {
      for (const CsvStream::Record& record : records) {
        if (!std::exchange(is_first, false) || record.cells.front() != "video_id") {
          add(record);
        }
      }
    }
  }

  [[nodiscard]] CsvTable table() const {
    std::string out =
        "youtube_id,key_frame_sec,persons,distinct_actions,person_action_pairs,mean_box_area,"
        "sum_box_area,action_ids\n";
    for (const KeyFrame& frame : frames_) {
      double sum = 0;
      std::size_t pairs = 0;
      std::set<Index> actions;
      for (const auto& [box, own] : frame.people) {
        sum += area(box);
        pairs += own.size();
        actions.insert(own.begin(), own.end());
      }
      const std::size_t persons = frame.people.size();
      out += fmt::format("{},{},{},{},{},{:.6f},{:.6f},{}\n", csv_field(frame.video),
                         csv_field(frame.second), persons, actions.size(), pairs,
                         persons == 0 ? 0 : sum / static_cast<double>(persons), sum,
                         fmt::join(actions, " "));
    }
    return CsvTable::parse(std::move(out), "key frames");
  }

 private:
  [[noreturn]] void refuse(const CsvStream::Record& record, std::string_view why) const {
    throw Error(ErrorKind::data, fmt::format("{}: line {} {}", name_, record.line, why));
  }

  [[nodiscard]] double number(const CsvStream::Record& record, std::size_t cell,
                              std::string_view what) const {
    const std::string& text = record.cells[cell];
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      refuse(record, fmt::format("has \"{}\" for {}, which is no number", text, what));
    }
    return value;
  }

  [[nodiscard]] PersonBox box_of(const CsvStream::Record& record) const {
    PersonBox box{};
    for (std::size_t i = 0; i < box.size(); ++i) {
      box[i] = number(record, 2 + i, kCorners[i]);
      if (box[i] < 0 || box[i] > 1) {
        refuse(record,
               fmt::format("has {} = {}, outside [0, 1]: corners are fractions of the frame",
                           kCorners[i], record.cells[2 + i]));
      }
    }
    if (box[2] <= box[0] || box[3] <= box[1]) {
      refuse(record, fmt::format("has a box without area: from ({}, {}) to ({}, {})", box[0],
                                 box[1], box[2], box[3]));
    }
    return box;
  }

  [[nodiscard]] Index action_of(const CsvStream::Record& record) const {
    const std::string& text = record.cells[6];
    Index value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || value < 1) {
      refuse(record, fmt::format("has the action \"{}\", which is no whole number from 1", text));
    }
    return value;
  }

  KeyFrame& frame_of(const CsvStream::Record& record) {
    const std::string& video = record.cells[0];
    if (video.empty()) {
      refuse(record, "names no video");
    }
    const double second = number(record, 1, "the timestamp");
    if (second < 0) {
      refuse(record, fmt::format("has the timestamp {}, before the video", record.cells[1]));
    }
    const auto [found, is_new] = places_[video].try_emplace(second, frames_.size());
    if (is_new) {
      frames_.push_back({video, record.cells[1], false, {}});
    }
    return frames_[found->second];
  }

  void add(const CsvStream::Record& record) {
    const std::size_t cells = record.cells.size();
    if (cells != kShortRow && cells != kLongRow) {
      refuse(record, fmt::format("has {} cells instead of {}, or {} with a score", cells, kShortRow,
                                 kLongRow));
    }
    KeyFrame& frame = frame_of(record);
    const bool nobody = std::all_of(record.cells.begin() + 2, record.cells.end(),
                                    [](const std::string& cell) { return cell.empty(); });
    if (nobody ? !frame.people.empty() : frame.is_empty) {
      refuse(record, fmt::format("is of {} {}, of which another line says the contrary",
                                 nobody ? "nobody in" : "a person in", frame.video));
    }
    if (nobody) {
      frame.is_empty = true;
      return;
    }
    if (cells == kLongRow) {
      static_cast<void>(number(record, 7, "the score"));
    }
    const PersonBox box = box_of(record);
    frame.people[box].insert(action_of(record));
  }

  std::string name_;
  std::vector<KeyFrame> frames_;
  std::unordered_map<std::string, std::map<double, std::size_t>> places_;
};

}  // namespace

CsvTable ava_key_frames(std::span<const std::filesystem::path> lists) {
  BoxReader reader;
  for (const std::filesystem::path& list : lists) {
    reader.read(list);
  }
  return reader.table();
}

}  // namespace tyto
