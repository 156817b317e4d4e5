// SPDX-License-Identifier: Apache-2.0
// The state files of sessions and tests in the public layout: what they say, and how a request
// changes them. Keys that nobody here knows stay as they are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tyto/sail_on/posted_results.hpp"

namespace tyto {

struct SessionState {
  bool created = false, ended = false;
  std::string protocol, domain, detector;
  std::string created_at, ended_at;  // as written; "": not there
  std::optional<double> threshold;   // none: it is no number
  std::vector<std::string> hints, completed;
};

struct TestState {
  bool completed = false;
  sail_on::PostedResults posted;   // rounds alone
  std::vector<std::string> types;  // that were ever posted
  std::string first_post;          // of round 0; "": none
  bool any_feedback = false;
  std::map<std::int64_t, std::map<std::string, std::int64_t>> told;  // lines by round and type
  std::int64_t points = 0;
};

SessionState read_session(const nlohmann::ordered_json& file);
TestState read_test_state(const nlohmann::ordered_json& file);

struct SessionConfiguration {
  std::string protocol, domain, detector;
  std::string threshold;  // any JSON value
  std::vector<std::string> hints;
};

nlohmann::ordered_json new_session_state(const SessionConfiguration& configuration);

void note_data_request(nlohmann::ordered_json& test, std::int64_t round);

// `path` is what is told about where the rows of a type are.
struct PostedType {
  std::string type, path;
};

void note_post(nlohmann::ordered_json& test, std::int64_t round,
               const std::vector<PostedType>& types);
void note_feedback(nlohmann::ordered_json& test, std::int64_t round, std::string_view type,
                   std::int64_t lines, std::int64_t budget, std::optional<std::int64_t> points);
void note_completion(nlohmann::ordered_json& test);
void note_completed_test(nlohmann::ordered_json& session, const std::string& test);
void note_termination(nlohmann::ordered_json& session);
void note_devmode(nlohmann::ordered_json& session);

std::string time_now();  // "2026-11-16 20:27:44.278764", local

}  // namespace tyto
