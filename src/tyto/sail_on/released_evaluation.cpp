// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/released_evaluation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto::sail_on {

namespace {

// Used as text in keys, hence the text beside the number.
struct Threshold {
  std::string_view text;
  double value;
};

constexpr std::array<Threshold, 9> kThresholds{{{"0.175", 0.175},
                                                {"0.225", 0.225},
                                                {"0.3", 0.3},
                                                {"0.4", 0.4},
                                                {"0.5", 0.5},
                                                {"0.6", 0.6},
                                                {"0.7", 0.7},
                                                {"0.8", 0.8},
                                                {"0.9", 0.9}}};

constexpr Index kWindow = 100;           // whatever the metadata call a round
constexpr Index kAsymptoticStart = 500;  // samples
constexpr std::int64_t kNone = -1;       // the server's word for a value that does not exist
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Python's round(): the decimal text of the double itself is rounded, ties to even.
double rounded_decimal(double value) {
  if (std::isnan(value)) {
    return value;
  }
  const std::string text = fmt::format("{:.5f}", value);
  double rounded = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

// numpy's round(): scaled, rounded to even, scaled back.
double rounded_scaled(double value) {
  return std::nearbyint(value * 1e5) / 1e5;
}

// numpy's sum: eight sums side by side in blocks of up to 128, blocks added pairwise. The last
// digits of the published means hang on this order.
double pairwise_sum(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 8) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
  if (n > 128) {
    const std::size_t half = n / 2 - (n / 2) % 8;
    return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
  }
  std::array<double, 8> lane{};
  std::copy_n(values.begin(), 8, lane.begin());
  std::size_t i = 8;
  for (; i < n - n % 8; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) {
      lane[j] += values[i + j];
    }
  }
  double sum =
      ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  for (; i < n; ++i) {
    sum += values[i];
  }
  return sum;
}

struct MeanAndDeviation {
  double mean = kNan, deviation = kNan;
};

// Of the shares of right answers in all full windows. Rows before the first full window stand as
// zeros in both sums, as pandas has them.
MeanAndDeviation over_windows(std::span<const std::uint8_t> right) {
  const Index n = std::ssize(right);
  const Index windows = n - kWindow + 1;
  if (windows < 1) {
    return {};
  }
  std::vector<double> share(right.size(), 0.0);
  Index count = 0;
  for (Index i = 0; i < n; ++i) {
    count += right[at(i)];
    count -= i >= kWindow ? right[at(i - kWindow)] : 0;
    share[at(i)] = i + 1 >= kWindow ? static_cast<double>(count) / kWindow : 0.0;
  }
  const double mean = pairwise_sum(share) / static_cast<double>(windows);
  if (windows == 1) {
    return {mean, kNan};
  }
  for (Index i = 0; i < n; ++i) {
    const double difference = mean - share[at(i)];
    share[at(i)] = i + 1 >= kWindow ? difference * difference : 0.0;
  }
  return {mean, std::sqrt(pairwise_sum(share) / static_cast<double>(windows - 1))};
}

class ReleasedTest {
 public:
  explicit ReleasedTest(const ReleasedInput& input)
      : in_(input), rows_(static_cast<Index>(input.novel.size())) {
    check();
    const auto first = std::find(in_.novel.begin(), in_.novel.end(), 1);
    first_novel_ = first - in_.novel.begin();
    for (Index i = 0; i < rows_; ++i) {
      const Index rank = rank_of(i);
      right1_.push_back(rank < 1);
      right3_.push_back(rank < 3);
    }
  }

  [[nodiscard]] ReleasedObject accuracy() const {
    ReleasedObject out;
    add_tops(out, "full", {0, rows_});
    if (!has_novelty()) {
      out["pre_top1"] = out["full_top1"];
      out["pre_top3"] = out["full_top3"];
      for (const char* key : {"post_top1", "post_top3", "post_mean_top1", "post_mean_top3",
                              "post_std_top1", "post_std_top3"}) {
        out[key] = kNone;
      }
    } else if (const Index before = first_novel_ + 1;  // the first novel row counts as before
               !add_tops_and_windows(out, "pre", {0, before}) ||
               !add_tops_and_windows(out, "post", {before, rows_})) {
      return out;  // where the server's code gives up, with what it has
    }
    for (Index length = kAsymptoticStart; length < rows_; length += kWindow) {
      if (!add_tops_and_windows(out, fmt::format("asymptotic_{}", length),
                                {rows_ - length, rows_})) {
        return out;
      }
    }
    return out;
  }

