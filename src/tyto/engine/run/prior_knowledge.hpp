// SPDX-License-Identifier: Apache-2.0
// What was learned outside the data of an experiment: by the networks that made its features, each
// source its own, and by the predictors themselves.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/predictor/config.hpp"

namespace tyto {

constexpr std::string_view kNoPriorKnowledge = "none";

struct PriorKnowledge {
  std::string all;                             // of every source; "" where each has its own
  std::map<std::string, std::string> sources;  // by source

  // "none", or what the sources it reads and the predictor itself bring along.
  [[nodiscard]] std::string of(const PredictorConfig& predictor) const;
  [[nodiscard]] std::string text() const;  // in one line
};

// A text, or a map from sources to texts. Throws Error(config) where nothing is said of a source
// that is read, or something of one that is not.
PriorKnowledge read_prior_knowledge(const ConfigNode& node, const ConfigNode& experiment,
                                    const std::vector<PredictorConfig>& predictors);
ConfigNode write_prior_knowledge(const PriorKnowledge& knowledge);

// Several texts as one; "none" and empty ones add nothing.
std::string joined_knowledge(const std::vector<std::string>& texts);

// A sentence where those compared do not start with the same; `arms` are names and texts.
std::optional<std::string> knowledge_difference(
    const std::vector<std::pair<std::string, std::string>>& arms);

}  // namespace tyto
