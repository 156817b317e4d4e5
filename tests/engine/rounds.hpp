// SPDX-License-Identifier: Apache-2.0
// A world and a protocol that the library does not know: a labelled start, then rounds without
// feedback, and a truth that may stay where it is. What a remote evaluation looks like from here.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/blobs.hpp"

#include "tyto/core/error.hpp"
#include "tyto/protocol/evaluation.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/world/registry.hpp"

namespace tyto::testing_support {

struct RoundOptions {
  Index rounds = 3;
  bool reveals = false;

  void describe(OptionVisitor& visitor) {
    visitor.field("rounds", rounds, {1, 100}, "how many follow the start");
    visitor.field("reveals", reveals, "the truth is at hand");
  }
};

// Rounds show two classes of the start and one that is new.
struct RoundData {
  std::vector<Blobs> steps;
  Truth truth;

  explicit RoundData(Index rounds) {
    std::uint32_t next = 0;
    for (Index step = 0; step <= rounds; ++step) {
      const bool start = step == 0;
      steps.push_back(make_blobs(start ? 0 : 1, start ? 3 : 4, start ? 30 : 10,
                                 static_cast<std::uint64_t>(step) + 1, next));
      next += static_cast<std::uint32_t>(steps.back().names.size());
      truth.label.insert(truth.label.end(), steps.back().names.begin(), steps.back().names.end());
    }
    for (std::size_t i = 0; i < truth.label.size(); ++i) {
      truth.name.push_back("sample " + std::to_string(i));
    }
  }
};

class RoundWorld final : public World {
 public:
  explicit RoundWorld(std::shared_ptr<const RoundData> data) : data_(std::move(data)) {}

  [[nodiscard]] Brief brief() const override { return {}; }  // how long it takes is not told

  bool advance() override {
    if (step_ + 1 >= std::ssize(data_->steps)) {
      return false;
    }
    begin(step_ + 1);
    return true;
  }

  [[nodiscard]] const Deal& deal() const override { return deal_; }

  void post(const Answer& answer) override { posted_ += answer.split.samples.size(); }

  Feedback ask(FeedbackKind, const Split& split, Rows order) override {
    Feedback feedback;
    for (const Index row : order.first(at(std::min(budget(split), std::ssize(order))))) {
      feedback.row.push_back(row);
      feedback.name.push_back(data_->steps[at(step_)].names[at(row)]);
    }
    return feedback;
  }

  [[nodiscard]] Index budget(const Split& split) const override {
    return step_ == 0 ? split.samples.size() : 0;
  }

  void save(State& state) const override {
    state.set("step", std::int64_t{step_});
    state.set("posted", std::int64_t{posted_});
  }

  void load(const State& state, const Shelf&) override {
    posted_ = state.get<std::int64_t>("posted");
    if (const auto step = state.get<std::int64_t>("step"); step >= 0) {
      begin(step);
    }
  }

 private:
  void begin(Index step) {
    step_ = step;
    deal_ = {step_, {{step == 0 ? "start" : "round", data_->steps[at(step)].samples}}};
  }

  std::shared_ptr<const RoundData> data_;
  Index step_ = -1;
  Index posted_ = 0;
  Deal deal_;
};

class RoundSource final : public WorldSource {
 public:
  explicit RoundSource(const RoundOptions& options)
      : data_(std::make_shared<const RoundData>(options.rounds)), reveals_(options.reveals) {}

  [[nodiscard]] std::unique_ptr<World> make_world(const LabelBudget&) const override {
    return std::make_unique<RoundWorld>(data_);
  }

  [[nodiscard]] std::vector<std::shared_ptr<const FeatureStore>> stores() const override {
    std::vector<std::shared_ptr<const FeatureStore>> stores;
    for (const Blobs& step : data_->steps) {
      stores.push_back(step.store);
    }
    return stores;
  }

  [[nodiscard]] WorldFacts facts() const override { return {"a start, then rounds\n", {}, "", {}}; }

  [[nodiscard]] const Truth* truth() const override { return reveals_ ? &data_->truth : nullptr; }

 private:
  std::shared_ptr<const RoundData> data_;
  bool reveals_;
};

struct NoOptions {
  void describe(OptionVisitor&) {}
};

// Learns the start; every round is observed and predicted.
class RoundsProtocol final : public Protocol {
 public:
  explicit RoundsProtocol(NoOptions) {}

  bool step(Exchange& exchange, Work& work) override {
    if (!exchange.world.advance()) {
      return false;
    }
    const Deal& deal = exchange.world.deal();
    const Split& split = deal.splits.front();
    if (deal.step == 0) {
      const Feedback told = exchange.world.ask(FeedbackKind::labels, split, all_rows(split));
      exchange.predictor.learn({split.samples.pick(told.row), told.name, {}}, work);
      return true;
    }
    const std::vector<float> changed = exchange.predictor.observe(split.samples, work);
    evaluate_split(exchange, {deal.step, "round", split.name}, {}, split, changed, work);
    return true;
  }

  [[nodiscard]] bool may_be_left() const override { return true; }

  void save(State&) const override {}

  void load(const State&, const Shelf&) override {}
};

inline void add_rounds() {
  WorldSpec world;
  world.name = "test_rounds";
  world.summary = "rounds, for tests";
  world.needs_data = false;
  world.build = [](const ConfigNode& node, std::string_view path, const std::vector<Dataset>&,
                   std::uint64_t) {
    return std::make_unique<RoundSource>(read_options<RoundOptions>(node, path));
  };
  world.resolve = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<RoundOptions>(node, path);
    return write_options([&](OptionVisitor& visitor) { options.describe(visitor); });
  };
  add_world(std::move(world));
  ProtocolSpec protocol =
      protocol_spec<NoOptions, RoundsProtocol>("test_rounds", "rounds, for tests", "");
  protocol.asks_for_labels = false;
  protocol.order = {{"round"}, {"round"}};
  protocol.headline = {{"round_accuracy", "right", "Share of a round's samples named right.",
                        "round", "classification", "accuracy", "round"},
                       {"round_auroc", "new vs known", "How well new classes stand out.", "round",
                        "detection", "auroc", "round"}};
  add_protocol(std::move(protocol));
}

}  // namespace tyto::testing_support
