// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/properties.hpp"

#include <algorithm>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

std::int64_t value_bytes(const State::Value& value) {
  return std::visit(
      [](const auto& v) -> std::int64_t {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_arithmetic_v<T>) {
          return 8;
        } else if constexpr (std::is_same_v<T, std::string>) {
          return static_cast<std::int64_t>(v.size());
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          std::int64_t bytes = 0;
          for (const std::string& text : v) {
            bytes += static_cast<std::int64_t>(text.size());
          }
          return bytes;
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
          return static_cast<std::int64_t>(v.size() * 8);
        } else {
          return static_cast<std::int64_t>(v.size()) *
                 static_cast<std::int64_t>(sizeof(typename T::Scalar));
        }
      },
      value);
}

}  // namespace

std::int64_t state_bytes(const State& state) {
  std::int64_t bytes = 0;
  for (const auto& [key, value] : state.values) {
    bytes += value_bytes(value);
  }
  for (const auto& [key, child] : state.children) {
    bytes += state_bytes(child);
  }
  return bytes;
}

void Properties::add(Index step, const Notes& notes, const LabelSpace& space, const State& state,
                     const CallSizes& sizes) {
  const auto memory = state.children.find(slot_name(Slot::memory));
  const std::int64_t kept = memory == state.children.end() ? 0 : state_bytes(memory->second);
  std::int64_t discovered = 0;
  for (Index i = 0; i < space.size(); ++i) {
    const LabelKind kind = space.kind(static_cast<Label>(i));
    discovered += kind == LabelKind::discovered || kind == LabelKind::retired ? 1 : 0;
  }
  step_.push_back(step);
  model_bytes_.push_back(state_bytes(state) - kept);
  memory_bytes_.push_back(kept);
  remembered_.push_back(notes.remembered);
  kept_samples_.push_back(notes.kept.samples);
  kept_frames_.push_back(notes.kept.frames);
  kept_bytes_.push_back(notes.kept.bytes);
  frames_shown_.push_back(notes.frames_shown);
  classes_.push_back(static_cast<std::int64_t>(space.known().size()));
  discovered_.push_back(discovered);
  const ParameterCount parameters = last_.update(state, slot_name(Slot::memory));
  parameters_.push_back(parameters.all);
  parameters_changed_.push_back(parameters.changed);
  representation_.push_back(notes.representation);
  learned_.push_back(sizes.learned);
  predicted_.push_back(sizes.predicted);
}

void Properties::save(State& state) const {
  state.set("step", step_);
  state.set("model_bytes", model_bytes_);
  state.set("memory_bytes", memory_bytes_);
  state.set("remembered", remembered_);
  state.set("kept_samples", kept_samples_);
  state.set("kept_frames", kept_frames_);
  state.set("kept_bytes", kept_bytes_);
  state.set("frames_shown", frames_shown_);
  state.set("classes", classes_);
  state.set("discovered", discovered_);
  state.set("parameters", parameters_);
  state.set("parameters_changed", parameters_changed_);
  state.set("representation", representation_);
  state.set("learned", learned_);
  state.set("predicted", predicted_);
  last_.save(state.make_child("last"));
}

void Properties::load(const State& state) {
  using Numbers = std::vector<std::int64_t>;
  step_ = state.get<Numbers>("step");
  model_bytes_ = state.get<Numbers>("model_bytes");
  memory_bytes_ = state.get<Numbers>("memory_bytes");
  remembered_ = state.get<Numbers>("remembered");
  kept_samples_ = state.get<Numbers>("kept_samples");
  kept_frames_ = state.get<Numbers>("kept_frames");
  kept_bytes_ = state.get<Numbers>("kept_bytes");
  const auto or_zeros = [&](std::string_view key) {  // what was not counted then
    return state.has(key) ? state.get<Numbers>(key) : Numbers(step_.size(), 0);
  };
  frames_shown_ = or_zeros("frames_shown");
  parameters_ = or_zeros("parameters");
  parameters_changed_ = or_zeros("parameters_changed");
  using Names = std::vector<std::string>;
  representation_ =
      state.has("representation") ? state.get<Names>("representation") : Names(step_.size());
  learned_ = or_zeros("learned");
  predicted_ = or_zeros("predicted");
  if (state.children.contains("last")) {
    last_.load(state.child("last"));
  }
  classes_ = state.get<Numbers>("classes");
  discovered_ = state.get<Numbers>("discovered");
}

std::string Properties::to_json(const PredictorConfig& config,
                                const std::string& prior_knowledge) const {
  using Json = nlohmann::ordered_json;
  Json parts = Json::object();
  Json costs = Json::object();
  std::string objective = "none: nothing is optimised";
  for (const auto& [slot, choice] : config.parts) {
    const PartSpec& spec = find_part(slot, choice.name);
    parts[std::string(slot_name(slot))] = choice.name;
    costs[choice.name] = spec.cost;
    if (slot == Slot::classifier && !spec.objective.empty()) {
      objective = spec.objective;
    }
  }
  const PartChoice* memory = config.find(Slot::memory);
  Json out;
  out["complexity"] = {{"parts", parts},
                       {"step", step_},
                       {"model_bytes", model_bytes_},
                       {"parameters", parameters_},
                       {"parameters_changed", parameters_changed_}};
  if (const auto forms = forms_of(config); !forms.empty()) {
    Json& told = out["complexity"]["forms"] = Json::object();
    for (const auto& [slot, form] : forms) {
      told[slot] = form;
    }
  }
  if (std::any_of(representation_.begin(), representation_.end(),
                  [](const std::string& name) { return !name.empty(); })) {
    out["complexity"]["representation"] = representation_;  // by step
  }
  out["experience"] = {{"memory", memory == nullptr ? "none" : memory->name},
                       {"samples_remembered", remembered_},
                       {"memory_bytes", memory_bytes_},
                       {"samples_kept", kept_samples_},
                       {"frames_kept", kept_frames_},
                       {"bytes_kept", kept_bytes_},
                       {"frames_shown", frames_shown_}};
  out["regret"] = objective;
  out["timeliness"] = {
      {"seconds", "times.csv"}, {"samples_learned", learned_}, {"samples_predicted", predicted_}};
  out["plasticity"] = {
      {"takes_in_classes_without_labels", config.find(Slot::recogniser) != nullptr},
      {"classes_discovered", discovered_}};
  out["scalability"] = {{"classes_known", classes_}, {"cost", costs}};
  out["prior_knowledge"] = prior_knowledge;
  return out.dump();
}

}  // namespace tyto
