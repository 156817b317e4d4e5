// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/feedback/tutor.hpp"

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/predictor/make_predictor.hpp"

namespace tyto {

void TutorOptions::describe(OptionVisitor& visitor) {
  visitor.field("preset", preset, {},
                "predictor that answers (`tyto list preset`); it learns its share of every "
                "increment's train labels, never those of test");
  visitor.field("share", share, {0, 1}, "of the train labels, drawn by a hash of the samples' ids");
  visitor.field("table", table, {},
                "instead: CSV file with the columns id and label; a sample that is not in it gets "
                "no answer");
  visitor.field("seed", seed, {0, 1e15}, "of its share and its randomness, the same in every arm");
}

Tutor::Tutor(TutorOptions options) : options_(std::move(options)) {
  if (!options_.table.empty()) {
    table_ = NameTable::load(options_.table, "id", "label");
    for (const auto& [id, labels] : table_->all()) {
      if (labels.size() > 1) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: the id \"{}\" has two labels, \"{}\" and \"{}\"",
                                table_->file(), id, labels[0], labels[1]));
      }
      LabelSpace space;
      space.add_known(labels[0]);  // throws where the name is reserved
    }
  }
}

std::unique_ptr<Predictor> Tutor::make() const {
  const PredictorConfig config =
      read_predictor(ConfigNode::scalar(options_.preset), "protocol.teacher.preset");
  return make_predictor(config, config.stream_seed(static_cast<std::uint64_t>(options_.seed)));
}

void Tutor::attend(const World& world, const Split& train, Work& work) {
  if (table_) {
    return;
  }
  if (const auto changes = world.label_changes(); predictor_ && !changes.empty()) {
    predictor_->change_labels(changes);
  }
  const auto seed = static_cast<std::uint64_t>(options_.seed);
  std::vector<Index> rows;
  for (Index i = 0; i < train.samples.size(); ++i) {
    Rng rng(seed, "teacher's share", static_cast<std::uint32_t>(train.samples.id(i)));
    if (rng.uniform() < options_.share) {
      rows.push_back(i);
    }
  }
  ++attended_;
  if (rows.empty()) {
    if (!predictor_) {
      throw Error(ErrorKind::data,
                  fmt::format("protocol.teacher.share: a share of {} of {} training samples is "
                              "none; the teacher has nothing to learn from",
                              options_.share, train.samples.size()));
    }
    return;
  }
  if (!predictor_) {
    predictor_ = make();
  }
  const Lesson lesson{train.samples.pick(rows), world.look_up(train, rows).label, {}};
  Work own{Rng(seed, "teacher", static_cast<std::uint64_t>(attended_)), work.progress};
  predictor_->learn(lesson, own);
}

OracleAnswers Tutor::answers(const OracleRequest& request, Work& work) const {
  const std::vector<Index> rows = paid_rows(request);
  OracleAnswers answers{std::ssize(rows)};
  if (rows.empty()) {
    return answers;
  }
  const LookedUp found = request.world.look_up(request.train, rows);
  std::vector<std::string> said(rows.size());
  if (table_) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& labels = table_->find(found.sample[i]);
      said[i] = labels.empty() ? std::string() : labels.front();
    }
  } else {
    TYTO_ASSERT(predictor_ != nullptr);
    const Decisions decisions = decided(*predictor_, request.train.samples.pick(rows), work);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (decisions.space->kind(decisions.label[i]) == LabelKind::known) {
        said[i] = decisions.space->name(decisions.label[i]);
      }
    }
  }
  std::vector<Index> told;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!said[i].empty()) {
      told.push_back(rows[i]);
      answers.truth.push_back(found.label[i]);
      answers.words.push_back({said[i]});
    }
  }
  answers.samples = request.train.samples.pick(told);
  return answers;
}

void Tutor::save(State& state) const {
  state.set("attended", std::int64_t{attended_});
  if (table_) {
    state.set("table", table_->content_digest());
  }
  if (predictor_) {
    predictor_->save(state.make_child("predictor"));
  }
}

void Tutor::load(const State& state, const Shelf& shelf) {
  attended_ = static_cast<Index>(state.get<std::int64_t>("attended"));
  if (table_ &&
      (!state.has("table") || state.get<std::string>("table") != table_->content_digest())) {
    throw Error(
        ErrorKind::state,
        fmt::format("{}: holds other answers than when this run was saved", table_->file()));
  }
  predictor_.reset();
  if (state.children.contains("predictor")) {
    predictor_ = make();
    predictor_->load(state.child("predictor"), shelf);
  }
}

}  // namespace tyto
