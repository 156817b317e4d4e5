// SPDX-License-Identifier: Apache-2.0
// Whether confidence can be trusted: accuracy by confidence, for all, common and rare classes.
#include "tyto/measure/calibration/reliability.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "tyto/measure/calibration/by_class.hpp"
#include "tyto/measure/calibration/by_epoch.hpp"
#include "tyto/measure/registry.hpp"
#include "tyto/measure/table.hpp"
#include "tyto/report/page/curve.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/map/principal_scores.hpp"
#include "tyto/report/page/map/spread_sample.hpp"
#include "tyto/report/page/ranged.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kReliabilityBins = 10;
constexpr std::size_t kHistogram = 20;
constexpr std::size_t kMostCurvePoints = 150;  // of a curve
constexpr Index kMostTemperatures = 600;

constexpr std::array kShownCalibration = {ShownMeasure{"ece10", "ECE"},
                                          ShownMeasure{"nll", "NLL"},
                                          ShownMeasure{"brier_sum", "Brier"},
                                          ShownMeasure{"ks_error", "KS error"},
                                          ShownMeasure{"debiased_l2_equal_mass15", "Debiased L2"},
                                          ShownMeasure{"mean_confidence", "Confidence"},
                                          ShownMeasure{"accuracy", "Accuracy"},
                                          ShownMeasure{"failure_auroc_maxprob", "Failure AUROC"},
                                          ShownMeasure{"aurc", "AURC"}};

// Test and validate samples of one arm after feedback, all steps together; classes are names of
// the page.
struct Pool {
  std::array<ScoredSamples, 3> parts;                           // of all seeds, as kClassParts
  std::array<std::vector<std::vector<RangedValue>>, 3> values;  // by part, seed, measure
};

std::vector<RangedValue> shown_values(const ScoredSamples& samples, bool ranged,
                                      Progress& progress) {
  const NamedValues values = confidence_measures(samples, {});
  BootstrapOptions bootstrap;
  bootstrap.replicates = page_replicates(static_cast<double>(samples.size()));
  const std::vector<Interval> ends = ranged && samples.size() > 1
                                         ? confidence_intervals(samples, {}, bootstrap, progress)
                                         : std::vector<Interval>();
  std::vector<RangedValue> out;
  for (const ShownMeasure& shown : kShownCalibration) {
    const auto found = std::find_if(values.begin(), values.end(), [&](const auto& value) {
      return value.first == shown.measure;
    });
    const auto at = static_cast<std::size_t>(found - values.begin());
    RangedValue value{found->second, {}, {}};
    if (at < ends.size()) {
      value.low = ends[at].low;
      value.high = ends[at].high;
    }
    out.push_back(value);
  }
  return out;
}

Pool pooled(const PageSource& source, const PageArm& arm, const std::string& split,
            Progress& progress) {
  Pool pool;
  for (const PageArm::OfSeed& seed : arm.seeds) {
    const Truth& truth = truth_of(*seed.record);
    const ClassCounts counts = class_counts(truth);
    std::vector<PhaseKey> keys = seed.record->phases();
    std::erase_if(keys,
                  [&](const PhaseKey& key) { return key.phase != "post" || key.split != split; });
    std::array<ScoredSamples, 3> own;
    for (const std::vector<PhaseKey>& batches : by_increment(keys)) {
      progress.pulse();
      const PhaseView view =
          view_batches(*seed.record, batches, truth, {NovelTo::predictor}).front();
      std::array<ScoredSamples, 3> parts = samples_by_part(view, counts);
      for (std::size_t part = 0; part < parts.size(); ++part) {
        for (Index& label : parts[part].truth) {
          label = source.name(view.names[static_cast<std::size_t>(label)]);
        }
        own[part].append(parts[part]);
      }
    }
    for (std::size_t part = 0; part < own.size(); ++part) {
      pool.values[part].push_back(shown_values(own[part], arm.seeds.size() == 1, progress));
      pool.parts[part].append(own[part]);
    }
  }
  return pool;
}

Json bins_json(const ScoredSamples& samples) {
  Json out = Json::array();
  const ReliabilityBins binned = confidence_bins(samples, kReliabilityBins);
  for (const ReliabilityBin& bin : binned.bins()) {
    const auto count = static_cast<double>(bin.count);
    const auto mean = [&](double sum) {
      return json_number(bin.count == 0 ? std::nullopt : std::optional(sum / count));
    };
    out.push_back(Json::array({bin.count, mean(bin.confidence), mean(bin.correct)}));
  }
  return out;
}

