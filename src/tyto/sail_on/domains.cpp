// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/domains.hpp"

#include <algorithm>
#include <array>

namespace tyto::sail_on {

namespace {

using enum FeedbackRule;

constexpr std::array kImageFeedback{
    OfferedFeedback{"classification", folded_label, "classification", 2, true, true, false},
    OfferedFeedback{"score", score, "classification", 2, false, false, false},
    OfferedFeedback{"detection", novel, "detection", 1, true, false, false},
};
constexpr std::array kTranscriptFeedback{
    OfferedFeedback{"classification", folded_label, "classification", 5, true, false, false},
    OfferedFeedback{"transcription", edit_distance, "transcription", 1, true, false, false},
    OfferedFeedback{"score", score, "classification", 5, false, false, false},
};
constexpr std::array kActivityFeedback{
    OfferedFeedback{"classification", nearest, "classification", 6, true, false, false},
    OfferedFeedback{"labels", label, "classification", 3, true, false, true},
    OfferedFeedback{"score", score, "classification", 3, false, false, false},
    OfferedFeedback{"detection", novel, "detection", 1, true, false, true},
};
constexpr std::array kNltFeedback{
    OfferedFeedback{"score", points, "labels", 3, false, false, false},
    OfferedFeedback{"detection", novel, "detection", 7, true, false, true},
    OfferedFeedback{"labels", costly_label, "labels", 3, false, false, true},
};

constexpr std::array kDomains{
    Domain{"image_classification", false, kImageFeedback},
    Domain{"activity_recognition", false, kActivityFeedback},
    Domain{"transcripts", false, kTranscriptFeedback},
    Domain{"nlt", true, kNltFeedback},
};

}  // namespace

const Domain* find_domain(std::string_view name) {
  const auto* found = std::find_if(kDomains.begin(), kDomains.end(),
                                   [&](const Domain& domain) { return domain.name == name; });
  return found == kDomains.end() ? nullptr : found;
}

const OfferedFeedback* find_feedback(const Domain& domain, std::string_view type) {
  const auto found = std::find_if(domain.feedback.begin(), domain.feedback.end(),
                                  [&](const OfferedFeedback& kind) { return kind.type == type; });
  return found == domain.feedback.end() ? nullptr : &*found;
}

}  // namespace tyto::sail_on
