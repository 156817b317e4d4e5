// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/detection_answer.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/measure/detection/areas.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

using DetectionJson = nlohmann::ordered_json;

DetectionJson finite_or_null(double value) {
  return std::isfinite(value) ? DetectionJson(value) : DetectionJson(nullptr);
}

DetectionJson in_percent(const std::optional<double>& share) {
  return share ? finite_or_null(100.0 * *share) : DetectionJson(nullptr);
}

std::string name_of_recall(const DetectionAnswer& answer) {
  return fmt::format("tpr{:g}", 100.0 * answer.options.recall);
}

std::string name_of_precision(const DetectionAnswer& answer) {
  return fmt::format("ppv{:g}", 100.0 * answer.options.precision);
}

// `order`: the shares in the order of the published tables.
void put_point(DetectionJson& out, const std::optional<OperatingPoint>& point,
               const std::string& name, std::initializer_list<const char*> order) {
  for (const char* share : order) {
    const std::string_view which = share;
    DetectionJson value = nullptr;
    if (point) {
      value = in_percent(which == "tpr"   ? point->recall
                         : which == "tnr" ? point->normal_kept
                                          : std::optional(point->precision));
    }
    out[fmt::format("{}_at_{}", share, name)] = value;
  }
  out["threshold_" + name] = point ? finite_or_null(point->threshold) : DetectionJson(nullptr);
}

void put_delays(DetectionJson& out, const std::optional<EpisodeDelays>& delays,
                const std::string& name) {
  const auto frames = [&](double EpisodeDelays::*of) {
    return delays ? DetectionJson((*delays).*of) : DetectionJson(nullptr);
  };
  out["delay_" + name + "_paper"] = frames(&EpisodeDelays::published);
  out["delay_" + name + "_novel_types"] = frames(&EpisodeDelays::over_types);
  out["delay_" + name + "_per_episode"] = frames(&EpisodeDelays::per_episode);
  out["undetected_" + name] = delays ? DetectionJson(delays->undetected) : DetectionJson(nullptr);
}

// The columns of a table: names and single values.
DetectionJson columns_of(const DetectionAnswer& answer) {
  const DetectionSummary& found = answer.found;
  DetectionJson out{{"method", answer.method}, {"rule", answer.rule}};
  if (answer.of_episodes) {
    out["novel_episodes"] = found.novel;
    out["normal_episodes"] = found.normal;
  }
  out["auroc"] = in_percent(found.auroc);
  out["auprc_trapezoid"] = in_percent(found.trapezoids);
  out["average_precision"] = in_percent(found.average_precision);
  put_point(out, found.at_recall, name_of_recall(answer), {"tpr", "tnr", "ppv"});
  if (answer.of_episodes) {
    put_delays(out, answer.delay_at_recall, name_of_recall(answer));
  }
  put_point(out, found.at_precision, name_of_precision(answer), {"ppv", "tnr", "tpr"});
  if (answer.of_episodes) {
    put_delays(out, answer.delay_at_precision, name_of_precision(answer));
  }
  out["novel"] = found.novel;
  out["normal"] = found.normal;
  out["distinct_scores"] = found.ties.distinct;
  out["tied"] = found.ties.tied;
  out["largest_tie"] = found.ties.largest;
  out["chosen_on"] = answer.chosen_on;
  return out;
}

DetectionJson point_object(const OperatingPoint& point) {
  return {{"threshold", finite_or_null(point.threshold)}, {"tpr", in_percent(point.recall)},
          {"tnr", in_percent(point.normal_kept)},         {"ppv", in_percent(point.precision)},
          {"novel_alarms", point.novel_alarms},           {"false_alarms", point.false_alarms}};
}

DetectionJson type_objects(const std::optional<EpisodeDelays>& delays) {
  DetectionJson out = DetectionJson::array();
  if (delays) {
    for (const TypeDelay& type : delays->types) {
      out.push_back({{"type", type.type},
                     {"episodes", type.episodes},
                     {"undetected", type.undetected},
                     {"mean", type.mean},
                     {"median_detected", type.median_detected ? DetectionJson(*type.median_detected)
                                                              : DetectionJson(nullptr)}});
    }
  }
  return out;
}

std::vector<std::string> interval_names(const DetectionOptions& options) {
  std::vector<std::string> names{"auroc", "auprc_trapezoid", "average_precision",
                                 fmt::format("tnr_at_tpr{:g}", 100.0 * options.recall),
                                 fmt::format("tpr_at_ppv{:g}", 100.0 * options.precision)};
  for (const double rate : options.false_alarm_rates) {
    names.push_back(fmt::format("tpr_at_1_in_{:g}", 1.0 / rate));
  }
  return names;
}

