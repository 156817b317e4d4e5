// SPDX-License-Identifier: Apache-2.0
// What a composition is between two calls: saved, loaded, and put back where a call failed.
#include <set>

#include "tyto/predictor/composition.hpp"

namespace tyto {

void Composition::attempt(const Samples& given, const std::function<void()>& change) {
  State before;
  // The stores a snapshot of this very object may refer to.
  std::vector<std::shared_ptr<const FeatureStore>> stores;
  if (is_fitted()) {
    save(before);
    stores = {given.store()};
    if (parts_.memory != nullptr) {
      stores.push_back(parts_.memory->samples().store());
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
  threshold_.reset();
  restart_sets();
  aim_ = config_.accepted_error;
  fitted_by_need_.clear();
  granted_unasked_.clear();
  width_ = lessons_ = 0;
  if (was_fitted) {
    load(before, shelf);
  }
}

void Composition::save(State& state) const {
  state.set("lessons", std::int64_t{lessons_});
  state.set("width", std::int64_t{width_});
  state.set("seed", static_cast<std::int64_t>(seed_));
  state.set("holds_groups", std::int64_t{holds_groups_});
  state.set("aim", double{aim_});
  space_->save(state.make_child("space"));
  state.set("fitted_by_need",
            std::vector<std::int64_t>(fitted_by_need_.begin(), fitted_by_need_.end()));
  state.set("granted_unasked",
            std::vector<std::int64_t>(granted_unasked_.begin(), granted_unasked_.end()));
  if (threshold_) {
    State& threshold = state.make_child("threshold");
    threshold.set("value", double{threshold_->value});
    threshold.set("scale", double{threshold_->scale});
    const auto held = static_cast<Index>(threshold_->held.size());
    threshold.set("held", Matrix(Eigen::Map<const Matrix>(threshold_->held.data(), 1, held)));
    threshold.set("weight", Matrix(Eigen::Map<const Matrix>(threshold_->weight.data(), 1,
                                                            std::ssize(threshold_->weight))));
  }
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
  seed_ = static_cast<std::uint64_t>(state.get<std::int64_t>("seed"));
  holds_groups_ = state.get<std::int64_t>("holds_groups") != 0;
  aim_ = state.get<double>("aim");
  space_ = std::make_shared<const LabelSpace>(LabelSpace::loaded(state.child("space")));
  fitted_by_need_.clear();
  for (const std::int64_t id : state.get<std::vector<std::int64_t>>("fitted_by_need")) {
    fitted_by_need_.insert(static_cast<std::uint32_t>(id));
  }
  granted_unasked_.clear();
  for (const std::int64_t id : state.get<std::vector<std::int64_t>>("granted_unasked")) {
    granted_unasked_.insert(static_cast<std::uint32_t>(id));
  }
  threshold_.reset();
  if (state.children.contains("threshold")) {
    const State& saved = state.child("threshold");
    const Matrix& held = saved.get<Matrix>("held");
    const Matrix& weight = saved.get<Matrix>("weight");
    threshold_.emplace();
    threshold_->value = static_cast<float>(saved.get<double>("value"));
    threshold_->scale = static_cast<float>(saved.get<double>("scale"));
    threshold_->held.assign(held.data(), held.data() + held.size());
    threshold_->weight.assign(weight.data(), weight.data() + weight.size());
    threshold_->sum_weights();
  }
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
