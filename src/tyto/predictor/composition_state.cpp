// SPDX-License-Identifier: Apache-2.0
// What a composition is between two calls: saved, loaded, and put back where a call failed.
#include <set>

#include "tyto/predictor/composition.hpp"
#include "tyto/sample/store_access.hpp"

namespace tyto {

void Composition::attempt(const Samples& given, const std::function<void()>& change) {
  State before;
  // The stores a snapshot of this very object may refer to.
  std::vector<std::shared_ptr<const FeatureStore>> stores;
  if (is_fitted()) {
    save(before);
    stores = {StoreAccess::store(given)};
    if (parts_.memory != nullptr) {
      stores.push_back(StoreAccess::store(parts_.memory->samples()));
    }
  }
  try {
    change();
  } catch (...) {
    restore(before, StoreShelf(std::move(stores)));
    throw;
  }
}

void Composition::restore(const State& before, const Shelf& shelf) {
  const bool was_fitted = before.has("lessons");
  parts_ = make_();
  found_.forget();
  space_ = std::make_shared<const LabelSpace>();
  held_out_ = HeldOut(config_.holdout, config_.holdout_groups, held_out_.seed());
  threshold_ = NoveltyThreshold(config_);
  restart_sets();
  width_ = lessons_ = 0;
  if (was_fitted) {
    load(before, shelf);
  }
}

void Composition::save(State& state) const {
  state.set("lessons", std::int64_t{lessons_});
  state.set("width", std::int64_t{width_});
  held_out_.save(state);
  threshold_.save(state);
  space_->save(state.make_child("space"));
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
  found_.forget();
  lessons_ = static_cast<Index>(state.get<std::int64_t>("lessons"));
  width_ = static_cast<Index>(state.get<std::int64_t>("width"));
  held_out_.load(state);
  threshold_.load(state);
  space_ = std::make_shared<const LabelSpace>(LabelSpace::loaded(state.child("space")));
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
