// SPDX-License-Identifier: Apache-2.0
// Tolerance to change that is none of the task's: what is lost when test samples are shown blurred,
// turned or noisy. Such splits are called test:<name>.
#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/measure/intervals/paired.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/pictures/changed_gallery.hpp"
#include "tyto/report/page/ranged.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlainSplit = "test";
constexpr std::size_t kChangedItems = 6;           // of a shelf
constexpr std::size_t kChangedPictures = 400'000;  // bytes of a page
constexpr std::array kLossMeasures = {ShownMeasure{"accuracy", "Accuracy"},
                                      ShownMeasure{"mcc", "MCC"}};

// One split of a phase, called as it is seen without nuisance, so that both can be paired.
class SplitAsTest final : public RunRecord {
 public:
  SplitAsTest(const RunRecord& record, std::string phase, std::string split)
      : record_(record), phase_(std::move(phase)), split_(std::move(split)) {}

  [[nodiscard]] std::vector<PhaseKey> phases() const override {
    std::vector<PhaseKey> keys;
    for (PhaseKey key : record_.phases()) {
      if (key.phase == phase_ && key.split == split_) {
        key.split = kPlainSplit;
        keys.push_back(std::move(key));
      }
    }
    return keys;
  }

  [[nodiscard]] Phase phase(const PhaseKey& key) const override {
    PhaseKey own = key;
    own.split = split_;
    Phase phase = record_.phase(own);
    phase.key = key;
    return phase;
  }

  [[nodiscard]] const Truth* truth() const override { return record_.truth(); }

 private:
  const RunRecord& record_;
  std::string phase_, split_;
};

// The phase in which samples were shown under a nuisance: the last of an increment.
std::string changed_phase(const RunRecord& record) {
  std::string phase;
  for (const PhaseKey& key : record.phases()) {
    if (!nuisance_of(key.split).empty() && phase != "post") {
      phase = key.phase;
    }
  }
  return phase;
}

std::vector<std::string> changed_splits(const RunRecord& record, const std::string& phase) {
  std::vector<std::string> splits;
  for (const PhaseKey& key : record.phases()) {
    if (key.phase == phase && !nuisance_of(key.split).empty() &&
        std::find(splits.begin(), splits.end(), key.split) == splits.end()) {
      splits.push_back(key.split);
    }
  }
  return splits;
}

std::vector<HeadlineColumn> loss_columns(const std::string& phase, const std::string& split) {
  std::vector<HeadlineColumn> columns;
  for (const auto& [measure, title] : kLossMeasures) {
    columns.push_back({measure, title, "", phase, "raw", measure, split});
  }
  return columns;
}

struct SplitValues {
  std::array<RangedValue, kLossMeasures.size()> values;
  Index samples = 0;
};

SplitValues values_on(const RunRecord& record, const std::string& phase, const std::string& split,
                      bool intervals, Progress& progress) {
  BootstrapOptions bootstrap;
  bootstrap.replicates = 200;
  const std::vector<HeadlineColumn> columns = loss_columns(phase, split);
  const auto rows =
      number_rows(record, columns, {}, intervals ? &bootstrap : nullptr, progress).front();
  SplitValues out;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    out.values[c] = number_in(rows, columns[c]);
  }
  out.samples = rows.empty() ? 0 : rows.back().samples;
  return out;
}

struct Losses {
  std::array<RangedValue, kLossMeasures.size()> values;
  Index pairs = 0;
};

// Of the samples that both splits show: as they are, less under the nuisance. No pairs where the
// samples are others.
Losses paired_losses(const RunRecord& record, const std::string& phase, const std::string& split,
                     bool intervals) {
  Losses losses;
  TableOptions options;
  options.measures = {kLossMeasures[0].measure, kLossMeasures[1].measure};
  std::vector<MeasureColumn> columns;
  for (const MeasureColumn& column : measure_columns(options.measures)) {
    if (column.view == View::raw) {
      columns.push_back(column);
    }
  }
  Progress quiet;
  std::vector<PairedSeries> pairs;
  try {
    pairs = pair_series(SplitAsTest(record, phase, split),
                        SplitAsTest(record, phase, std::string(kPlainSplit)), options, true);
  } catch (const Error&) {
    return losses;
  }
  for (const PairedSeries& pair : pairs) {
    for (const PhaseView& step : pair.first.steps) {
      losses.pairs += step.size();
    }
  }
  if (losses.pairs == 0) {
    return losses;
  }
  BootstrapOptions bootstrap;
  bootstrap.replicates = page_replicates(static_cast<double>(losses.pairs));
  for (const PairedRow& row :
       measure_differences(pairs, columns, intervals ? &bootstrap : nullptr, quiet)) {
    for (std::size_t c = 0; c < kLossMeasures.size(); ++c) {
      if (row.first.step == kAllSteps && row.first.measure == kLossMeasures[c].measure) {
        losses.values[c] = {row.difference, row.interval.low, row.interval.high};
      }
    }
  }
  return losses;
}

