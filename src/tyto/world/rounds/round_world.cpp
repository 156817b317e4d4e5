// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/round_world.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/world/rounds/feedback_lines.hpp"
#include "tyto/world/rounds/result_rows.hpp"

namespace tyto {

namespace {

constexpr std::string_view kRoundSplit = "round";

void append_rows(std::vector<sail_on::ResultFile>& files, std::string_view type,
                 std::string_view rows) {
  for (sail_on::ResultFile& file : files) {
    if (file.type == type) {
      file.rows += rows;
      return;
    }
  }
  files.push_back({std::string(type), std::string(rows)});
}

// What an interrupted agent repeats may be done already.
template <class Call>
void do_once(std::string_view already, const Call& call) {
  try {
    call();
  } catch (const sail_on::Refused& refused) {
    if (refused.reason() != already) {
      throw;
    }
  }
}

}  // namespace

RoundWorld::RoundWorld(std::shared_ptr<const RoundPlan> plan,
                       std::unique_ptr<sail_on::Evaluator> evaluator)
    : plan_(std::move(plan)), evaluator_(std::move(evaluator)) {}

const std::string& RoundWorld::test() const {
  return plan_->session.test_ids[at(place_.test)];
}

const std::string& RoundWorld::setting() const {
  return plan_->settings[at(place_.setting)];
}

const Deal& RoundWorld::deal() const {
  if (step_ < 0) {
    throw Error(ErrorKind::state, "the world has not dealt anything yet");
  }
  return deal_;
}

bool RoundWorld::advance() {
  if (step_ < 0) {
    ++step_;
    deal_start();
    return true;
  }
  if (place_.test >= std::ssize(plan_->session.test_ids)) {
    return false;
  }
  if (sessions_.empty()) {
    begin_sessions();
  }
  if (lost_feedback_) {
    lost_feedback_ = false;
    place_.round = -1;
  }
  while (!next_round()) {
    if (!next_test()) {
      end_sessions();
      return false;
    }
  }
  ++step_;
  deal_.step = step_;
  return true;
}

void RoundWorld::deal_start() {
  deal_ = {step_, {{"train", plan_->samples->train()}}};
  granted_.assign(at(deal_.splits.front().samples.size()), false);
}

void RoundWorld::begin_sessions() {
  if (!plan_->sessions.empty()) {
    sessions_ = plan_->sessions;
    return;
  }
  for (const std::string& setting : plan_->settings) {
    sail_on::SessionRequest request = plan_->session;
    if (setting != kSystemDetection) {
      request.hints.insert(request.hints.begin(), "red_light");
    }
    sessions_.push_back(evaluator_->begin_session(request));
  }
}

bool RoundWorld::next_round() {
  const Index number = place_.round + 1;
  std::optional<std::vector<std::string>> names;
  try {
    if (number == 0) {
      brief_ = evaluator_->brief(session(), test());
      red_light_passed_ = declared_ = false;
    }
    names = evaluator_->round(session(), test(), number);
  } catch (const sail_on::Refused& refused) {
    if (refused.reason() != "TestCompleted") {  // by this agent, before it was interrupted
      throw;
    }
  }
  if (!names) {
    do_once("TestCompleted", [&] { evaluator_->complete(session(), test()); });
    return false;
  }
  place_.round = number;
  deal_round(std::move(*names));
  return true;
}

bool RoundWorld::next_test() {
  place_.round = -1;
  if (++place_.setting < std::ssize(plan_->settings)) {
    return true;
  }
  place_.setting = 0;
  return ++place_.test < std::ssize(plan_->session.test_ids);
}

void RoundWorld::end_sessions() {
  if (!plan_->sessions.empty()) {
    return;
  }
  for (const std::string& one : sessions_) {
    do_once("SessionEnded", [&] { evaluator_->end_session(one); });
  }
}

void RoundWorld::deal_round(std::vector<std::string> names) {
  const Index number = plan_->first_test + place_.test;
  Round round{plan_->session.protocol, test(), setting(), number, place_.round, {}};
  const auto red_light = std::find(names.begin(), names.end(), brief_.red_light);
  const bool here = !brief_.red_light.empty() && red_light != names.end();
  if (setting() == kGivenDetection) {
    round.changed_from = red_light_passed_ ? 0 : red_light - names.begin();
  }
  red_light_passed_ = red_light_passed_ || here;
  granted_.clear();
  deal_ = {step_, {{std::string(kRoundSplit), plan_->samples->pick(number, names)}}, round};
  names_ = std::move(names);
  asked_labels_ = asked_detection_ = answered_ = 0;
  pending_.clear();
}

void RoundWorld::post(const Answer& answer) {
  if (!deal_.round || answer.split.name != kRoundSplit) {
    return;  // the start is nobody's to judge
  }
  const auto names = std::span(names_).subspan(at(answered_), at(answer.split.samples.size()));
  const std::vector<std::string>& classes = plan_->samples->lists().classes;
  std::vector<float> changed(answer.changed.begin(), answer.changed.end());
  changed.resize(names.size(), 0.0F);  // who says nothing of it has seen no change
  append_rows(pending_, "detection",
              detection_rows(names, changed, p_of_none(answer.prediction, classes)));
  const bool discovers = plan_->session.protocol == "CONDDA";
  append_rows(pending_, discovers ? "characterization" : "classification",
              discovers ? characterization_rows(names, answer.prediction, classes)
                        : classification_rows(names, answer.prediction, classes));
  for (const float p : changed) {
    declared_ = declared_ || static_cast<double>(p) > plan_->session.detection_threshold;
  }
  answered_ += std::ssize(names);
  if (answered_ < std::ssize(names_)) {
    return;
  }
  declared_ = declared_ || (is_told() && red_light_passed_);
  evaluator_->post(session(), test(), place_.round, pending_);
  pending_.clear();
}

Index RoundWorld::limit(FeedbackKind kind) const {
  if (!declared_ || answered_ < std::ssize(names_)) {
    return 0;
  }
  const Index most = std::ssize(names_);
  const Index budget = brief_.feedback_max_ids.value_or(0);
  if (kind == FeedbackKind::detection) {
    return is_told() ? most : std::min(most, brief_.max_detection_feedback_ids.value_or(budget));
  }
  return std::min(most, budget);
}

Index RoundWorld::budget(const Split& split) const {
  check_is_dealt(split, {});
  if (!deal_.round) {
    return std::count(granted_.begin(), granted_.end(), false);
  }
  return limit(FeedbackKind::labels) - asked_labels_;
}

void RoundWorld::check_is_dealt(const Split& split, Rows order) const {
  const Split* dealt = deal().find(split.name);
  if (dealt == nullptr || dealt->samples.size() != split.samples.size() ||
      !Samples::share_store(dealt->samples, split.samples)) {
    throw Error(ErrorKind::state, fmt::format("the split \"{}\" is not part of the deal of step {}",
                                              split.name, deal_.step));
  }
  for (const Index row : order) {
    if (row < 0 || row >= split.samples.size()) {
      throw Error(ErrorKind::state, fmt::format("row {} is asked about, and \"{}\" has {} rows",
                                                row, split.name, split.samples.size()));
    }
  }
}

Feedback RoundWorld::ask_start(Rows order) {
  Feedback feedback;
  for (const Index row : order) {
    if (!granted_[at(row)]) {
      granted_[at(row)] = true;
      feedback.row.push_back(row);
      feedback.name.push_back(plan_->samples->lists().train_label[at(row)]);
    }
  }
  return feedback;
}

Feedback RoundWorld::ask(FeedbackKind kind, const Split& split, Rows order) {
  check_is_dealt(split, order);
  if (!deal_.round) {
    return kind == FeedbackKind::labels ? ask_start(order) : Feedback{};
  }
  const auto get = [&](std::string_view type, std::span<const std::string> ids) {
    return evaluator_->feedback(session(), test(), place_.round, type, ids);
  };
  if (kind == FeedbackKind::score) {
    return declared_ ? read_score(get("score", {})) : Feedback{};
  }
  Index& asked = kind == FeedbackKind::labels ? asked_labels_ : asked_detection_;
  const auto count = std::min<Index>(limit(kind) - asked, std::ssize(order));
  if (count <= 0) {
    return {};
  }
  std::vector<std::string> ids;
  std::map<std::string, Index> row_of;
  for (const Index row : order.first(at(count))) {
    ids.push_back(names_[at(row)]);
    row_of.emplace(ids.back(), row);
  }
  asked += count;
  const std::string_view type =
      kind == FeedbackKind::labels ? std::string_view(plan_->label_feedback) : "detection";
  try {
    const std::string lines = get(type, ids);
    return kind == FeedbackKind::detection
               ? read_detection(lines, row_of)
               : read_labels(lines, row_of, labels_told_by(plan_->session.domain, type),
                             plan_->samples->lists().classes);
  } catch (const sail_on::Refused& refused) {
    // Answered before an interruption, and the answer is lost: the test begins again.
    if (refused.reason() != "FeedbackBudgetExceeded") {
      throw;
    }
    lost_feedback_ = true;
    return {};
  }
}

std::vector<std::string> RoundWorld::shown_before() const {
  std::vector<std::string> shown = plan_->samples->lists().classes;
  std::sort(shown.begin(), shown.end());
  return step_ > 0 ? shown : std::vector<std::string>{};
}

void RoundWorld::save(State& state) const {
  state.set("step", std::int64_t{step_});
  state.set("sessions", sessions_);
  state.set("test", std::int64_t{place_.test});
  state.set("setting", std::int64_t{place_.setting});
  state.set("round", std::int64_t{place_.round});
  state.set("names", names_);
  state.set("tests", plan_->session.test_ids);
  state.set("red_light", brief_.red_light);
  state.set("red_light_passed", std::int64_t{red_light_passed_});
  state.set("declared", std::int64_t{declared_});
  state.set("lost_feedback", std::int64_t{lost_feedback_});
  state.set("asked_labels", std::int64_t{asked_labels_});
  state.set("asked_detection", std::int64_t{asked_detection_});
  state.set("answered", std::int64_t{answered_});
  state.set("budget", std::int64_t{brief_.feedback_max_ids.value_or(-1)});
  state.set("detection_budget", std::int64_t{brief_.max_detection_feedback_ids.value_or(-1)});
  std::vector<std::int64_t> granted;
  for (std::size_t row = 0; row < granted_.size(); ++row) {
    if (granted_[row]) {
      granted.push_back(static_cast<std::int64_t>(row));
    }
  }
  state.set("granted", granted);
  evaluator_->save(state.make_child("evaluator"));
}

void RoundWorld::load(const State& state, const Shelf& shelf) {
  const auto number = [&](std::string_view key) {
    return static_cast<Index>(state.get<std::int64_t>(key));
  };
  const auto allowed = [&](std::string_view key) {
    return number(key) < 0 ? std::optional<Index>() : number(key);
  };
  if (state.get<std::vector<std::string>>("tests") != plan_->session.test_ids) {
    throw Error(ErrorKind::state, "the saved world is one of other tests");
  }
  evaluator_->load(state.child("evaluator"), shelf);
  sessions_ = state.get<std::vector<std::string>>("sessions");
  step_ = number("step");
  place_ = {number("test"), number("setting"), number("round")};
  brief_ = {};
  brief_.red_light = state.get<std::string>("red_light");
  brief_.feedback_max_ids = allowed("budget");
  brief_.max_detection_feedback_ids = allowed("detection_budget");
  if (step_ == 0) {
    deal_start();
    for (const std::int64_t row : state.get<std::vector<std::int64_t>>("granted")) {
      granted_[static_cast<std::size_t>(row)] = true;
    }
  } else if (step_ > 0 && place_.round >= 0) {
    // The red light counts as passed by this round alone where it lies in it.
    std::vector<std::string> names = state.get<std::vector<std::string>>("names");
    const bool here = std::find(names.begin(), names.end(), brief_.red_light) != names.end();
    red_light_passed_ = number("red_light_passed") != 0 && !here;
    deal_round(std::move(names));
  }
  red_light_passed_ = number("red_light_passed") != 0;
  declared_ = number("declared") != 0;
  lost_feedback_ = number("lost_feedback") != 0;
  asked_labels_ = number("asked_labels");
  asked_detection_ = number("asked_detection");
  answered_ = number("answered");
}

}  // namespace tyto
