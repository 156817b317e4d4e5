// SPDX-License-Identifier: Apache-2.0
// tyto measure --head DATASET: how right a network's own class scores are, and what nuisances cost.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tyto/measure/intervals/bootstrap.hpp"

namespace CLI {
class App;
}

namespace tyto {

struct HeadCall {
  std::string dataset;                      // a name or a path; "": not asked for
  std::string split;                        // of this split alone; "": all
  std::vector<std::filesystem::path> data;  // folders with datasets
  bool json = false;
  BootstrapOptions bootstrap;
};

void add_head_options(CLI::App* command, std::string& dataset);
void measure_head(const HeadCall& call);

}  // namespace tyto
