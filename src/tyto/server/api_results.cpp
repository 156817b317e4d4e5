// SPDX-License-Identifier: Apache-2.0
// What agents say, and what they are told.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/sail_on/dealt.hpp"
#include "tyto/sail_on/domains.hpp"
#include "tyto/sail_on/feedback.hpp"
#include "tyto/sail_on/names.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/sail_on/result_rules.hpp"
#include "tyto/server/evaluation_api.hpp"
#include "tyto/server/wire_text.hpp"

namespace tyto {

namespace {

using sail_on::Refused;

constexpr const char* kResultsNeed =
    "PostResults requires session_id, test_id, round_id, and at least one result file with a "
    "matching result_type";
constexpr std::int64_t kLastRound = 1'000'000'000;

std::string plain_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<std::string> optional_list(const nlohmann::json& json, const char* key) {
  std::vector<std::string> out;
  if (json.contains(key) && json[key].is_array()) {
    std::transform(json[key].begin(), json[key].end(), std::back_inserter(out), plain_text);
  }
  return out;
}

}  // namespace

struct EvaluationApi::Identification {
  std::string session, test;
  std::int64_t round = 0;
  std::vector<std::string> types, feedback_types, feedback_ids;
};

EvaluationApi::Identification EvaluationApi::identify(const RequestValues& values,
                                                      bool lists) const {
  const auto text = values.find("test_identification");
  if (!text) {
    missing_values(values, kResultsNeed);
  }
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) {
    throw Refused(400, "MalformedRequest", "test_identification must be a JSON object");
  }
  for (const auto* key : {"session_id", "test_id", "round_id", "result_types"}) {
    if (!json.contains(key)) {
      missing_values(values, kResultsNeed);
    }
  }
  if (lists ? !json["result_types"].is_array() : !json["result_types"].is_string()) {
    missing_values(values, fmt::format("{}; result_types must be {}", kResultsNeed,
                                       lists ? "a list" : "text, types joined by |"));
  }
  Identification out;
  out.session = plain_text(json["session_id"]);
  out.test = plain_text(json["test_id"]);
  out.types = lists ? optional_list(json, "result_types")
                    : split_at_bars(json["result_types"].get<std::string>());
  out.feedback_types = optional_list(json, "feedback_types");
  out.feedback_ids = optional_list(json, "feedback_ids");
  if (lists && out.feedback_types.empty()) {
    missing_values(values, fmt::format("{}, and a list of feedback_types", kResultsNeed));
  }
  const auto round = python_whole_number(plain_text(json["round_id"]));
  if (!round || *round < 0 || *round > kLastRound) {
    throw Refused(
        400, "InvalidRound",
        fmt::format("round_id must be a whole number from 0, not {:.80}", json["round_id"].dump()));
  }
  out.round = *round;
  return out;
}

void EvaluationApi::store_results(const Identification& post, const RequestValues& values) {
  std::vector<sail_on::ResultFile> files;
  for (const auto& type : post.types) {
    auto rows = values.find(type + "_file");
    if (type.empty() || !rows) {
      missing_values(values, kResultsNeed);
    }
    if (!sail_on::is_plain_name(type)) {
      throw Refused(400, "InvalidResults", fmt::format("\"{:.80}\" is no type of results", type));
    }
    files.push_back({type, std::move(*rows)});
  }
  if (files.empty()) {
    missing_values(values, kResultsNeed);
  }
  const SessionState state = open_session(post.session);
  const auto stored = find_test(state, post.test);
  if (form_ == sail_on::Form::sound) {
    for (const auto& file : files) {
      sail_on::check_results(file.type, file.rows,
                             [&](std::string_view id) { return stored->ids.contains(id); });
    }
  }
  auto held = store_.hold(post.session, state, post.test);
  expect_open(held.state());
  held.post(post.round, files, form_);
}

WireAnswer EvaluationApi::post_results(const RequestValues& values) {
  store_results(identify(values, false), values);
  return ok_answer();
}

