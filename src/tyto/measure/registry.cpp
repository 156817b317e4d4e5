// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/registry.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/core/options.hpp"
#include "tyto/measure/run_registry.hpp"

namespace tyto {

#define TYTO_MEASURES(family) std::vector<MeasureSpec> family##_measures();
#include "builtin_measures.inc"
#undef TYTO_MEASURES

#define TYTO_RUN_MEASURES(family) std::vector<RunMeasureSpec> family##_run_measures();
#include "builtin_run_measures.inc"
#undef TYTO_RUN_MEASURES

std::string_view better_name(Better better) {
  switch (better) {
    case Better::higher: return "higher";
    case Better::lower: return "lower";
    case Better::neither: break;
  }
  return "neither";
}

std::span<const MeasureSpec> measure_specs() {
  static const std::vector<MeasureSpec> specs = [] {
    std::vector<MeasureSpec> all;
    const auto append = [&](std::vector<MeasureSpec> family) {
      for (MeasureSpec& spec : family) {
        all.push_back(std::move(spec));
      }
    };
#define TYTO_MEASURES(family) append(family##_measures());
#include "builtin_measures.inc"
#undef TYTO_MEASURES
    return all;
  }();
  return specs;
}

std::span<const RunMeasureSpec> run_measure_specs() {
  static const std::vector<RunMeasureSpec> specs = [] {
    std::vector<RunMeasureSpec> all;
    const auto append = [&](std::vector<RunMeasureSpec> family) {
      std::move(family.begin(), family.end(), std::back_inserter(all));
    };
#define TYTO_RUN_MEASURES(family) append(family##_run_measures());
#include "builtin_run_measures.inc"
#undef TYTO_RUN_MEASURES
    return all;
  }();
  return specs;
}

const MeasureSpec& find_measure(std::string_view name) {
  for (const MeasureSpec& spec : measure_specs()) {
    if (std::find(spec.also_called.begin(), spec.also_called.end(), name) !=
        spec.also_called.end()) {
      return spec;
    }
  }
  return find_named(measure_specs(), "measure", name);
}

}  // namespace tyto
