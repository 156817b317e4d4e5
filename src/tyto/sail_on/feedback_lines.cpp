// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/feedback_lines.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/sail_on/dealt.hpp"
#include "tyto/sail_on/edit_distance.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/sail_on/released_evaluation.hpp"

namespace tyto::sail_on {

namespace {

[[noreturn]] void missing_key(const FeedbackQuestion& question, const std::string& what) {
  throw Refused(
      400, "feedback_type_invalid",
      fmt::format("feedback of type {} cannot be computed: {}", question.kind.type, what));
}

std::int64_t label_number(std::string_view text) {
  const auto value = number_in<std::int64_t>(text);
  if (!value) {
    throw Refused(500, "<class 'ValueError'>",
                  fmt::format("the truth's label \"{:.80}\" is not a whole number", text));
  }
  return *value;
}

// Position of the first maximum of the fields after the id.
std::int64_t best_class(const Fields& row) {
  std::int64_t best = -1;
  double most = 0;
  for (std::size_t i = 1; i < row.size(); ++i) {
    const auto value = number_in<double>(row[i]);
    if (!value) {
      throw Refused(500, "<class 'ValueError'>",
                    fmt::format("row {:.80} of the posted classification: \"{:.40}\" is not a "
                                "number",
                                row[0], row[i]));
    }
    if (best < 0 || *value > most) {
      most = *value;
      best = static_cast<std::int64_t>(i) - 1;
    }
  }
  return best;
}

class LineMaker {
 public:
  LineMaker(const FeedbackQuestion& question, std::optional<std::int64_t> most)
      : question_(question), most_(most) {
    for (std::size_t i = 0; i < question.test.rows.size(); ++i) {
      const auto& row = question.test.rows[i];
      if (!row.empty()) {
        truth_[row[0]] = i;  // the last row of an id counts
      }
    }
  }

