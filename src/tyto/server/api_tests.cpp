// SPDX-License-Identifier: Apache-2.0
// What there is to be tested on: ids of tests, their metadata, their rounds.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/sail_on/domains.hpp"
#include "tyto/sail_on/names.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/sail_on/test_metadata.hpp"
#include "tyto/sail_on/unicode.hpp"
#include "tyto/server/evaluation_api.hpp"

namespace tyto {

namespace {

using sail_on::Refused;

constexpr const char* kDefaultDomain = "image_classification";

struct TestsWanted {
  std::string protocol, domain;
};

TestsWanted tests_wanted(const RequestValues& values) {
  const auto requirements = values.find("test_requirements");
  if (!requirements) {
    const auto protocol = values.find("protocol");
    if (!protocol) {
      throw Refused(400, "MissingRequestValue",
                    "test_requirements or protocol missing from request object");
    }
    return {*protocol, values.find("domain").value_or(kDefaultDomain)};
  }
  const auto json = nlohmann::json::parse(*requirements, nullptr, false);
  if (!json.is_object()) {
    throw Refused(400, "MalformedRequest", "test_requirements must be a JSON object");
  }
  const auto text = [&](const char* key) {
    if (!json.contains(key)) {
      missing_values(values,
                     "TestIdsRequest requires protocol, domain, detector_seed, and "
                     "test_assumptions");
    }
    return json[key].is_string() ? json[key].get<std::string>() : json[key].dump();
  };
  static_cast<void>(text("detector_seed"));
  return {text("protocol"), text("domain")};
}

}  // namespace

WireAnswer EvaluationApi::get_test_ids(const RequestValues& values) {
  const auto [protocol, domain] = tests_wanted(values);
  if (!data_.has_domain(protocol, domain)) {
    throw Refused(400, "BadDomain",
                  fmt::format("domain {:.80} for {:.80} not configured", domain, protocol));
  }
  if (auto list = data_.id_list(protocol, domain)) {
    return csv_answer(
        std::move(*list), "text/csv; charset=utf-8",
        "attachment; filename=" + header_filename(fmt::format("{}_{}_1234.csv", protocol, domain)));
  }
  const auto ids = data_.test_ids(protocol, domain);
  return {200, "text/csv", {}, fmt::format("{}", fmt::join(ids, "\n"))};
}

WireAnswer EvaluationApi::get_metadata(const RequestValues& values) {
  const auto session = values.query("session_id");
  const auto test = values.query("test_id");
  if (!session || !test) {
    missing_values(values, "test/metadata requires session_id and test_id");
  }
  const SessionState state = open_session(*session);
  const auto found = data_.find(state.protocol, state.domain, *test);
  return json_answer(sail_on::approved_metadata(metadata_of(found.get(), *test), state.hints));
}

WireAnswer EvaluationApi::get_dataset(const RequestValues& values) {
  const auto session = values.query("session_id");
  const auto test = values.query("test_id");
  const auto round = values.query("round_id");
  if (!session || !test || !round) {
    missing_values(values, "DatasetRequest requires session_id, test_id, and round_id");
  }
  // Before the session: the client's suite asks for a round that is no number with a wrong session.
  const auto number = python_whole_number(*round);
  if (!number) {
    throw Refused(500, "<class 'ValueError'>",
                  fmt::format("round_id must be a whole number, not \"{:.80}\"", *round));
  }
  const SessionState state = open_session(*session);
  if (!sail_on::is_plain_name(*test)) {
    static_cast<void>(find_test(state, *test));  // refuses
  }
  auto held = store_.hold(*session, state, *test);
  expect_open(held.state());
  const auto stored = find_test(state, *test);
  const auto metadata = sail_on::read_metadata(metadata_of(stored.get(), *test), state.hints);
  if (!metadata.round_size) {
    throw Refused(400, "no_defined_rounds",
                  fmt::format("round_size not defined in metadata for test id {}", *test));
  }
  if (*number < 0) {
    throw Refused(400, "InvalidRound",
                  fmt::format("rounds count from 0, there is none {}", *number));
  }
  const auto size = static_cast<std::size_t>(*metadata.round_size);
  const auto& lines = stored->dealt;
  const auto wanted = static_cast<std::uint64_t>(*number);
  if (wanted > lines.size() / size || wanted * size >= lines.size()) {
    return {204, "application/json", {}, ""};
  }
  held.request_round(*number);
  const std::size_t first = wanted * size;
  std::string body;
  for (std::size_t i = first; i < std::min(lines.size(), first + size); ++i) {
    body += lines[i];
    body += '\n';
  }
  const sail_on::Domain* domain = sail_on::find_domain(state.domain);
  if (domain != nullptr && domain->utf16) {
    body = sail_on::utf16_of_utf8(body);
  }
  return csv_answer(
      std::move(body), "Content-Type: text/csv; charset=utf-16",
      "inline; filename=" + header_filename(fmt::format("{}.{}.{}.csv", *session, *test, *number)));
}

}  // namespace tyto
