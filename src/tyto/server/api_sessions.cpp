// SPDX-License-Identifier: Apache-2.0
// Sessions: begun, looked at, completed test by test, ended.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/sail_on/names.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/server/evaluation_api.hpp"
#include "tyto/server/wire_text.hpp"
#include "tyto/server/zip_file.hpp"

namespace tyto {

namespace {

using sail_on::Refused;

constexpr const char* kSessionNeeds =
    "NewSession requires test_ids, protocol, domain, and novelty_detector_version, and "
    "detection_threshold";

std::vector<std::string> text_list(const nlohmann::json& list, const char* key) {
  std::vector<std::string> out;
  if (!list.is_array()) {
    throw Refused(400, "MalformedRequest", fmt::format("{} must be a list", key));
  }
  for (const auto& entry : list) {
    out.push_back(entry.is_string() ? entry.get<std::string>() : entry.dump());
  }
  return out;
}

bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd dd:dd:dd.dddddd";
  if (text.size() < 10 || text.size() > kForm.size()) {
    return false;
  }
  return std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
    return form == 'd' ? c >= '0' && c <= '9' : c == form;
  });
}

}  // namespace

WireAnswer EvaluationApi::post_session(const RequestValues& values) {
  const auto text = values.find("configuration");
  if (!text) {
    missing_values(values, kSessionNeeds);
  }
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) {
    throw Refused(400, "MalformedRequest", "configuration must be a JSON object");
  }
  std::vector<std::string> tests;
  if (json.contains("test_ids")) {
    tests = text_list(json["test_ids"], "test_ids");
  } else if (const auto list = values.find("test_ids")) {
    tests = sail_on::ids_of_list(*list);
  } else {
    missing_values(values, kSessionNeeds);
  }
  const auto needed = [&](const char* key) {
    if (!json.contains(key)) {
      missing_values(values, kSessionNeeds);
    }
    return json[key].is_string() ? json[key].get<std::string>() : json[key].dump();
  };
  SessionConfiguration configuration;
  configuration.protocol = needed("protocol");
  configuration.detector = needed("novelty_detector_version");
  static_cast<void>(needed("detection_threshold"));
  configuration.threshold = json["detection_threshold"].dump();
  configuration.domain = json.contains("domain") ? needed("domain") : "image_classification";
  if (json.contains("hints") && !json["hints"].is_null()) {
    configuration.hints = text_list(json["hints"], "hints");
  }
  if (tests.empty()) {
    throw Refused(400, "EmptyFile", "Select Test Ids is missing");
  }
  SessionState wanted;
  wanted.protocol = configuration.protocol;
  wanted.domain = configuration.domain;
  for (const auto& test : tests) {
    static_cast<void>(find_test(wanted, test));
  }
  return json_answer(fmt::format("{{\"session_id\":\"{}\"}}", store_.create(configuration)));
}

WireAnswer EvaluationApi::delete_session(const RequestValues& values) {
  const auto session = values.query("session_id");
  if (!session) {
    missing_values(values, "TerminateSession requires session_id");
  }
  static_cast<void>(open_session(*session));
  store_.change_session(*session, [&](const SessionState& state, nlohmann::ordered_json& file) {
    if (state.ended) {
      static_cast<void>(open_session(*session));  // somebody was faster: refuses
    }
    note_termination(file);
    return true;
  });
  return ok_answer();
}

WireAnswer EvaluationApi::delete_test(const RequestValues& values) {
  const auto session = values.query("session_id");
  const auto test = values.query("test_id");
  if (!session || !test) {
    missing_values(values, "Complete test requires session_id and test_id");
  }
  const SessionState state = open_session(*session);
  static_cast<void>(find_test(state, *test));
  auto held = store_.hold(*session, state, *test);
  expect_open(held.state());
  held.complete();
  return ok_answer();
}

WireAnswer EvaluationApi::get_latest(const RequestValues& values) {
  const auto session = values.query("session_id");
  if (!session) {
    missing_values(values, "get latest session info requires session_id");
  }
  std::vector<std::string> ids = open_session(*session).completed;
  std::transform(ids.begin(), ids.end(), ids.begin(),
                 [](const std::string& id) { return json_string(id); });
  return json_answer(fmt::format("{{\"finished_tests\":[{}]}}", fmt::join(ids, ",")));
}

WireAnswer EvaluationApi::get_status(const RequestValues& values) {
  const auto only = values.query("session_id");
  const auto detector = values.query("detector");
  const auto tests = values.query("test_ids");
  const bool with_tests = equal_letters(values.query("include_tests").value_or(""), "true");
  std::string after = values.query("after").value_or("");
  std::replace(after.begin(), after.end(), 'T', ' ');
  if (!after.empty() && !is_date(after)) {
    throw Refused(500, "<class 'ValueError'>",
                  fmt::format("after must be a date like 2026-11-16, not \"{:.80}\"", after));
  }
  std::vector<std::vector<std::string>> lines;
  for (const auto& id : store_.sessions()) {
    const auto state = only && id != *only ? std::nullopt : store_.session(id);
    if (!state || (detector && state->detector != *detector) ||
        (!after.empty() && state->ended_at <= after)) {  // an open session has not ended after
      continue;
    }
    const std::string end = state->ended ? state->ended_at : "Incomplete";
    const std::string begin = state->created_at.empty() ? "N/A" : state->created_at;
    if (!with_tests) {
      lines.push_back({id, state->detector, begin, end});
      continue;
    }
    const auto named = tests ? split_at_bars(*tests) : state->completed;
    if (named.empty()) {
      lines.push_back({id, state->detector, " NA", begin, end});
    }
    for (const auto& test : named) {
      const auto found = sail_on::is_plain_name(test) ? store_.test(id, test) : std::nullopt;
      const bool posted = found && !found->first_post.empty();
      lines.push_back({id, state->detector, test, posted ? found->first_post : "N/A", end});
    }
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return std::tie(a[1], a[0]) < std::tie(b[1], b[0]);
  });
  std::string out;
  for (const auto& line : lines) {
    out += fmt::format("{}{}", out.empty() ? "" : "\n", fmt::join(line, ","));
  }
  return text_answer(std::move(out));
}

WireAnswer EvaluationApi::get_zip(const RequestValues& values) {
  const auto session = values.query("session_id");
  if (!session) {
    missing_values(values, "a zip requires session_id");
  }
  const auto state = sail_on::is_plain_name(*session) ? store_.session(*session) : std::nullopt;
  if (!state) {
    static_cast<void>(open_session(*session));  // refuses
  }
  const auto tests = values.query("test_id");
  const auto named = tests && !tests->empty() ? split_at_bars(*tests) : std::vector<std::string>();
  return {200,
          "application/zip",
          {{"Content-Disposition", "attachment; filename=" + header_filename(*session + ".zip")},
           {"Cache-Control", "no-cache"}},
          zip_file(store_.files(*session, named))};
}

}  // namespace tyto
