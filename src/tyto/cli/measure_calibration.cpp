// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/measure_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/score_table.hpp"
#include "tyto/measure/calibration/by_class.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json as_object(const NamedValues& values) {
  Json out = Json::object();
  for (const auto& [name, value] : values) {
    out[name] = name == "n" ? Json(static_cast<Index>(value.value_or(0.0))) : number(value);
  }
  return out;
}

std::string shown(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "-";
}

struct Found {
  ScoreTable scores;
  std::vector<Index> truth;
  ScoredSamples samples;
  NamedValues all, common, rare;
  FrequencySplit split;
  std::vector<ClassReliability> classes;
  std::vector<Interval> intervals;  // of the first of `all`
  std::vector<std::string> notes;
};

NamedValues of_rows(const Found& found, const std::vector<Index>& columns,
                    const ConfidenceOptions& options) {
  const std::vector<Index> rows = rows_of_classes(found.truth, columns);
  std::vector<Index> truth;
  for (const Index row : rows) {
    truth.push_back(found.truth[static_cast<std::size_t>(row)]);
  }
  return table_measures(found.scores.values(rows, Eigen::all), truth, options);
}

Found measure(const CalibrationCall& call, const ConfidenceOptions& options) {
  Found found;
  found.scores = read_scores(call.logits, call.kind);
  found.truth = read_truth(call.labels, found.scores);
  if (found.scores.values.rows() == 0) {
    throw Error(ErrorKind::data, fmt::format("{}: holds no rows to measure", call.logits));
  }
  expect_scores(found.scores.values, call.logits);
  found.samples = score_samples(found.scores.values, found.truth);
  found.all = table_measures(found.scores.values, found.truth, options);
  std::vector<Index> counts(static_cast<std::size_t>(found.scores.values.cols()));
  const std::vector<Index> counted =
      call.frequencies.empty() ? found.truth : read_labels(call.frequencies, found.scores);
  for (const Index column : counted) {
    ++counts[static_cast<std::size_t>(column)];
  }
  found.split = split_by_frequency(counts);
  found.common = of_rows(found, found.split.common, options);
  found.rare = of_rows(found, found.split.rare, options);
  found.classes = class_reliability(found.samples, call.bins, options.rule);
  if (call.bootstrap.replicates > 0) {
    Progress progress(call.quiet ? nullptr : stderr);
    found.intervals = confidence_intervals(found.samples, options, call.bootstrap, progress);
  }
  if (found.scores.probabilities) {
    found.notes.push_back(
        fmt::format("{}: rows are in [0, 1] and add up to 1, so they were taken for probabilities; "
                    "--scores logits says otherwise",
                    call.logits));
  }
  const auto impossible = std::count_if(found.samples.loss.begin(), found.samples.loss.end(),
                                        [](double loss) { return std::isinf(loss); });
  if (impossible > 0) {
    found.notes.push_back(
        fmt::format("the true class of {} of {} samples was called impossible, so "
                    "nll is infinite",
                    impossible, found.samples.size()));
  }
  return found;
}

Json bins_json(const ReliabilityBins& binned) {
  Json out = Json::array();
  for (std::size_t b = 0; b < binned.bins().size(); ++b) {
    const ReliabilityBin& bin = binned.bins()[b];
    const auto count = static_cast<double>(bin.count);
    out.push_back({{"bin", b},
                   {"lower", binned.edge(static_cast<Index>(b))},
                   {"upper", binned.edge(static_cast<Index>(b) + 1)},
                   {"count", bin.count},
                   {"mean_conf", bin.count > 0 ? Json(bin.confidence / count) : Json(nullptr)},
                   {"accuracy", bin.count > 0 ? Json(bin.correct / count) : Json(nullptr)}});
  }
  return out;
}

std::string class_name(const ScoreTable& scores, Index column) {
  return scores.columns.empty() ? std::to_string(column)
                                : scores.columns[static_cast<std::size_t>(column)];
}

std::string json_text(const CalibrationCall& call, const Found& found,
                      const ReliabilityBins& binned) {
  Json out{{"logits", call.logits},
           {"labels", call.labels},
           {"input", found.scores.probabilities ? "probabilities" : "logits"},
           {"classes", found.scores.values.cols()},
           {"bin_rule", call.rule}};
  out.update(as_object(found.all));
  out["bins"] = bins_json(binned);
  out["common"] = as_object(found.common);
  out["rare"] = as_object(found.rare);
  out["split"] = {{"order_by_frequency", found.split.order},
                  {"common", found.split.common},
                  {"rare", found.split.rare}};
  out["per_class"] = Json::array();
  for (const ClassReliability& row : found.classes) {
    out["per_class"].push_back({{"cls", row.column},
                                {"name", class_name(found.scores, row.column)},
                                {"n", row.count},
                                {"recall", row.recall},
                                {"mean_conf", row.mean_confidence},
                                {"delta_acc", row.delta},
                                {fmt::format("ece{}", call.bins), row.ece}});
  }
  if (!found.intervals.empty()) {
    Json& intervals = out["intervals"];
    for (std::size_t i = 0; i < found.intervals.size(); ++i) {
      intervals[found.all[i].first] = {number(found.intervals[i].low),
                                       number(found.intervals[i].high)};
    }
    out["level"] = call.bootstrap.level;
    out["replicates"] = call.bootstrap.replicates;
  }
  out["notes"] = found.notes;
  return out.dump(2) + "\n";
}

