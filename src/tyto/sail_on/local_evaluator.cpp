// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/local_evaluator.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/sail_on/dealt.hpp"
#include "tyto/sail_on/feedback.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/sail_on/result_rules.hpp"
#include "tyto/sail_on/test_metadata.hpp"

namespace tyto::sail_on {

struct LocalEvaluator::Test {
  bool begun = false, completed = false;
  PostedResults posted;
  std::map<std::int64_t, std::map<std::string, std::int64_t>> told;  // lines by round and type
  std::map<std::string, std::string> answers;  // by round, type and ids, where ids were named
  std::int64_t points = 0;
};

struct LocalEvaluator::Session {
  SessionRequest request;
  bool ended = false;
  std::vector<std::string> completed;
  std::map<std::string, Test> tests;
};

LocalEvaluator::LocalEvaluator(Tests tests, Form form) : tests_(std::move(tests)), form_(form) {}

LocalEvaluator::~LocalEvaluator() = default;

LocalEvaluator::Session& LocalEvaluator::open_session(const std::string& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) {
    throw Refused(400, "session_id_invalid", fmt::format("there is no session {:.80}", id));
  }
  if (found->second.ended) {
    throw Refused(400, "SessionEnded", fmt::format("session {} has been terminated", id));
  }
  return found->second;
}

LocalEvaluator::Test& LocalEvaluator::open_test(Session& session, const std::string& test) {
  Test& out = session.tests[test];
  if (out.completed) {
    throw Refused(400, "TestCompleted", fmt::format("test {} has been completed", test));
  }
  return out;
}

const TestData& LocalEvaluator::test_data(const Session& session, const std::string& test) const {
  const auto found = std::find_if(tests_.begin(), tests_.end(), [&](const auto& data) {
    return data->id == test && data->domain == session.request.domain &&
           data->protocol == session.request.protocol;
  });
  if (found == tests_.end()) {
    throw Refused(500, "test_id_invalid",
                  fmt::format("{} has no test {:.80} of domain {}", session.request.protocol, test,
                              session.request.domain));
  }
  return **found;
}

std::vector<std::string> LocalEvaluator::test_ids(std::string_view protocol,
                                                  std::string_view domain) {
  std::vector<std::string> out;
  for (const auto& test : tests_) {
    if (test->protocol == protocol && test->domain == domain) {
      out.push_back(test->id);
    }
  }
  if (out.empty()) {
    throw Refused(400, "BadDomain", fmt::format("{} has no tests of domain {}", protocol, domain));
  }
  return out;
}

std::string LocalEvaluator::begin_session(const SessionRequest& request) {
  const std::lock_guard guard(mutex_);
  if (request.test_ids.empty()) {
    throw Refused(400, "EmptyFile", "a session needs at least one test");
  }
  Session session;
  session.request = request;
  for (const auto& test : request.test_ids) {
    static_cast<void>(test_data(session, test));
  }
  const std::string id = fmt::format("s{}", sessions_.size() + 1);
  sessions_.emplace(id, std::move(session));
  return id;
}

TestBrief LocalEvaluator::brief(const std::string& session, const std::string& test) {
  const std::lock_guard guard(mutex_);
  const Session& asking = open_session(session);
  const auto metadata = read_metadata(test_data(asking, test).metadata, asking.request.hints);
  TestBrief out;
  out.round_size = metadata.round_size.value_or(0);
  out.known_classes = metadata.known_classes;
  out.max_novel_classes = metadata.max_novel_classes;
  out.pre_novelty_batches = metadata.pre_novelty_batches;
  out.feedback_max_ids = metadata.feedback_max_ids;
  out.max_detection_feedback_ids = metadata.max_detection_feedback_ids;
  if (has_hint(asking.request.hints, "red_light")) {
    out.red_light = metadata.red_light;
  }
  return out;
}

std::optional<std::vector<std::string>> LocalEvaluator::round(const std::string& session,
                                                              const std::string& test,
                                                              Index number) {
  const std::lock_guard guard(mutex_);
  Session& asking = open_session(session);
  Test& state = open_test(asking, test);
  const TestData& data = test_data(asking, test);
  const auto metadata = read_metadata(data.metadata, asking.request.hints);
  if (!metadata.round_size) {
    throw Refused(400, "no_defined_rounds", "round_size not defined in metadata.");
  }
  if (number < 0) {
    throw Refused(500, "<class 'ValueError'>", fmt::format("there is no round {}", number));
  }
  if (number == 0 && state.begun) {
    state = {};
  }
  state.begun = true;
  const auto ids = dealt_ids(data);
  const auto count = static_cast<Index>(ids.size());
  if (number > count / *metadata.round_size || number * *metadata.round_size >= count) {
    return {};
  }
  const Index first = number * *metadata.round_size;
  const Index last = std::min<Index>(count, first + *metadata.round_size);
  return std::vector<std::string>(ids.begin() + first, ids.begin() + last);
}

void LocalEvaluator::post(const std::string& session, const std::string& test, Index round,
                          std::span<const ResultFile> files) {
  const std::lock_guard guard(mutex_);
  Session& asking = open_session(session);
  Test& state = open_test(asking, test);
  const TestData& data = test_data(asking, test);
  if (form_ == Form::sound) {
    const auto places = dealt_places(data);
    for (const auto& file : files) {
      check_results(file.type, file.rows,
                    [&](std::string_view id) { return places.contains(std::string(id)); });
    }
  }
  const auto added = added_by_post(state.posted, round, files, form_);
  state.begun = true;
  auto& types = state.posted.rounds[round];
  for (std::size_t i = 0; i < files.size(); ++i) {
    state.posted.files[files[i].type] += added[i];
    if (std::find(types.begin(), types.end(), files[i].type) == types.end()) {
      types.push_back(files[i].type);
    }
  }
}

