// SPDX-License-Identifier: Apache-2.0
// The lines of each kind of feedback, once it is clear that it may be given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/sail_on/domains.hpp"
#include "tyto/sail_on/posted_results.hpp"
#include "tyto/sail_on/posted_rows.hpp"
#include "tyto/sail_on/test_data.hpp"
#include "tyto/sail_on/test_metadata.hpp"

namespace tyto::sail_on {

struct FeedbackQuestion {
  const TestData& test;
  const TestMetadata& metadata;
  const PostedResults& posted;
  const OfferedFeedback& kind;
  const std::vector<Fields>& detection;  // posted rows
  std::span<const std::string> ids;      // none: those of the last round
  std::int64_t round;                    // the last posted one
  Form form;
};

struct FeedbackLines {
  std::string text;
  std::int64_t count = 0;   // of lines
  std::int64_t earned = 0;  // points of the last round
};

// At most `most` lines; none: all.
FeedbackLines feedback_lines(const FeedbackQuestion& question, std::optional<std::int64_t> most);

}  // namespace tyto::sail_on
