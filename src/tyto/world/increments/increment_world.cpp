// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/increment_world.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/record/observed_columns.hpp"
#include "tyto/world/increments/dissimilarity.hpp"
#include "tyto/world/increments/rehearsal.hpp"
#include "tyto/world/manifest.hpp"

namespace tyto {

namespace {

constexpr double kRounding = 1e-9;  // 0.29 x 100 is 29

}  // namespace

IncrementWorld::IncrementWorld(std::shared_ptr<const IncrementPlan> plan, const LabelBudget& budget)
    : plan_(std::move(plan)), budget_(budget) {
  if (!(budget.fraction >= 0 && budget.fraction <= 1) || budget.total.value_or(0) < 0) {
    throw Error(ErrorKind::config,
                fmt::format("a label budget is a fraction in [0, 1] or a number of labels, not {}",
                            budget.total ? static_cast<double>(*budget.total) : budget.fraction));
  }
}

Brief IncrementWorld::brief() const {
  Brief brief{plan_->schedule.size()};
  if (brief.steps == 1) {
    std::set<std::string_view> classes;
    for (const Side side : {Side::train, Side::test}) {
      for (const Index row : plan_->schedule.increments.front().split(side).row) {
        classes.insert(plan_->series.joined.table.label[at(row)]);
      }
    }
    brief.classes = std::ssize(classes);
  }
  return brief;
}

bool IncrementWorld::advance() {
  if (step_ + 1 >= plan_->schedule.size()) {
    return false;
  }
  if (step_ > 0) {
    spent_ += granted_count_[0] + granted_count_[1];
    charged_before_ += charged_;
  }
  charged_ = 0;
  ++step_;
  begin_step();
  return true;
}

void IncrementWorld::begin_step() {
  const Increment& increment = plan_->schedule.increments[at(step_)];
  deal_ = {step_, {}};
  for (std::size_t side = 0; side < kSideNames.size(); ++side) {
    deal_.splits.push_back(
        {std::string(kSideNames[side]), shown_samples(*plan_, increment.splits[side], step_)});
  }
  const ScheduledSplit& test = increment.split(Side::test);
  for (std::size_t j = 0; j < plan_->nuisance.tests.size(); ++j) {
    deal_.splits.push_back({nuisance_split(plan_->nuisance.tests[j]),
                            samples_of(*plan_, test, plan_->nuisance.test_offset(j))});
  }
  for (std::size_t side = 0; side < granted_.size(); ++side) {
    granted_[side].assign(increment.splits[side].row.size(), false);
    granted_count_[side] = 0;
    tally_[side] = {};
  }
}

const Deal& IncrementWorld::deal() const {
  if (step_ < 0) {
    throw Error(ErrorKind::state, "the world has dealt nothing yet; advance comes first");
  }
  return deal_;
}

Side IncrementWorld::side_of(const Split& split) const {
  const Split* own = deal().find(split.name);
  if (own == nullptr || own->samples.size() != split.samples.size() ||
      (!own->samples.empty() && own->samples.id(0) != split.samples.id(0))) {
    throw Error(ErrorKind::state,
                fmt::format("a split \"{}\" with {} samples is not part of the deal of step {}",
                            split.name, split.samples.size(), step_));
  }
  const auto place = static_cast<std::size_t>(own - deal_.splits.data());
  return place < kSideNames.size() ? static_cast<Side>(place) : Side::test;  // under a nuisance
}

Index IncrementWorld::allowed(Side side) const {
  if (side == Side::test || (side == Side::validate && step_ > 0 && !plan_->validate_granted)) {
    return 0;
  }
  const ScheduledSplit& split = plan_->schedule.increments[at(step_)].split(side);
  const Index rows = split.size();
  if (step_ == 0) {
    return side == Side::validate && plan_->novel_unnamed
               ? std::count(split.novel.begin(), split.novel.end(), false)
               : rows;
  }
  if (budget_.total) {
    const Index other = granted_count_[side == Side::train ? 1 : 0];
    return std::min(rows, *budget_.total - spent_ - other);
  }
  return static_cast<Index>(std::floor(budget_.fraction * static_cast<double>(rows) + kRounding));
}

Index IncrementWorld::budget(const Split& split) const {
  const Side side = side_of(split);
  if (side == Side::test) {
    return 0;
  }
  const Index left = allowed(side) - granted_count_[static_cast<std::size_t>(side)];
  if (charged_ + charged_before_ == 0 || step_ == 0) {
    return left;
  }
  return std::min(left, static_cast<Index>(std::floor(purse(split) + kRounding)));
}

double IncrementWorld::purse(const Split& split) const {
  const Side side = side_of(split);
  if (side != Side::train) {
    return 0;
  }
  if (step_ > 0 && budget_.total) {
    return static_cast<double>(*budget_.total - spent_ - granted_count_[0] - granted_count_[1]) -
           charged_before_ - charged_;
  }
  return static_cast<double>(allowed(side) - granted_count_[0]) - charged_;
}

void IncrementWorld::charge(const Split& split, double cost) {
  const double left = purse(split);
  if (!(cost >= 0) || cost > left + kRounding * std::max(1.0, left)) {
    throw Error(ErrorKind::state, fmt::format("answers worth {} were asked for at step {}, where "
                                              "{} is left of the budget",
                                              cost, step_, left));
  }
  charged_ += cost;
}

LookedUp IncrementWorld::look_up(const Split& split, Rows order) const {
  if (side_of(split) != Side::train) {
    throw Error(ErrorKind::state,
                fmt::format("an oracle looked up the split \"{}\" at step {}; it may see the truth "
                            "about train alone",
                            split.name, step_));
  }
  expect_rows(split, order);
  const IndexTable& table = plan_->series.joined.table;
  const std::vector<Index>& rows = plan_->schedule.increments[at(step_)].split(Side::train).row;
  LookedUp found;
  for (const Index i : order) {
    found.sample.push_back(table.id[at(rows[at(i)])]);
    found.label.push_back(table.label[at(rows[at(i)])]);
  }
  return found;
}

void IncrementWorld::expect_rows(const Split& split, Rows rows) const {
  for (const Index i : rows) {
    if (i < 0 || i >= split.samples.size()) {
      throw Error(ErrorKind::state,
                  fmt::format("row {} was asked about, the split \"{}\" of step {} has {}", i,
                              split.name, step_, split.samples.size()));
    }
  }
}

void IncrementWorld::post(const Answer& answer) {
  const auto side = std::find(kSideNames.begin(), kSideNames.end(), answer.split.name);
  const auto number = static_cast<std::size_t>(side - kSideNames.begin());
  if (number >= tally_.size()) {
    return;  // of the test split nothing is ever told
  }
  Tally& tally = tally_[number];
  const LabelSpace& space = *answer.prediction.space;
  for (Index i = 0; i < answer.split.samples.size(); ++i) {
    const std::string& truth = plan_->truth.label_of(answer.split.samples.id(i));
    const auto entry = space.find(truth);
    const Label decision = answer.prediction.label[at(i)];
    const bool called_novel = space.kind(decision) != LabelKind::known;
    if (entry && space.kind(*entry) == LabelKind::known) {
      ++tally.known;
      tally.known_right += decision == *entry ? 1 : 0;
      tally.false_alarms += called_novel ? 1 : 0;
    } else {
      ++tally.novel;
      tally.noticed += called_novel ? 1 : 0;
    }
  }
}

Feedback IncrementWorld::scores(std::size_t side) {
  const Tally tally = std::exchange(tally_[side], {});
  Feedback feedback;
  const auto add = [&](std::string_view name, Index part, Index whole) {
    if (whole > 0) {
      feedback.name.emplace_back(name);
      feedback.value.push_back(static_cast<double>(part) / static_cast<double>(whole));
    }
  };
  add("accuracy", tally.known_right + tally.noticed, tally.known + tally.novel);
  add("false_alarm_rate", tally.false_alarms, tally.known);
  add("detection_rate", tally.noticed, tally.novel);
  return feedback;
}

Feedback IncrementWorld::ask(FeedbackKind kind, const Split& split, Rows order) {
  const Side side = side_of(split);
  if (side == Side::test) {
    throw Error(ErrorKind::state,
                fmt::format("the truth about the test split was asked for at step {}; it is never "
                            "given",
                            step_));
  }
  const auto number = static_cast<std::size_t>(side);
  if (kind == FeedbackKind::score) {
    return scores(number);
  }
  const ScheduledSplit& dealt = plan_->schedule.increments[at(step_)].splits[number];
  const std::vector<Index>& rows = dealt.row;
  expect_rows(split, order);
  Feedback feedback;
  Index left = budget(split);
  for (const Index i : order) {
    if (left == 0) {
      break;
    }
    const bool is_secret = side == Side::validate && plan_->novel_unnamed && dealt.novel[at(i)];
    if (granted_[number][at(i)] || is_secret) {
      continue;
    }
    --left;
    granted_[number][at(i)] = true;
    ++granted_count_[number];
    feedback.row.push_back(i);
    feedback.name.push_back(plan_->series.joined.table.label[at(rows[at(i)])]);
  }
  return feedback;
}

std::vector<std::string> IncrementWorld::shown_before() const {
  return plan_->history.any() ? plan_->history.shown[at(step_)]
                              : plan_->schedule.shown_before(step_);
}

std::vector<Index> IncrementWorld::last_shown() const {
  if (plan_->history.any()) {
    return plan_->history.last_shown[at(step_)];
  }
  std::map<std::string_view, Index> last;
  for (Index step = 0; step < step_; ++step) {
    for (const std::string& name : plan_->classes_at[at(step)]) {
      last[name] = step;
    }
  }
  std::vector<Index> steps;
  for (const std::string& name : shown_before()) {
    const auto found = last.find(name);
    steps.push_back(found == last.end() ? -1 : found->second);
  }
  return steps;
}

std::vector<LabelChange> IncrementWorld::label_changes() const {
  return plan_->history.any() && step_ >= 0 ? plan_->history.changes[at(step_)]
                                            : std::vector<LabelChange>();
}

std::vector<Index> IncrementWorld::tasks_of(const Split& split) const {
  const std::vector<Index> told = annotated_tasks(plan_->truth);
  const auto& shown = plan_->schedule.first_shown;
  const std::map<std::string_view, Index> first(shown.begin(), shown.end());
  std::vector<Index> tasks;
  for (Index i = 0; i < split.samples.size(); ++i) {
    const SampleId id = split.samples.id(i);
    const Index step = told.empty() ? first.at(plan_->truth.label_of(id))  // -1: the start
                                    : told[static_cast<std::size_t>(id)] - 1;
    tasks.push_back(std::max<Index>(0, step));
  }
  return tasks;
}

void IncrementWorld::save(State& state) const {
  state.set("plan", plan_->digest);
  state.set("step", static_cast<std::int64_t>(step_));
  state.set("spent", static_cast<std::int64_t>(spent_));
  if (charged_ + charged_before_ > 0) {  // others' archives keep their bytes
    state.set("charged", double{charged_});
    state.set("charged_before", double{charged_before_});
  }
  for (std::size_t side = 0; side < granted_.size(); ++side) {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < granted_[side].size(); ++i) {
      if (granted_[side][i]) {
        rows.push_back(static_cast<std::int64_t>(i));
      }
    }
    state.set(fmt::format("granted_{}", kSideNames[side]), std::move(rows));
    const Tally& tally = tally_[side];
    state.set(fmt::format("tally_{}", kSideNames[side]),
              std::vector<std::int64_t>{tally.known, tally.known_right, tally.false_alarms,
                                        tally.novel, tally.noticed});
  }
}

