// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/oracle.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tyto/core/random.hpp"
#include "tyto/sample/samples_state.hpp"

namespace tyto {

namespace {

// `shown` is sorted. The truth where no other class has been shown.
std::string mistaken(const std::string& truth, const std::vector<std::string>& shown, Rng rng) {
  const auto own = std::lower_bound(shown.begin(), shown.end(), truth);
  const bool among = own != shown.end() && *own == truth;
  const auto others = static_cast<Index>(shown.size()) - (among ? 1 : 0);
  if (others == 0) {
    return truth;
  }
  Index at = rng.below(others);
  at += among && at >= own - shown.begin() ? 1 : 0;
  return shown[static_cast<std::size_t>(at)];
}

}  // namespace

void OracleOptions::describe(OptionVisitor& visitor) {
  static constexpr std::array<std::string_view, 3> kKinds{"labels", "measures", "none"};
  visitor.field("oracle", kind, kKinds,
                "what is told after the start: labels of requested samples, only the measures of "
                "the predictions on train, or nothing");
  visitor.field("delay", delay, {0, 1e6},
                "requests that pass before labels arrive; what is due after the end never does");
  visitor.field("noise", noise, {0, 1}, "share of the labels given after the start that are wrong");
}

std::optional<Lesson> Oracle::answer(World& world, const Split& split, Rows order) {
  Feedback granted = world.ask(FeedbackKind::labels, split, order);
  Lesson lesson{split.samples.pick(granted.row), std::move(granted.name), {}};
  if (options_.noise > 0) {
    std::vector<std::string> shown = world.shown_before();
    std::sort(shown.begin(), shown.end());
    for (std::size_t i = 0; i < lesson.names.size(); ++i) {
      const auto id = static_cast<std::uint32_t>(lesson.samples.id(static_cast<Index>(i)));
      Rng rng(id, "label noise");
      if (rng.uniform() < options_.noise) {
        lesson.names[i] = mistaken(lesson.names[i], shown, rng);
      }
    }
  }
  pending_.push_back(std::move(lesson));
  if (static_cast<Index>(pending_.size()) <= options_.delay) {
    return {};
  }
  Lesson due = std::move(pending_.front());
  pending_.pop_front();
  return due.names.empty() ? std::nullopt : std::optional(std::move(due));
}

void Oracle::save(State& state) const {
  state.set("pending", static_cast<std::int64_t>(pending_.size()));
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    State& child = state.make_child(fmt::format("pending_{}", i));
    save_samples(pending_[i].samples, child);
    child.set("names", pending_[i].names);
  }
}

void Oracle::load(const State& state, const Shelf& shelf) {
  pending_.clear();
  const auto count = state.get<std::int64_t>("pending");
  for (std::int64_t i = 0; i < count; ++i) {
    const State& child = state.child(fmt::format("pending_{}", i));
    pending_.push_back({load_samples(child, shelf, "a label that is to come"),
                        child.get<std::vector<std::string>>("names"),
                        {}});
  }
}

}  // namespace tyto
