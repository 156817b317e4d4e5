// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/round_options.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/world/rounds/round_world.hpp"

namespace tyto {

void RoundOptions::describe(OptionVisitor& visitor) {
  static constexpr std::array<std::string_view, 2> kProtocols{"OND", "CONDDA"};
  static constexpr std::array<std::string_view, 4> kDomains{
      "activity_recognition", "image_classification", "transcripts", "nlt"};
  static constexpr std::array<std::string_view, 3> kSettings{kSystemDetection, kGivenDetection,
                                                             kIgnoredDetection};
  static constexpr std::array<std::string_view, 2> kLabels{"classification", "labels"};
  static constexpr std::array<std::string_view, 2> kForms{"sound", "released"};
  visitor.field("protocol", protocol, kProtocols, "of which the tests are");
  visitor.field("domain", domain, kDomains, "of which the tests are");
  visitor.field("tests", tests, {},
                "folder of tests in the public layout, with train.csv and, where samples have "
                "other names there, samples.csv; empty: made from the data, as `make` says");
  visitor.field("server", server, {},
                "address of an evaluation server that has the tests, such as "
                "http://127.0.0.1:12345; the truth stays there");
  visitor.field("sessions", sessions, {},
                "sessions at the server that someone else begins and ends, one for each setting; "
                "none: they are begun here");
  visitor.field("test_ids", test_ids, {}, "tests to take, in this order; none: all there are");
  visitor.field("settings", settings, kSettings,
                "each test is taken under each of them. system: when the world changes is to be "
                "found out; given: the first sample after the change is told; ignored: that opens "
                "feedback, but the predictor is not told");
  visitor.field("threshold", threshold, {0.0, 1.0},
                "p(the world has changed) above which novelty counts as declared");
  visitor.field("label_feedback", label_feedback, kLabels,
                "which feedback names classes: classification or labels, as the domain has them");
  visitor.field("classes", classes, {},
                "the known classes in the order of their numbers, where predictors have learned "
                "them elsewhere (from.model) and nothing is learned here");
  visitor.field("hints", hints, {},
                "of the session besides red_light, such as feedback_max_ids=32");
  visitor.field("form", form, kForms,
                "how feedback is counted: sound, as documented; released, as the public server "
                "does it");
  visitor.field("first_test", first_test, {1, 1e6}, "number of the first test in the record");
  visitor.field(
      "simulated", simulated,
      "a simulated world whose samples stand for the data, with its options, as in {kind: "
      "wearables, subjects: 60}");
  visitor.section(
      "make", [this](OptionVisitor& inner) { make.describe(inner); },
      "how tests are made from the data");
}

void RoundOptions::check(std::string_view path) const {
  if (settings.empty()) {
    throw Error(ErrorKind::config, fmt::format("{}.settings: a test is taken under at least one "
                                               "setting",
                                               path));
  }
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (std::find(settings.begin(), settings.begin() + static_cast<Index>(i), settings[i]) !=
        settings.begin() + static_cast<Index>(i)) {
      throw Error(ErrorKind::config,
                  fmt::format("{}.settings: {} stands there twice", path, settings[i]));
    }
  }
  if (!sessions.empty() && (server.empty() || sessions.size() != settings.size())) {
    throw Error(ErrorKind::config,
                fmt::format("{}.sessions: {} sessions for {} settings{}", path, sessions.size(),
                            settings.size(), server.empty() ? " and no server" : ""));
  }
  if (tests.empty() && server.empty() && domain != "activity_recognition") {
    throw Error(ErrorKind::config,
                fmt::format("{}.domain: tests are made in activity_recognition alone; those of {} "
                            "need a folder or a server with a list of samples ({}.tests)",
                            path, domain, path));
  }
  make.check(fmt::format("{}.make", path));
}

}  // namespace tyto
