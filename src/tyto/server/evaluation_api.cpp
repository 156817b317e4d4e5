// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/evaluation_api.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <new>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/sail_on/names.hpp"
#include "tyto/sail_on/refused.hpp"

namespace tyto {

using sail_on::Refused;

EvaluationApi::EvaluationApi(const EvaluationOptions& options)
    : data_(options.data),
      store_(options.results),
      form_(options.compat ? sail_on::Form::released : sail_on::Form::sound) {}

const std::vector<EvaluationApi::Route>& EvaluationApi::routes() {
  static const std::vector<Route> routes{
      {"GET", "/test/ids", &EvaluationApi::get_test_ids},
      {"GET", "/test/metadata", &EvaluationApi::get_metadata, true},
      {"DELETE", "/test", &EvaluationApi::delete_test},
      {"POST", "/session", &EvaluationApi::post_session},
      {"DELETE", "/session", &EvaluationApi::delete_session},
      {"GET", "/session/latest", &EvaluationApi::get_latest},
      {"GET", "/session/status", &EvaluationApi::get_status},
      {"GET", "/session/zip", &EvaluationApi::get_zip},
      {"GET", "/session/dataset", &EvaluationApi::get_dataset},
      {"POST", "/session/results", &EvaluationApi::post_results},
      {"POST", "/session/resultsfeedback", &EvaluationApi::post_results_and_feedback},
      {"GET", "/session/feedback", &EvaluationApi::get_feedback},
      {"GET", "/session/evaluations", &EvaluationApi::get_evaluations}};
  return routes;
}

bool EvaluationApi::is_quick(const WireRequest& request) {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  return std::any_of(routes().begin(), routes().end(), [&](const Route& route) {
    return route.quick && route.method == request.method && route.path == path;
  });
}

WireAnswer EvaluationApi::answer(const WireRequest& request) {
  WireAnswer out;
  try {
    out = dispatch(request);
  } catch (const Refused& refused) {
    out = refusal(refused.status(), refused.reason(), refused.what());
  } catch (const Error& error) {
    out = refusal(500, "<class 'Exception'>", error.what());
  } catch (const std::bad_alloc&) {
    out = refusal(500, "<class 'MemoryError'>", "the server is out of memory");
  } catch (const std::exception& error) {
    out = refusal(500, "<class 'Exception'>", error.what());
  }
  if (request.method == "HEAD") {
    out.body.clear();
  }
  return out;
}

WireAnswer EvaluationApi::dispatch(const WireRequest& request) {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  const std::string_view method =
      request.method == "HEAD" ? "GET" : std::string_view(request.method);
  std::vector<std::string> allowed;
  for (const auto& route : routes()) {
    if (route.path != path) {
      continue;
    }
    if (route.method == method) {
      return (this->*route.handler)(RequestValues(request));
    }
    allowed.emplace_back(route.method);
    if (route.method == "GET") {
      allowed.emplace_back("HEAD");
    }
  }
  if (allowed.empty()) {
    return refusal(404, "NotFound", fmt::format("there is nothing at {:.100}", path));
  }
  allowed.emplace_back("OPTIONS");
  std::sort(allowed.begin(), allowed.end());
  const std::string list = fmt::format("{}", fmt::join(allowed, ", "));
  WireAnswer out = method == "OPTIONS" ? text_answer("")
                                       : refusal(405, "MethodNotAllowed",
                                                 fmt::format("{:.100} takes {}", path, list));
  out.headers.emplace_back("Allow", list);
  return out;
}

SessionState EvaluationApi::open_session(const std::string& id) const {
  auto found = sail_on::is_plain_name(id) ? store_.session(id) : std::nullopt;
  if (found && found->ended) {
    throw Refused(400, "SessionEnded",
                  "The session being requested has already been terminated. Please either create a "
                  "new session or request a different ID");
  }
  if (!found) {
    throw Refused(
        400, "session_id_invalid",
        fmt::format("Provided session id {:.100} could not be found or was improperly set up", id));
  }
  return std::move(*found);
}

std::shared_ptr<const sail_on::StoredTest> EvaluationApi::find_test(const SessionState& session,
                                                                    const std::string& id) const {
  auto found = data_.find(session.protocol, session.domain, id);
  if (!found) {
    throw Refused(500, "test_id_invalid",
                  fmt::format("Test Id {:.100} could not be matched to a specific file", id));
  }
  return found;
}

const std::string& EvaluationApi::metadata_of(const sail_on::StoredTest* test,
                                              const std::string& id) const {
  if (test == nullptr || test->test.metadata.empty()) {
    throw Refused(500, "metadata_not_found",
                  fmt::format("Metadata file for Test Id {:.100} could not be found", id));
  }
  return test->test.metadata;
}

void expect_open(const TestState& test) {
  if (test.completed) {
    throw Refused(400, "TestCompleted",
                  "The test being requested has already been completed for this session");
  }
}

void missing_values(const RequestValues& values, std::string_view needed) {
  throw Refused(400, "MissingParamsError",
                values.problem().empty() ? std::string(needed)
                                         : fmt::format("{}; {}", needed, values.problem()));
}

std::optional<std::int64_t> python_whole_number(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) {
    return {};
  }
  text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') {
    text.remove_prefix(1);
  }
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = i > 0 && i + 1 < text.size() && text[i - 1] != '_';
    if (text[i] == '_' && between) {
      continue;
    }
    if (text[i] < '0' || text[i] > '9') {
      return {};
    }
    digits += text[i];
  }
  if (digits.empty()) {
    return {};
  }
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem == std::errc::result_out_of_range) {
    value = std::numeric_limits<std::int64_t>::max();
  }
  return negative ? -value : value;
}

}  // namespace tyto