DetectionJson object_of(const DetectionAnswer& answer) {
  DetectionJson out = columns_of(answer);
  out["unit"] = "percent";
  out["prior"] =
      answer.options.prior ? DetectionJson(*answer.options.prior) : DetectionJson(nullptr);
  out["largest_tie_score"] = finite_or_null(answer.found.ties.largest_score);
  for (std::size_t i = 0; i < answer.found.at_rates.size(); ++i) {
    const double rate = answer.options.false_alarm_rates[i];
    const auto& point = answer.found.at_rates[i];
    DetectionJson of_rate = point ? point_object(*point) : DetectionJson::object();
    of_rate["rate"] = rate;
    of_rate["can_be_shown"] = answer.found.normal >= normal_samples_needed(rate);
    if (answer.of_episodes && answer.delay_at_rates[i]) {
      put_delays(of_rate, answer.delay_at_rates[i], "here");
    }
    out["false_alarm_rates"].push_back(std::move(of_rate));
  }
  if (answer.options.costs) {
    const DetectionCosts& costs = *answer.options.costs;
    DetectionJson& cost = out["cost"];
    cost = answer.found.at_cost ? point_object(*answer.found.at_cost) : DetectionJson::object();
    cost["miss"] = costs.miss;
    cost["false_alarm"] = costs.false_alarm;
    cost["frequency"] = costs.frequency;
    cost["expected_cost"] = answer.found.at_cost
                                ? DetectionJson(expected_cost(*answer.found.at_cost, costs))
                                : DetectionJson(nullptr);
    cost["without_detector"] = cost_without_detector(costs);
    for (const CostCurvePoint& point : answer.cost_curve) {
      out["cost_curve"].push_back({{"share", point.share},
                                   {"cost", point.cost},
                                   {"threshold", finite_or_null(point.threshold)}});
    }
  }
  if (answer.options.budget) {
    DetectionJson& budget = out["budget"];
    budget =
        answer.found.in_budget ? point_object(*answer.found.in_budget) : DetectionJson::object();
    budget["alarms_per_day"] = answer.options.budget->alarms_per_day;
    budget["frames_per_day"] = answer.options.budget->frames_per_day;
    budget["frequency"] = answer.options.budget->frequency;
    budget["alarms_expected"] =
        answer.found.in_budget
            ? DetectionJson(alarms_expected(*answer.found.in_budget, *answer.options.budget))
            : DetectionJson(nullptr);
  }
  if (answer.of_episodes) {
    out["delays"] = {{name_of_recall(answer), type_objects(answer.delay_at_recall)},
                     {name_of_precision(answer), type_objects(answer.delay_at_precision)}};
  }
  const std::vector<std::string> names = interval_names(answer.options);
  for (std::size_t i = 0; i < answer.intervals.size(); ++i) {
    out["intervals"][names[i]] = {in_percent(answer.intervals[i].low),
                                  in_percent(answer.intervals[i].high)};
  }
  out["notes"] = answer.notes;
  return out;
}

std::string shown_percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.2f}", 100.0 * *share) : "-";
}

std::string shown_interval(const DetectionAnswer& answer, const std::string& name) {
  const std::vector<std::string> names = interval_names(answer.options);
  for (std::size_t i = 0; i < answer.intervals.size(); ++i) {
    if (names[i] == name && answer.intervals[i].low) {
      return fmt::format("{} to {}", shown_percent(answer.intervals[i].low),
                         shown_percent(answer.intervals[i].high));
    }
  }
  return "-";
}

void add_point_row(TextTable& table, const std::string& what,
                   const std::optional<OperatingPoint>& point, const std::string& more) {
  if (!point) {
    table.add({what, "-", "-", "-", "-", more});
    return;
  }
  table.add({what, point->never() ? "no alarm ever" : fmt::format("{:.6g}", point->threshold),
             shown_percent(point->recall), shown_percent(point->normal_kept),
             shown_percent(point->precision), more});
}

std::string delay_text(const DetectionAnswer& answer) {
  TextTable table(
      {"delay in frames", "type", "episodes", "never detected", "mean", "median of detected"});
  const auto add = [&](const std::string& what, const std::optional<EpisodeDelays>& delays) {
    if (!delays) {
      return;
    }
    for (const TypeDelay& type : delays->types) {
      table.add({what, type.type, std::to_string(type.episodes), std::to_string(type.undetected),
                 fmt::format("{:.2f}", type.mean),
                 type.median_detected ? fmt::format("{:g}", *type.median_detected) : "-"});
    }
    table.add({what, "all episodes", std::to_string(answer.found.novel),
               std::to_string(delays->undetected), fmt::format("{:.2f}", delays->per_episode),
               "-"});
    table.add({what, "mean of types", "", "", fmt::format("{:.2f}", delays->over_types), "-"});
    table.add({what, "as published", "", "", fmt::format("{:.2f}", delays->published), "-"});
  };
  add(fmt::format("recall {:g} %", 100.0 * answer.options.recall), answer.delay_at_recall);
  add(fmt::format("precision {:g} %", 100.0 * answer.options.precision), answer.delay_at_precision);
  return table.text(2);
}

}  // namespace

