// SPDX-License-Identifier: Apache-2.0
#include "tyto/client/remote_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/client/round_ids.hpp"
#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/sail_on/refused.hpp"

namespace tyto::client {

namespace {

using Json = nlohmann::ordered_json;
using sail_on::Refused;

constexpr std::size_t kShownText = 200, kShownMessage = 2000;

// The first line that says something, for a message.
std::string excerpt(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) {
    return "nothing";
  }
  text = text.substr(begin);
  text = text.substr(0, text.find_first_of("\r\n"));
  std::string out(text.substr(0, kShownText));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
  return fmt::format("\"{}\"{}", out, text.size() > kShownText ? "..." : "");
}

Error unexpected(const HttpReply& reply, std::string_view wanted) {
  return Error(
      ErrorKind::io,
      fmt::format("{}: answered {} with {}{}, not with {}", reply.what, reply.answer.status,
                  excerpt(reply.answer.body),
                  reply.tries > 1 ? fmt::format(" in {} tries", reply.tries) : "", wanted));
}

Json json_of(const HttpReply& reply) {
  Json json = Json::parse(reply.answer.body, nullptr, false);
  if (!json.is_object()) {
    throw unexpected(reply, "a JSON object");
  }
  return json;
}

// What the evaluation says no with; none: the answer is something else.
std::optional<Refused> refusal(const HttpReply& reply) {
  const Json json = Json::parse(reply.answer.body, nullptr, false);
  if (!json.is_object() || !json.contains("reason") || !json["reason"].is_string()) {
    return {};
  }
  const auto reason = json["reason"].get<std::string>();
  std::string message;
  if (json.contains("message") && json["message"].is_string()) {
    message = ": " + json["message"].get<std::string>().substr(0, kShownMessage);
  }
  return Refused(reply.answer.status, reason, fmt::format("{}: {}{}", reply.what, reason, message));
}

std::string json_text(const Json& json) {
  try {
    return json.dump();
  } catch (const nlohmann::json::exception& problem) {
    throw Error(ErrorKind::data, fmt::format("cannot be sent as JSON: {}", problem.what()));
  }
}

// A number of samples or classes, which tests also write as text; null and absent: not told.
std::optional<Index> told_count(const HttpReply& reply, const Json& json, const char* key) {
  if (!json.contains(key) || json[key].is_null()) {
    return {};
  }
  const Json& value = json[key];
  std::optional<double> number;
  if (value.is_number()) {
    number = value.get<double>();
  } else if (value.is_string()) {
    number = number_in<double>(value.get_ref<const std::string&>());
  }
  if (!number || !(*number >= 0.0 && *number < 1e15) || *number != std::floor(*number)) {
    throw Error(ErrorKind::data, fmt::format("{}: {} is {}, not a whole number from 0", reply.what,
                                             key, excerpt(value.dump())));
  }
  return static_cast<Index>(*number);
}

// Test ids of a list, freed of what a server takes off before it looks for the test.
std::vector<std::string> listed_ids(std::string_view text) {
  constexpr std::string_view kIgnored = " \t\r\"',";
  std::vector<std::string> ids;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (const auto begin = line.find_first_not_of(kIgnored); begin != line.npos) {
      ids.emplace_back(line.substr(begin, line.find_last_not_of(kIgnored) - begin + 1));
    }
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return ids;
}

class RemoteEvaluator final : public sail_on::Evaluator {
 public:
  RemoteEvaluator(const ServerAddress& address, Progress& progress) : http_(address, progress) {}

  std::vector<std::string> test_ids(std::string_view protocol, std::string_view domain) override;
  std::string begin_session(const sail_on::SessionRequest& request) override;
  sail_on::TestBrief brief(const std::string& session, const std::string& test) override;
  std::optional<std::vector<std::string>> round(const std::string& session, const std::string& test,
                                                Index number) override;
  void post(const std::string& session, const std::string& test, Index round,
            std::span<const sail_on::ResultFile> files) override;
  std::string feedback(const std::string& session, const std::string& test, Index round,
                       std::string_view type, std::span<const std::string> ids) override;
  void complete(const std::string& session, const std::string& test) override;
  std::vector<std::string> completed(const std::string& session) override;
  void end_session(const std::string& session) override;

