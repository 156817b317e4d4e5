// SPDX-License-Identifier: Apache-2.0
// How well an agent did in a test: OND in the numbers of the public server, CONDDA in ours.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/measure/condda_evaluation.hpp"
#include "tyto/sail_on/names.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/sail_on/released_input.hpp"
#include "tyto/sail_on/test_metadata.hpp"
#include "tyto/server/evaluation_api.hpp"

namespace tyto {

namespace {

using sail_on::Refused;

const std::string& needed_rows(const std::optional<std::string>& rows, std::string_view type,
                               const std::string& test) {
  if (!rows) {
    throw Refused(500, "<class 'FileNotFoundError'>",
                  fmt::format("no {} was posted in test {:.100}", type, test));
  }
  return *rows;
}

}  // namespace

WireAnswer EvaluationApi::get_evaluations(const RequestValues& values) {
  const auto session = values.query("session_id");
  const auto test = values.query("test_id");
  if (!session || !test) {
    missing_values(values, "Evaluate requires session_id and test_id");
  }
  const bool devmode = !values.query("devmode").value_or("").empty();
  const auto state = sail_on::is_plain_name(*session) ? store_.session(*session) : std::nullopt;
  const auto completed = [&] {
    return state && std::find(state->completed.begin(), state->completed.end(), *test) !=
                        state->completed.end();
  };
  if (!devmode && !completed()) {
    throw Refused(400, "TestInProcess", "The test being evaluated is still in process");
  }
  if (!state) {
    static_cast<void>(open_session(*session));  // refuses
  }
  const auto stored = find_test(*state, *test);
  if (devmode) {
    store_.change_session(*session, [](const SessionState&, nlohmann::ordered_json& file) {
      note_devmode(file);
      return true;
    });
  }
  std::optional<std::string> detection, classification, characterization;
  {
    const auto held = store_.hold(*session, *state, *test);
    detection = held.rows("detection");
    classification = held.rows("classification");
    characterization = held.rows("characterization");
  }
  if (state->domain == "nlt") {
    throw Refused(400, "BadDomain", "there is no evaluation of domain nlt");
  }
  const std::string& changed = needed_rows(detection, "detection", *test);
  if (state->protocol == "CONDDA" && (characterization || !classification)) {
    const auto metadata = sail_on::read_metadata(metadata_of(stored.get(), *test), state->hints);
    return json_answer(evaluate_condda(stored->test, changed,
                                       needed_rows(characterization, "characterization", *test),
                                       static_cast<Index>(metadata.round_size.value_or(0))));
  }
  const std::string& classes = needed_rows(classification, "classification", *test);
  return json_answer(
      sail_on::evaluate_released(sail_on::released_input(stored->test, changed, classes)));
}

}  // namespace tyto
