// SPDX-License-Identifier: Apache-2.0
// A world that deals a schedule, increment by increment, and grants labels within a budget.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tyto/world/increments/increment_plan.hpp"
#include "tyto/world/registry.hpp"
#include "tyto/world/world.hpp"

namespace tyto {

class IncrementWorld final : public World {
 public:
  IncrementWorld(std::shared_ptr<const IncrementPlan> plan, const LabelBudget& budget);

  [[nodiscard]] Brief brief() const override;
  bool advance() override;
  [[nodiscard]] const Deal& deal() const override;
  void post(const Answer& answer) override;
  // Names of train's rows, each once a step; at step 0 of all its rows and of validate's; where the
  // plan says so, of validate's as of train's at every step, out of the same budget. Scores
  // are those of the answers posted for the split since scores were last asked for, a score of
  // nothing left out: accuracy (a class without a granted label is to be called novel),
  // false_alarm_rate, detection_rate. The test split is refused with Error(state).
  Feedback ask(FeedbackKind kind, const Split& split, Rows order) override;
  [[nodiscard]] Index budget(const Split& split) const override;
  // Of train alone.
  [[nodiscard]] LookedUp look_up(const Split& split, Rows rows) const override;
  [[nodiscard]] double purse(const Split& split) const override;
  void charge(const Split& split, double cost) override;
  [[nodiscard]] std::vector<std::string> shown_before() const override;
  [[nodiscard]] std::vector<Index> last_shown() const override;
  [[nodiscard]] std::vector<LabelChange> label_changes() const override;
  // As the data annotate them (`task`, from 1), else the increment at which the class of each
  // sample was first shown.
  [[nodiscard]] std::vector<Index> tasks_of(const Split& split) const override;

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

 private:
  [[nodiscard]] Side side_of(const Split& split) const;
  void expect_rows(const Split& split, Rows rows) const;
  [[nodiscard]] Index allowed(Side side) const;  // labels of a split at this step, all told
  void begin_step();
  Feedback scores(std::size_t side);

  struct Tally {  // answers by what would have been right
    Index known = 0, known_right = 0, false_alarms = 0, novel = 0, noticed = 0;
  };

  std::shared_ptr<const IncrementPlan> plan_;
  LabelBudget budget_;
  Index step_ = -1;
  Index spent_ = 0;                           // of budget_.total, at earlier steps
  double charged_ = 0;                        // for answers that are no labels, this step
  double charged_before_ = 0;                 // at earlier steps
  std::array<std::vector<bool>, 2> granted_;  // this step, of train and validate
  std::array<Index, 2> granted_count_{};
  std::array<Tally, 2> tally_;  // of the same splits
  Deal deal_;
};

// Worlds of a plan. What is rehearsed is the start (rehearsal.hpp).
class PlanSource : public WorldSource, public Rehearsable {
 public:
  explicit PlanSource(std::shared_ptr<const IncrementPlan> plan) : plan_(std::move(plan)) {}

  [[nodiscard]] std::unique_ptr<World> make_world(const LabelBudget& budget) const override;
  [[nodiscard]] std::vector<std::shared_ptr<const FeatureStore>> stores() const override;
  [[nodiscard]] WorldFacts facts() const override;

  [[nodiscard]] const Truth* truth() const override { return &plan_->truth; }

  [[nodiscard]] std::optional<PictureLayout> picture() const override {
    return plan_->series.joined.picture;
  }

  [[nodiscard]] const Rehearsable* rehearsable() const override { return this; }

  [[nodiscard]] std::unique_ptr<WorldSource> rehearsal(const RehearsalOptions& options,
                                                       std::uint64_t seed) const override;

 protected:
  std::shared_ptr<const IncrementPlan> plan_;
};

// Where every world of increments ends. One that must know its schedule before its store is made
// draws it first; the other form does both.
Schedule draw_schedule(const Series& series, const IncrementOptions& options, std::uint64_t seed);
std::unique_ptr<WorldSource> build_increments(Series series, Schedule schedule,
                                              const IncrementOptions& options, std::uint64_t seed);
std::unique_ptr<WorldSource> build_increments(Series series, const IncrementOptions& options,
                                              std::uint64_t seed);

}  // namespace tyto