  [[nodiscard]] ReleasedObject detection(Index begin, Index end) const {
    std::vector<Index> picked(at(end - begin));
    std::iota(picked.begin(), picked.end(), begin);
    ReleasedObject out;
    add_detection(out, "", picked);
    return out;
  }

  [[nodiscard]] ReleasedObject detection_before() const {
    const bool all_novel = std::count(in_.novel.begin(), in_.novel.end(), 1) == rows_;
    return detection(0, has_novelty() && !all_novel ? first_novel_ : rows_);
  }

  [[nodiscard]] ReleasedObject detection_after() const {
    if (has_novelty()) {
      return detection(first_novel_, rows_);
    }
    ReleasedObject out;
    for (const Threshold& threshold : kThresholds) {
      for (const std::string_view name : kDetectionNames) {
        out[fmt::format("{}_{}", name, threshold.text)] = kNone;
      }
    }
    return out;
  }

  // Detection on the rows that were classified wrongly.
  [[nodiscard]] ReleasedObject accuracy_failed() const {
    ReleasedObject out;
    add_failed(out, "top1_", right1_);
    add_failed(out, "top3_", right3_);
    return out;
  }

  // A detection that never comes is 1, as if it had come at once.
  [[nodiscard]] ReleasedObject number_needed() const {
    ReleasedObject out;
    for (const Threshold& threshold : kThresholds) {
      std::int64_t seen = 0, needed = has_novelty() ? 1 : kNone;
      for (Index i = 0; i < rows_; ++i) {
        if (in_.novel[at(i)] == 1 && ++seen > 0 && in_.changed[at(i)] >= threshold.value) {
          needed = seen;
          break;
        }
      }
      out[std::string(threshold.text)] = needed;
    }
    return out;
  }

  [[nodiscard]] ReleasedObject positions() const {
    ReleasedObject out;
    out["GT_indx"] = first_novel_ + 1;
    for (const Threshold& threshold : kThresholds) {
      out[fmt::format("P_indx_{}", threshold.text)] = position(threshold.value);
    }
    return out;
  }

  [[nodiscard]] ReleasedObject correct_and_early() const {
    double value = in_.is_transcripts ? 0.3 : 0.5;
    for (const Threshold& threshold : kThresholds) {
      if (threshold.text == in_.threshold) {
        value = threshold.value;
      }
    }
    const std::int64_t truth = first_novel_ + 1, declared = position(value);
    ReleasedObject out;
    out["Is CDT"] = declared >= truth && declared < rows_;  // the last row does not count
    out["Is Early"] = declared < truth;
    return out;
  }

  [[nodiscard]] TopAccuracies tops(std::span<const Index> picked) const {
    const auto share = [&](const std::vector<std::uint8_t>& right) {
      const auto hits =
          std::count_if(picked.begin(), picked.end(), [&](Index i) { return right[at(i)] != 0; });
      return rounded_decimal(static_cast<double>(hits) / static_cast<double>(picked.size()));
    };
    return {share(right1_), share(right3_)};
  }

 private:
  struct Range {
    Index begin, end;
  };

  static constexpr std::array<std::string_view, 8> kDetectionNames{
      "accuracy", "precision", "recall", "f1_score", "TP", "FP", "TN", "FN"};

  [[nodiscard]] bool has_novelty() const { return first_novel_ < rows_; }

