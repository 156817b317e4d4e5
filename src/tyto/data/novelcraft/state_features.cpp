// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/novelcraft/state_features.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

namespace {

using FeatureJson = nlohmann::json;

constexpr std::string_view kSelectedSlot = "selectedItem";  // no slot, but one once more

// The value at a.b.c; null where a step is missing.
const FeatureJson* find_path(const FeatureJson& state, std::string_view path) {
  const FeatureJson* node = &state;
  while (node != nullptr) {
    const auto dot = path.find('.');
    const std::string key(path.substr(0, dot));
    const auto found = node->is_object() ? node->find(key) : node->end();
    node = node->is_object() && found != node->end() ? &*found : nullptr;
    if (dot == path.npos) {
      break;
    }
    path.remove_prefix(dot + 1);
  }
  return node;
}

std::map<std::string, double> counts_in(const FeatureJson& slots, const std::string& place) {
  if (!slots.is_object()) {
    throw Error(ErrorKind::data, fmt::format("{} is no map of slots", place));
  }
  std::map<std::string, double> counts;
  for (const auto& [slot, held] : slots.items()) {
    if (slot == kSelectedSlot) {
      continue;
    }
    const FeatureJson* item = find_path(held, "item");
    const FeatureJson* count = find_path(held, "count");
    if (item == nullptr || !item->is_string() || count == nullptr || !count->is_number()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}.{} has no \"item\" with a \"count\"", place, slot));
    }
    counts[item->get<std::string>()] += count->get<double>();
  }
  return counts;
}

std::string word_in(const FeatureJson& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

StateVariable read_variable(const ConfigNode& node, bool numeric) {
  StateVariable variable;
  variable.kind = numeric ? StateVariable::Kind::number : StateVariable::Kind::word;
  for (const ConfigPair& pair : node.pairs) {
    if (pair.key == "key" || (pair.key == "counts" && numeric)) {
      variable.key = pair.value.text;
      if (pair.key == "counts") {
        variable.kind = StateVariable::Kind::counts;
      }
    } else if (pair.key == "or") {
      variable.otherwise = pair.value.text;
    } else {
      const std::vector<std::string> keys{"key", "counts", "or"};
      throw Error(ErrorKind::config,
                  fmt::format("{}: a {} variable has no \"{}\"{}; there are: key, {}or",
                              node.place(), numeric ? "numeric" : "categorical", pair.key,
                              did_you_mean(pair.key, keys), numeric ? "counts, " : ""));
    }
  }
  if (variable.key.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: a variable of a state needs its key, such as {{key: "
                            "blockInFront.name}}",
                            node.place()));
  }
  const bool counts = variable.kind == StateVariable::Kind::counts;
  if (variable.otherwise && (counts || (numeric && !number_in<double>(*variable.otherwise)))) {
    throw Error(ErrorKind::config, fmt::format("{}: \"or: {}\" is no number to stand for {}",
                                               node.place(), *variable.otherwise, variable.key));
  }
  return variable;
}

void read_variables(const ConfigNode& root, std::string_view key, StateDescription& out) {
  if (const ConfigNode* list = root.find(key)) {
    for (const ConfigNode& item : list->items) {
      out.push_back(read_variable(item, key == "numeric"));
    }
  }
}

std::vector<std::string> sorted(const std::set<std::string>& words) {
  return {words.begin(), words.end()};
}

}  // namespace

StateDescription standard_state_description() {
  using Kind = StateVariable::Kind;
  return {{Kind::counts, "inventory"},
          {Kind::word, "inventory.selectedItem.item"},
          {Kind::word, "blockInFront.name"}};
}

StateDescription read_state_description(const ConfigNode& node) {
  for (const ConfigPair& pair : node.pairs) {
    if (pair.key != "numeric" && pair.key != "categorical") {
      throw Error(ErrorKind::config,
                  fmt::format("{}: a state is described by numeric and categorical, not \"{}\"",
                              pair.value.place(), pair.key));
    }
  }
  StateDescription out;
  read_variables(node, "numeric", out);
  read_variables(node, "categorical", out);
  if (out.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: the description of a state names no variable", node.place()));
  }
  return out;
}

