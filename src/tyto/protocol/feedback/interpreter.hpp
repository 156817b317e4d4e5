// SPDX-License-Identifier: Apache-2.0
// From the words of another vocabulary to the classes of a predictor: by a table, or learned from
// which words are said of what the predictor takes for what.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/protocol/feedback/answers.hpp"
#include "tyto/protocol/feedback/name_table.hpp"

namespace tyto {

struct InterpreterOptions {
  std::string interpret = "learned";  // or table
  std::string table;                  // file
  std::string unmapped = "drop";      // or keep
  Index least = 3;
  double agreement = 0.6;

  void describe(OptionVisitor& visitor);
};

class Interpreter {
 public:
  explicit Interpreter(InterpreterOptions options);

  [[nodiscard]] bool looks_at_decisions() const { return !table_; }

  // A sample that has a name in both vocabularies.
  void pair(const std::vector<std::string>& words, const std::string& own);

  // The class of each sample that words are said of, "" where they are not understood. What the
  // predictor decides for the samples is counted first; a table does without.
  std::vector<std::string> interpret(const std::vector<std::vector<std::string>>& words,
                                     const Decisions& decisions);

  // What was counted and kept of a class goes with its new name; of one that was split nothing
  // stays.
  void change_labels(const std::vector<LabelChange>& changes);

  void save(State& state) const;
  void load(const State& state);

 private:
  struct Meaning {
    std::vector<std::string> classes;  // one, or several as a table has them; none: see `fresh`
    std::optional<std::string> fresh;  // the name under which a word for something new is kept
    std::optional<std::string> group;  // the discovered class it is said of
  };

  [[nodiscard]] Meaning meaning(const std::string& word, const LabelSpace* space) const;
  [[nodiscard]] Meaning learned(const std::string& word, const LabelSpace& space) const;
  std::string understood(const std::vector<std::string>& words, const LabelSpace* space);

  InterpreterOptions options_;
  std::optional<NameTable> table_;
  std::map<std::string, std::map<std::string, Index>> counts_;  // by word, then by own entry
  std::map<std::string, std::string> settled_;                  // words kept, the class of each
  std::map<std::string, std::string> named_;                    // discovered classes, likewise
};

}  // namespace tyto