WireAnswer EvaluationApi::post_results_and_feedback(const RequestValues& values) {
  const Identification post = identify(values, true);
  store_results(post, values);
  return tell(post.session, post.test, post.feedback_types, post.feedback_ids,
              std::to_string(post.round));
}

WireAnswer EvaluationApi::get_feedback(const RequestValues& values) {
  const auto session = values.query("session_id");
  const auto test = values.query("test_id");
  const auto types = values.query("feedback_type");
  if (!session || !test || !types) {
    missing_values(values, "GetFeedback requires feedback type(s), session_id, and test_id");
  }
  const std::string ids = values.query("feedback_ids").value_or("");
  return tell(*session, *test, split_at_bars(*types),
              ids.empty() ? std::vector<std::string>() : split_at_bars(ids),
              values.query("round_id").value_or("last"));
}

WireAnswer EvaluationApi::tell(const std::string& session, const std::string& test,
                               const std::vector<std::string>& types,
                               const std::vector<std::string>& ids, const std::string& round) {
  const SessionState state = open_session(session);
  const auto stored = data_.find(state.protocol, state.domain, test);
  static_cast<void>(metadata_of(stored.get(), test));
  auto held = store_.hold(session, state, test);
  expect_open(held.state());
  if (form_ == sail_on::Form::sound) {
    const sail_on::Domain* domain = sail_on::find_domain(state.domain);
    for (const auto& type : types) {
      if (domain != nullptr && sail_on::find_feedback(*domain, type) == nullptr) {
        static_cast<void>(tell_one(held, state, stored->test, type, ids));  // refuses before any
      }
    }
  }
  std::vector<CsvPart> parts;
  for (const auto& type : types) {
    parts.push_back({type, fmt::format("{}.{}.{}_{}.csv", session, test, round, type),
                     tell_one(held, state, stored->test, type, ids)});
  }
  if (parts.size() > 1) {
    return multipart_answer(parts);
  }
  return csv_answer(std::move(parts[0].rows), "text/csv; charset=utf-8",
                    "inline; filename=" + header_filename(parts[0].filename));
}

std::string EvaluationApi::tell_one(SessionStore::HeldTest& held, const SessionState& state,
                                    const sail_on::TestData& data, const std::string& type,
                                    const std::vector<std::string>& ids) {
  const TestState& so_far_state = held.state();
  sail_on::PostedResults posted = so_far_state.posted;
  const sail_on::Domain* domain = sail_on::find_domain(data.domain);
  const auto* offered = domain == nullptr ? nullptr : sail_on::find_feedback(*domain, type);
  for (const std::string& needed : {std::string("detection"), std::string("classification"),
                                    std::string(offered == nullptr ? "" : offered->results)}) {
    if (auto rows = held.rows(needed)) {
      posted.files[needed] = std::move(*rows);
    }
  }
  const std::int64_t round = posted.rounds.empty() ? 0 : posted.rounds.rbegin()->first;
  std::string question;
  if (form_ == sail_on::Form::sound && !ids.empty()) {
    question = fmt::format("{}\n{}\n{}", round, type, fmt::join(ids, "\n"));
    if (auto again = held.told_before(question)) {
      return std::move(*again);
    }
  }
  sail_on::FeedbackSoFar so_far;
  so_far.any = so_far_state.any_feedback;
  so_far.points = so_far_state.points;
  if (const auto told = so_far_state.told.find(round); told != so_far_state.told.end()) {
    const auto lines = told->second.find(type);
    so_far.lines = lines == told->second.end() ? 0 : lines->second;
  }
  const auto metadata = sail_on::read_metadata(data.metadata, state.hints);
  const sail_on::SessionFacts facts{state.threshold, sail_on::has_hint(state.hints, "red_light")};
  const auto answer =
      sail_on::give_feedback(data, metadata, facts, posted, so_far, type, ids, form_);
  if (answer.declared) {
    held.tell(type, answer, question);
  }
  return answer.lines;
}

}  // namespace tyto
