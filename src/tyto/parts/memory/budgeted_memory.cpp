// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/memory/budgeted_memory.hpp"

#include <map>

namespace tyto {

std::vector<std::size_t> BudgetedMemory::keep_some(const Experience& all,
                                                   std::vector<Candidate>& offered,
                                                   const FrameKeeper::Choose& choose, Work& work) {
  seen_ = std::ssize(all.space().known());
  std::vector<std::size_t> places = frames_.choose(kept_, all, offered, choose, work);
  const std::vector<Candidate> chosen = chosen_of(offered, places);
  kept_ = kept(kept_, all, chosen, true, frames_.frames_of(kept_, all, chosen, work));
  check_budget();
  return places;
}

void BudgetedMemory::check_budget() const {
  std::map<Label, Holding> held;  // of all of them under one label, where the budget is for all
  const Holding all = holding();
  const Index frame_bytes = all.frames == 0 ? 0 : all.bytes / all.frames;
  for (Index i = 0; i < kept_.size(); ++i) {
    Holding& own = held[per_class_ ? kept_.labels[at(i)] : Label::unknown];
    const Index frames = kept_.samples.frame_count(i);
    own.samples += 1;
    own.frames += frames;
    own.bytes += frames * frame_bytes;
  }
  for (const auto& [label, own] : held) {
    const Index used = bounds_.unit == "samples"  ? own.samples
                       : bounds_.unit == "frames" ? own.frames
                                                  : own.bytes;
    TYTO_ASSERT(used <= bounds_.budget);
  }
}

}  // namespace tyto