// Share of the samples answered, the surest first, and of errors among them.
std::vector<CurvePoint> risk_curve(const ScoredSamples& samples) {
  const ScoredSamples sorted = samples.pick(by_confidence(samples));
  std::vector<CurvePoint> points;
  double wrong = 0.0;
  const std::size_t n = sorted.correct.size();
  for (std::size_t i = n; i > 0; --i) {
    wrong += sorted.correct[i - 1] != 0 ? 0.0 : 1.0;
    const auto taken = static_cast<double>(n - i + 1);
    const bool ends = i == 1 || sorted.confidence[i - 2] != sorted.confidence[i - 1];
    if (ends) {
      points.emplace_back(taken / static_cast<double>(n), wrong / taken);
    }
  }
  return thinned(points, kMostCurvePoints);
}

Json table_json(const PageArm& arm, const std::string& split, std::size_t part, const Pool& pool) {
  const ScoredSamples& samples = pool.parts[part];
  std::array<std::vector<Index>, 2> histogram{std::vector<Index>(kHistogram),
                                              std::vector<Index>(kHistogram)};
  for (std::size_t i = 0; i < samples.confidence.size(); ++i) {
    const auto bin = static_cast<std::size_t>(
        std::clamp(std::ceil(samples.confidence[i] * static_cast<double>(kHistogram)) - 1.0, 0.0,
                   static_cast<double>(kHistogram - 1)));
    ++histogram[samples.correct[i] != 0 ? 0 : 1][bin];
  }
  Json values = Json::array();
  for (std::size_t m = 0; m < kShownCalibration.size(); ++m) {
    std::vector<RangedValue> seeds;
    for (const std::vector<RangedValue>& seed : pool.values[part]) {
      seeds.push_back(seed[m]);
    }
    const RangedValue value = spread_over(seeds);
    values.push_back(json_ranged(value.value, value.low, value.high));
  }
  Json risk = Json::array();
  for (const auto& [coverage, errors] : risk_curve(samples)) {
    risk.push_back(Json::array({json_number(coverage), json_number(errors)}));
  }
  return {{"arm", arm.number},
          {"split", split},
          {"classes", kClassParts[part]},
          {"samples", samples.size()},
          {"values", std::move(values)},
          {"bins", bins_json(samples)},
          {"right", histogram[0]},
          {"wrong", histogram[1]},
          {"risk", std::move(risk)}};
}

Json per_class_json(const PageSource& source, const PageArm& arm, const std::string& split,
                    const ScoredSamples& samples) {
  const ClassCounts counts = class_counts(truth_of(*arm.seeds.front().record));
  const auto in_data = [&](Index name) {
    const auto found = counts.find(source.names->all()[static_cast<std::size_t>(name)]);
    return found == counts.end() ? Index{0} : found->second;
  };
  std::vector<ClassReliability> classes = class_reliability(samples, kReliabilityBins);
  std::stable_sort(classes.begin(), classes.end(),
                   [&](const ClassReliability& a, const ClassReliability& b) {
                     return in_data(a.column) > in_data(b.column);
                   });
  Json rows = Json::array();
  for (const ClassReliability& row : classes) {
    rows.push_back(Json::array({row.column, in_data(row.column), row.count, json_number(row.recall),
                                json_number(row.mean_confidence), json_number(row.ece)}));
  }
  return {{"arm", arm.number}, {"split", split}, {"rows", std::move(rows)}};
}

// The last test phase of the first seed.
std::optional<PhaseView> last_test(const PageArm& arm) {
  const RunRecord& record = *arm.seeds.front().record;
  std::vector<PhaseKey> keys = record.phases();
  std::erase_if(keys,
                [](const PhaseKey& key) { return key.phase != "post" || key.split != "test"; });
  if (keys.empty()) {
    return std::nullopt;
  }
  return view_phase(record.phase(keys.back()), truth_of(record));
}

