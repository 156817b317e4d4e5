// SPDX-License-Identifier: Apache-2.0
// What a recogniser keeps, and how one is described.
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

namespace {

constexpr std::array<std::pair<std::string_view, Matrix GroupScores::*>, 5> kScoreParts{
    {{"shift", &GroupScores::shift},
     {"projection", &GroupScores::projection},
     {"square", &GroupScores::square},
     {"weight", &GroupScores::weight},
     {"bias", &GroupScores::bias}}};

}  // namespace

void Discovery::save(State& state) const {
  pool_.save(state.make_child("pool"));
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> rounds;
  std::vector<std::string> origins;
  for (const Group& group : groups_) {
    labels.push_back(static_cast<std::int64_t>(group.label));
    rounds.push_back(group.rounds);
    origins.push_back(group.origin);
  }
  state.set("labels", std::move(labels));
  state.set("rounds", std::move(rounds));
  state.set("origins", std::move(origins));
  save_labels(state, "scored", scored_);
  state.set("expected", std::int64_t{expected_});
  if (learned_) {
    learned_->save(state.make_child("space"));
  }
  if (scores_) {
    State& own = state.make_child("scores");
    for (const auto& [name, part] : kScoreParts) {
      own.set(std::string(name), (*scores_).*part);
    }
    own.set("unit", std::int64_t{scores_->unit ? 1 : 0});
  } else if (!scored_.empty()) {
    model_->save(state.make_child("model"));
  }
}

void Discovery::load(const State& state, const Shelf& shelf) {
  pool_.load(state.child("pool"));
  const auto& labels = state.get<std::vector<std::int64_t>>("labels");
  const auto& rounds = state.get<std::vector<std::int64_t>>("rounds");
  const auto& origins = state.get<std::vector<std::string>>("origins");
  if (rounds.size() != labels.size() || origins.size() != labels.size()) {
    throw Error(ErrorKind::state, "the saved groups have lists of different lengths");
  }
  groups_.clear();
  for (std::size_t g = 0; g < labels.size(); ++g) {
    groups_.push_back({static_cast<Label>(labels[g]), static_cast<Index>(rounds[g]), origins[g]});
  }
  scored_ = load_labels(state, "scored");
  expected_ = static_cast<Index>(state.get<std::int64_t>("expected"));
  if (learned_) {
    learned_->load(state.child("space"), shelf);
  }
  scores_.reset();
  if (state.children.contains("scores")) {
    const State& own = state.child("scores");
    scores_.emplace();
    for (const auto& [name, part] : kScoreParts) {
      (*scores_).*part = own.get<Matrix>(name);
    }
    scores_->unit = own.get<std::int64_t>("unit") != 0;
  } else if (!scored_.empty()) {
    model_->load(state.child("model"), shelf);
  }
}

PartSpec discovery_spec(std::string name, std::string clusterer, std::string summary,
                        std::string cost, std::string paper,
                        std::function<std::unique_ptr<GroupModel>()> model) {
  PartSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.paper = std::move(paper);
  spec.cost = std::move(cost);
  spec.slots = {Slot::recogniser};
  const auto make_clusterer = [clusterer](const DiscoveryOptions& options, std::string_view path) {
    return find_clusterer(clusterer).make(options.cluster, fmt::format("{}.cluster", path));
  };
  spec.make = [make_clusterer, model](const ConfigNode& node,
                                      std::string_view path) -> std::unique_ptr<Part> {
    auto options = read_options<DiscoveryOptions>(node, path);
    auto made = make_clusterer(options, path);
    return std::make_unique<Discovery>(std::move(options), std::move(made), model());
  };
  describe_options<DiscoveryOptions>(
      spec, [make_clusterer](const ConfigNode& node, std::string_view path) {
        auto options = read_options<DiscoveryOptions>(node, path);
        (void)make_clusterer(options, path);  // checks its options
        return options;
      });
  return spec;
}

}  // namespace tyto
