// SPDX-License-Identifier: Apache-2.0
// The results folder of an evaluation server in the public layout, whoever's server wrote it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tyto/record/foreign/answered_test.hpp"
#include "tyto/sail_on/data_folder.hpp"

namespace tyto {

struct SailOnSession {
  std::string id, detector, protocol, domain;
  std::string setting;                // "given" if the red light was told, else "system"
  double detection_threshold = 0.5;   // as the agent stated it
  std::vector<AnsweredTest> tests;    // that have rows, by id
  std::vector<std::string> left_out;  // a sentence for every test that could not be read
};

// By name of the session's file. Tests have numbers by their id, the same in all sessions. A
// session without rows has no tests. Throws Error(io) if `results` is no folder, Error(data) naming
// a file that is no JSON.
std::vector<SailOnSession> read_sessions(const std::filesystem::path& results,
                                         const sail_on::DataFolder& data);

}  // namespace tyto