Losses losses_of(const RunRecord& record, const std::string& phase, const std::string& split,
                 const SplitValues& plain, const SplitValues& changed, bool intervals) {
  Losses losses = paired_losses(record, phase, split, intervals);
  if (losses.pairs == 0) {
    for (std::size_t c = 0; c < kLossMeasures.size(); ++c) {
      if (plain.values[c].value && changed.values[c].value) {
        losses.values[c] = {*plain.values[c].value - *changed.values[c].value, {}, {}};
      }
    }
  }
  return losses;
}

template <class Of>
Json over_seeds(const std::vector<Of>& seeds) {
  Json all = Json::array();
  for (std::size_t c = 0; c < kLossMeasures.size(); ++c) {
    std::vector<RangedValue> values;
    for (const Of& seed : seeds) {
      values.push_back(seed.values[c]);
    }
    const RangedValue value = spread_over(values);
    all.push_back(json_ranged(value.value, value.low, value.high));
  }
  return all;
}

Json arm_losses(const PageArm& arm, const std::string& phase,
                const std::vector<std::string>& splits, Progress& progress) {
  const bool one = arm.seeds.size() == 1;
  std::vector<SplitValues> plain;
  for (const PageArm::OfSeed& seed : arm.seeds) {
    plain.push_back(values_on(*seed.record, phase, std::string(kPlainSplit), one, progress));
  }
  Json rows = Json::array();
  for (const std::string& split : splits) {
    std::vector<SplitValues> changed;
    std::vector<Losses> losses;
    for (std::size_t s = 0; s < arm.seeds.size(); ++s) {
      progress.pulse();
      const RunRecord& record = *arm.seeds[s].record;
      changed.push_back(values_on(record, phase, split, one, progress));
      losses.push_back(losses_of(record, phase, split, plain[s], changed[s], one));
    }
    rows.push_back({{"name", nuisance_of(split)},
                    {"samples", changed.front().samples},
                    {"pairs", losses.front().pairs},
                    {"values", over_seeds(changed)},
                    {"loss", over_seeds(losses)}});
  }
  return {{"arm", arm.number},
          {"samples", plain.front().samples},
          {"values", over_seeds(plain)},
          {"rows", std::move(rows)}};
}

// The sample as it was shown; where that cannot be drawn, as it is.
Json changed_item(const PageSource& source, const PageArm& arm, const std::string& split,
                  const ChangedItem& item, PictureShare& share) {
  const PageRun& run = source.run_of(arm);
  const Truth& truth = *arm.seeds.front().record->truth();
  auto place = source.picture(run, truth, {.sample = item.sample, .split = split}, share);
  const bool changed = place.has_value();
  if (!place) {
    place = source.picture(run, truth, {.sample = item.sample}, share);
  }
  return {{"sample", item.name},
          {"step", item.step},
          {"truth", source.name(item.truth)},
          {"said", source.name(item.after)},
          {"confidence", json_number(item.confidence)},
          {"media", place ? Json(*place) : Json()},
          {"changed", changed}};
}

void add_shelves(const PageSource& source, const PageArm& arm, const std::string& phase,
                 const std::string& split, PictureShare& share, Json& shelves, Progress& progress) {
  const ChangedShelves found = changed_gallery(*arm.seeds.front().record, phase, kPlainSplit, split,
                                               kChangedItems, progress);
  for (const bool right : {false, true}) {
    const ChangedShelf& shelf = right ? found.kept : found.lost;
    Json items = Json::array();
    bool any = false;
    for (const ChangedItem& item : shelf.items) {
      items.push_back(changed_item(source, arm, split, item, share));
      any = any || !items.back().at("media").is_null();
    }
    if (any) {
      shelves.push_back({{"arm", arm.number},
                         {"name", nuisance_of(split)},
                         {"right", right},
                         {"samples", shelf.samples},
                         {"items", std::move(items)}});
    }
  }
}

std::optional<Json> build_nuisance(const PageSource& source, Progress& progress) {
  Json arms = Json::array();
  Json shelves = Json::array();
  PictureShare share{kChangedPictures};
  bool several = false;
  for (const PageArm& arm : source.arms) {
    const RunRecord& record = *arm.seeds.front().record;
    const std::string phase = changed_phase(record);
    if (phase.empty() || record.truth() == nullptr) {
      continue;
    }
    const std::vector<std::string> splits = changed_splits(record, phase);
    arms.push_back(arm_losses(arm, phase, splits, progress));
    several = several || arm.seeds.size() > 1;
    if (source.run_of(arm).samples.picture && arm.seeds.front().seed == 0) {
      for (const std::string& split : splits) {
        add_shelves(source, arm, phase, split, share, shelves, progress);
      }
    }
  }
  if (arms.empty()) {
    return std::nullopt;
  }
  return Json{{"measures", json_measures(kLossMeasures)},
              {"arms", std::move(arms)},
              {"shelves", std::move(shelves)},
              {"interval", several ? "mean, least and greatest of the " + source.repeats()
                                   : "95 % bootstrap intervals over the test samples; of a loss "
                                     "over pairs, the same sample shown both ways"}};
}

}  // namespace

SectionSpec nuisance_section() {
  return {"nuisance",
          "Nuisance",
          "What is lost when test samples are shown changed in a way that should not matter; "
          "nothing was learned from them.",
          {},
          57,
          build_nuisance};
}

}  // namespace tyto
