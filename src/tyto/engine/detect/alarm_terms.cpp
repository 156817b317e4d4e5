// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/detect/alarm_terms.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr Index kFewestToEstimate = 100;  // rows that can tell how many of them are novel
constexpr double kPriorRows = 10, kPriorShape = 0.25;
constexpr int kSteps = 200;
constexpr double kRounding = 1e-6;  // of a p-value, which is a float

[[noreturn]] void refuse_terms(std::string what) {
  throw Error(ErrorKind::config, std::move(what));
}

}  // namespace

void AlarmTerms::check() const {
  if (!(rate > 0.0 && rate < 1.0)) {
    refuse_terms(
        fmt::format("--rate {}: is to be a share of normal rows above 0 and below 1", rate));
  }
  if (by_cost() && by_budget()) {
    refuse_terms("--cost and --alarms-per-day each set the threshold: give one of them");
  }
  if (by_cost() && !(*miss > 0.0 && *wrong > 0.0)) {
    refuse_terms(fmt::format("--cost {}:{}: both costs are to be above 0", *miss, *wrong));
  }
  if (frequency && !by_cost()) {
    refuse_terms("--frequency goes with --cost");
  }
  if (frequency && !(*frequency > 0.0 && *frequency < 1.0)) {
    refuse_terms(fmt::format("--frequency {}: is to be a share above 0 and below 1", *frequency));
  }
  if (alarms.has_value() != rows.has_value()) {
    refuse_terms("--alarms-per-day and --rows-per-day go together");
  }
  if (by_budget() && !(*alarms > 0.0 && *rows >= *alarms)) {
    refuse_terms(
        fmt::format("--alarms-per-day {} of --rows-per-day {}: alarms are to be above 0 "
                    "and no more than the rows",
                    *alarms, *rows));
  }
}

double AlarmTerms::rate_asked() const {
  return by_budget() ? std::min(*alarms / *rows, 0.5) : rate;
}

std::pair<double, double> costs_in(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != text.npos) {
    const auto miss = number_in<double>(text.substr(0, colon));
    const auto wrong = number_in<double>(text.substr(colon + 1));
    if (miss && wrong) {
      return {*miss, *wrong};
    }
  }
  refuse_terms(
      fmt::format("--cost {}: is to be the cost of a miss and of a false alarm, as 10:1", text));
}

double NoveltyMixture::cheapest(double miss, double wrong) const {
  // frequency a p^(a - 1) miss = (1 - frequency) wrong
  const double ratio = frequency * shape * miss / ((1.0 - frequency) * wrong);
  return std::min(1.0, std::pow(ratio, 1.0 / (1.0 - shape)));
}

double NoveltyMixture::cost(double p, double miss, double wrong) const {
  return frequency * (1.0 - std::pow(p, shape)) * miss + (1.0 - frequency) * p * wrong;
}

NoveltyMixture fit_mixture(std::span<const float> p_value, std::optional<double> frequency) {
  NoveltyMixture mixture{frequency.value_or(0.1), kPriorShape};
  const auto n = static_cast<double>(p_value.size());
  for (int step = 0; step < kSteps; ++step) {
    double weight = 0;
    double logs = 0;
    for (const float given : p_value) {
      const double p = std::max<double>(given, 1e-12);
      const double novel = mixture.frequency * mixture.shape * std::pow(p, mixture.shape - 1.0);
      const double share = novel / (novel + 1.0 - mixture.frequency);
      weight += share;
      logs -= share * std::log(p);
    }
    mixture.shape =
        std::clamp((weight + kPriorRows) / (logs + kPriorRows / kPriorShape), 0.01, 0.9);
    if (!frequency) {
      mixture.frequency = std::clamp(weight / n, 1e-6, 1.0 - 1e-6);
    }
  }
  return mixture;
}

AlarmRule alarm_rule(const AlarmTerms& terms, std::span<const float> novelty,
                     std::span<const float> p_value, Index held) {
  const double least = 1.0 / static_cast<double>(held + 1);
  AlarmRule rule;
  if (terms.by_budget()) {
    const double share = *terms.alarms / *terms.rows;
    rule.p = std::max(share, least) * (1.0 + kRounding);
    // The greatest scores that fit; of rows that share a score all or none.
    const auto most = static_cast<std::size_t>(share * static_cast<double>(novelty.size()));
    if (most < novelty.size()) {
      std::vector<float> sorted(novelty.begin(), novelty.end());
      std::nth_element(sorted.begin(), sorted.begin() + static_cast<Index>(most), sorted.end(),
                       std::greater<>());
      rule.above = sorted[most];
      rule.bounded = true;
    }
    return rule;
  }
  if (!terms.frequency && std::ssize(p_value) < kFewestToEstimate) {
    refuse_terms(
        fmt::format("--cost needs to know how often something novel comes, and {} rows "
                    "cannot tell ({} can): give --frequency",
                    p_value.size(), kFewestToEstimate));
  }
  const NoveltyMixture mixture = fit_mixture(p_value, terms.frequency);
  const double miss = *terms.miss;
  const double wrong = *terms.wrong;
  const double wanted = mixture.cheapest(miss, wrong);
  rule.p = wanted * (1.0 + kRounding);
  rule.notes.push_back(
      fmt::format("least cost at {:.3g} % false alarms: {:.3g} a row to be expected, {:.3g} "
                  "without a detector; "
                  "{:.2g} % of rows novel ({}), their p-values a Beta({:.2g}, 1)",
                  100.0 * wanted, mixture.cost(wanted, miss, wrong),
                  std::min(mixture.frequency * miss, (1.0 - mixture.frequency) * wrong),
                  100.0 * mixture.frequency,
                  terms.frequency ? "as given" : "estimated from these rows", mixture.shape));
  if (wanted < least) {
    rule.p = least * (1.0 + kRounding);
    rule.notes.push_back(
        fmt::format("{} normal rows cannot show a rate of {:.2g} %: an alarm is raised beyond all "
                    "of them, at {:.2g} % or less",
                    held, 100.0 * wanted, 100.0 * least));
  }
  return rule;
}

}  // namespace tyto