// calibration.csv: what a calibrator that trains told of every epoch; and the test samples' ECE,
// where the record has their confidence by epoch.
void add_training(Json& training, const PageArm& arm, const PageTable* table,
                  const EpochErrors& tested) {
  Json lines = Json::array();
  if (!tested.epoch.empty() && tested.epoch.back() > 0) {
    Json values = Json::array();
    for (std::size_t e = 0; e < tested.epoch.size(); ++e) {
      if (tested.epoch[e] > 0) {  // the start is no epoch
        values.get_ref<Json::array_t&>().resize(static_cast<std::size_t>(tested.epoch[e] - 1));
        values.push_back(json_number(tested.ece[e]));
      }
    }
    lines.push_back({{"name", "ece_test"}, {"values", std::move(values)}});
  }
  for (const char* name : {"ece_validation", "nll", "temperature_mean", "temperature_deviation"}) {
    if (table == nullptr) {
      break;
    }
    Json values = Json::array();
    bool any = false;
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
      if (table->text(row, "arm") == arm.name &&
          table->text(row, "parameter") == std::string("epoch_") + name) {
        const auto value = table->number(row, "value");
        any = any || value.has_value();
        values.push_back(json_number(value));
      }
    }
    if (any) {
      lines.push_back({{"name", name}, {"values", std::move(values)}});
    }
  }
  if (!lines.empty()) {
    training.push_back(
        {{"arm", arm.number},
         {"lines", std::move(lines)},
         {"native",
          json_number(tested.epoch.empty() ? std::nullopt : std::optional(tested.native))}});
  }
}

// Where samples have temperatures of their own.
void add_temperatures(Json& all, const PageSource& source, const PageArm& arm,
                      const PhaseView& view) {
  const GivenKnown& given = view.given_known;
  if (given.temperature.empty()) {
    return;
  }
  std::vector<std::string> labels;
  std::vector<Index> rows;
  for (Index i = 0; i < view.size(); ++i) {
    if (!std::isnan(given.log_true[static_cast<std::size_t>(i)])) {
      labels.push_back(view.actual_name(i));
      rows.push_back(i);
    }
  }
  Json axes = Json::array({{{"name", "confidence"}, {"about", "of the calibrated answer"}}});
  std::vector<Index> chosen;
  for (const Index at : spread_sample(labels, kMostTemperatures, Rng(1, "temperatures"))) {
    chosen.push_back(rows[static_cast<std::size_t>(at)]);
  }
  Matrix plane(std::ssize(chosen), 0);
  if (const auto& features = source.run_of(arm).samples.features) {
    std::vector<SampleId> ids;
    for (const Index row : chosen) {
      ids.push_back(view.sample[static_cast<std::size_t>(row)]);
    }
    try {
      plane = principal_scores(features(ids), 2);
      axes.push_back({{"name", "first principal component"}, {"about", "of the features"}});
      axes.push_back({{"name", "second principal component"}, {"about", "of the features"}});
    } catch (const Error&) {  // the data are gone; the confidence is still an axis
      plane.resize(std::ssize(chosen), 0);
    }
  }
  Json points = Json::array();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto row = static_cast<std::size_t>(chosen[i]);
    Json point = Json::array({given.best[row] == view.actual[row] ? 1 : 0,
                              source.name(view.actual_name(chosen[i])),
                              json_number(static_cast<double>(given.temperature[row])),
                              json_number(static_cast<double>(given.confidence[row]))});
    for (const float x : plane.row(static_cast<Index>(i))) {
      point.push_back(json_number(static_cast<double>(x)));
    }
    points.push_back(std::move(point));
  }
  all.push_back({{"arm", arm.number}, {"axes", std::move(axes)}, {"points", std::move(points)}});
}

std::optional<Json> build_reliability(const PageSource& source, Progress& progress) {
  Json tables = Json::array();
  Json per_class = Json::array();
  Json training = Json::array();
  Json temperatures = Json::array();
  for (const PageArm& arm : source.arms) {
    for (const std::string split : {"validate", "test"}) {
      const Pool pool = pooled(source, arm, split, progress);
      if (pool.parts[0].size() == 0) {
        continue;
      }
      for (std::size_t part = 0; part < kClassParts.size(); ++part) {
        tables.push_back(table_json(arm, split, part, pool));
      }
      per_class.push_back(per_class_json(source, arm, split, pool.parts[0]));
    }
    const std::optional<PhaseView> tested = last_test(arm);
    add_training(training, arm, source.seed_of(arm, arm.seeds.front()).table("calibration.csv"),
                 tested ? errors_by_epoch(*tested) : EpochErrors());
    if (tested) {
      add_temperatures(temperatures, source, arm, *tested);
    }
  }
  if (tables.empty()) {
    return std::nullopt;
  }
  return Json{{"measures", json_measures(kShownCalibration)},
              {"tables", std::move(tables)},
              {"per_class", std::move(per_class)},
              {"training", std::move(training)},
              {"temperatures", std::move(temperatures)},
              {"note", ""}};
}

}  // namespace

SectionSpec reliability_section() {
  return {"reliability",
          "Reliability",
          "Whether a confidence of 90 % means right nine times of ten: samples of known classes "
          "after feedback, probabilities given that they are known, all steps together.",
          {},
          55,
          build_reliability};
}

}  // namespace tyto