void IncrementWorld::load(const State& state, const Shelf&) {
  if (state.get<std::string>("plan") != plan_->digest) {
    throw Error(ErrorKind::state,
                "the saved world deals another schedule; data, options or seed have changed");
  }
  step_ = state.get<std::int64_t>("step");
  spent_ = state.get<std::int64_t>("spent");
  charged_ = state.has("charged") ? state.get<double>("charged") : 0.0;
  charged_before_ = state.has("charged_before") ? state.get<double>("charged_before") : 0.0;
  if (step_ < -1 || step_ >= plan_->schedule.size()) {
    throw Error(ErrorKind::state, fmt::format("the saved world stands at step {} of {}", step_,
                                              plan_->schedule.size()));
  }
  if (step_ < 0) {
    return;
  }
  begin_step();
  for (std::size_t side = 0; side < granted_.size(); ++side) {
    const auto& tally =
        state.get<std::vector<std::int64_t>>(fmt::format("tally_{}", kSideNames[side]));
    if (tally.size() != 5) {
      throw Error(ErrorKind::state, fmt::format("the saved world's tally has {} numbers instead of "
                                                "5",
                                                tally.size()));
    }
    tally_[side] = {tally[0], tally[1], tally[2], tally[3], tally[4]};
    const std::string key = fmt::format("granted_{}", kSideNames[side]);
    for (const std::int64_t row : state.get<std::vector<std::int64_t>>(key)) {
      if (row < 0 || at(row) >= granted_[side].size()) {
        throw Error(ErrorKind::state, fmt::format("the saved world granted row {} of {}", row,
                                                  granted_[side].size()));
      }
      granted_[side][at(row)] = true;
      ++granted_count_[side];
    }
  }
}

