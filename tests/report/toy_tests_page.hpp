// SPDX-License-Identifier: Apache-2.0
// A page of runs of tests that are written row by row.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "measure/toy_tests.hpp"
#include "tiny_page.hpp"
#include <nlohmann/json.hpp>

#include "tyto/report/page/section.hpp"

namespace tyto::testing_support {

inline PageSource tests_source(const ToyTests& tests) {
  PageSource source = tiny_source();
  source.arms[0].seeds[0].record = std::make_shared<ToyRecord>(tests.phases, tests.truth);
  return source;
}

// What the section tells; null where it has nothing to show.
inline nlohmann::json built_section(const PageSource& source, std::string_view kind) {
  for (const SectionSpec& spec : section_specs()) {
    if (spec.kind == kind) {
      Progress quiet;
      const PageSource own = source.only(spec.needs);
      const auto data = own.runs.empty() ? std::nullopt : spec.build(own, quiet);
      return data ? nlohmann::json::parse(data->dump()) : nlohmann::json();
    }
  }
  throw std::runtime_error("no such section");
}

}  // namespace tyto::testing_support