StateReading read_state(const nlohmann::json& state, const StateDescription& description,
                        const std::string& file) {
  StateReading out;
  for (const StateVariable& variable : description) {
    const FeatureJson* value = find_path(state, variable.key);
    const std::string place = fmt::format("{}: {}", file, variable.key);
    if (value == nullptr && !variable.otherwise) {
      throw Error(ErrorKind::data, fmt::format("{}: the state has no \"{}\"", file, variable.key));
    }
    switch (variable.kind) {
      case StateVariable::Kind::counts: out.counts.push_back(counts_in(*value, place)); break;
      case StateVariable::Kind::word:
        out.words.push_back(value == nullptr ? *variable.otherwise : word_in(*value));
        break;
      case StateVariable::Kind::number: {
        if (value != nullptr && !value->is_number() && !value->is_boolean()) {
          throw Error(ErrorKind::data,
                      fmt::format("{} is not a number but {}", place, value->dump().substr(0, 60)));
        }
        out.numbers.push_back(value == nullptr      ? *number_in<double>(*variable.otherwise)
                              : value->is_boolean() ? (value->get<bool>() ? 1.0 : 0.0)
                                                    : value->get<double>());
      }
    }
  }
  return out;
}

StateEncoder::StateEncoder(StateDescription description,
                           std::span<const StateReading* const> standard)
    : description_(std::move(description)) {
  if (standard.empty()) {
    throw Error(ErrorKind::data,
                "there are no standard training episodes to learn from which items and words a "
                "state has");
  }
  std::size_t count = 0;
  std::size_t word = 0;
  for (const StateVariable& variable : description_) {
    std::set<std::string> seen;
    switch (variable.kind) {
      case StateVariable::Kind::number: columns_.push_back(variable.key); break;
      case StateVariable::Kind::counts:
        for (const StateReading* reading : standard) {
          for (const auto& [item, held] : reading->counts[count]) {
            seen.insert(item);
          }
        }
        ++count;
        items_.push_back(sorted(seen));
        for (const std::string& item : items_.back()) {
          columns_.push_back(fmt::format("{}:{}", variable.key, item));
        }
        break;
      case StateVariable::Kind::word:
        for (const StateReading* reading : standard) {
          seen.insert(reading->words[word]);
        }
        ++word;
        words_.push_back(sorted(seen));
        for (const std::string& one : words_.back()) {
          columns_.push_back(fmt::format("{}={}", variable.key, one));
        }
        columns_.push_back(fmt::format("{}=unknown", variable.key));
        categories_.push_back(std::ssize(words_.back()) + 1);
    }
    if (variable.kind != StateVariable::Kind::word) {
      numeric_ = width();
    }
  }
}

Index StateEncoder::encode(const StateReading& reading, float* row) const {
  Index unknown = 0;
  std::size_t count = 0;
  std::size_t number = 0;
  std::size_t word = 0;
  for (const StateVariable& variable : description_) {
    switch (variable.kind) {
      case StateVariable::Kind::number:
        *row++ = static_cast<float>(reading.numbers[number++]);
        break;
      case StateVariable::Kind::counts: {
        const auto& held = reading.counts[count];
        Index known = 0;
        for (const std::string& item : items_[count]) {
          const auto found = held.find(item);
          known += found == held.end() ? 0 : 1;
          *row++ = found == held.end() ? 0.0F : static_cast<float>(found->second);
        }
        unknown += std::ssize(held) - known;
        ++count;
        break;
      }
      case StateVariable::Kind::word: {
        const auto& words = words_[word];
        const auto found = std::lower_bound(words.begin(), words.end(), reading.words[word]);
        const bool known = found != words.end() && *found == reading.words[word];
        const auto place = known ? found - words.begin() : std::ssize(words);
        std::fill_n(row, words.size() + 1, 0.0F);
        row[place] = 1.0F;
        row += words.size() + 1;
        unknown += known ? 0 : 1;
        ++word;
      }
    }
  }
  return unknown;
}

}  // namespace tyto
