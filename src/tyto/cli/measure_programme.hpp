// SPDX-License-Identifier: Apache-2.0
// tyto measure --sail-on RESULTS --data DATA, and tyto measure RUN --baseline RUN[:ARM]: the tests
// of a SAIL-ON evaluation with M1 to M6.
#pragma once

#include <string>
#include <vector>

#include "tyto/measure/intervals/bootstrap.hpp"
#include "tyto/measure/table.hpp"

namespace CLI {
class App;
}

namespace tyto {

struct ProgrammeCall {
  std::string results;                     // of --sail-on
  std::vector<std::string> targets, data;  // one run without it; one folder of tests with it
  std::string arm;                         // of the run
  std::string baseline;                    // session of `results`, or RUN[:ARM]; "": none
  std::string form = "sound", out;
  Selection only;
  BootstrapOptions bootstrap;
  bool json = false;

  [[nodiscard]] bool is_asked() const { return !results.empty() || !baseline.empty(); }
};

void add_programme_options(CLI::App* command, ProgrammeCall& call);
void measure_programme(const ProgrammeCall& call);

}  // namespace tyto
