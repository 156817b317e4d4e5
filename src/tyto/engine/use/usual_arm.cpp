// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/usual_arm.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/protocol/registry.hpp"

namespace tyto {

namespace {

bool remembers(const Arm& arm) {
  const PartChoice* memory = arm.predictor.find(Slot::memory);
  return memory != nullptr && memory->name != "none";
}

// Higher is better; none where the run has no such number yet.
std::optional<double> merit_of(const Arm& arm, const RunInfo& info, const HeadlineNumber& number) {
  for (const RunInfo::Outcome& outcome : info.arms) {
    if (outcome.arm == arm.name) {
      const auto value = outcome.number(number.name);
      return value && number.better == Better::lower ? std::optional(-*value) : value;
    }
  }
  return std::nullopt;
}

}  // namespace

UsualArm usual_arm(const std::vector<Arm>& arms, const RunFolder& folder, const RunInfo& info) {
  std::vector<const Arm*> left;
  for (const Arm& arm : arms) {
    std::error_code ignored;
    if (std::filesystem::exists(folder.checkpoint(arm.name), ignored)) {
      left.push_back(&arm);
    }
  }
  if (left.empty()) {
    for (const Arm& arm : arms) {
      left.push_back(&arm);
    }
  }
  std::vector<std::string> why;
  // Keeps the best by `merit`; says why where that leaves some behind.
  const auto keep_best = [&](const std::function<double(const Arm&)>& merit,
                             const std::string& reason) {
    double best = merit(*left.front());
    for (const Arm* arm : left) {
      best = std::max(best, merit(*arm));
    }
    if (std::erase_if(left, [&](const Arm* arm) { return merit(*arm) < best; }) > 0) {
      why.push_back(reason);
    }
  };
  keep_best([](const Arm& arm) { return remembers(arm) ? 1.0 : 0.0; }, "remembers samples");
  keep_best(
      [](const Arm& arm) {
        return arm.budget.total ? static_cast<double>(*arm.budget.total) : arm.budget.fraction;
      },
      "had the most labels");
  // A run of before protocols were written down has none.
  const auto columns =
      info.protocol.empty() ? std::vector<HeadlineColumn>{} : find_protocol(info.protocol).headline;
  if (!columns.empty() && left.size() > 1) {
    const HeadlineNumber first = headline_legend(std::span(columns).first(1)).front();
    const auto merits_known = std::all_of(left.begin(), left.end(), [&](const Arm* arm) {
      return merit_of(*arm, info, first).has_value();
    });
    if (first.better != Better::neither && merits_known) {
      keep_best([&](const Arm& arm) { return *merit_of(arm, info, first); },
                fmt::format("has the best \"{}\"", first.title));
    }
  }
  if (left.size() > 1) {
    why.push_back("is listed first");
  }
  return {left.front(), fmt::format("{}", fmt::join(why, ", "))};
}

}  // namespace tyto
