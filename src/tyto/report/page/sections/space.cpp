// SPDX-License-Identifier: Apache-2.0
// A sample of the test rows, laid out in the plane: what lies near what, and what was made of it.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/map/neighbour_embedding.hpp"
#include "tyto/report/page/map/principal_scores.hpp"
#include "tyto/report/page/map/spread_sample.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kMostMapPoints = 3000;
constexpr std::size_t kTriedPictures = 8;
constexpr std::size_t kTipPictures = 300'000;  // bytes of a page

// Test samples in the order shown, with the step that showed them first.
struct ShownSamples {
  std::vector<SampleId> sample;
  std::vector<Index> step;
};

template <class Body>
void for_each_first_look(const RunRecord& record, Progress& progress, const Body& body) {
  std::vector<PhaseKey> keys = record.phases();
  std::erase_if(keys,
                [](const PhaseKey& key) { return key.phase != "pre" || key.split != "test"; });
  std::sort(keys.begin(), keys.end());
  for (const PhaseKey& key : keys) {
    progress.pulse();
    body(record.phase(key));
  }
}

ShownSamples shown_samples(const RunRecord& record, Progress& progress) {
  ShownSamples out;
  std::vector<bool> seen(record.truth()->label.size());
  for_each_first_look(record, progress, [&](const Phase& phase) {
    for (const SampleId id : phase.sample) {
      if (!seen[static_cast<std::size_t>(id)]) {
        seen[static_cast<std::size_t>(id)] = true;
        out.sample.push_back(id);
        out.step.push_back(phase.key.step);
      }
    }
  });
  return out;
}

Matrix standardised(Matrix rows) {
  const auto count = static_cast<double>(std::max<Index>(1, rows.rows()));
  for (Index j = 0; j < rows.cols(); ++j) {
    const Eigen::VectorXd column = rows.col(j).cast<double>();
    const double mean = column.sum() / count;
    const double deviation = std::sqrt((column.array() - mean).square().sum() / count);
    // A column that hardly varies would be rounding, blown up.
    const bool varies = deviation > 1e-6 * std::abs(mean);
    rows.col(j) = varies ? ((column.array() - mean) / deviation).cast<float>().matrix().eval()
                         : Vector::Zero(rows.rows()).eval();
  }
  return rows;
}

Json layout_json(const char* name, const char* about, const Matrix& at) {
  Json x = Json::array();
  Json y = Json::array();
  for (Index i = 0; i < at.rows(); ++i) {
    x.push_back(json_number(static_cast<double>(at(i, 0))));
    y.push_back(json_number(static_cast<double>(at(i, 1))));
  }
  return {{"name", name}, {"about", about}, {"x", std::move(x)}, {"y", std::move(y)}};
}

// What an arm made of the samples when it first saw them; nothing if it has not seen them all yet.
std::optional<Json> seen_json(const PageSource& source, const PageArm& arm,
                              const std::vector<SampleId>& chosen, Progress& progress) {
  const RunRecord& record = *arm.seeds.front().record;
  std::map<SampleId, std::size_t> place;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    place.emplace(chosen[i], i);
  }
  std::vector<Index> label(chosen.size(), -1);
  std::vector<Json> novelty(chosen.size());
  std::vector<bool> novel(chosen.size());
  std::size_t found = 0;
  for_each_first_look(record, progress, [&](const Phase& phase) {
    for (Index i = 0; i < phase.size(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const auto wanted = place.find(phase.sample[row]);
      if (wanted == place.end() || label[wanted->second] >= 0) {
        continue;
      }
      ++found;
      label[wanted->second] = source.name(phase.decision(i));
      if (row < phase.novelty.size()) {
        novelty[wanted->second] = json_number(static_cast<double>(phase.novelty[row]));
      }
      const std::string& actual = record.truth()->label_of(phase.sample[row]);
      novel[wanted->second] =
          std::find(phase.known.begin(), phase.known.end(), actual) == phase.known.end();
    }
  });
  if (found < chosen.size()) {
    return std::nullopt;
  }
  return Json{{"arm", arm.number}, {"label", label}, {"novelty", novelty}, {"novel", novel}};
}