  void check() const {
    const auto outside = [](double p) { return p < 0.0 || p > 1.0; };  // NaN is not
    const auto refuse = [](const std::string& rule) { throw Error(ErrorKind::data, rule); };
    if (rows_ == 0) {
      refuse("the test has no rows");
    }
    if (std::ssize(in_.changed) != rows_) {
      refuse(fmt::format("detection has {} rows, the test has {}", in_.changed.size(), rows_));
    }
    if (in_.probability.rows() != std::ssize(in_.label) || std::ssize(in_.label) != rows_) {
      refuse(fmt::format("classification has {} rows, the test has {}", in_.probability.rows(),
                         in_.label.size()));
    }
    if (const auto bad = std::find_if(in_.changed.begin(), in_.changed.end(), outside);
        bad != in_.changed.end()) {
      refuse(fmt::format("detection: row {}: a probability must be between 0 and 1, not {}",
                         bad - in_.changed.begin() + 1, *bad));
    }
    if (const auto bad = std::find_if(in_.novel.begin(), in_.novel.end(),
                                      [](int novel) { return novel != 0 && novel != 1; });
        bad != in_.novel.end()) {
      refuse(fmt::format("truth: row {}: novel must be 0 or 1, not {}", bad - in_.novel.begin() + 1,
                         *bad));
    }
    for (Index i = 0; i < in_.probability.rows(); ++i) {
      for (Index c = 0; c < in_.probability.cols(); ++c) {
        if (outside(in_.probability(i, c))) {
          refuse(
              fmt::format("classification: row {}, column {}: a probability must be between 0 "
                          "and 1, not {}",
                          i + 1, c + 2, in_.probability(i, c)));
        }
      }
    }
    const auto highest = std::max_element(in_.label.begin(), in_.label.end());
    if (*highest >= in_.probability.cols()) {
      refuse(fmt::format("truth: row {}: class {}, but classification has the classes 0 to {}",
                         highest - in_.label.begin() + 1, *highest, in_.probability.cols() - 1));
    }
    if (*highest < 0) {
      refuse("truth: every class is negative");
    }
  }

  // Columns that come before the label's by probability, ties by the lower column, NaN last.
  [[nodiscard]] Index rank_of(Index i) const {
    const std::int64_t label = in_.label[at(i)];
    if (label < 0) {
      return std::numeric_limits<Index>::max();
    }
    const double own = in_.probability(i, label);
    Index rank = 0;
    for (Index c = 0; c < in_.probability.cols(); ++c) {
      const double other = in_.probability(i, c);
      const bool equal = other == own || (std::isnan(other) && std::isnan(own));
      const bool higher = other > own || (std::isnan(own) && !std::isnan(other));
      rank += higher || (equal && c < label) ? 1 : 0;
    }
    return rank;
  }

  [[nodiscard]] std::int64_t position(double threshold) const {
    const auto first = std::find_if(in_.changed.begin(), in_.changed.end(),
                                    [&](double p) { return p >= threshold; });
    return first - in_.changed.begin() + 1;
  }

  void add_tops(ReleasedObject& out, const std::string& name, Range range) const {
    std::vector<Index> picked(at(range.end - range.begin));
    std::iota(picked.begin(), picked.end(), range.begin);
    const TopAccuracies top = tops(picked);
    out[name + "_top1"] = top.top1;
    out[name + "_top3"] = top.top3;
  }

  // False, and nothing added: the server's own check refuses rows without a single valid class.
  bool add_tops_and_windows(ReleasedObject& out, const std::string& name, Range range) const {
    const auto begin = in_.label.begin();
    if (std::all_of(begin + range.begin, begin + range.end,
                    [](std::int64_t label) { return label < 0; })) {
      return false;
    }
    add_tops(out, name, range);
    const auto add_windows = [&](const char* top, const std::vector<std::uint8_t>& right) {
      const auto [mean, deviation] =
          over_windows(std::span(right).subspan(at(range.begin), at(range.end - range.begin)));
      out[fmt::format("{}_mean_{}", name, top)] = mean;
      out[fmt::format("{}_std_{}", name, top)] = deviation;
    };
    add_windows("top1", right1_);
    add_windows("top3", right3_);
    return true;
  }

  void add_failed(ReleasedObject& out, const std::string& prefix,
                  const std::vector<std::uint8_t>& right) const {
    std::vector<Index> wrong;
    for (Index i = 0; i < rows_; ++i) {
      if (right[at(i)] == 0) {
        wrong.push_back(i);
      }
    }
    if (wrong.empty()) {
      for (const std::string_view name : kDetectionNames) {
        out[prefix + std::string(name)] = kNone;
      }
      return;
    }
    add_detection(out, prefix, wrong);
  }

