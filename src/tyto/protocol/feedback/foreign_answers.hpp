// SPDX-License-Identifier: Apache-2.0
// An oracle that speaks another language: coarser names, synonyms, or the several nearest ones.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/protocol/feedback/interpreter.hpp"

namespace tyto {

struct ForeignOptions {
  std::string vocabulary;   // file
  std::string say = "one";  // or all
  double paired = 0;
  InterpreterOptions interpreter;

  void describe(OptionVisitor& visitor);
};

class ForeignTongue {
 public:
  explicit ForeignTongue(ForeignOptions options);

  // What a sample of that class is called; none: the vocabulary has no name for it.
  [[nodiscard]] std::vector<std::string> words_for(const std::string& name, SampleId id) const;

  // Of the start, whose labels are granted: some of its samples are named in both vocabularies.
  void hear_start(const World& world, const Split& train);

  void change_labels(const std::vector<LabelChange>& changes) {
    interpreter_.change_labels(changes);
  }

  // Classes of the predictor for words that have arrived; "" where they are not understood.
  std::vector<std::string> interpret(const OracleAnswers& answers, const Predictor& predictor,
                                     Work& work);

  void save(State& state) const;
  void load(const State& state);

 private:
  ForeignOptions options_;
  NameTable vocabulary_;
  Interpreter interpreter_;
};

}  // namespace tyto
