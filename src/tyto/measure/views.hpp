// SPDX-License-Identifier: Apache-2.0
// Four ways to look at the same predictions, each a confusion matrix (KOWL-718, "reductions").
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/measure/formulas/confusion.hpp"

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
// evaluator, who showed no sample of it in an earlier increment. An evaluator may forget: a class
// of which nothing was shown in the last n increments is then novel again.
struct NovelTo {
  enum class Whom : std::uint8_t { predictor, evaluator };

  Whom whom = Whom::predictor;
  Index again_after = 0;  // increments; 0: what was shown once is never novel again

  static const NovelTo predictor, evaluator;

  static constexpr NovelTo again(Index increments) { return {Whom::evaluator, increments}; }

  auto operator<=>(const NovelTo&) const = default;
};

inline constexpr NovelTo NovelTo::predictor{Whom::predictor, 0};
inline constexpr NovelTo NovelTo::evaluator{Whom::evaluator, 0};

// "predictor", "evaluator", "evaluator_again_3".
std::string novel_to_name(NovelTo reference);

// Both references, and the forgetful evaluator's where it forgets.
std::vector<NovelTo> references(Index again_after);

struct Views {
  Confusion raw, classification, detection, recognition;

  [[nodiscard]] const Confusion& of(View view) const;
  void merge(const Views& other);
};

// The counts by pairs of places in `names`; is_known, by place too, tells the known set: `unknown`,
// discovered classes and every other name are outside. A name may stand at two places, known at
// one and novel at the other, where samples of several moments are seen together. The views are
// reduced even where no sample is novel, so that the phases of a run can be summed. Throws
// Error(data) if a class outside the known set is called "known".
Views make_views(std::span<const std::string> names, std::span<const std::uint8_t> is_known,
                 const Confusion::Cells& cells);
Views make_views(const Confusion& raw, std::span<const std::string> known);

}  // namespace tyto
