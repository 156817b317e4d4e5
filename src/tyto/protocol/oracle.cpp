// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/oracle.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/predictor/config.hpp"
#include "tyto/sample/samples_state.hpp"

namespace tyto {

namespace {

// `shown` is sorted. The truth where no other class has been shown.
std::string mistaken(const std::string& truth, const std::vector<std::string>& shown, Rng rng) {
  const auto own = std::lower_bound(shown.begin(), shown.end(), truth);
  const bool among = own != shown.end() && *own == truth;
  const auto others = static_cast<Index>(shown.size()) - (among ? 1 : 0);
  if (others == 0) {
    return truth;
  }
  Index at = rng.below(others);
  at += among && at >= own - shown.begin() ? 1 : 0;
  return shown[static_cast<std::size_t>(at)];
}

// Within the budget that the world keeps by itself, 1 a label.
OracleAnswers granted_labels(const OracleRequest& request, const Speak& speak) {
  const Feedback granted = request.world.ask(FeedbackKind::labels, request.train, request.order);
  OracleAnswers answers{std::ssize(request.order), request.train.samples.pick(granted.row)};
  for (std::size_t i = 0; i < granted.name.size(); ++i) {
    answers.words.push_back({speak(granted.name[i], request.train.samples.id(granted.row[i]))});
  }
  return answers;
}

OracleAnswers paid_labels(const OracleRequest& request, const Speak& speak) {
  const std::vector<Index> rows = paid_rows(request);
  OracleAnswers answers{std::ssize(rows), request.train.samples.pick(rows),
                        request.world.look_up(request.train, rows).label};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    answers.words.push_back({speak(answers.truth[i], request.train.samples.id(rows[i]))});
  }
  return answers;
}

[[noreturn]] void refuse_option(std::string_view path, std::string_view key,
                                std::string_view what) {
  throw Error(ErrorKind::config, fmt::format("{}.{}: {}", path, key, what));
}

}  // namespace

void AnswerCosts::describe(OptionVisitor& visitor) {
  visitor.field("label", label, {0, 1e6}, "of a label, oracle labels");
  visitor.field("correction", correction, {0, 1e6},
                "of a sample asked about, corrected or not, oracle corrections");
  visitor.field("teacher", teacher, {0, 1e6},
                "of a sample asked about, answered or not, oracle predictor");
  visitor.field("group", group, {0, 1e6}, "of a group asked about, oracle groups");
  visitor.field("foreign", foreign, {0, 1e6},
                "of a sample asked about, understood or not, oracle foreign");
}

void OracleOptions::describe(OptionVisitor& visitor) {
  static constexpr std::array<std::string_view, 7> kKinds{
      "labels", "corrections", "predictor", "groups", "foreign", "measures", "none"};
  visitor.field("oracle", kind, kKinds,
                "what is told after the start: labels of requested samples; labels of those of "
                "known classes that were called otherwise; another predictor's answers; names of "
                "discovered groups; names of another vocabulary; only the measures of the "
                "predictions on train; or nothing");
  visitor.field("delay", delay, {0, 1e6},
                "requests that pass before labels arrive; what is due after the end never does");
  visitor.field("noise", noise, {0, 1},
                "share of the labels given after the start that are wrong; a teacher errs by "
                "itself");
  visitor.section(
      "costs", [this](OptionVisitor& inner) { costs.describe(inner); },
      "what an answer takes from the budget, in labels");
  visitor.section(
      "teacher", [this](OptionVisitor& inner) { teacher.describe(inner); },
      "who answers, oracle predictor");
  visitor.section(
      "groups", [this](OptionVisitor& inner) { groups.describe(inner); },
      "how a group is named and learned, oracle groups");
  visitor.section(
      "foreign", [this](OptionVisitor& inner) { foreign.describe(inner); },
      "how classes are called and understood, oracle foreign");
}