  void save(State&) const override {}

  void load(const State&, const Shelf&) override {
    begun_.clear();
    in_step_.clear();  // unsure stays unsure
  }

 private:
  using Subject = std::pair<std::string, std::string>;  // session and test; "": of the session
  using Reasons = std::initializer_list<std::string_view>;

  // Whether this process' next change of a subject may have been made already.
  [[nodiscard]] bool may_repeat(const Subject& subject) const {
    return unsure_.contains(subject) ||
           (!begun_.contains(subject.first) && !in_step_.contains(subject));
  }

  HttpReply ask(const HttpCall& call) { return accepted(http_.send(call), false, {}); }

  // The same for calls that change something; a reason among `done` is a success of a repeat.
  HttpReply change(const Subject& subject, const HttpCall& call, Reasons done);
  static HttpReply accepted(HttpReply reply, bool may_repeat, Reasons done);

  HttpClient http_;
  std::set<std::string> begun_;  // sessions
  std::set<Subject> in_step_;
  std::set<Subject> unsure_;  // a change was sent and never answered
};

// Throws Refused for a reason that is not `done`, and Error(io) for an answer that is neither a
// success nor a reason.
HttpReply RemoteEvaluator::accepted(HttpReply reply, bool may_repeat, Reasons done) {
  if (reply.answer.status == 200) {
    return reply;
  }
  const std::optional<Refused> no = refusal(reply);
  if (!no) {
    throw unexpected(reply, "200 or a reason in JSON");
  }
  if ((may_repeat || reply.repeated) &&
      std::find(done.begin(), done.end(), no->reason()) != done.end()) {
    return reply;
  }
  throw Refused(*no);
}

HttpReply RemoteEvaluator::change(const Subject& subject, const HttpCall& call, Reasons done) {
  const bool repeat = may_repeat(subject);
  unsure_.insert(subject);
  try {
    HttpReply reply = accepted(http_.send(call), repeat, done);
    unsure_.erase(subject);
    return reply;
  } catch (const Refused&) {
    unsure_.erase(subject);
    throw;
  }
}

std::vector<std::string> RemoteEvaluator::test_ids(std::string_view protocol,
                                                   std::string_view domain) {
  Json wanted;
  wanted["protocol"] = protocol;
  wanted["domain"] = domain;
  wanted["detector_seed"] = "0";  // without influence, but demanded
  const HttpCall call{"GET",
                      "/test/ids",
                      {},
                      {{"test_requirements", json_text(wanted)}, {"test_assumptions", "{}"}}};
  return listed_ids(ask(call).answer.body);
}

std::string RemoteEvaluator::begin_session(const sail_on::SessionRequest& request) {
  std::string ids;
  for (const std::string& id : request.test_ids) {
    if (id.find_first_of("\r\n") != id.npos) {
      throw Error(ErrorKind::data, fmt::format("a test cannot be called {}: ids are lines", id));
    }
    ids += id + "\n";
  }
  Json configuration;
  configuration["protocol"] = request.protocol;
  configuration["novelty_detector_version"] = request.detector;
  configuration["domain"] = request.domain;
  configuration["hints"] = request.hints;
  configuration["detection_threshold"] = request.detection_threshold;
  const HttpReply reply =
      ask({"POST",
           "/session",
           {},
           {{"test_ids", std::move(ids)}, {"configuration", json_text(configuration)}}});
  const Json json = json_of(reply);
  if (!json.contains("session_id") || !json["session_id"].is_string()) {
    throw unexpected(reply, "a session_id");
  }
  const auto session = json["session_id"].get<std::string>();
  begun_.insert(session);
  return session;
}

sail_on::TestBrief RemoteEvaluator::brief(const std::string& session, const std::string& test) {
  const HttpReply reply =
      ask({"GET", "/test/metadata", {{"test_id", test}, {"session_id", session}}, {}});
  const Json json = json_of(reply);
  const auto count = [&](const char* key) { return told_count(reply, json, key); };
  sail_on::TestBrief brief;
  brief.round_size = count("round_size").value_or(0);
  brief.known_classes = count("known_classes");
  brief.max_novel_classes = count("max_novel_classes");
  brief.pre_novelty_batches = count("pre_novelty_batches");
  brief.feedback_max_ids = count("feedback_max_ids");
  brief.max_detection_feedback_ids = count("max_detection_feedback_ids");
  if (json.contains("red_light") && !json["red_light"].is_null()) {
    const Json& id = json["red_light"];
    brief.red_light = id.is_string() ? id.get<std::string>() : id.dump();
  }
  return brief;
}

std::optional<std::vector<std::string>> RemoteEvaluator::round(const std::string& session,
                                                               const std::string& test,
                                                               Index number) {
  HttpReply reply = http_.send(
      {"GET",
       "/session/dataset",
       {{"session_id", session}, {"test_id", test}, {"round_id", std::to_string(number)}},
       {}});
  if (reply.answer.status == 204) {
    return {};
  }
  reply = accepted(std::move(reply), false, {});
  if (number == 0) {
    in_step_.insert({session, test});  // whatever was posted before is gone
    unsure_.erase({session, test});
  }
  return round_ids(reply.answer.body);
}

void RemoteEvaluator::post(const std::string& session, const std::string& test, Index round,
                           std::span<const sail_on::ResultFile> files) {
  std::string types;
  for (const sail_on::ResultFile& file : files) {
    types += (types.empty() ? "" : "|") + file.type;
  }
  Json about;
  about["session_id"] = session;
  about["test_id"] = test;
  about["round_id"] = round;
  about["result_types"] = types;
  HttpCall call{"POST", "/session/results", {}, {{"test_identification", json_text(about)}}};
  for (const sail_on::ResultFile& file : files) {
    call.parts.push_back({file.type + "_file", file.rows});
  }
  const HttpReply reply = change({session, test}, call, {"DetectionRepost", "TestCompleted"});
  if (reply.answer.status == 200) {
    in_step_.insert({session, test});
  }
}

std::string RemoteEvaluator::feedback(const std::string& session, const std::string& test,
                                      Index round, std::string_view type,
                                      std::span<const std::string> ids) {
  HttpCall call{"GET", "/session/feedback", {}, {}};
  if (!ids.empty()) {
    for (const std::string& id : ids) {
      if (id.find('|') != id.npos) {
        throw Error(ErrorKind::data,
                    fmt::format("no feedback about \"{}\": | stands between ids", id));
      }
    }
    call.query.emplace_back("feedback_ids", fmt::format("{}", fmt::join(ids, "|")));
  }
  call.query.insert(call.query.end(), {{"session_id", session},
                                       {"test_id", test},
                                       {"round_id", std::to_string(round)},
                                       {"feedback_type", std::string(type)}});
  return std::move(ask(call).answer.body);
}

void RemoteEvaluator::complete(const std::string& session, const std::string& test) {
  change({session, test}, {"DELETE", "/test", {{"test_id", test}, {"session_id", session}}, {}},
         {"TestCompleted", "SessionEnded"});
}

std::vector<std::string> RemoteEvaluator::completed(const std::string& session) {
  const auto latest = [&]() -> std::optional<HttpReply> {
    try {
      return ask({"GET", "/session/latest", {{"session_id", session}}, {}});
    } catch (const Refused& no) {  // the public server has no list before the first
      if (no.reason() == "<class 'KeyError'>" && std::string_view(no.what()).ends_with("'tests'")) {
        return {};
      }
      throw;
    }
  }();
  if (!latest) {
    return {};
  }
  const Json json = json_of(*latest);
  const auto tests = json.find("finished_tests");
  const auto is_text = [](const Json& test) { return test.is_string(); };
  if (tests == json.end() || !tests->is_array() ||
      !std::all_of(tests->begin(), tests->end(), is_text)) {
    throw unexpected(*latest, "a list of finished_tests");
  }
  return tests->get<std::vector<std::string>>();
}

void RemoteEvaluator::end_session(const std::string& session) {
  change({session, ""}, {"DELETE", "/session", {{"session_id", session}}, {}}, {"SessionEnded"});
}

}  // namespace

std::unique_ptr<sail_on::Evaluator> connect(const ServerAddress& address, Progress& progress) {
  return std::make_unique<RemoteEvaluator>(address, progress);
}

}  // namespace tyto::client