std::unique_ptr<World> PlanSource::make_world(const LabelBudget& budget) const {
  return std::make_unique<IncrementWorld>(plan_, budget);
}

std::vector<std::shared_ptr<const FeatureStore>> PlanSource::stores() const {
  return {plan_->series.joined.store};
}

WorldFacts PlanSource::facts() const {
  const std::vector<IncrementCounts> counts = count_increments(plan_->schedule);
  WorldFacts facts;
  facts.text = counts_text(counts);
  facts.tells_last_shown = true;
  facts.manifest = manifest_csv(plan_->schedule, plan_->series.joined.table);
  for (const IncrementCounts& one : counts) {
    facts.samples.push_back(one.total());
  }
  const auto note = [&](Index rows, std::string_view why) {
    if (rows > 0) {
      facts.notes.push_back(fmt::format("{} rows left out: {}", rows, why));
    }
  };
  note(plan_->schedule.unlabelled, "no label");
  note(plan_->schedule.in_no_split, "in no split");
  note(plan_->schedule.repeated, "already in an earlier dataset");
  Index without_new = 0;
  for (Index k = 1; k < plan_->schedule.size(); ++k) {
    without_new += plan_->schedule.increments[static_cast<std::size_t>(k)].introduced.empty();
  }
  if (without_new > 0) {
    facts.notes.push_back(
        fmt::format("{} of {} increments bring no new class: there are {} classes, "
                    "and those of the start are known",
                    without_new, plan_->schedule.size() - 1, plan_->schedule.first_shown.size()));
  }
  for (const std::string& text : nuisance_notes(plan_->nuisance)) {
    facts.notes.push_back(text);
  }
  return facts;
}

