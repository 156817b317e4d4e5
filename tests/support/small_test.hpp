// SPDX-License-Identifier: Apache-2.0
// A test of ten pictures in rounds of four, the last one short, worked out by hand.
#pragma once

#include <memory>
#include <string>

#include "tyto/sail_on/data_folder.hpp"

namespace tyto::sail_on {

inline constexpr const char* kSmallTruth =
    "id,detection,classification\n"
    "a, 0, 2\nb, 0, 0\nc, 0, 1\nd, 0, 0\n"
    "e, 0, 0\nf, 1, -7\ng, 1, 5\nh, 1, 1\n"
    "i, 1, -7\nj, 1, 0\n";

inline constexpr const char* kSmallMetadata =
    R"({"protocol": "OND", "known_classes": 3, "round_size": 4, "feedback_max_ids": 3,
        "max_detection_feedback_ids": 2, "red_light": "f", "threshold": 0.3})";

inline std::shared_ptr<const TestData> small_test(const std::string& metadata = kSmallMetadata) {
  return std::make_shared<const TestData>(
      read_test("OND", "image_classification", "OND.1.1.1", kSmallTruth, metadata).test);
}

}  // namespace tyto::sail_on
