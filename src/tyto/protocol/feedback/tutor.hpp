// SPDX-License-Identifier: Apache-2.0
// Another predictor in the place of the truth: one that learns a share of the labels, or the table
// of answers it has left. What it gets wrong is taught wrong.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/predictor/predictor.hpp"
#include "tyto/protocol/feedback/answers.hpp"
#include "tyto/protocol/feedback/name_table.hpp"

namespace tyto {

struct TutorOptions {
  std::string preset;
  double share = 0.5;
  std::string table;
  Index seed = 1;

  void describe(OptionVisitor& visitor);
};

// The same for every predictor that asks: its randomness is that of its own seed.
class Tutor {
 public:
  explicit Tutor(TutorOptions options);

  // Once an increment, the first one too: it learns its share of train's labels, free of charge.
  void attend(const World& world, const Split& train, Work& work);

  // A label it has no name for is no answer, nor is a sample its table does not have.
  [[nodiscard]] OracleAnswers answers(const OracleRequest& request, Work& work) const;

  void save(State& state) const;
  void load(const State& state, const Shelf& shelf);

 private:
  [[nodiscard]] std::unique_ptr<Predictor> make() const;

  TutorOptions options_;
  std::optional<NameTable> table_;
  std::unique_ptr<Predictor> predictor_;  // none before it has learned
  Index attended_ = 0;                    // increments
};

}  // namespace tyto
