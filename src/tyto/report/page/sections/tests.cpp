// SPDX-License-Identifier: Apache-2.0
// Tests in which the world changes: whether it was noticed, what it cost, what knowing the moment
// buys, and the stream of every test.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "tyto/measure/formulas/programme.hpp"
#include "tyto/measure/table.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/pictures/base64.hpp"
#include "tyto/report/page/score_range.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kMostOfStream = 4000;      // samples of a stream that are drawn
constexpr Index kMostOfStreams = 3000000;  // of all streams of a page, about two bytes each
constexpr std::uint8_t kNoScore = 255;     // instead of a novelty score
constexpr const char* kGiven = "given";    // the setting in which the moment is told

constexpr std::array kShownOfTests = {ShownMeasure{"change_detected", "noticed (M2)"},
                                      ShownMeasure{"change_early_alarm", "too early (M2.1)"},
                                      ShownMeasure{"change_detection_delay", "delay (M1)"},
                                      ShownMeasure{"accuracy_before_change", "before"},
                                      ShownMeasure{"accuracy_after_change", "after"},
                                      ShownMeasure{"asymptotic_accuracy", "at the end"},
                                      ShownMeasure{"accuracy_on_novel", "of the new"},
                                      ShownMeasure{"accuracy_kept", "kept"}};

struct SettingScores {
  std::string setting;
  std::vector<TestScores> tests;
};

// The tests of a run are the same for every arm and setting, and told once.
class TestList {
 public:
  explicit TestList(const PageSource& source) : source_(source) {}

  Index of(const PageArm& arm, const TestStream& stream, Index every);

  [[nodiscard]] Json& all() { return all_; }

 private:
  const PageSource& source_;
  std::map<std::pair<Index, std::string>, Index> places_;  // by run and id
  Json all_ = Json::array();
};

// Names of the page, and for every so many-th sample which of them: a byte each, the low ones
// first and behind them, if there are more than 256 names, the high ones.
Json coded_names(const PageSource& source, const std::vector<std::string>& names,
                 const std::vector<std::int32_t>& column, Index every) {
  std::map<std::int32_t, std::size_t> places;
  Json used = Json::array();
  std::string low, high;
  for (std::size_t i = 0; i < column.size(); i += static_cast<std::size_t>(every)) {
    const auto [found, is_new] = places.try_emplace(column[i], places.size());
    if (is_new) {
      used.push_back(source.name(names[static_cast<std::size_t>(column[i])]));
    }
    low += static_cast<char>(found->second & 0xFFU);
    high += static_cast<char>(found->second >> 8U & 0xFFU);
  }
  return {{"names", std::move(used)}, {"places", base64(places.size() > 256 ? low + high : low)}};
}

Index TestList::of(const PageArm& arm, const TestStream& stream, Index every) {
  const Index run = source_.run_of(arm).number;
  const auto [found, is_new] =
      places_.try_emplace({run, stream.test}, static_cast<Index>(all_.size()));
  if (!is_new) {
    return found->second;
  }
  Json rounds = Json::array();
  std::string novel;
  for (Index i = 0; i < stream.size(); ++i) {
    if (i == 0 || stream.round[at(i)] != stream.round[at(i - 1)]) {
      rounds.push_back(i);
    }
    if (i % every == 0) {
      novel += stream.novel[at(i)] != 0 ? '1' : '0';
    }
  }
  const auto place_or_null = [&](Index place) {
    return place < stream.size() ? Json(place) : Json();
  };
  const auto first_novel = std::find(stream.novel.begin(), stream.novel.end(), 1);
  all_.push_back({{"run", run},
                  {"id", stream.test},
                  {"samples", stream.size()},
                  {"every", every},
                  {"change", place_or_null(stream.change())},
                  {"first_novel", place_or_null(first_novel - stream.novel.begin())},
                  {"rounds", std::move(rounds)},
                  {"novel", novel},
                  {"truth", coded_names(source_, stream.names, stream.actual, every)}});
  return found->second;
}

// Of the range, in 255 steps; what lies beyond is at its ends.
std::uint8_t byte_of(float value, const ScoreRange& range) {
  if (std::isnan(value)) {
    return kNoScore;
  }
  const double share = (static_cast<double>(value) - range.low) / (range.high - range.low);
  return static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * (kNoScore - 1)));
}

std::string coded_scores(const std::vector<float>& values, const ScoreRange& range, Index every) {
  std::string bytes;
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(every)) {
    bytes += static_cast<char>(byte_of(values[i], range));
  }
  return base64(bytes);
}

struct ReadStream {
  PhaseView view;
  Json granted = Json::array();  // round, labels granted after it
};

ReadStream read_stream(const RunRecord& record, const std::vector<PhaseKey>& batches,
                       const Truth& truth) {
  ReadStream read;
  Index labels = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Phase phase = record.phase(batches[i]);
    PhaseView view = view_phase(phase, truth);
    if (i == 0) {
      read.view = std::move(view);
    } else {
      read.view.append(view);
      if (phase.labels_granted > labels) {
        read.granted.push_back(Json::array({batches[i - 1].batch, phase.labels_granted - labels}));
      }
    }
    labels = phase.labels_granted;
  }
  return read;
}

