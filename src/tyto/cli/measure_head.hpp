// SPDX-License-Identifier: Apache-2.0
// tyto measure --head DATASET: how right a network's own class scores are, and what nuisances cost.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tyto {

struct HeadCall {
  std::string dataset, split;

  [[nodiscard]] bool is_asked() const { return !dataset.empty(); }
};

void add_head_options(CLI::App* command, HeadCall& call);
void measure_head(const HeadCall& call, bool json);

}  // namespace tyto
