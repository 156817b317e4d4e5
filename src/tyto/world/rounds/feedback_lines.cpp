// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/feedback_lines.hpp"

#include "tyto/sail_on/csv_rows.hpp"

namespace tyto {

namespace {

constexpr std::string_view kFeedback = "feedback";  // for messages

// Calls `read` for every line about a row that was asked for.
template <class Read>
void for_each_told(std::string_view lines, const std::map<std::string, Index>& rows,
                   const Read& read) {
  for (const sail_on::CsvRow& line : sail_on::csv_rows(lines, kFeedback)) {
    const auto found = rows.find(line.fields.front());
    if (found != rows.end()) {
      read(line, found->second);
    }
  }
}

}  // namespace

LabelsToldBy labels_told_by(std::string_view domain, std::string_view type) {
  return domain == "activity_recognition" && type == "classification" ? LabelsToldBy::name
                                                                      : LabelsToldBy::number;
}

Feedback read_labels(std::string_view lines, const std::map<std::string, Index>& rows,
                     LabelsToldBy told_by, std::span<const std::string> classes) {
  Feedback feedback;
  for_each_told(lines, rows, [&](const sail_on::CsvRow& line, Index row) {
    feedback.row.push_back(row);
    if (told_by == LabelsToldBy::name) {
      feedback.name.push_back(line.fields.size() > 1 ? line.fields[1] : std::string());
      return;
    }
    const double number = sail_on::number_at(line, 1, kFeedback);
    const bool known = number >= 0 && number < static_cast<double>(classes.size());
    feedback.name.push_back(known ? classes[static_cast<std::size_t>(number)] : std::string());
  });
  return feedback;
}

Feedback read_detection(std::string_view lines, const std::map<std::string, Index>& rows) {
  Feedback feedback;
  for_each_told(lines, rows, [&](const sail_on::CsvRow& line, Index row) {
    feedback.row.push_back(row);
    feedback.value.push_back(sail_on::number_at(line, 1, kFeedback));
  });
  return feedback;
}

Feedback read_score(std::string_view lines) {
  Feedback feedback;
  for (const sail_on::CsvRow& line : sail_on::csv_rows(lines, kFeedback)) {
    feedback.name.push_back(line.fields.front());
    feedback.value.push_back(sail_on::number_at(line, 1, kFeedback));
  }
  return feedback;
}

}  // namespace tyto