Json stream_json(const PageSource& source, const PageArm& arm, const TestStream& stream,
                 ReadStream& read, Index test, Index every) {
  const ScoreRange range = score_range(read.view.novelty).value_or(ScoreRange{});
  return {{"arm", arm.number},
          {"setting", stream.at.phase},
          {"test", test},
          {"changed", coded_scores(stream.p_changed, ScoreRange{}, every)},
          {"low", json_number(range.low)},
          {"high", json_number(range.high)},
          {"novelty", coded_scores(read.view.novelty, range, every)},
          {"said", coded_names(source, stream.names, stream.decision, every)},
          {"granted", std::move(read.granted)}};
}

std::optional<double> value_of(const TestScores& test, std::string_view name) {
  const auto measures = programme_measures();
  const auto found = std::find_if(measures.begin(), measures.end(),
                                  [&](const auto& measure) { return measure.name == name; });
  return test.*found->value;
}

Json shown_of(const std::vector<ProgrammeRow>& rows) {
  Json values = Json::array();
  for (const ShownMeasure& shown : kShownOfTests) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const ProgrammeRow& row) {
      return row.name == shown.measure;
    });
    values.push_back(json_ranged(found->value, found->interval.low, found->interval.high));
  }
  return values;
}

// Of so many samples of any stream one is told, so that a page stays small.
Index thinning_of(const PageSource& source) {
  Index samples = 0;
  for (const PageArm& arm : source.arms) {
    const RunRecord& record = *arm.seeds.front().record;
    std::set<std::string> settings;
    for (const PhaseKey& key : record.phases()) {
      settings.insert(key.phase);
    }
    const std::vector<std::string>& test_of = truth_of(record).annotations.at("test");
    const auto in_tests = std::count_if(test_of.begin(), test_of.end(),
                                        [](const std::string& id) { return !id.empty(); });
    samples += in_tests * std::ssize(settings);
  }
  return std::max<Index>(1, (samples + kMostOfStreams - 1) / kMostOfStreams);
}

class TestsData {
 public:
  explicit TestsData(const PageSource& source)
      : source_(source), tests_(source), thinning_(thinning_of(source)) {}

  void add(const PageArm& arm, Progress& progress) {
    const RunRecord& record = *arm.seeds.front().record;
    std::vector<PhaseKey> keys = record.phases();
    std::erase_if(keys, [](const PhaseKey& key) { return key.split != "test"; });
    std::vector<SettingScores> scores;  // in the order of the record
    for (const std::vector<PhaseKey>& batches : by_increment(keys)) {
      progress.pulse();
      ReadStream read = read_stream(record, batches, truth_of(record));
      const TestStream stream = test_stream(read.view, truth_of(record));
      const Index every = std::max(thinning_, (stream.size() + kMostOfStream - 1) / kMostOfStream);
      const Index test = tests_.of(arm, stream, every);
      streams_.push_back(stream_json(source_, arm, stream, read, test, every));
      auto found = std::find_if(scores.begin(), scores.end(), [&](const SettingScores& one) {
        return one.setting == stream.at.phase;
      });
      if (found == scores.end()) {
        found = scores.insert(scores.end(), {stream.at.phase, {}});
      }
      found->tests.push_back(score_test(stream));
      numbers_[{arm.number, stream.test}] = test;
    }
    add_scores(arm, scores);
  }

  std::optional<Json> json() {
    if (streams_.empty()) {
      return std::nullopt;
    }
    return Json{{"measures", json_measures(kShownOfTests)},
                {"tests", std::move(tests_.all())},
                {"scores", std::move(scores_)},
                {"differences", std::move(differences_)},
                {"streams", std::move(streams_)}};
  }

 private:
  void add_scores(const PageArm& arm, const std::vector<SettingScores>& all) {
    for (const SettingScores& one : all) {
      Json rows = Json::array();
      for (const TestScores& test : one.tests) {
        Json values = Json::array();
        for (const ShownMeasure& shown : kShownOfTests) {
          values.push_back(json_number(value_of(test, shown.measure)));
        }
        rows.push_back({{"test", numbers_.at({arm.number, test.test})},
                        {"declared", test.declared ? Json(*test.declared) : Json()},
                        {"values", std::move(values)}});
      }
      scores_.push_back({{"arm", arm.number},
                         {"setting", one.setting},
                         {"rows", std::move(rows)},
                         {"values", shown_of(programme_summary(one.tests))}});
    }
    const auto given = std::find_if(all.begin(), all.end(),
                                    [](const SettingScores& one) { return one.setting == kGiven; });
    for (const SettingScores& one : all) {
      if (given != all.end() && one.setting != kGiven) {
        const std::vector<ProgrammeRow> rows = programme_differences(one.tests, given->tests);
        Index pairs = 0;
        for (const ProgrammeRow& row : rows) {
          pairs = std::max(pairs, row.tests);
        }
        differences_.push_back({{"arm", arm.number},
                                {"from", one.setting},
                                {"to", kGiven},
                                {"pairs", pairs},
                                {"values", shown_of(rows)}});
      }
    }
  }

  const PageSource& source_;
  TestList tests_;
  Index thinning_;
  std::map<std::pair<Index, std::string>, Index> numbers_;  // of tests, by arm and id
  Json scores_ = Json::array(), differences_ = Json::array(), streams_ = Json::array();
};

std::optional<Json> build_tests(const PageSource& source, Progress& progress) {
  TestsData data(source);
  for (const PageArm& arm : source.arms) {
    data.add(arm, progress);
  }
  return data.json();
}

}  // namespace

SectionSpec tests_section() {
  return {"tests",
          "Tests",
          "Samples come in rounds, and at some moment the world changes: was it noticed, what did "
          "it cost, and what does knowing the moment buy?",
          {.tests = true},
          12,
          build_tests,
          true};
}

}  // namespace tyto
