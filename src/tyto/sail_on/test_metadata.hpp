// SPDX-License-Identifier: Apache-2.0
// What is said about a test, as a session with its hints sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tyto::sail_on {

struct TestMetadata {
  std::string protocol;
  std::optional<std::int64_t> round_size, known_classes, max_novel_classes, pre_novelty_batches;
  std::optional<std::int64_t> feedback_max_ids, max_detection_feedback_ids;
  bool feedback_constrained = true;  // to the last round
  double detection_threshold = 0.5;  // above it a sample was called novel
  std::string threshold;             // of the evaluation, as text; "": none
  std::string red_light;             // id; "": none
};

// Of the file's JSON text, with what `key=integer` among the hints says instead; the hints of one
// session change nothing for another. Throws Refused, 500, where a value is not what it must be.
TestMetadata read_metadata(std::string_view json, std::span<const std::string> hints);

// The part of it an agent may see, as one line of JSON: `red_light` only where a hint says so.
std::string approved_metadata(std::string_view json, std::span<const std::string> hints);

bool has_hint(std::span<const std::string> hints, std::string_view word);

}  // namespace tyto::sail_on
