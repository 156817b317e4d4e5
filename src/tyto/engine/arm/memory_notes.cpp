// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/memory_notes.hpp"

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"

namespace tyto {

namespace {

double share_of(Index frames, Index shown) {
  return shown == 0 ? 0.0 : static_cast<double>(frames) / static_cast<double>(shown);
}

std::string in_thousands(Index number) {  // 12,800
  std::string text = fmt::to_string(number);
  for (Index i = std::ssize(text) - 3; i > 0; i -= 3) {
    text.insert(static_cast<std::size_t>(i), ",");
  }
  return text;
}

}  // namespace

void MemoryNotes::add(Index step, const Notes& notes, const LabelSpace& space) {
  if (notes.frames_shown == last_shown_) {
    return;
  }
  if (step == last_step_) {
    lines_.resize(lines_.size() - static_cast<std::size_t>(last_count_));
  }
  const std::size_t before = lines_.size();
  for (const ClassHolding& one : notes.by_class) {
    lines_.push_back(fmt::format("{},{},{},{},{},,,,,,", step, csv_field(space.name(one.label)),
                                 one.held.samples, one.held.frames, one.held.bytes));
  }
  const MemoryTerms& terms = notes.memory;
  lines_.push_back(fmt::format(
      "{},,{},{},{},{},{:.6g},{},{},{},{}", step, notes.kept.samples, notes.kept.frames,
      notes.kept.bytes, notes.frames_shown, share_of(notes.kept.frames, notes.frames_shown),
      terms.budget ? fmt::to_string(*terms.budget) : "", terms.budget ? terms.unit : "",
      terms.frames_each == 0 ? "all" : fmt::to_string(terms.frames_each),
      terms.drift ? fmt::format("{:.6g}", *terms.drift) : ""));
  last_step_ = step;
  last_count_ = static_cast<std::int64_t>(lines_.size() - before);
  last_shown_ = notes.frames_shown;
}

void MemoryNotes::save(State& state) const {
  state.set("lines", lines_);
  state.set("last_step", last_step_);
  state.set("last_count", last_count_);
  state.set("last_shown", last_shown_);
}

void MemoryNotes::load(const State& state) {
  lines_ = state.get<std::vector<std::string>>("lines");
  last_step_ = state.get<std::int64_t>("last_step");
  last_count_ = state.get<std::int64_t>("last_count");
  last_shown_ = state.get<std::int64_t>("last_shown");
}

std::string MemoryNotes::lines(std::string_view arm) const {
  std::string text;
  for (const std::string& line : lines_) {
    text += fmt::format("{},{}\n", csv_field(arm), line);
  }
  return text;
}

std::optional<std::string> memory_remark(const Notes& notes) {
  const MemoryTerms& terms = notes.memory;
  Holding held;
  for (const ClassHolding& one : notes.by_class) {
    held.samples += one.held.samples;
    held.frames += one.held.frames;
  }
  if (!terms.budget || (terms.unit == "samples" && held.samples == held.frames)) {
    return std::nullopt;
  }
  std::string text = fmt::format("memory: {} frames of {} shown, {:.3g} %, budget {} {}",
                                 in_thousands(held.frames), in_thousands(notes.frames_shown),
                                 100.0 * share_of(held.frames, notes.frames_shown),
                                 in_thousands(*terms.budget), terms.unit);
  if (notes.kept.frames > held.frames) {
    text +=
        fmt::format("; other parts keep {} more", in_thousands(notes.kept.frames - held.frames));
  }
  return text;
}

}  // namespace tyto