void OracleOptions::check(std::string_view path) const {
  if (kind == "predictor") {
    if (teacher.preset.empty() == teacher.table.empty()) {
      refuse_option(path, "teacher",
                    teacher.preset.empty()
                        ? "the oracle predictor needs a preset that answers, or a table of answers"
                        : "names a preset and a table; one of them answers");
    }
    if (!teacher.preset.empty()) {
      (void)read_predictor(ConfigNode::scalar(teacher.preset),
                           fmt::format("{}.teacher.preset", path));
    }
    if (noise > 0) {
      refuse_option(path, "noise", "a teacher errs by itself; leave it at 0");
    }
  }
  if (kind == "foreign") {
    if (foreign.vocabulary.empty()) {
      refuse_option(path, "foreign.vocabulary",
                    "the oracle foreign needs a file with the columns class and name");
    }
    if ((foreign.interpreter.interpret == "table") == foreign.interpreter.table.empty()) {
      refuse_option(path, "foreign.table",
                    foreign.interpreter.table.empty()
                        ? "interpret: table needs a file with the columns name and class"
                        : "is given, but interpret is learned");
    }
  }
}

double OracleOptions::price() const {
  const std::map<std::string_view, double> prices{{"labels", costs.label},
                                                  {"corrections", costs.correction},
                                                  {"predictor", costs.teacher},
                                                  {"groups", costs.group},
                                                  {"foreign", costs.foreign}};
  const auto found = prices.find(kind);
  return found == prices.end() ? 0.0 : found->second;
}

Oracle::Oracle(OracleOptions options) : options_(std::move(options)), price_(options_.price()) {
  options_.check("protocol");
  if (options_.kind == "predictor") {
    tutor_.emplace(options_.teacher);
  }
  if (options_.kind == "foreign") {
    tongue_.emplace(options_.foreign);
  }
}

bool Oracle::gives_labels() const {
  return options_.kind != "measures" && options_.kind != "none";
}

bool Oracle::keeps_account() const {
  return gives_labels() && (options_.kind != "labels" || price_ != 1.0);
}

Index Oracle::rows_wanted(Index answers, Index shown) const {
  return options_.kind == "groups" ? shown : answers;
}

void Oracle::attend(const World& world, const Split& train, Work& work) {
  if (tutor_) {
    tutor_->attend(world, train, work);
  }
  if (tongue_) {
    tongue_->change_labels(world.label_changes());
  }
  if (tongue_ && world.deal().step == 0) {
    tongue_->hear_start(world, train);
  }
}

Speak Oracle::speech(const World& world) const {
  if (options_.noise == 0) {
    return [](const std::string& name, SampleId) { return name; };
  }
  std::vector<std::string> shown = world.shown_before();
  std::sort(shown.begin(), shown.end());
  return [this, shown = std::move(shown)](const std::string& name, SampleId id) {
    Rng rng(static_cast<std::uint32_t>(id), "label noise");
    return rng.uniform() < options_.noise ? mistaken(name, shown, rng) : name;
  };
}

void Oracle::translate(OracleAnswers& answers) const {
  std::vector<Index> said;
  OracleAnswers out{answers.asked};
  for (Index i = 0; i < std::ssize(answers.words); ++i) {
    auto words = tongue_->words_for(answers.words[at(i)].front(), answers.samples.id(i));
    if (!words.empty()) {
      said.push_back(i);
      out.truth.push_back(answers.truth[at(i)]);
      out.words.push_back(std::move(words));
    }
  }
  out.samples = answers.samples.pick(said);
  answers = std::move(out);
}

OracleAnswers Oracle::answers_to(const OracleRequest& request, Work& work) const {
  if (tutor_) {
    return tutor_->answers(request, work);
  }
  const Speak speak = speech(request.world);
  if (options_.kind == "corrections") {
    return corrections(request, speak, work);
  }
  if (options_.kind == "groups") {
    return group_answers(request, options_.groups, speak, work);
  }
  return keeps_account() ? paid_labels(request, speak) : granted_labels(request, speak);
}

Oracle::Said Oracle::answer(const OracleRequest& request, Work& work) {
  OracleAnswers answers = answers_to(request, work);
  if (tongue_) {
    translate(answers);
  }
  const Index asked = answers.asked;
  if (keeps_account()) {
    request.world.charge(request.train, price_ * static_cast<double>(asked));
  }
  pending_.push_back(std::move(answers));
  if (static_cast<Index>(pending_.size()) <= options_.delay) {
    return {asked, {}, 0};
  }
  OracleAnswers now = std::move(pending_.front());
  pending_.pop_front();
  Said said = due(std::move(now), request.predictor, work);
  said.asked = asked;
  return said;
}

