// SPDX-License-Identifier: Apache-2.0
// Options of predictors tried out before a run, on a rehearsal of the start alone: neither test
// data nor later increments can be reached from here. Every trial goes on record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/core/random.hpp"
#include "tyto/predictor/config.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

struct SearchOptions {
  std::string method = "none";
  Index trials = 20;  // per predictor, its options as given among them
  double feedback = 1;
  double at_precision = 0, at_false_alarms = 0;  // above 0: judged by the recall there
  std::string phase = "pre", view = "classification", measure = "balanced_accuracy";
  RehearsalOptions rehearsal;
  ConfigNode options;  // by predictor: dotted key -> values, or {from, to, log, whole}

  void describe(OptionVisitor& visitor);

  [[nodiscard]] bool is_wanted() const { return method != "none"; }

  [[nodiscard]] bool judges_recall() const { return at_precision > 0 || at_false_alarms > 0; }
};

struct Variant {
  std::string settings;  // what was changed, "{accepted_error: 0.05}"; "{}": nothing
  PredictorConfig config;
};

// The variants of one predictor: first as given, then all combinations (grid) or drawn ones
// (random), each once. Throws Error(config) naming the key for a value its part refuses, or where a
// grid is larger than the budget.
std::vector<Variant> variants(const PredictorConfig& given, const SearchOptions& options,
                              std::uint64_t seed);

struct Trial {
  std::string predictor, settings;
  std::optional<double> value;
  bool chosen = false;
};

// "predictor,trial,settings,value,chosen" and a row per trial.
std::string to_csv(const std::vector<Trial>& trials);
std::vector<Trial> trials_from_csv(std::string_view text, std::string_view name);

// Of these trials, in this order, the best, ties to the earlier; a missing value is the worst.
std::size_t best_trial(const std::vector<Trial>& trials, const SearchOptions& options);

}  // namespace tyto
