// SPDX-License-Identifier: Apache-2.0
// What an evaluation tells an agent about samples it has answered: who may ask for what and when,
// how much of it, and the lines themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tyto/sail_on/posted_results.hpp"
#include "tyto/sail_on/test_data.hpp"
#include "tyto/sail_on/test_metadata.hpp"

namespace tyto::sail_on {

struct SessionFacts {
  std::optional<double> threshold;  // a p(changed) above it declares novelty; none: unusable
  bool red_light = false;           // the session was told the moment of the change
};

struct FeedbackSoFar {
  bool any = false;         // some feedback was given in this test
  std::int64_t lines = 0;   // of this type in the last posted round
  std::int64_t points = 0;  // running total, where there is one
};

struct FeedbackAnswer {
  std::string lines;                   // CSV, every line ended
  std::int64_t charged = 0;            // lines that count
  std::int64_t budget = 0;             // that was in force
  std::int64_t round = 0;              // the last posted one
  bool declared = true;                // false: no answer yet, and nothing counts
  std::optional<std::int64_t> points;  // the new total
};

// Form::sound tells only about samples whose detection was posted, limits what is budgeted and
// nothing else, counts a round's points once, and takes the rows of a short round for what they
// are; Form::released does as the public server. Throws Refused with the public reasons.
FeedbackAnswer give_feedback(const TestData& test, const TestMetadata& metadata,
                             const SessionFacts& session, const PostedResults& posted,
                             const FeedbackSoFar& so_far, std::string_view type,
                             std::span<const std::string> ids, Form form);

}  // namespace tyto::sail_on