Oracle::Said Oracle::due(OracleAnswers answers, const Predictor& predictor, Work& work) {
  if (answers.words.empty()) {
    return {};
  }
  Lesson lesson{std::move(answers.samples), {}, {}};
  if (!tongue_) {
    for (std::vector<std::string>& words : answers.words) {
      lesson.names.push_back(std::move(words.front()));
    }
  } else {
    answers.samples = lesson.samples;
    std::vector<Index> clear;
    const std::vector<std::string> names = tongue_->interpret(answers, predictor, work);
    std::vector<std::string> truth;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i].empty()) {
        clear.push_back(static_cast<Index>(i));
        lesson.names.push_back(names[i]);
        truth.push_back(answers.truth[i]);
      }
    }
    lesson.samples = answers.samples.pick(clear);
    answers.truth = std::move(truth);
  }
  Said said;
  for (std::size_t i = 0; i < answers.truth.size(); ++i) {
    said.wrong += lesson.names[i] == answers.truth[i] ? 0 : 1;
  }
  if (!lesson.names.empty()) {
    said.lesson = std::move(lesson);
  }
  return said;
}

void Oracle::save(State& state) const {
  state.set("pending", static_cast<std::int64_t>(pending_.size()));
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    State& child = state.make_child(fmt::format("pending_{}", i));
    save_samples(pending_[i].samples, child);
    std::vector<std::string> names;
    std::vector<std::int64_t> counts;
    for (const std::vector<std::string>& words : pending_[i].words) {
      names.insert(names.end(), words.begin(), words.end());
      counts.push_back(std::ssize(words));
    }
    child.set("names", std::move(names));
    if (keeps_account()) {  // others' archives keep their bytes
      child.set("words", std::move(counts));
      child.set("truth", pending_[i].truth);
    }
  }
  if (tutor_) {
    tutor_->save(state.make_child("teacher"));
  }
  if (tongue_) {
    tongue_->save(state.make_child("foreign"));
  }
}

void Oracle::load(const State& state, const Shelf& shelf) {
  pending_.clear();
  const auto count = state.get<std::int64_t>("pending");
  for (std::int64_t i = 0; i < count; ++i) {
    const State& child = state.child(fmt::format("pending_{}", i));
    OracleAnswers answers;
    answers.samples = load_samples(child, shelf, "a label that is to come");
    const auto& names = child.get<std::vector<std::string>>("names");
    const std::vector<std::int64_t> counts = child.has("words")
                                                 ? child.get<std::vector<std::int64_t>>("words")
                                                 : std::vector<std::int64_t>(names.size(), 1);
    std::size_t next = 0;
    for (const std::int64_t words : counts) {
      if (words < 1 || static_cast<std::size_t>(words) > names.size() - next) {
        throw Error(ErrorKind::state, "a saved answer has another number of names than it says");
      }
      const auto begin = names.begin() + static_cast<std::ptrdiff_t>(next);
      answers.words.emplace_back(begin, begin + words);
      next += static_cast<std::size_t>(words);
    }
    if (child.has("truth")) {
      answers.truth = child.get<std::vector<std::string>>("truth");
    }
    if (std::ssize(answers.words) != answers.samples.size() ||
        (keeps_account() && answers.truth.size() != answers.words.size())) {
      throw Error(ErrorKind::state,
                  fmt::format("a saved answer is about {} samples and has {} names and {} labels",
                              answers.samples.size(), answers.words.size(), answers.truth.size()));
    }
    pending_.push_back(std::move(answers));
  }
  if (tutor_) {
    if (!state.children.contains("teacher")) {
      throw Error(ErrorKind::state,
                  "protocol.teacher: the saved run had no teacher, so this one has not learned "
                  "what came before; start at the beginning");
    }
    tutor_->load(state.child("teacher"), shelf);
  }
  if (tongue_ && state.children.contains("foreign")) {
    tongue_->load(state.child("foreign"));
  }
}

}  // namespace tyto
