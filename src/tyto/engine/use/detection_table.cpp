// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/detection_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/engine/use/measure_target.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kScoredSplits{"validate", "test"};

std::optional<Phase> detect_phase(const RunRecord& record, std::string_view split) {
  for (const PhaseKey& key : record.phases()) {
    if (key.phase == "detect" && key.split == split) {
      return record.phase(key);
    }
  }
  return std::nullopt;
}

// Of one split: the samples and classes of the first arm, and the scores of all.
struct SplitScores {
  std::string split;
  std::vector<SampleId> sample;
  std::set<std::string> taught;
  std::vector<std::vector<float>> by_arm;  // in the order of `sample`
};

void add_arm(SplitScores& to, const Phase& phase, const std::string& arm) {
  const std::set<std::string> taught(phase.known.begin(), phase.known.end());
  if (to.by_arm.empty()) {
    to.sample = phase.sample;
    to.taught = taught;
  } else if (to.taught != taught) {
    throw Error(ErrorKind::data,
                fmt::format("arm {} was taught other classes than the first one, so that other "
                            "samples are novel to it; --arm measures one of them",
                            arm));
  }
  if (phase.novelty.size() != phase.sample.size()) {
    throw Error(ErrorKind::data,
                fmt::format("arm {} recorded no novelty scores; --arm measures another", arm));
  }
  std::map<SampleId, float> score;
  for (std::size_t i = 0; i < phase.sample.size(); ++i) {
    score[phase.sample[i]] = phase.novelty[i];
  }
  std::vector<float> own;
  for (const SampleId id : to.sample) {
    const auto found = score.find(id);
    if (found == score.end() || score.size() != to.sample.size()) {
      throw Error(ErrorKind::data,
                  fmt::format("arm {} saw other {} samples than the first one; --arm measures one "
                              "of them",
                              arm, to.split));
    }
    own.push_back(found->second);
  }
  to.by_arm.push_back(std::move(own));
}

// By row: its place among the rows of its group, by time, ties to the earlier.
std::vector<Index> frame_numbers(const SplitScores& split, const Truth& truth) {
  std::vector<std::size_t> order(split.sample.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!truth.time.empty()) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return truth.time[static_cast<std::size_t>(split.sample[a])] <
             truth.time[static_cast<std::size_t>(split.sample[b])];
    });
  }
  std::map<std::string_view, Index> next;
  std::vector<Index> frame(order.size());
  for (const std::size_t row : order) {
    frame[row] = next[truth.group[static_cast<std::size_t>(split.sample[row])]]++;
  }
  return frame;
}

void append_rows(std::string& text, const SplitScores& split, const Truth& truth, bool grouped) {
  const std::vector<Index> frame =
      grouped ? frame_numbers(split, truth) : std::vector<Index>(split.sample.size());
  for (std::size_t row = 0; row < split.sample.size(); ++row) {
    const auto id = static_cast<std::size_t>(split.sample[row]);
    const std::string& label = truth.label_of(split.sample[row]);
    text += fmt::format("{},{},{},{}", csv_field(truth.name.at(id)), split.split, csv_field(label),
                        split.taught.contains(label) ? 0 : 1);
    if (grouped) {
      text += fmt::format(",{},{}", csv_field(truth.group[id]), frame[row]);
    }
    for (const std::vector<float>& scores : split.by_arm) {
      text += fmt::format(",{}", static_cast<double>(scores[row]));  // every digit
    }
    text += '\n';
  }
}

}  // namespace

DetectionTable detection_table(const std::string& run, const std::string& arm) {
  const std::vector<MeasureTarget> targets = open_targets(run, arm, {}, false);
  DetectionTable out;
  std::vector<SplitScores> splits;
  for (const std::string_view name : kScoredSplits) {
    splits.push_back({std::string(name), {}, {}, {}});
  }
  const Truth* truth = nullptr;
  for (const MeasureTarget& target : targets) {
    const auto own = std::find_if(target.leading.begin(), target.leading.end(),
                                  [](const auto& entry) { return entry.first == "arm"; });
    const std::string& name = own->second;
    if (!target.record || target.record->truth() == nullptr ||
        !detect_phase(*target.record, "test")) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: arm {} has no phase \"detect\" with a truth, as runs of the "
                              "protocol detect have; their scores alone are measured so",
                              run, name));
    }
    truth = target.record->truth();
    for (SplitScores& split : splits) {
      if (const auto phase = detect_phase(*target.record, split.split)) {
        add_arm(split, *phase, name);
      }
    }
    out.scores.push_back(name);
  }
  const bool grouped = std::any_of(truth->group.begin(), truth->group.end(),
                                   [](const std::string& group) { return !group.empty(); });
  std::string text = grouped ? "id,split,class,novel,episode,frame" : "id,split,class,novel";
  for (const std::string& score : out.scores) {
    text += "," + csv_field(score);
  }
  text += '\n';
  for (const SplitScores& split : splits) {
    append_rows(text, split, *truth, grouped);
  }
  out.csv = CsvTable::parse(std::move(text), run);
  out.has_validation = !splits.front().sample.empty();
  out.has_times = !truth->time.empty();
  return out;
}

}  // namespace tyto
