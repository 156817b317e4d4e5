// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/feedback_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/report/page/arm_facts.hpp"

namespace tyto {

namespace {

std::string share_text(Index part, Index whole) {
  return whole == 0 ? std::string()
                    : fmt::to_string(static_cast<double>(part) / static_cast<double>(whole));
}

// One phase tells it for all.
bool has_account(const RunRecord& record) {
  const std::vector<PhaseKey> keys = record.phases();
  const auto later =
      std::find_if(keys.begin(), keys.end(), [](const PhaseKey& key) { return key.step > 0; });
  return later != keys.end() && record.phase(*later).feedback.has_value();
}

}  // namespace

FeedbackTable feedback_table(const Arm& arm, const RunRecord& record) {
  FeedbackTable table;
  if (!has_account(record)) {
    return table;
  }
  FeedbackFacts all;
  Index labels = 0;
  for (const StepGrants& step : grants_of(record)) {
    if (!step.feedback) {
      continue;  // the start is free
    }
    const FeedbackFacts& facts = *step.feedback;
    table.lines += fmt::format("{},{},{},{},{},{},{},{},{}\n", arm.name, arm.predictor.name,
                               budget_text(arm.budget), step.step, facts.spent, facts.asked,
                               step.labels, facts.wrong, share_text(facts.wrong, step.labels));
    all.spent += facts.spent;
    all.asked += facts.asked;
    all.wrong += facts.wrong;
    labels += step.labels;
  }
  table.remark = fmt::format(
      "feedback cost {:g}: {} answers asked for, {} labels learned, {} of "
      "them wrong",
      all.spent, all.asked, labels, all.wrong);
  return table;
}

}  // namespace tyto
