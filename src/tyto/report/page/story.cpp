// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/story.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/report/page/arm_facts.hpp"
#include "tyto/report/page/detection_story.hpp"
#include "tyto/report/page/story_text.hpp"
#include "tyto/report/page/task_story.hpp"

namespace tyto {

namespace {

struct Lead {
  const PageArm* arm = nullptr;
  const std::vector<HeadlineNumber>* headline = nullptr;
  std::size_t arms = 0;  // of the run
};

Lead lead_of(const PageSource& source, std::size_t run,
             const std::vector<std::vector<HeadlineNumber>>& headlines) {
  Lead lead;
  double best = -1;
  for (std::size_t i = 0; i < source.arms.size(); ++i) {
    if (source.arms[i].run != run) {
      continue;
    }
    ++lead.arms;
    const double value = number_called(headlines[i], "accuracy_after").value.value_or(-1.0);
    if (lead.arm == nullptr || value > best) {
      lead.arm = &source.arms[i];
      lead.headline = &headlines[i];
      best = value;
    }
  }
  return lead;
}

std::string arrived(const PageSeed& seed) {
  std::map<std::string, Index> first;  // step by class
  Index start_labels = 0;
  Index later_train = 0;
  Index later_test = 0;
  Index last = 0;
  for (const ShownCount& count : seed.shown) {
    const auto [found, is_new] = first.try_emplace(count.label, count.step);
    found->second = std::min(found->second, count.step);
    last = std::max(last, count.step);
    const bool train = count.split == "train";
    start_labels += count.step == 0 && train ? count.samples : 0;
    later_train += count.step > 0 && train ? count.samples : 0;
    later_test += count.step > 0 && count.split == "test" ? count.samples : 0;
  }
  if (first.empty()) {
    return "";
  }
  Index start = 0;
  for (const auto& [label, step] : first) {
    start += step == 0 ? 1 : 0;
  }
  const auto all = static_cast<Index>(first.size());
  return fmt::format(
      "At the start {} of {} were known, from {}. Over {} {} more arrived, in {} to learn from "
      "and {} to be tested on.",
      grouped(start), counted(all, "class"), counted(start_labels, "labelled sample"),
      counted(last, "increment"), grouped(all - start), counted(later_train, "sample"),
      grouped(later_test));
}

std::string noticed(const Lead& lead) {
  const RangedValue noticed = number_called(*lead.headline, "noticed_before");
  const RangedValue alarms = number_called(*lead.headline, "false_alarms_before");
  const RangedValue auroc = number_called(*lead.headline, "novelty_auroc_before");
  if (!noticed.value || !alarms.value) {
    return "";
  }
  return fmt::format(
      " Before feedback it noticed {} of the test samples of new classes{} and took {} of the "
      "known "
      "ones for new{}.",
      percent(noticed), auroc.value ? fmt::format(" (AUROC {})", plain(auroc)) : "",
      percent(alarms),
      lead.arm->promised ? fmt::format(", where {:.3g} % were accepted", 100 * *lead.arm->promised)
                         : "");
}

std::string alarm_text(const PageSource& source, const Lead& lead) {
  const PageTable* table = source.seed_of(*lead.arm, lead.arm->seeds.front()).table("alarms.csv");
  if (table != nullptr) {
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
      if (table->text(row, "arm") == lead.arm->name && table->text(row, "changed") == "1") {
        return fmt::format(" At increment {} it first said that the world had changed.",
                           table->text(row, "increment"));
      }
    }
  }
  return "";
}

// The other budgets of the same predictor.
std::string others(const PageSource& source, std::size_t run, const Lead& lead,
                   const std::vector<std::vector<HeadlineNumber>>& headlines) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < source.arms.size(); ++i) {
    const PageArm& arm = source.arms[i];
    const RangedValue value = number_called(headlines[i], "accuracy_after");
    if (arm.run == run && arm.predictor == lead.arm->predictor && arm.name != lead.arm->name &&
        value.value) {
      parts.push_back(fmt::format("{} with {}", percent(value), arm.feedback));
    }
  }
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

