// SPDX-License-Identifier: Apache-2.0
// What a composition is between two calls: saved, loaded, and put back where a call failed.
#include <set>

#include "tyto/predictor/composition/composition.hpp"
#include "tyto/sample/store_access.hpp"

namespace tyto {

namespace {

// The stores a snapshot of a predictor that is given these samples may refer to.
StoreShelf shelf_of(const Samples& given, const Memory* memory) {
  std::vector<std::shared_ptr<const FeatureStore>> stores{StoreAccess::store(given)};
  if (memory != nullptr) {
    stores.push_back(StoreAccess::store(memory->samples()));
  }
  return StoreShelf(std::move(stores));
}

// The slots whose parts observing changes.
constexpr Slot kWatchers[] = {Slot::recogniser, Slot::alarm};

}  // namespace

void Composition::attempt(const Samples& given, const std::function<void()>& change) {
  State before;
  const StoreShelf shelf = shelf_of(given, parts_.memory);  // of before
  if (is_fitted()) {
    save(before);
  }
  try {
    change();
  } catch (...) {
    restore(before, shelf);
    throw;
  }
}

void Composition::attempt_watch(const Samples& given, const std::function<void()>& change) {
  State before;
  const StoreShelf shelf = shelf_of(given, parts_.memory);
  const auto space = space_;
  const auto group_evidence = group_evidence_;
  std::set<const Part*> saved;  // one object in both slots is saved once
  for (const Slot slot : kWatchers) {
    const auto found = parts_.owned.find(slot);
    if (found != parts_.owned.end() && saved.insert(found->second.get()).second) {
      found->second->save(before.make_child(slot_name(slot)));
    }
  }
  try {
    change();
  } catch (...) {
    restore_watchers(before, shelf);
    space_ = space;
    group_evidence_ = group_evidence;
    throw;
  }
}

// A part made anew takes every slot in which the one that failed stands.
void Composition::restore_watchers(const State& before, const Shelf& shelf) {
  const Parts fresh = make_();
  for (const Slot watcher : kWatchers) {
    if (!before.children.contains(slot_name(watcher))) {
      continue;
    }
    const Part* failed = parts_.owned.at(watcher).get();
    const std::shared_ptr<Part>& part = fresh.owned.at(watcher);
    part->load(before.child(slot_name(watcher)), shelf);
    std::vector<Slot> slots;
    for (const auto& [slot, old] : parts_.owned) {
      if (old.get() == failed) {
        slots.push_back(slot);
      }
    }
    for (const Slot slot : slots) {
      parts_.fill(slot, part);
    }
  }
}

void Composition::restore(const State& before, const Shelf& shelf) {
  const bool was_fitted = before.has("lessons");
  parts_ = make_();
  forget_found();
  space_ = std::make_shared<const LabelSpace>();
  held_out_ =
      HeldOut(config_.holdout, config_.holdout_groups, held_out_.seed(), config_.holdout_once);
  threshold_ = NoveltyThreshold(config_);
  group_evidence_.reset();
  restart_sets();
  later_names_ = {};
  width_ = lessons_ = frames_shown_ = 0;
  if (was_fitted) {
    load(before, shelf);
  }
}

void Composition::save(State& state) const {
  state.set("lessons", std::int64_t{lessons_});
  state.set("width", std::int64_t{width_});
  state.set("frames_shown", std::int64_t{frames_shown_});
  held_out_.save(state);
  threshold_.save(state);
  if (group_evidence_) {
    group_evidence_->save(state.make_child("group_evidence"));
  }
  space_->save(state.make_child("space"));
  later_names_.save(state);
  if (sets_ && sets_->rule().is_fitted()) {
    sets_->save(state.make_child("sets"));
  }
  std::set<const Part*> saved;  // one object in several slots is saved once
  for (const auto& [slot, part] : parts_.owned) {
    if (saved.insert(part.get()).second) {
      part->save(state.make_child(slot_name(slot)));
    }
  }
}

void Composition::load(const State& state, const Shelf& shelf) {
  parts_ = make_();
  forget_found();
  lessons_ = static_cast<Index>(state.get<std::int64_t>("lessons"));
  width_ = static_cast<Index>(state.get<std::int64_t>("width"));
  if (state.has("frames_shown")) {  // not of a state written before these were counted
    frames_shown_ = static_cast<Index>(state.get<std::int64_t>("frames_shown"));
  }
  held_out_.load(state);
  threshold_.load(state);
  group_evidence_.reset();
  if (state.children.contains("group_evidence")) {
    group_evidence_ = GroupEvidence::loaded(state.child("group_evidence"));
  }
  space_ = std::make_shared<const LabelSpace>(LabelSpace::loaded(state.child("space")));
  later_names_.load(state);
  restart_sets();
  if (sets_ && state.children.contains("sets")) {
    sets_->load(state.child("sets"));
  }
  std::set<const Part*> loaded;
  for (const auto& [slot, part] : parts_.owned) {
    if (loaded.insert(part.get()).second) {
      part->load(state.child(slot_name(slot)), shelf);
    }
  }
}

}  // namespace tyto