  void add_detection(ReleasedObject& out, const std::string& prefix,
                     std::span<const Index> picked) const {
    for (const Threshold& threshold : kThresholds) {
      std::int64_t counts[2][2] = {{0, 0}, {0, 0}};  // by truth, by call
      for (const Index i : picked) {
        ++counts[in_.novel[at(i)]][in_.changed[at(i)] > threshold.value ? 1 : 0];
      }
      const auto [tn, fp] = counts[0];
      const auto [fn, tp] = counts[1];
      const auto share = [](std::int64_t part, std::int64_t whole) {
        return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
      };
      const double precision = share(tp, tp + fp), recall = share(tp, tp + fn);
      const double f1 = tp == 0 ? 0.0 : 2.0 * precision * recall / (precision + recall);
      const double accuracy =
          picked.empty() ? kNan : share(tp + tn, static_cast<std::int64_t>(picked.size()));
      const std::array<ReleasedValue, 8> values{rounded_scaled(accuracy),
                                                rounded_scaled(precision),
                                                rounded_scaled(recall),
                                                rounded_scaled(f1),
                                                tp,
                                                fp,
                                                tn,
                                                fn};
      for (std::size_t i = 0; i < values.size(); ++i) {
        out[fmt::format("{}{}_{}", prefix, kDetectionNames[i], threshold.text)] = values[i];
      }
    }
  }

  const ReleasedInput& in_;
  Index rows_, first_novel_ = 0;
  std::vector<std::uint8_t> right1_, right3_;
};

struct JsonText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }

  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }

  std::string operator()(double value) const { return python_number(value); }
};

double accuracy_of(const ReleasedObject& accuracy, const std::string& key) {
  const auto found = accuracy.find(key);
  if (found == accuracy.end() || !std::holds_alternative<double>(found->second)) {
    throw Error(ErrorKind::data, fmt::format("the evaluation has no {}", key));
  }
  return std::get<double>(found->second);
}

}  // namespace

std::map<std::string, ReleasedObject> released_objects(const ReleasedInput& input) {
  const ReleasedTest test(input);
  return {{"m_acc", test.accuracy()},
          {"m_acc_failed", test.accuracy_failed()},
          {"m_is_cdt_and_is_early", test.correct_and_early()},
          {"m_ndp", test.detection(0, static_cast<Index>(input.novel.size()))},
          {"m_ndp_post", test.detection_after()},
          {"m_ndp_pre", test.detection_before()},
          {"m_num", test.number_needed()},
          {"m_num_stats", test.positions()}};
}

std::string evaluate_released(const ReleasedInput& input) {
  std::string text = "{";
  for (const auto& [name, object] : released_objects(input)) {
    text += fmt::format("{}\"{}\":{{", text.size() > 1 ? "," : "", name);
    bool first = true;
    for (const auto& [key, value] : object) {
      text += fmt::format("{}\"{}\":{}", first ? "" : ",", key, std::visit(JsonText(), value));
      first = false;
    }
    text += '}';
  }
  return text + "}";
}

std::string python_number(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "Infinity" : "-Infinity";
  }
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == text.npos) {
    text += ".0";
  }
  return text;
}

TopAccuracies released_accuracy_on_novel(const ReleasedInput& input) {
  const ReleasedTest test(input);
  std::vector<Index> novel;
  for (std::size_t i = 0; i < input.novel.size(); ++i) {
    if (input.novel[i] == 1) {
      novel.push_back(static_cast<Index>(i));
    }
  }
  return novel.empty() ? TopAccuracies{kNone, kNone} : test.tops(novel);
}

std::vector<TopAccuracies> released_accuracy_by_round(const ReleasedInput& input,
                                                      Index round_size) {
  if (round_size < 1) {
    throw Error(ErrorKind::data, fmt::format("a round has 1 sample or more, not {}", round_size));
  }
  const ReleasedTest test(input);
  std::vector<TopAccuracies> rounds;
  const Index rows = static_cast<Index>(input.novel.size());
  for (Index begin = 0; begin < rows; begin += round_size) {
    std::vector<Index> picked(at(std::min(round_size, rows - begin)));
    std::iota(picked.begin(), picked.end(), begin);
    rounds.push_back(test.tops(picked));
  }
  return rounds;
}

TopAccuracies released_nrp(const ReleasedObject& agent_accuracy,
                           const ReleasedObject& baseline_accuracy) {
  const auto ratio = [&](const std::string& top) {
    const double before = accuracy_of(baseline_accuracy, "pre_" + top);
    if (before == 0.0) {
      throw Error(ErrorKind::data, fmt::format("the baseline's pre_{} is 0", top));
    }
    return 100.0 * accuracy_of(agent_accuracy, "post_" + top) / before;
  };
  return {ratio("top1"), ratio("top3")};
}

}  // namespace tyto::sail_on
