// SPDX-License-Identifier: Apache-2.0
// Who answers the requests of a predictor: with labels, late or wrong at times, with corrections,
// names of groups, another predictor's opinion or another vocabulary, with nothing but the measures
// of its predictions, or not at all.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "tyto/core/options.hpp"
#include "tyto/protocol/feedback/answers.hpp"
#include "tyto/protocol/feedback/foreign_answers.hpp"
#include "tyto/protocol/feedback/group_answers.hpp"
#include "tyto/protocol/feedback/tutor.hpp"

namespace tyto {

// What one answer takes from the budget, by kind of oracle.
struct AnswerCosts {
  double label = 1, correction = 1, teacher = 1, group = 1, foreign = 1;

  void describe(OptionVisitor& visitor);
};

struct OracleOptions {
  std::string kind = "labels";
  Index delay = 0;   // requests that pass before an answer arrives
  double noise = 0;  // share of the labels that are wrong
  AnswerCosts costs = {};
  TutorOptions teacher = {};
  GroupOptions groups = {};
  ForeignOptions foreign = {};

  void describe(OptionVisitor& visitor);
  // Throws Error(config) where the kind lacks what it needs; `path` is that of the protocol.
  void check(std::string_view path) const;
  [[nodiscard]] double price() const;  // of an answer
};

class Oracle {
 public:
  explicit Oracle(OracleOptions options);

  [[nodiscard]] bool gives_labels() const;

  [[nodiscard]] bool is_late() const { return options_.delay > 0; }

  [[nodiscard]] bool gives_measures() const { return options_.kind == "measures"; }

  // More than labels at 1 apiece: the purse pays, and the account is kept.
  [[nodiscard]] bool keeps_account() const;

  [[nodiscard]] double price() const { return price_; }

  // How many of the rows shown are to be put in order for so many answers.
  [[nodiscard]] Index rows_wanted(Index answers, Index shown) const;

  // Once an increment, before anything is asked: whoever answers may learn for himself.
  void attend(const World& world, const Split& train, Work& work);

  struct Said {
    Index asked = 0;               // answers that are paid for
    std::optional<Lesson> lesson;  // what is due now, if that is anything
    Index wrong = 0;               // labels of it that are not the truth, where an account is kept
  };

  // One request. A wrong label is another class shown at an earlier increment; which samples get
  // one is a matter of their ids, the same for every predictor.
  Said answer(const OracleRequest& request, Work& work);

  void save(State& state) const;
  void load(const State& state, const Shelf& shelf);

 private:
  [[nodiscard]] Speak speech(const World& world) const;
  [[nodiscard]] OracleAnswers answers_to(const OracleRequest& request, Work& work) const;
  void translate(OracleAnswers& answers) const;
  Said due(OracleAnswers answers, const Predictor& predictor, Work& work);

  OracleOptions options_;
  double price_;
  std::optional<Tutor> tutor_;
  std::optional<ForeignTongue> tongue_;
  std::deque<OracleAnswers> pending_;  // one per request, also if nothing was granted
};

}  // namespace tyto
