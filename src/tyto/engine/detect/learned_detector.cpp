// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/detect/learned_detector.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/named.hpp"
#include "tyto/math/folds.hpp"
#include "tyto/predictor/composition/threshold_folds.hpp"
#include "tyto/predictor/presets.hpp"

namespace tyto {

namespace {

constexpr std::string_view kNormal = "normal";  // the one class
constexpr Index kTrimmingFolds = 5;
constexpr double kHeldLeast = 0.1, kHeldMost = 0.25;  // shares of the rows

bool is_listed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> detector_names() {
  std::vector<std::string> names;
  for (const PartSpec& spec : part_specs()) {
    if (std::find(spec.slots.begin(), spec.slots.end(), Slot::detector) != spec.slots.end()) {
      names.push_back(spec.name);
    }
  }
  return names;
}

// Three times as many as the rate asks for show it with 95 % confidence.
Index rows_to_hold(Index rows, double rate) {
  const auto n = static_cast<double>(rows);
  return static_cast<Index>(std::clamp(std::ceil(3.0 / rate), kHeldLeast * n, kHeldMost * n));
}

std::unique_ptr<Composition> learned_from(const PredictorConfig& config, const Samples& samples,
                                          const std::vector<Role>& roles, std::uint64_t seed,
                                          const Work& work) {
  auto predictor = std::make_unique<Composition>(config, config.stream_seed(seed));
  Work own = work;
  predictor->learn(
      {samples, std::vector<std::string>(at(samples.size()), std::string(kNormal)), roles}, own);
  return predictor;
}

// Of each row, by a detector that did not fit on it.
std::vector<float> left_out_novelty(PredictorConfig config, const Samples& samples,
                                    std::uint64_t seed, const Work& work) {
  config.folds = 0;
  const Index folds = std::min(kTrimmingFolds, samples.size());
  const std::vector<Index> fold = fold_of(samples.size(), {}, folds, work.rng.fork("folds"));
  std::vector<float> novelty(fold.size());
  for (Index f = 0; f < folds; ++f) {
    std::vector<Role> roles;
    std::vector<Index> left_out;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      roles.push_back(fold[i] == f ? Role::hold : Role::fit);
      if (fold[i] == f) {
        left_out.push_back(static_cast<Index>(i));
      }
    }
    const auto other =
        learned_from(config, samples, roles, seed, work.fork(fmt::format("fold {}", f)));
    const std::vector<float> scored = other->predict(samples.pick(left_out)).novelty;
    for (std::size_t i = 0; i < left_out.size(); ++i) {
      novelty[at(left_out[i])] = scored[i];
    }
  }
  return novelty;
}

// The share with the greatest scores, ties to the earlier row; ascending. Two are always left.
std::vector<Index> most_unusual(const std::vector<float>& novelty, double share) {
  std::vector<Index> order(novelty.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return novelty[at(a)] > novelty[at(b)]; });
  const auto count = static_cast<Index>(share * static_cast<double>(novelty.size()));
  order.resize(at(std::clamp<Index>(count, 0, std::ssize(novelty) - 2)));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

void add_classifier(PredictorConfig& config) {
  if (config.find(Slot::classifier) == nullptr && config.fusion != Fusion::groups) {
    const auto options =
        find_part(Slot::classifier, "ncm").resolve(ConfigNode::empty_map(), "classifier");
    config.parts[Slot::classifier] = {"ncm", options, {}};
  }
}

PredictorConfig detector_config(const std::string& name) {
  namespace fs = std::filesystem;
  if (fs::path(name).extension() == ".yaml") {
    return read_predictor(load_yaml(name), "detector");
  }
  const std::vector<std::string> presets = preset_names();
  if (is_listed(presets, name)) {
    ConfigNode node = load_preset(name);
    if (node.find("name") == nullptr) {
      node.put("name", parse_yaml(name, "--detector"));
    }
    return read_predictor(node, name);
  }
  std::vector<std::string> all = detector_names();
  if (!is_listed(all, name)) {
    all.insert(all.end(), presets.begin(), presets.end());
    throw unknown_name("detector or preset", name, all);
  }
  return read_predictor(
      parse_yaml(fmt::format("{{name: {0}, representation: standardise, detector: {0}, memory: "
                             "unlimited, folds: 5, holdout_by: samples}}",
                             name),
                 "--detector"),
      "detector");
}

LearnedDetector learn_detector(const PredictorConfig& given, const TrainingRows& training,
                               std::optional<double> unusual, std::uint64_t seed,
                               Progress& progress) {
  PredictorConfig config = given;
  add_classifier(config);
  const Work work{Rng(seed, "detect"), progress};
  const Samples all = samples_of(training.rows, training.columns, 0, Lifetime::lasting);
  LearnedDetector out;
  std::vector<Index> kept(at(all.size()));
  std::iota(kept.begin(), kept.end(), Index{0});
  if (unusual) {
    const auto novelty = left_out_novelty(config, all, seed, work.fork("trim"));
    out.set_aside = most_unusual(novelty, *unusual);
    std::erase_if(kept, [&](Index row) {
      return std::binary_search(out.set_aside.begin(), out.set_aside.end(), row);
    });
  }
  const Samples samples = out.set_aside.empty() ? all : all.pick(kept);
  std::vector<Role> roles(kept.size(), Role::fit);
  if (samples.size() <= kMostFolded) {
    config.holdout = 0;
    config.folds = std::max<Index>(config.folds, 2);
  } else {
    config.folds = 0;
    std::vector<Index> order = work.rng.fork("hold").permutation(samples.size());
    order.resize(at(rows_to_hold(samples.size(), config.accepted_error)));
    for (const Index row : order) {
      roles[at(row)] = Role::hold;
    }
  }
  out.predictor = learned_from(config, samples, roles, seed, work);
  return out;
}

}  // namespace tyto