// Pictures for the tips, where all of them together are small; else those of other sections serve.
void add_tip_pictures(const PageSource& source, const PageRun& run, const Truth& truth,
                      const std::vector<SampleId>& chosen, PictureShare& share) {
  if (!run.samples.picture) {
    return;
  }
  const std::size_t tried = std::min(kTriedPictures, chosen.size());
  std::size_t bytes = 0;
  try {
    for (std::size_t i = 0; i < tried; ++i) {
      const auto picture = run.samples.picture(
          {.sample = chosen[i * chosen.size() / tried], .most_bytes = kLargestPicture});
      bytes += picture ? picture->bytes.size() : 0;
    }
  } catch (const Error&) {
    return;  // the data are gone
  }
  if (bytes > 0 && bytes * chosen.size() <= share.left * tried) {
    for (const SampleId id : chosen) {
      static_cast<void>(source.picture(run, truth, {.sample = id}, share));
    }
  }
}

std::optional<Json> map_json(const PageSource& source, std::size_t run, PictureShare& share,
                             Progress& progress) {
  const PageRun& of = source.runs[run];
  // Of the arms of an unfinished run the one that has come farthest says what was shown.
  const PageArm* farthest = nullptr;
  ShownSamples shown;
  for (const PageArm& arm : source.arms) {
    if (arm.run == run && arm.seeds.front().seed == 0 && arm.seeds.front().record->truth()) {
      ShownSamples own = shown_samples(*arm.seeds.front().record, progress);
      if (farthest == nullptr || own.sample.size() > shown.sample.size()) {
        farthest = &arm;
        shown = std::move(own);
      }
      if (of.done) {
        break;  // all have seen the same
      }
    }
  }
  if (farthest == nullptr || shown.sample.empty() || !of.samples.features) {
    return std::nullopt;
  }
  const Truth& truth = *farthest->seeds.front().record->truth();
  std::vector<std::string> labels;
  for (const SampleId id : shown.sample) {
    labels.push_back(truth.label_of(id));
  }
  const std::uint64_t seed = of.seeds.front().seed;
  const std::vector<Index> rows =
      spread_sample(labels, kMostMapPoints, Rng(seed, "report").fork("space"));
  std::vector<SampleId> chosen;
  Json names = Json::array();
  Json actual = Json::array();
  Json step = Json::array();
  for (const Index row : rows) {
    const auto at = static_cast<std::size_t>(row);
    chosen.push_back(shown.sample[at]);
    names.push_back(truth.name.at(static_cast<std::size_t>(chosen.back())));
    actual.push_back(source.name(labels[at]));
    step.push_back(shown.step[at]);
  }
  Matrix features;
  try {
    features = standardised(of.samples.features(chosen));
  } catch (const Error&) {
    return std::nullopt;  // the data are gone; what is on record is in the other sections
  }
  if (features.cols() == 0 || !features.allFinite()) {
    return std::nullopt;
  }
  add_tip_pictures(source, of, truth, chosen, share);
  std::string note = fmt::format("{} of {} test samples, every class among them", chosen.size(),
                                 shown.sample.size());
  if (chosen.size() == shown.sample.size()) {
    note = fmt::format("all {} test samples", chosen.size());
  }
  note += fmt::format("; {} features, each standardised", features.cols());
  Json seen = Json::array();
  for (const PageArm& arm : source.arms) {
    if (arm.run != run || arm.seeds.front().seed != 0) {
      continue;
    }
    if (auto own = seen_json(source, arm, chosen, progress)) {
      seen.push_back(std::move(*own));
    } else {
      note += fmt::format("; {} has not seen all of them yet", arm.name);
    }
  }
  progress.pulse();
  const Matrix plane = principal_scores(features, 2);
  const Matrix near = neighbour_embedding(features, {15, 300, seed});
  return Json{{"run", of.number},
              {"layouts",
               Json::array({layout_json("neighbours",
                                        "Neighbours stay neighbours; distances between groups far "
                                        "apart and the sizes of groups mean little.",
                                        near),
                            layout_json("pca",
                                        "The two directions in which the features vary most; "
                                        "distances can be compared.",
                                        plane)})},
              {"sample", std::move(names)},
              {"truth", std::move(actual)},
              {"step", std::move(step)},
              {"seen", std::move(seen)},
              {"note", note + "."}};
}

std::optional<Json> build_space(const PageSource& source, Progress& progress) {
  Json maps = Json::array();
  PictureShare share{kTipPictures};
  for (std::size_t run = 0; run < source.runs.size(); ++run) {
    if (auto map = map_json(source, run, share, progress)) {
      maps.push_back(std::move(*map));
    }
  }
  return maps.empty() ? std::nullopt : std::optional(Json{{"maps", std::move(maps)}});
}

}  // namespace

SectionSpec space_section() {
  return {"space",
          "Space",
          "The features of test samples as a map: what lies near what, and what was made of it "
          "before feedback in the increment that showed it.",
          {.phases = {"pre"}},
          60,
          build_space,
          true};
}

}  // namespace tyto
