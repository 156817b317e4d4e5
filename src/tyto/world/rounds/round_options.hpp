// SPDX-License-Identifier: Apache-2.0
// Which tests a world of rounds deals, and where they are: made from the data, in a folder of the
// public layout, or behind a server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/world/rounds/make_tests.hpp"

namespace tyto {

struct RoundOptions {
  std::string protocol = "OND";
  std::string domain = "activity_recognition";
  std::string tests;                  // folder; "": made from the data
  std::string server;                 // URL; "": the tests are here
  std::vector<std::string> sessions;  // begun by someone else, one for each setting
  std::vector<std::string> test_ids;
  std::vector<std::string> settings = {"system", "given"};
  double threshold = 0.5;
  std::string label_feedback = "classification";
  std::vector<std::string> hints;
  std::vector<std::string> classes;  // the known ones by number, of a predictor that knows them
  std::string form = "sound";
  Index first_test = 1;
  ConfigNode simulated;  // a world whose samples stand for the data; null: there are data
  MakeTestsOptions make;

  void describe(OptionVisitor& visitor);
  void check(std::string_view path) const;  // what one key alone cannot tell
};

}  // namespace tyto
