// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/feedback.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/sail_on/domains.hpp"
#include "tyto/sail_on/feedback_lines.hpp"
#include "tyto/sail_on/refused.hpp"

namespace tyto::sail_on {

namespace {

const OfferedFeedback& kind_of(const TestData& test, std::string_view type) {
  const Domain* domain = find_domain(test.domain);
  if (domain == nullptr) {
    throw Refused(400, "BadDomain", fmt::format("there is no domain {:.80}", test.domain));
  }
  const OfferedFeedback* kind = find_feedback(*domain, type);
  if (kind == nullptr) {
    throw Refused(400, "InvalidFeedbackType",
                  fmt::format("feedback of type \"{:.80}\" is not offered for test {} of domain {}",
                              type, test.id, test.domain));
  }
  return *kind;
}

std::int64_t budget_of(const OfferedFeedback& kind, const TestMetadata& metadata) {
  const bool detection = kind.rule == FeedbackRule::novel;
  return detection && metadata.max_detection_feedback_ids ? *metadata.max_detection_feedback_ids
                                                          : metadata.feedback_max_ids.value_or(0);
}

[[noreturn]] void unreadable_detection(const TestData& test, std::string_view why) {
  throw Refused(500, "CantReadFile",
                fmt::format("the posted detection of test {} cannot be read: {}", test.id, why));
}

bool novelty_declared(const TestData& test, const TestMetadata& metadata,
                      const SessionFacts& session, const std::vector<Fields>& detection) {
  if (detection.empty()) {
    unreadable_detection(test, "it has no rows");
  }
  if (!session.threshold) {
    unreadable_detection(test, "the session's detection_threshold is not a number");
  }
  bool declared = false;
  for (const auto& row : detection) {
    const auto value = row.size() < 2 ? std::nullopt : number_in<double>(row[1]);
    if (!value) {
      unreadable_detection(
          test, fmt::format("row \"{:.80}\" has no number in column 2", row.empty() ? "" : row[0]));
    }
    declared = declared || *value > *session.threshold ||
               (session.red_light && !metadata.red_light.empty() && row[0] == metadata.red_light);
  }
  return declared;
}

}  // namespace

FeedbackAnswer give_feedback(const TestData& test, const TestMetadata& metadata,
                             const SessionFacts& session, const PostedResults& posted,
                             const FeedbackSoFar& so_far, std::string_view type,
                             std::span<const std::string> ids, Form form) {
  const OfferedFeedback& kind = kind_of(test, type);
  if (posted.rounds.empty()) {
    throw Refused(500, "<class 'KeyError'>",
                  fmt::format("no results were posted in test {}; post before asking", test.id));
  }
  FeedbackAnswer answer;
  answer.round = posted.rounds.rbegin()->first;
  answer.budget = budget_of(kind, metadata);
  const bool unlimited = kind.rule == FeedbackRule::novel && session.red_light;
  const bool budgeted = kind.budgeted && !unlimited;
  const bool used_up = so_far.lines >= answer.budget;
  if (used_up && (form == Form::sound ? budgeted : so_far.any)) {
    throw Refused(400, "FeedbackBudgetExceeded",
                  fmt::format("Feedback of type {} has already been requested on the maximum "
                              "number of ids",
                              type));
  }
  const auto detection = posted.files.find("detection");
  if (detection == posted.files.end()) {
    throw Refused(400, "DetectionPostRequired",
                  "A detection file is required to be posted before feedback can be requested on "
                  "a round. Please submit Detection results before requesting feedback");
  }
  const auto rows = posted_rows(detection->second, "detection");
  answer.declared = novelty_declared(test, metadata, session, rows);
  if (!answer.declared && !kind.before_declared) {
    return answer;
  }
  answer.declared = true;
  // The public counter passes below zero where nothing was allowed, and then allows everything.
  const std::int64_t left = answer.budget - so_far.lines;
  const std::optional<std::int64_t> most =
      budgeted && left > 0 ? std::optional(left) : std::nullopt;
  const FeedbackLines lines =
      feedback_lines({test, metadata, posted, kind, rows, ids, answer.round, form}, most);
  answer.lines = lines.text;
  answer.charged = budgeted && left <= 0 ? 0 : lines.count;
  if (kind.rule == FeedbackRule::points) {
    const bool counts = form == Form::released || so_far.lines == 0;
    answer.points = so_far.points + (counts ? lines.earned : 0);
    answer.lines = fmt::format("current_score,{}\n", *answer.points);
  } else if (kind.rule == FeedbackRule::costly_label) {
    answer.points = so_far.points - lines.count;
  }
  return answer;
}

}  // namespace tyto::sail_on