std::string LocalEvaluator::feedback(const std::string& session, const std::string& test, Index,
                                     std::string_view type, std::span<const std::string> ids) {
  const std::lock_guard guard(mutex_);
  Session& asking = open_session(session);
  Test& state = open_test(asking, test);
  const TestData& data = test_data(asking, test);
  const auto metadata = read_metadata(data.metadata, asking.request.hints);
  const std::int64_t last = state.posted.rounds.empty() ? 0 : state.posted.rounds.rbegin()->first;
  const std::string key = fmt::format("{}\n{}\n{}", last, type, fmt::join(ids, "\n"));
  if (const auto again = state.answers.find(key); again != state.answers.end()) {
    return again->second;
  }
  const SessionFacts facts{asking.request.detection_threshold,
                           has_hint(asking.request.hints, "red_light")};
  FeedbackSoFar so_far;
  so_far.any = !state.told.empty();
  so_far.points = state.points;
  if (const auto told = state.told.find(last); told != state.told.end()) {
    const auto lines = told->second.find(std::string(type));
    so_far.lines = lines == told->second.end() ? 0 : lines->second;
  }
  const auto answer = give_feedback(data, metadata, facts, state.posted, so_far, type, ids, form_);
  if (answer.declared) {
    state.told[last][std::string(type)] += answer.charged;
    state.points = answer.points.value_or(state.points);
    if (form_ == Form::sound && !ids.empty()) {
      state.answers[key] = answer.lines;
    }
  }
  return answer.lines;
}

void LocalEvaluator::complete(const std::string& session, const std::string& test) {
  const std::lock_guard guard(mutex_);
  Session& asking = open_session(session);
  static_cast<void>(test_data(asking, test));
  open_test(asking, test).completed = true;
  asking.completed.push_back(test);
}

std::vector<std::string> LocalEvaluator::completed(const std::string& session) {
  const std::lock_guard guard(mutex_);
  return open_session(session).completed;
}

void LocalEvaluator::end_session(const std::string& session) {
  const std::lock_guard guard(mutex_);
  open_session(session).ended = true;
}

std::map<std::string, std::string, std::less<>> LocalEvaluator::posted(const std::string& session,
                                                                       const std::string& test) {
  const std::lock_guard guard(mutex_);
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? decltype(PostedResults::files)()
                                  : found->second.tests[test].posted.files;
}

void LocalEvaluator::save(State& state) const {
  const std::lock_guard guard(mutex_);
  for (const auto& [id, session] : sessions_) {
    State& out = state.make_child(id);
    out.set("protocol", session.request.protocol);
    out.set("domain", session.request.domain);
    out.set("detector", session.request.detector);
    out.set("detection_threshold", session.request.detection_threshold);
    out.set("hints", session.request.hints);
    out.set("test_ids", session.request.test_ids);
    out.set("completed", session.completed);
    out.set("ended", std::int64_t{session.ended});
    for (const auto& [name, test] : session.tests) {
      State& at = out.make_child(name);
      at.set("begun", std::int64_t{test.begun});
      at.set("completed", std::int64_t{test.completed});
      at.set("points", test.points);
      for (const auto& [type, rows] : test.posted.files) {
        at.make_child("files").set(type, rows);
      }
      for (const auto& [round, types] : test.posted.rounds) {
        at.make_child("rounds").set(std::to_string(round), types);
      }
      for (const auto& [round, lines] : test.told) {
        State& told = at.make_child("told").make_child(std::to_string(round));
        for (const auto& [type, count] : lines) {
          told.set(type, count);
        }
      }
      for (const auto& [question, lines] : test.answers) {
        at.make_child("answers").set(question, lines);
      }
    }
  }
}

void LocalEvaluator::load(const State& state, const Shelf&) {
  const std::lock_guard guard(mutex_);
  sessions_.clear();
  const auto each = [](const State& parent, const char* name, const auto& take) {
    if (const auto found = parent.children.find(name); found != parent.children.end()) {
      for (const auto& [key, value] : found->second.values) {
        take(key, value);
      }
    }
  };
  for (const auto& [id, in] : state.children) {
    Session& session = sessions_[id];
    session.request.protocol = in.get<std::string>("protocol");
    session.request.domain = in.get<std::string>("domain");
    session.request.detector = in.get<std::string>("detector");
    session.request.detection_threshold = in.get<double>("detection_threshold");
    session.request.hints = in.get<std::vector<std::string>>("hints");
    session.request.test_ids = in.get<std::vector<std::string>>("test_ids");
    session.completed = in.get<std::vector<std::string>>("completed");
    session.ended = in.get<std::int64_t>("ended") != 0;
    for (const auto& [name, at] : in.children) {
      Test& test = session.tests[name];
      test.begun = at.get<std::int64_t>("begun") != 0;
      test.completed = at.get<std::int64_t>("completed") != 0;
      test.points = at.get<std::int64_t>("points");
      each(at, "files", [&](const auto& type, const auto& rows) {
        test.posted.files[type] = std::get<std::string>(rows);
      });
      each(at, "rounds", [&](const auto& round, const auto& types) {
        test.posted.rounds[std::stoll(round)] = std::get<std::vector<std::string>>(types);
      });
      each(at, "answers", [&](const auto& question, const auto& lines) {
        test.answers[question] = std::get<std::string>(lines);
      });
      if (const auto told = at.children.find("told"); told != at.children.end()) {
        for (const auto& [round, lines] : told->second.children) {
          for (const auto& [type, count] : lines.values) {
            test.told[std::stoll(round)][type] = std::get<std::int64_t>(count);
          }
        }
      }
    }
  }
}

}  // namespace tyto::sail_on