std::string csv_text(const Found& found) {
  std::string out = "measure,value,low,high,common,rare\n";
  const auto cell = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    const bool drawn = i < found.intervals.size();
    out += fmt::format("{},{},{},{},{},{}\n", found.all[i].first, cell(found.all[i].second),
                       drawn ? cell(found.intervals[i].low) : "",
                       drawn ? cell(found.intervals[i].high) : "", cell(found.common[i].second),
                       cell(found.rare[i].second));
  }
  return out;
}

std::string class_text(const CalibrationCall& call, const Found& found) {
  TextTable table(
      {"class", "samples", "recall", "confidence", "difference", fmt::format("ece{}", call.bins)});
  for (const ClassReliability& row : found.classes) {
    table.add({class_name(found.scores, row.column), std::to_string(row.count), shown(row.recall),
               shown(row.mean_confidence), fmt::format("{:+.4f}", row.delta), shown(row.ece)});
  }
  return table.text();
}

std::string text_for_people(const CalibrationCall& call, const Found& found,
                            const ReliabilityBins& binned) {
  std::string out =
      fmt::format("{}: {} samples, {} classes; bins of equal width, {}\n\n", call.logits,
                  found.samples.size(), found.scores.values.cols(), call.rule);
  if (call.per_class) {
    return out + class_text(call, found);
  }
  const bool drawn = !found.intervals.empty();
  std::vector<std::string> header{"measure", "all", "common", "rare"};
  if (drawn) {
    header.insert(header.end(), {"low", "high"});
  }
  TextTable table(header);
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    const auto& [name, value] = found.all[i];
    std::vector<std::string> row{name, shown(value), shown(found.common[i].second),
                                 shown(found.rare[i].second)};
    if (name == "n") {
      row = {name, fmt::format("{:g}", *value), fmt::format("{:g}", *found.common[i].second),
             fmt::format("{:g}", *found.rare[i].second)};
    }
    if (drawn && i < found.intervals.size()) {
      row.insert(row.end(), {shown(found.intervals[i].low), shown(found.intervals[i].high)});
    }
    table.add(row);
  }
  out += table.text() + "\n";
  TextTable bins({"confidence", "samples", "mean", "accuracy", "gap"});
  for (std::size_t b = 0; b < binned.bins().size(); ++b) {
    const ReliabilityBin& bin = binned.bins()[b];
    const auto count = static_cast<double>(bin.count);
    bins.add({fmt::format("{:.3f} to {:.3f}", binned.edge(static_cast<Index>(b)),
                          binned.edge(static_cast<Index>(b) + 1)),
              std::to_string(bin.count), bin.count > 0 ? shown(bin.confidence / count) : "-",
              bin.count > 0 ? shown(bin.correct / count) : "-",
              bin.count > 0 ? fmt::format("{:+.4f}", bin.gap()) : "-"});
  }
  out += bins.text() + "\n";
  out += wrapped(
      "common, rare: the more and the less frequent half of the true classes. A gap above 0 is "
      "over-confidence. brier_sum is summed over classes, nll in nats.",
      100, 0);
  for (const std::string& note : found.notes) {
    out += wrapped(note, 100, 0);
  }
  return out;
}

}  // namespace

void add_calibration_options(CLI::App* command, bool& is_asked, CalibrationCall& call) {
  const std::string group = "Calibration";
  command
      ->add_flag("--calibration", is_asked,
                 "The targets are LOGITS LABELS: a row of class scores per sample (.csv or .npy), "
                 "and its column (a number from 0, or a name) a line")
      ->group(group);
  command->add_option("--bins", call.bins, "Bins of confidence (standard: 10)")
      ->check(CLI::Range(Index{1}, Index{1'000'000}))
      ->group(group);
  command
      ->add_option("--bin-rule", call.rule,
                   "Who owns an edge: right_closed (standard), left_closed, extra_for_one, "
                   "right_closed_linspace, left_closed_linspace")
      ->group(group);
  command
      ->add_option("--scores", call.kind,
                   "logits, probabilities or auto (standard): probabilities where they look so")
      ->check(CLI::IsMember({"auto", "logits", "probabilities"}))
      ->group(group);
  command
      ->add_option("--frequencies", call.frequencies,
                   "Labels whose counts tell common classes from rare ones (standard: LABELS)")
      ->group(group);
}

void measure_calibration(const CalibrationCall& call) {
  ConfidenceOptions options;
  options.rule = bin_rule(call.rule);
  if (std::find(options.bins.begin(), options.bins.end(), call.bins) == options.bins.end()) {
    options.bins.insert(options.bins.begin(), call.bins);
  }
  const Found found = measure(call, options);
  const ReliabilityBins binned = confidence_bins(found.samples, call.bins, options.rule);
  const std::string text = call.json  ? json_text(call, found, binned)
                           : call.csv ? csv_text(found)
                                      : text_for_people(call, found, binned);
  if (call.out.empty()) {
    std::cout << text;
  } else {
    write_file(call.out, text);
  }
}

}  // namespace tyto