  FeedbackLines make() {
    using enum FeedbackRule;
    switch (question_.kind.rule) {
      case score: accuracy(); break;
      case points: earn_points(); break;
      case edit_distance: distances(); break;
      default:
        question_.ids.empty() && question_.kind.only_wrong ? mistakes() : in_order_of_truth();
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string_view truth_at(std::size_t row, std::size_t column) const {
    const auto& fields = question_.test.rows[row];
    return column < fields.size() ? std::string_view(fields[column]) : std::string_view();
  }

  [[nodiscard]] std::size_t row_of(const std::string& id) const {
    const auto found = truth_.find(id);
    if (found == truth_.end()) {
      missing_key(question_, fmt::format("the test has no sample \"{:.80}\"", id));
    }
    return found->second;
  }

  bool add(std::string_view id, std::string_view value) {
    if (most_ && out_.count >= *most_) {
      return false;
    }
    out_.text += fmt::format("{},{}\n", id, value);
    ++out_.count;
    return true;
  }

  [[nodiscard]] std::string value_of(std::size_t row) const {
    const std::size_t column = question_.kind.column;
    if (question_.kind.rule == FeedbackRule::folded_label) {
      if (!question_.metadata.known_classes) {
        missing_key(question_, "the metadata have no known_classes");
      }
      const std::int64_t known = *question_.metadata.known_classes;
      return std::to_string(std::min(label_number(truth_at(row, column)), known));
    }
    std::string out(truth_at(row, column));
    if (question_.kind.rule == FeedbackRule::nearest) {
      for (std::size_t i = 1; i < 5 && column + i < question_.test.rows[row].size(); ++i) {
        out += fmt::format(",{}", truth_at(row, column + i));
      }
    }
    return out;
  }

  // Of the results this feedback reads.
  [[nodiscard]] std::vector<Fields> posted() const { return posted(question_.kind.results); }

  [[nodiscard]] std::vector<Fields> posted(std::string_view type) const {
    if (type == "detection") {
      return question_.detection;
    }
    const auto found = question_.posted.files.find(type);
    if (found == question_.posted.files.end()) {
      throw Refused(500, "<class 'FileNotFoundError'>",
                    fmt::format("no {} was posted in test {}", type, question_.test.id));
    }
    return posted_rows(found->second, type);
  }

  // The last round's rows of a posted table.
  [[nodiscard]] std::vector<Fields> window(std::vector<Fields> rows) const {
    if (!question_.metadata.feedback_constrained) {
      return rows;
    }
    if (!question_.metadata.round_size) {
      throw Refused(400, "no_defined_rounds", "round_size not defined in metadata.");
    }
    const std::int64_t size = *question_.metadata.round_size;
    const auto count = static_cast<std::int64_t>(rows.size());
    std::int64_t first = std::max<std::int64_t>(0, count - size);
    if (question_.form == Form::released && count < size) {
      first = std::max<std::int64_t>(0, 2 * count - size);
    }
    rows.erase(rows.begin(), rows.begin() + first);
    if (question_.form == Form::sound) {
      keep_round(rows, size);
    }
    return rows;
  }

  // Where rows were posted round by round, a short round must not drag in those before it. Where a
  // whole test was posted at once, its last rows stand for the round.
  void keep_round(std::vector<Fields>& rows, std::int64_t size) const {
    const auto places = dealt_places(question_.test);
    const auto round_of = [&](const Fields& row) -> std::int64_t {
      const auto found = row.empty() ? places.end() : places.find(row[0]);
      return found == places.end() ? -1 : found->second / size;
    };
    if (!rows.empty() && round_of(rows.back()) == question_.round) {
      std::erase_if(rows, [&](const Fields& row) { return round_of(row) != question_.round; });
    }
  }

  // Ids asked for, or those of the last round.
  [[nodiscard]] std::set<std::string, std::less<>> wanted() const {
    std::set<std::string, std::less<>> out;
    if (question_.ids.empty()) {
      for (const auto& row : last_round()) {
        out.insert(row.empty() ? "" : row[0]);
      }
      return out;
    }
    for (const auto& id : question_.ids) {
      out.emplace(stripped(std::string_view(id)));
    }
    if (question_.form == Form::sound) {
      std::set<std::string_view> answered;
      for (const auto& row : question_.detection) {
        answered.insert(row[0]);
      }
      std::erase_if(out, [&](const auto& id) { return !answered.contains(id); });
    }
    return out;
  }

  [[nodiscard]] std::vector<Fields> last_round() const {
    if (question_.kind.rule != FeedbackRule::nearest) {
      return window(posted());
    }
    // The public server takes the end of the whole test for the last round here.
    if (question_.form == Form::released) {
      return window(question_.test.rows);
    }
    return window(
        posted(question_.posted.files.contains("classification") ? "classification" : "detection"));
  }

  void in_order_of_truth() {
    const auto ids = wanted();
    std::set<std::string_view> told;
    for (const auto& row : question_.test.rows) {
      if (!row.empty() && ids.contains(row[0]) && told.insert(row[0]).second &&
          !add(row[0], value_of(row_of(row[0])))) {
        return;
      }
    }
  }

  void mistakes() {
    for (const auto& row : window(posted())) {
      const std::string id = row.empty() ? "" : row[0];
      const std::size_t truth = row_of(id);
      if (is_wrong(row, truth) && !add(id, value_of(truth))) {
        return;
      }
    }
  }

  [[nodiscard]] bool is_wrong(const Fields& row, std::size_t truth) const {
    const std::int64_t right = label_number(truth_at(truth, question_.kind.column));
    if (question_.kind.rule == FeedbackRule::novel) {
      const auto value = row.size() > 2 ? number_in<double>(row[2]) : std::nullopt;
      if (!value) {
        throw Refused(500, "<class 'IndexError'>",
                      fmt::format("row {:.80} of the posted detection has no number in column 3, "
                                  "p(this sample is novel), without which ids must be named",
                                  row[0]));
      }
      return (*value > question_.metadata.detection_threshold ? 1 : 0) != right;
    }
    if (question_.kind.rule == FeedbackRule::costly_label) {
      return row.size() < 3 || number_in<std::int64_t>(row[2]) != right;
    }
    return best_class(row) != right;
  }

  void accuracy() {
    std::unordered_map<std::string, bool> right;
    for (const auto& row : posted()) {
      const std::string id = row.empty() ? "" : row[0];
      const std::string_view label = truth_at(row_of(id), question_.kind.column);
      right[id] = best_class(row) == label_number(label);
    }
    const auto correct =
        std::count_if(right.begin(), right.end(), [](const auto& entry) { return entry.second; });
    const double share =
        right.empty() ? 0 : static_cast<double>(correct) / static_cast<double>(right.size());
    out_.text = fmt::format("accuracy,{}\n", python_number(share));
    out_.count = 1;
  }

  void earn_points() {
    for (const auto& row : window(posted())) {
      const std::size_t truth = row_of(row.empty() ? "" : row[0]);
      const std::int64_t reported = label_number(truth_at(truth, question_.kind.column - 1));
      const std::int64_t real = label_number(truth_at(truth, question_.kind.column));
      const auto same = row.size() > 1 ? number_in<std::int64_t>(row[1]) : std::nullopt;
      if (same != 0 && same != 1) {
        throw Refused(400, "InvalidTuple",
                      fmt::format("First var of tuple for {:.80} is not valid", row[0]));
      }
      out_.earned += (reported == real) == (same == 1) ? 1 : 0;
      out_.earned += row.size() > 2 && number_in<std::int64_t>(row[2]) == real ? 1 : 0;
    }
    out_.count = 1;
  }

  void distances() {
    std::set<std::string, std::less<>> asked;
    for (const auto& id : question_.ids) {
      asked.emplace(stripped(std::string_view(id)));
    }
    for (const auto& row : window(posted())) {
      const std::string id = row.empty() ? "" : row[0];
      if (!asked.empty() && !asked.contains(id)) {
        continue;
      }
      const std::string_view text = truth_at(row_of(id), question_.kind.column);
      const std::int64_t distance = transcript_distance(text, row.size() > 1 ? row[1] : "");
      if (!add(id, std::to_string(distance))) {
        return;
      }
    }
  }

  const FeedbackQuestion& question_;
  std::optional<std::int64_t> most_;
  std::unordered_map<std::string, std::size_t> truth_;
  FeedbackLines out_;
};

}  // namespace

FeedbackLines feedback_lines(const FeedbackQuestion& question, std::optional<std::int64_t> most) {
  return LineMaker(question, most).make();
}

}  // namespace tyto::sail_on
