// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/search/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/engine/search/judge.hpp"

namespace tyto {

namespace {

constexpr int kDraws = 100;  // tries at a variant that was not drawn before

struct Span {  // {from: 1e-4, to: 0.1, log: true, whole: false}
  double from = 0, to = 0;
  bool log = false, whole = false;

  void describe(OptionVisitor& v) {
    v.field("from", from, {-1e300, 1e300}, "least value");
    v.field("to", to, {-1e300, 1e300}, "greatest value");
    v.field("log", log, "evenly in the logarithm");
    v.field("whole", whole, "whole numbers");
  }
};

struct Knob {
  std::string key;                  // dotted: classifier.hidden
  std::vector<std::string> values;  // YAML; empty: a span
  Span span;
};

std::string one_line(const ConfigNode& node) {
  std::string text = to_yaml(node);
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<Knob> knobs_of(const PredictorConfig& given, const SearchOptions& options) {
  std::vector<Knob> knobs;
  const ConfigNode* node = options.options.find(given.name);
  if (node == nullptr) {
    return knobs;
  }
  for (const auto& [key, value] : node->pairs) {
    Knob& knob = knobs.emplace_back();
    knob.key = key;
    const std::string path = fmt::format("search.options.{}.{}", given.name, key);
    if (value.kind == ConfigNode::Kind::list && !value.items.empty()) {
      for (const ConfigNode& item : value.items) {
        knob.values.push_back(one_line(item));
      }
      continue;
    }
    if (value.kind != ConfigNode::Kind::map) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: {}: must be a list of values or {{from: ..., to: ...}}",
                              value.place(), path));
    }
    knob.span = read_options<Span>(value, path);
    if (!(knob.span.from < knob.span.to) || (knob.span.log && knob.span.from <= 0)) {
      throw Error(
          ErrorKind::config,
          fmt::format("{}: {}: from {} must be below to {}{}", value.place(), path, knob.span.from,
                      knob.span.to, knob.span.log ? ", and above 0 for a logarithm" : ""));
    }
    if (options.method == "grid") {
      throw Error(ErrorKind::config,
                  fmt::format("{}: {}: a grid needs a list of values; method: random draws from a "
                              "span",
                              value.place(), path));
    }
  }
  return knobs;
}

std::string drawn(const Span& span, Rng& rng) {
  const double u = rng.uniform();
  double value = span.log ? span.from * std::pow(span.to / span.from, u)
                          : span.from + u * (span.to - span.from);
  if (span.whole) {
    value = std::round(value);
  }
  return fmt::format("{:.6g}", value);
}

using Setting = std::pair<std::string, std::string>;  // key, value

Variant changed(const PredictorConfig& given, const std::vector<Setting>& settings) {
  ConfigNode node = write_predictor(given);
  std::vector<std::string> words;
  for (const auto& [key, value] : settings) {
    set_path(node, key, value);
    words.push_back(fmt::format("{}: {}", key, value));
  }
  return {fmt::format("{{{}}}", fmt::join(words, ", ")),
          read_predictor(node, fmt::format("search.options.{}", given.name))};
}

}  // namespace

void SearchOptions::describe(OptionVisitor& v) {
  static constexpr std::array<std::string_view, 3> kMethods{"none", "grid", "random"};
  static constexpr std::array<std::string_view, 4> kViewNames{"raw", "classification", "detection",
                                                              "recognition"};
  v.field("method", method, kMethods, "how options are tried out before the run");
  v.field("trials", trials, {1, 1e6}, "budget per predictor; the options as given are the first");
  v.field("options", options,
          "by predictor and dotted key: values, or {from, to, log, whole} to draw from");
  v.field("phase", phase, {}, "phase of the protocol that is judged, on the test split");
  v.field("view", view, kViewNames, "view that is judged");
  v.field("measure", measure, {},
          "measure that judges, over all increments of the rehearsal; one of a whole run needs no "
          "view");
  v.field("at_precision", at_precision, {0, 1},
          "judge by the share of the new samples found where so many alarms are right, in place "
          "of a measure; 0: not");
  v.field("at_false_alarms", at_false_alarms, {0, 1},
          "the same where at most this share of the known samples raises an alarm; 0: not");
  v.field("feedback", feedback, {0, 1}, "label budget of the rehearsal");
  v.field("novel", rehearsal.novel, {0, 1}, "share of the start classes that come as new");
  v.field("increments", rehearsal.increments, {1, 1000}, "increments of the rehearsal, at most");
}

