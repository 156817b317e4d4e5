// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/prior_knowledge.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

using Kind = ConfigNode::Kind;

[[noreturn]] void refuse_knowledge(const ConfigNode& at, std::string_view what) {
  throw Error(ErrorKind::config, fmt::format("{}: prior_knowledge{}", at.place(), what));
}

}  // namespace

std::string joined_knowledge(const std::vector<std::string>& texts) {
  std::vector<std::string> told;
  for (const std::string& text : texts) {
    if (!text.empty() && text != kNoPriorKnowledge &&
        std::find(told.begin(), told.end(), text) == told.end()) {
      told.push_back(text);
    }
  }
  return told.empty() ? std::string(kNoPriorKnowledge) : fmt::format("{}", fmt::join(told, "; "));
}

std::string PriorKnowledge::of(const PredictorConfig& predictor) const {
  std::vector<std::string> texts{all};
  if (!sources.empty()) {
    for (const std::string& source : sources_read(predictor)) {
      if (const auto found = sources.find(source); found != sources.end()) {
        texts.push_back(found->second);
      }
    }
  }
  texts.push_back(predictor.prior_knowledge);
  return joined_knowledge(texts);
}

std::string PriorKnowledge::text() const {
  if (sources.empty()) {
    return all;
  }
  std::vector<std::string> told;
  for (const auto& [source, knowledge] : sources) {
    told.push_back(fmt::format("{}: {}", source, knowledge));
  }
  return fmt::format("{}", fmt::join(told, "; "));
}

PriorKnowledge read_prior_knowledge(const ConfigNode& node, const ConfigNode& experiment,
                                    const std::vector<PredictorConfig>& predictors) {
  PriorKnowledge out;
  if (node.is_null() || (node.kind == Kind::scalar && node.text.empty())) {
    refuse_knowledge(experiment,
                     ": is missing; say what the features or the predictor learned outside these "
                     "data, or \"none\" if nothing");
  }
  if (node.kind == Kind::scalar) {
    out.all = node.text;
    return out;
  }
  if (node.kind != Kind::map || node.pairs.empty()) {
    refuse_knowledge(node, ": must be a text, or a map from sources of the data to texts");
  }
  for (const ConfigPair& pair : node.pairs) {
    if (pair.value.kind != Kind::scalar || pair.value.text.empty()) {
      refuse_knowledge(pair.value,
                       fmt::format(".{}: must be a text; \"none\" if there is none", pair.key));
    }
    out.sources[pair.key] = pair.value.text;
  }
  std::set<std::string> read;
  for (const PredictorConfig& predictor : predictors) {
    for (const std::string& source : sources_read(predictor)) {
      read.insert(source);
      if (!out.sources.contains(source)) {
        refuse_knowledge(node, fmt::format(": says nothing of the source \"{}\", which the "
                                           "predictor {} reads",
                                           source, predictor.name));
      }
    }
  }
  for (const ConfigPair& pair : node.pairs) {
    if (!read.contains(pair.key)) {
      refuse_knowledge(pair.value, fmt::format(".{}: no predictor reads such a source; they read: "
                                               "{}",
                                               pair.key, fmt::join(read, ", ")));
    }
  }
  return out;
}

ConfigNode write_prior_knowledge(const PriorKnowledge& knowledge) {
  if (knowledge.sources.empty()) {
    return ConfigNode::scalar(knowledge.all);
  }
  ConfigNode out = ConfigNode::empty_map();
  for (const auto& [source, text] : knowledge.sources) {
    out.put(source, ConfigNode::scalar(text));
  }
  return out;
}

std::optional<std::string> knowledge_difference(
    const std::vector<std::pair<std::string, std::string>>& arms) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // text, who brings it
  for (const auto& [arm, text] : arms) {
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.first == text; });
    if (same == groups.end()) {
      groups.push_back({text, {arm}});
    } else {
      same->second.push_back(arm);
    }
  }
  if (groups.size() < 2) {
    return std::nullopt;
  }
  std::vector<std::string> told;
  for (const auto& [text, who] : groups) {
    told.push_back(fmt::format("{} of {}", text, fmt::join(who, ", ")));
  }
  return fmt::format("prior knowledge differs, which may be what sets these apart: {}",
                     fmt::join(told, " | "));
}

}  // namespace tyto
