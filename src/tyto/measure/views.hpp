// SPDX-License-Identifier: Apache-2.0
// Four ways to look at the same predictions, each a confusion matrix (KOWL-718, "reductions").
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "tyto/measure/confusion.hpp"

namespace tyto {

enum class View {
  raw,             // every name as it is
  classification,  // names outside the known set become `unknown`
  detection,       // `unknown` against `known`
  recognition      // known names become `known`; actual and discovered novel names stay
};

inline constexpr std::array kViews = {View::raw, View::classification, View::detection,
                                      View::recognition};

std::string_view view_name(View view);

constexpr std::string_view kKnownName = "known";  // the sum of the known classes

// To whom a class is novel: to the predictor, which was granted no label of it, or to the
// evaluator, who showed no sample of it in an earlier increment.
enum class NovelTo { predictor, evaluator };

std::string_view novel_to_name(NovelTo reference);

struct Views {
  Confusion raw, classification, detection, recognition;

  [[nodiscard]] const Confusion& of(View view) const;
  void merge(const Views& other);
};

// `unknown`, discovered classes and any other name not in `known` are the unknown set. The views
// are reduced even where no sample is novel, so that the phases of a run can be summed. Throws
// Error(data) if a class outside the known set is called "known".
Views make_views(Confusion raw, std::span<const std::string> known);

}  // namespace tyto
