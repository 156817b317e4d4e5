// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/render.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

// RFC 4180.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') {
      quoted += c;
    }
  }
  return quoted + '"';
}

void check_leading(std::span<const ArmMeasures> arms) {
  const auto same = [&](const ArmMeasures& arm) {
    return std::equal(arm.leading.begin(), arm.leading.end(), arms.front().leading.begin(),
                      arms.front().leading.end(),
                      [](const auto& a, const auto& b) { return a.first == b.first; });
  };
  const auto odd = std::find_if_not(arms.begin(), arms.end(), same);
  if (odd != arms.end()) {
    throw Error(ErrorKind::state,
                fmt::format("arm {} has other leading columns than the first", odd - arms.begin()));
  }
}

}  // namespace

std::string to_csv(std::span<const ArmMeasures> arms) {
  check_leading(arms);
  std::string text;
  if (!arms.empty()) {
    for (const auto& [name, value] : arms.front().leading) {
      text += csv_field(name) + ',';
    }
  }
  text += "step,phase,split,novel_to,view,measure,value\n";
  for (const ArmMeasures& arm : arms) {
    std::string prefix;
    for (const auto& [name, value] : arm.leading) {
      prefix += csv_field(value) + ',';
    }
    for (const MeasureRow& row : arm.rows) {
      fmt::format_to(std::back_inserter(text), "{}{},{},{},{},{},{},{}\n", prefix, row.step_name(),
                     csv_field(row.phase), csv_field(row.split), row.novel_to, row.view,
                     csv_field(row.measure), row.value ? fmt::format("{}", *row.value) : "");
    }
  }
  return text;
}

std::string to_json(std::span<const ArmMeasures> arms) {
  check_leading(arms);
  std::string text = "[";
  for (const ArmMeasures& arm : arms) {
    for (const MeasureRow& row : arm.rows) {
      nlohmann::ordered_json object;
      for (const auto& [name, value] : arm.leading) {
        object[name] = value;
      }
      if (row.step == kAllSteps) {
        object["step"] = "all";
      } else {
        object["step"] = row.step;
      }
      object["phase"] = row.phase;
      object["split"] = row.split;
      object["novel_to"] = row.novel_to;
      object["view"] = row.view;
      object["measure"] = row.measure;
      if (row.value) {
        object["value"] = *row.value;
      } else {
        object["value"] = nullptr;
      }
      text += (text.size() > 1 ? ",\n" : "\n") + object.dump();
    }
  }
  return text + "\n]\n";
}

}  // namespace tyto