std::vector<Variant> variants(const PredictorConfig& given, const SearchOptions& options,
                              std::uint64_t seed) {
  const std::vector<Knob> knobs = knobs_of(given, options);
  std::vector<Variant> all{{"{}", given}};
  if (knobs.empty()) {
    return all;
  }
  if (options.method == "grid") {
    double size = 1;
    for (const Knob& knob : knobs) {
      size *= static_cast<double>(knob.values.size());
    }
    if (size + 1 > static_cast<double>(options.trials)) {
      throw Error(ErrorKind::config,
                  fmt::format("search.trials: {} are not enough for the grid of \"{}\", which has "
                              "{} combinations besides the options as given; raise it, or use "
                              "method: random",
                              options.trials, given.name, size));
    }
    for (Index number = 0; number < static_cast<Index>(size); ++number) {
      std::vector<Setting> settings;
      Index rest = number;
      for (auto knob = knobs.rbegin(); knob != knobs.rend(); ++knob) {  // the last changes fastest
        const auto choices = static_cast<Index>(knob->values.size());
        settings.emplace_back(knob->key, knob->values[static_cast<std::size_t>(rest % choices)]);
        rest /= choices;
      }
      std::reverse(settings.begin(), settings.end());
      all.push_back(changed(given, settings));
    }
    return all;
  }
  Rng rng(seed, "search " + given.name);
  std::set<std::string> seen;
  int tries = kDraws;
  while (static_cast<Index>(all.size()) < options.trials && tries > 0) {
    std::vector<Setting> settings;
    for (const Knob& knob : knobs) {
      settings.emplace_back(
          knob.key,
          knob.values.empty()
              ? drawn(knob.span, rng)
              : knob.values[static_cast<std::size_t>(rng.below(std::ssize(knob.values)))]);
    }
    Variant variant = changed(given, settings);
    if (seen.insert(variant.settings).second) {
      all.push_back(std::move(variant));
      tries = kDraws;
    } else {
      --tries;
    }
  }
  return all;
}

std::string to_csv(const std::vector<Trial>& trials) {
  std::string text = "predictor,trial,settings,value,chosen\n";
  std::string last;
  Index number = 0;
  for (const Trial& trial : trials) {
    number = trial.predictor == last ? number + 1 : 0;
    last = trial.predictor;
    text += fmt::format(
        "{},{},{},{},{}\n", csv_field(trial.predictor), number, csv_field(trial.settings),
        trial.value ? fmt::format("{}", *trial.value) : "", trial.chosen ? "yes" : "no");
  }
  return text;
}

std::vector<Trial> trials_from_csv(std::string_view text, std::string_view name) {
  const CsvTable table = CsvTable::parse(std::string(text), name);
  const Index predictor = table.column("predictor");
  const Index settings = table.column("settings");
  const Index value = table.column("value");
  const Index chosen = table.column("chosen");
  const std::vector<double> values = table.numbers(value);
  std::vector<Trial> trials;
  for (Index row = 0; row < table.rows(); ++row) {
    const double number = values[static_cast<std::size_t>(row)];
    trials.push_back({std::string(table.text(row, predictor)),
                      std::string(table.text(row, settings)),
                      std::isnan(number) ? std::nullopt : std::optional(number),
                      table.text(row, chosen) == "yes"});
  }
  return trials;
}

std::size_t best_trial(const std::vector<Trial>& trials, const SearchOptions& options) {
  const bool higher = higher_is_better(options);
  const auto worth = [&](const Trial& trial) {
    return !trial.value ? -std::numeric_limits<double>::infinity()
                        : (higher ? *trial.value : -*trial.value);
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < trials.size(); ++i) {
    best = worth(trials[i]) > worth(trials[best]) ? i : best;
  }
  return best;
}

}  // namespace tyto
