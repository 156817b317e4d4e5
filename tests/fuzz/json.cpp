// SPDX-License-Identifier: Apache-2.0
// JSON from outside: bodies of requests, metadata of tests, state files of other servers.
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/entry_points.hpp"
#include <nlohmann/json.hpp>

#include "tyto/sail_on/refused.hpp"
#include "tyto/sail_on/test_metadata.hpp"
#include "tyto/server/session_state.hpp"
#include "tyto/server/wire_request.hpp"

namespace tyto {

int fuzz_json(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const std::vector<std::string> hints{"red_light", "round_size=2"};
  const auto tried = [](const auto& act) {
    try {
      act();
    } catch (const sail_on::Refused&) {
      return;
    }
  };
  tried([&] { static_cast<void>(sail_on::read_metadata(text, hints)); });
  tried([&] { static_cast<void>(sail_on::approved_metadata(text, hints)); });
  tried([&] {
    const WireRequest request{"POST", "/session", "application/json", text};
    static_cast<void>(RequestValues(request).find("configuration"));
  });
  auto file = nlohmann::ordered_json::parse(text, nullptr, false);
  if (file.is_object()) {
    static_cast<void>(read_session(file));
    static_cast<void>(read_test_state(file));
    note_data_request(file, 1);
    note_post(file, 1, {{"detection", "x"}});
    note_feedback(file, 1, "score", 1, 3, 5);
    note_completed_test(file, "t");
    note_completion(file);
    note_termination(file);
    note_devmode(file);
    const auto state = read_test_state(file);
    if (!state.completed || state.posted.rounds.at(1).empty() || state.points != 5) {
      std::abort();  // what was noted is there whatever was there before
    }
  }
  return 0;
}

}  // namespace tyto
