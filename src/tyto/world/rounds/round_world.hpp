// SPDX-License-Identifier: Apache-2.0
// Tests of an evaluation, dealt round by round: a start that may be learned, then every test under
// every setting. The evaluation is asked in the words of the public protocol, so that nothing here
// knows whether it lies in memory or behind a wire.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/sail_on/evaluator.hpp"
#include "tyto/world/rounds/round_samples.hpp"
#include "tyto/world/world.hpp"

namespace tyto {

// How a test is taken. system: when the world changes must be found out. given: the moment is told.
// ignored: it opens feedback as in given, but is not told: what is left of the difference between
// the two is due to knowing the moment.
constexpr std::string_view kSystemDetection = "system";
constexpr std::string_view kGivenDetection = "given";
constexpr std::string_view kIgnoredDetection = "ignored";

struct RoundPlan {
  std::shared_ptr<const RoundSamples> samples;
  sail_on::SessionRequest session;    // of system detection; its tests in the order they are taken
  std::vector<std::string> settings;  // in the order in which each test is taken
  std::string label_feedback = "classification";  // of the types that tell a class
  Index first_test = 1;                           // number of the first of these tests
  std::vector<std::string> sessions = {};         // begun and ended by someone else; else empty
};

class RoundWorld final : public World {
 public:
  RoundWorld(std::shared_ptr<const RoundPlan> plan, std::unique_ptr<sail_on::Evaluator> evaluator);

  [[nodiscard]] Brief brief() const override { return {}; }  // how long tests are is not told

  bool advance() override;
  [[nodiscard]] const Deal& deal() const override;
  // Goes to the evaluation when all of a round is answered.
  void post(const Answer& answer) override;
  Feedback ask(FeedbackKind kind, const Split& split, Rows order) override;
  // All of the start. Of a round 0 as long as novelty was not declared.
  [[nodiscard]] Index budget(const Split& split) const override;
  [[nodiscard]] std::vector<std::string> shown_before() const override;

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

 private:
  struct Place {
    Index test = 0, setting = 0, round = -1;  // -1: the test has not begun
  };

  [[nodiscard]] const std::string& test() const;
  [[nodiscard]] const std::string& setting() const;

  [[nodiscard]] const std::string& session() const { return sessions_[at(place_.setting)]; }

  [[nodiscard]] bool is_told() const { return setting() != kSystemDetection; }

  void deal_start();
  void begin_sessions();
  bool next_round();  // false: the test is over
  bool next_test();   // false: that was the last one
  void end_sessions();
  void deal_round(std::vector<std::string> names);
  [[nodiscard]] Index limit(FeedbackKind kind) const;  // rows of a round that may be asked about
  Feedback ask_start(Rows order);
  void check_is_dealt(const Split& split, Rows order) const;

  std::shared_ptr<const RoundPlan> plan_;
  std::unique_ptr<sail_on::Evaluator> evaluator_;
  std::vector<std::string> sessions_;  // by setting; empty before the first test
  Index step_ = -1;
  std::vector<bool> granted_;  // of the start; empty later
  Place place_;
  sail_on::TestBrief brief_;       // of this test
  bool red_light_passed_ = false;  // in an earlier round of this test
  bool declared_ = false;          // novelty, in this test
  bool lost_feedback_ = false;     // answers that were given before an interruption: start again
  Index asked_labels_ = 0, asked_detection_ = 0;  // in this round
  std::vector<std::string> names_;                // of this round
  Deal deal_;
  std::vector<sail_on::ResultFile> pending_;  // of a round that is not fully answered
  Index answered_ = 0;
};

}  // namespace tyto