std::vector<double> interval_values(const DetectionCurve& curve, const DetectionOptions& options) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  const double weight = normal_weight(curve, options.prior);
  const auto recalled = at_recall(curve, options.recall, options.rule, weight);
  const auto precise = at_precision(curve, options.precision, options.rule, weight);
  std::vector<double> out{auroc(curve).value_or(kMissing),
                          precision_recall_trapezoids(curve, weight).value_or(kMissing),
                          average_precision(curve, weight).value_or(kMissing),
                          recalled ? recalled->normal_kept.value_or(kMissing) : kMissing,
                          precise ? precise->recall.value_or(kMissing) : kMissing};
  for (const double rate : options.false_alarm_rates) {
    const auto point = at_false_alarm_rate(curve, rate, weight);
    out.push_back(point ? point->recall.value_or(kMissing) : kMissing);
  }
  return out;
}

std::string detection_json(const std::vector<DetectionAnswer>& answers) {
  DetectionJson out = DetectionJson::array();
  for (const DetectionAnswer& answer : answers) {
    out.push_back(object_of(answer));
  }
  return (out.size() == 1 ? out.front() : out).dump(2) + "\n";
}

std::string detection_csv(const std::vector<DetectionAnswer>& answers) {
  std::string out;
  for (const DetectionAnswer& answer : answers) {
    std::vector<std::string> header;
    std::vector<std::string> row;
    const DetectionJson columns = columns_of(answer);
    for (const auto& [name, value] : columns.items()) {
      header.push_back(csv_field(name));
      row.push_back(value.is_null()     ? ""
                    : value.is_string() ? csv_field(value.get<std::string>())
                                        : value.dump());
    }
    out += out.empty() ? fmt::format("{}\n", fmt::join(header, ",")) : "";
    out += fmt::format("{}\n", fmt::join(row, ","));
  }
  return out;
}

std::string detection_text(const DetectionAnswer& answer) {
  const DetectionSummary& found = answer.found;
  const DetectionOptions& options = answer.options;
  std::string out = fmt::format(
      "{}: {} novel and {} normal {}, {} distinct scores{}\n", answer.method, found.novel,
      found.normal, answer.of_episodes ? "episodes" : "samples", found.ties.distinct,
      found.ties.tied > 0 ? fmt::format(", {} {} share theirs with another", found.ties.tied,
                                        answer.of_episodes ? "episodes" : "samples")
                          : "");
  out += fmt::format("precision is for {}; thresholds by the rule {}, chosen on {}\n\n",
                     options.prior ? fmt::format("{:g} % novel", 100.0 * *options.prior)
                                   : "the share of novel ones as it is here",
                     answer.rule, answer.chosen_on);
  TextTable areas({"whatever the threshold", "%", "interval"});
  areas.add({"AUROC", shown_percent(found.auroc), shown_interval(answer, "auroc")});
  areas.add({"average precision", shown_percent(found.average_precision),
             shown_interval(answer, "average_precision")});
  areas.add({"AUPRC by trapezoids", shown_percent(found.trapezoids),
             shown_interval(answer, "auprc_trapezoid")});
  out += areas.text() + "\n";
  TextTable points(
      {"threshold for", "threshold", "recall %", "normal left alone %", "precision %", "interval"});
  const std::vector<std::string> names = interval_names(options);
  add_point_row(points, fmt::format("recall {:g} %", 100.0 * options.recall), found.at_recall,
                shown_interval(answer, names[3]));
  add_point_row(points, fmt::format("precision {:g} %", 100.0 * options.precision),
                found.at_precision, shown_interval(answer, names[4]));
  for (std::size_t i = 0; i < found.at_rates.size(); ++i) {
    add_point_row(points, fmt::format("false alarms 1 in {:g}", 1.0 / options.false_alarm_rates[i]),
                  found.at_rates[i], shown_interval(answer, names[5 + i]));
  }
  if (options.costs) {
    add_point_row(
        points,
        fmt::format("least cost {:g}:{:g}", options.costs->miss, options.costs->false_alarm),
        found.at_cost, "-");
  }
  if (options.budget) {
    add_point_row(points, fmt::format("{:g} alarms a day", options.budget->alarms_per_day),
                  found.in_budget, "-");
  }
  out += points.text() + "\n";
  if (options.costs && found.at_cost) {
    out += fmt::format("expected cost {:.6g} a sample, without a detector {:.6g}\n\n",
                       expected_cost(*found.at_cost, *options.costs),
                       cost_without_detector(*options.costs));
  }
  if (options.budget && found.in_budget) {
    out += fmt::format("{:.6g} alarms a day to be expected\n\n",
                       alarms_expected(*found.in_budget, *options.budget));
  }
  if (answer.of_episodes) {
    out += delay_text(answer) + "\n";
  }
  if (!answer.drawn.empty()) {
    out += wrapped(answer.drawn, 100, 0);
  }
  for (const std::string& note : answer.notes) {
    out += wrapped("note: " + note, 100, 0);
  }
  return out;
}

}  // namespace tyto
