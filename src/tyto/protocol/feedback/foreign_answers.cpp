// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/feedback/foreign_answers.hpp"

#include <array>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

void ForeignOptions::describe(OptionVisitor& visitor) {
  static constexpr std::array<std::string_view, 2> kSaid{"one", "all"};
  visitor.field("vocabulary", vocabulary, {},
                "CSV file with the columns class and name: what each class is called; several rows "
                "of a class are synonyms, coarser names or the nearest ones. A class without a row "
                "gets no answer");
  visitor.field("say", say, kSaid,
                "of several names of a class: one, drawn for each sample, or all in the order of "
                "the file");
  visitor.field("paired", paired, {0, 1},
                "share of the start's train samples that come with their foreign names too: what "
                "an interpreter that learns begins with");
  interpreter.describe(visitor);
}

ForeignTongue::ForeignTongue(ForeignOptions options)
    : options_(std::move(options)),
      vocabulary_(NameTable::load(options_.vocabulary, "class", "name")),
      interpreter_(options_.interpreter) {
  LabelSpace space;
  for (const auto& [own, names] : vocabulary_.all()) {
    for (const std::string& name : names) {
      space.add_known(name);  // throws where the name is reserved
    }
  }
}

std::vector<std::string> ForeignTongue::words_for(const std::string& name, SampleId id) const {
  const std::vector<std::string>& all = vocabulary_.find(name);
  if (options_.say == "all" || all.size() < 2) {
    return all;
  }
  Rng rng(static_cast<std::uint32_t>(id), "foreign name");
  return {all[at(rng.below(std::ssize(all)))]};
}

void ForeignTongue::hear_start(const World& world, const Split& train) {
  std::vector<Index> rows;
  for (Index i = 0; i < train.samples.size(); ++i) {
    Rng rng(static_cast<std::uint32_t>(train.samples.id(i)), "named in both");
    if (rng.uniform() < options_.paired) {
      rows.push_back(i);
    }
  }
  const LookedUp found = world.look_up(train, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    interpreter_.pair(words_for(found.label[i], train.samples.id(rows[i])), found.label[i]);
  }
}

std::vector<std::string> ForeignTongue::interpret(const OracleAnswers& answers,
                                                  const Predictor& predictor, Work& work) {
  return interpreter_.interpret(answers.words, interpreter_.looks_at_decisions()
                                                   ? decided(predictor, answers.samples, work)
                                                   : Decisions());
}

void ForeignTongue::save(State& state) const {
  state.set("vocabulary", vocabulary_.content_digest());
  interpreter_.save(state.make_child("interpreter"));
}

void ForeignTongue::load(const State& state) {
  if (state.get<std::string>("vocabulary") != vocabulary_.content_digest()) {
    throw Error(ErrorKind::state, fmt::format("{}: holds other names than when this run was saved",
                                              vocabulary_.file()));
  }
  interpreter_.load(state.child("interpreter"));
}

}  // namespace tyto