std::unique_ptr<WorldSource> PlanSource::rehearsal(const RehearsalOptions& options,
                                                   std::uint64_t seed) const {
  return rehearse(*plan_, options, seed);
}

Schedule draw_schedule(const Series& series, const IncrementOptions& options, std::uint64_t seed) {
  return build_schedule(series, options, Rng(seed, "world").fork("schedule"));
}

std::unique_ptr<WorldSource> build_increments(Series series, Schedule schedule,
                                              const IncrementOptions& options, std::uint64_t seed) {
  auto plan = make_plan(std::move(series), std::move(schedule), Rng(seed, "world").fork("ids"));
  add_label_changes(*plan, options.label_changes, options.path + ".label_changes");
  add_nuisance(*plan, options.nuisance, options.path, seed);
  add_dissimilarity(*plan, options.dissimilarity);
  return std::make_unique<PlanSource>(std::move(plan));
}

std::unique_ptr<WorldSource> build_increments(Series series, const IncrementOptions& options,
                                              std::uint64_t seed) {
  Schedule schedule = draw_schedule(series, options, seed);
  return build_increments(std::move(series), std::move(schedule), options, seed);
}

WorldSpec increment_world_spec() {
  WorldSpec spec;
  spec.name = "increments";
  spec.summary = "novel classes come in increments, out of one dataset or a series of them";
  spec.paper =
      "Prijatelj et al., Human Activity Recognition in an Open World, JAIR 81, 2024, section 5";
  const auto read = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<IncrementOptions>(node, path);
    options.path = path;
    options.split.check(fmt::format("{}.split", path));
    check_label_changes(options.label_changes, fmt::format("{}.label_changes", path));
    return options;
  };
  describe_options<IncrementOptions>(spec, read);
  spec.build = [read](const ConfigNode& node, std::string_view path, std::vector<Dataset> datasets,
                      std::uint64_t seed) {
    return build_increments(join_series(std::move(datasets)), read(node, path), seed);
  };
  return spec;
}

}  // namespace tyto
