// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/test_truth.hpp"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/sail_on/released_evaluation.hpp"

namespace tyto::sail_on {

namespace {

Error bad_test(const TestData& test, const std::string& what) {
  return Error(ErrorKind::data, fmt::format("{}: {}", test.id, what));
}

std::uint8_t flag_at(const TestData& test, std::size_t row, Index column) {
  const std::vector<std::string>& fields = test.rows[row];
  const std::string text = at(column) < fields.size() ? fields[at(column)] : "";
  const auto number = number_in<double>(text);
  if (!number || (*number != 0.0 && *number != 1.0)) {
    throw bad_test(test, fmt::format("row {}, column {}: \"{}\" is neither 0 nor 1", row + 1,
                                     column + 1, text));
  }
  return *number == 1.0 ? 1 : 0;
}

// The place of the value that belongs to the annotation "class", if the row has one.
std::string class_name(const TestData& test, const std::vector<std::string>& fields) {
  for (std::size_t c = 0; c + 1 < std::min(fields.size(), test.columns.size()); ++c) {
    if (test.columns[c].starts_with("annotation_name") && fields[c] == "class") {
      return fields[c + 1];
    }
  }
  return "";
}

nlohmann::json metadata_value(const TestData& test, const std::string& key) {
  if (test.metadata.empty()) {
    return nullptr;
  }
  try {
    const auto metadata = nlohmann::json::parse(test.metadata);
    return metadata.is_object() && metadata.contains(key) ? metadata[key] : nlohmann::json();
  } catch (const nlohmann::json::exception&) {
    throw bad_test(test, "the metadata are not JSON");
  }
}

}  // namespace

TruthColumns truth_columns(std::string_view domain) {
  static const std::map<std::string_view, TruthColumns> columns{
      {"image_classification", {.changed = 1, .label = 2, .novel = 1}},
      {"activity_recognition", {.changed = 2, .label = 3, .novel = 1}},
      {"transcripts", {.changed = 4, .label = 5, .novel = 2}},
      {"nlt", {.changed = 6, .label = 3, .novel = 7}}};
  const auto found = columns.find(domain);
  if (found == columns.end()) {
    throw Error(ErrorKind::data,
                fmt::format("no domain is called \"{}\"; there are activity_recognition, "
                            "image_classification, nlt and transcripts",
                            domain));
  }
  return found->second;
}

TestTruth test_truth(const TestData& test) {
  const TruthColumns columns = truth_columns(test.domain);
  const auto known = metadata_number(test, "known_classes");
  TestTruth truth;
  for (std::size_t r = 0; r < test.rows.size(); ++r) {
    const std::vector<std::string>& fields = test.rows[r];
    if (at(columns.label) >= fields.size()) {
      throw bad_test(test, fmt::format("row {} has {} columns, its class is column {}", r + 1,
                                       fields.size(), columns.label + 1));
    }
    const std::string& label = fields[at(columns.label)];
    const std::string name = class_name(test, fields);
    truth.id.push_back(fields.front());
    truth.label.push_back(name.empty() ? label : name);
    truth.named.push_back(name.empty() ? 0 : 1);
    truth.changed.push_back(flag_at(test, r, columns.changed));
    if (columns.novel != columns.changed) {
      truth.novel.push_back(flag_at(test, r, columns.novel));
    } else {
      const auto number = number_in<Index>(label);
      const bool is_new = !number || *number < 0 || (known && *number >= *known);
      truth.novel.push_back(truth.changed.back() != 0 && is_new ? 1 : 0);
    }
  }
  return truth;
}

std::optional<Index> metadata_number(const TestData& test, const std::string& key) {
  const std::string text = metadata_text(test, key);
  if (text.empty()) {
    return {};
  }
  const auto number = number_in<Index>(text);
  if (!number) {
    throw bad_test(test, fmt::format("{} of the metadata is {}, not a whole number", key, text));
  }
  return number;
}

std::string metadata_text(const TestData& test, const std::string& key) {
  const nlohmann::json value = metadata_value(test, key);
  if (value.is_null()) {
    return "";
  }
  if (value.is_number_float()) {
    return python_number(value.get<double>());
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace tyto::sail_on
