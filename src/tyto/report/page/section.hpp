// SPDX-License-Identifier: Apache-2.0
// The sections of a report page. A section is one file sections/<kind>.cpp that defines
// `SectionSpec <kind>_section()` and one line in report/CMakeLists.txt; web/src/sections/<kind>.ts
// shows what it builds, as web/src/data.ts says.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tyto/core/progress.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

constexpr std::string_view kRepeats = "{repeats}";  // PageSource::repeats, in `about` below

struct SectionSpec {
  std::string kind, title;
  std::string about;  // one sentence; kRepeats stands for what runs were repeated over
  RunNeeds needs;     // the runs it is made from, whatever their protocol
  int order = 0;      // on the page, the lowest first
  // Nothing: there is nothing to show. Gets the runs that meet its needs alone; runs and arms go by
  // their `number`. One phase of a record is held at a time.
  std::function<std::optional<nlohmann::ordered_json>(const PageSource&, Progress&)> build;
  bool first_seed = false;  // of several seeds it shows the first; the page then says so
};

std::span<const SectionSpec> section_specs();  // by order

}  // namespace tyto
