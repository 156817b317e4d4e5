// SPDX-License-Identifier: Apache-2.0
// Values as a page spells them: few digits, null where one is missing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tyto/measure/headline.hpp"
#include "tyto/measure/intervals/spread.hpp"

namespace tyto {

// Six significant digits; null if missing or not finite.
nlohmann::ordered_json json_number(std::optional<double> value);

// Value and the ends of its interval.
nlohmann::ordered_json json_ranged(std::optional<double> value, std::optional<double> low = {},
                                   std::optional<double> high = {});
// Mean, least and greatest; of one run the value alone.
nlohmann::ordered_json json_ranged(const Spread& spread);

nlohmann::ordered_json json_measure(std::string_view name, std::string_view title,
                                    std::string_view meaning, Better better);
nlohmann::ordered_json json_measure(const HeadlineNumber& number);

struct ShownMeasure {
  const char *measure, *title;
};

nlohmann::ordered_json json_measures(std::span<const ShownMeasure> shown);

}  // namespace tyto
