// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/json.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/measure/run_registry.hpp"

namespace tyto {

using Json = nlohmann::ordered_json;

Json json_number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) {
    return nullptr;
  }
  if (*value == std::trunc(*value) && std::abs(*value) < 1e15) {
    return static_cast<std::int64_t>(*value);
  }
  return std::strtod(fmt::format("{:.6g}", *value).c_str(), nullptr);
}

Json json_ranged(std::optional<double> value, std::optional<double> low,
                 std::optional<double> high) {
  return Json::array({json_number(value), json_number(low), json_number(high)});
}

Json json_ranged(const Spread& spread) {
  return spread.count > 1 ? json_ranged(spread.mean, spread.low, spread.high)
                          : json_ranged(spread.mean);
}

Json json_measure(std::string_view name, std::string_view title, std::string_view meaning,
                  Better better) {
  return {{"name", name}, {"title", title}, {"meaning", meaning}, {"better", better_name(better)}};
}

Json json_measure(const HeadlineNumber& number) {
  return json_measure(number.name, number.title, number.meaning, number.better);
}

Json json_measures(std::span<const ShownMeasure> shown) {
  Json all = Json::array();
  for (const auto& [measure, title] : shown) {
    const MeasureFacts spec = measure_facts(measure);
    all.push_back(json_measure(spec.name, title, spec.summary, spec.better));
  }
  return all;
}

}  // namespace tyto