std::string forgot(const Lead& lead) {
  const RangedValue lost = number_called(*lead.headline, "forgotten");
  if (!lost.value) {
    return "";
  }
  const double points = std::round(100 * *lost.value);
  return points > 0
             ? fmt::format(
                   " Classes it had learned were named right {:.0f} points less often at their "
                   "last test than at their best one: that much it forgot.",
                   points)
             : std::string(
                   " Classes it had learned were named right as often at their last test as at "
                   "their best one: it forgot nothing.");
}

std::string cost(const PageSource& source, const PageArm& arm) {
  Index start = 0;
  Index later = 0;
  std::optional<FeedbackFacts> account;
  for (const StepGrants& step : grants_of(*arm.seeds.front().record)) {
    (step.step == 0 ? start : later) += step.labels;
    if (step.feedback) {
      FeedbackFacts& all = account ? *account : account.emplace();
      all.spent += step.feedback->spent;
      all.asked += step.feedback->asked;
      all.wrong += step.feedback->wrong;
    }
  }
  double seconds = 0;
  if (const PageTable* times = source.seed_of(arm, arm.seeds.front()).table("times.csv")) {
    for (std::size_t row = 0; row < times->rows.size(); ++row) {
      if (times->text(row, "arm") == arm.name) {
        seconds += times->number(row, "seconds").value_or(0.0);
      }
    }
  }
  const std::string asked =
      account ? fmt::format(" ({} asked for, which cost {:g}; {:.0f} % of the labels were wrong)",
                            counted(account->asked, "answer"), account->spent,
                            100.0 * static_cast<double>(account->wrong) /
                                static_cast<double>(std::max<Index>(1, later)))
              : "";
  return fmt::format(" That cost {} after the start{}{}.", counted(later, "label"), asked,
                     seconds > 0 ? fmt::format(" and {:.3g} s of computing", seconds) : "");
}

}  // namespace

std::string story_of(const PageSource& source, std::size_t run,
                     const std::vector<std::vector<HeadlineNumber>>& headlines) {
  const PageRun& of = source.runs[run];
  if (tells_of_tasks(of)) {
    return task_story_of(source, run, headlines);
  }
  if (tells_of_detection(of)) {
    return detection_story_of(source, run, headlines);
  }
  if (tells_of_categories(of)) {
    return category_story_of(source, run, headlines);
  }
  std::string text = arrived(of.seeds.front());
  const Lead lead = lead_of(source, run, headlines);
  const bool has_feedback =
      std::any_of(of.headline.begin(), of.headline.end(),
                  [](const HeadlineColumn& column) { return column.name == "accuracy_after"; });
  if (lead.arm == nullptr || !has_feedback) {
    return text;  // what has no feedback is told by its table
  }
  const ArmFacts facts = facts_of(*lead.arm->seeds.front().record);
  if (!of.done) {
    text +=
        fmt::format(" So far {} is committed up to increment {}.", lead.arm->name, facts.last_step);
  }
  text += lead.arms > 1
              ? fmt::format(" Of {} arms {} named most right after feedback; it is told of here.",
                            lead.arms, lead.arm->name)
              : fmt::format(" The predictor is {}.", lead.arm->name);
  text += noticed(lead);
  text += alarm_text(source, lead);
  if (facts.discovered > 0) {
    text += fmt::format(" It discovered {} without a label.", counted(facts.discovered, "class"));
  }
  if (const RangedValue after = number_called(*lead.headline, "accuracy_after"); after.value) {
    text += fmt::format(
        " With {} feedback it knew {} at the end and named {} of the test samples "
        "right{}.",
        lead.arm->feedback, counted(facts.known_at_end, "class"), percent(after),
        others(source, run, lead, headlines));
  }
  text += forgot(lead);
  text += cost(source, *lead.arm);
  if (lead.arm->seeds.size() > 1) {
    text += repeated_text(source, *lead.arm);
  }
  return text;
}

}  // namespace tyto
