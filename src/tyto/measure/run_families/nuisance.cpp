// SPDX-License-Identifier: Apache-2.0
// What does a nuisance cost? The same samples, after feedback, as they are and seen under it.
#include <algorithm>
#include <optional>

#include "tyto/measure/run_registry.hpp"

namespace tyto {

namespace {

// The value of a phase measure on the samples as they are, minus that under the nuisance.
std::vector<RunValue> nuisance_losses(const RunView& run, std::string_view measure) {
  const MeasureSpec& spec = find_measure(measure);
  const auto value = [&](const PhaseView& view) { return spec.value(view, View::raw); };
  const auto loss = [&](const PhaseView& plain, const PhaseView& seen) -> std::optional<double> {
    const std::optional<double> before = value(plain);
    const std::optional<double> after = value(seen);
    return before && after ? std::optional(*before - *after) : std::nullopt;
  };
  std::vector<PhaseKey> kinds;  // of each phase and nuisance, the first
  for (const PhaseKey& key : run.phases()) {
    if (!nuisance_of(key.split).empty() &&
        std::none_of(kinds.begin(), kinds.end(), [&](const PhaseKey& other) {
          return other.phase == key.phase && other.split == key.split;
        })) {
      kinds.push_back(key);
    }
  }
  std::vector<RunValue> values;
  for (const PhaseKey& kind : kinds) {
    std::optional<PhaseView> all_plain;
    std::optional<PhaseView> all_seen;
    Index samples = 0;
    for (const PhaseKey& key : run.steps(kind.phase, kind.split)) {
      const PhaseKey plain_key{key.step, key.phase, "test", key.batch};
      if (std::find(run.phases().begin(), run.phases().end(), plain_key) == run.phases().end()) {
        continue;
      }
      PhaseView plain = run.view(plain_key);
      PhaseView seen = run.view(key);
      values.push_back({key, "", loss(plain, seen), seen.size()});
      samples += seen.size();
      if (all_plain) {
        all_plain->merge(plain);
        all_seen->merge(seen);
      } else {
        all_plain = std::move(plain);
        all_seen = std::move(seen);
      }
    }
    if (all_plain) {
      values.push_back(
          {{kAllSteps, kind.phase, kind.split, 0}, "", loss(*all_plain, *all_seen), samples});
    }
  }
  return values;
}

}  // namespace

std::vector<RunMeasureSpec> nuisance_run_measures() {
  return {
      {.name = "nuisance_loss",
       .summary = "What a nuisance costs: how many fewer of the same samples get their right "
                  "name when they are seen under it. 0: nothing; below 0: it helps.",
       .formula = "accuracy on test - accuracy on test:NAME, of the samples of one step; over "
                  "all steps, of the summed counts",
       .reads = "post, test and each test:NAME, step by step",
       .better = Better::lower,
       .view = View::raw,
       .values = [](const RunView& run) { return nuisance_losses(run, "accuracy"); }},
      {.name = "nuisance_loss_mcc",
       .summary = "What a nuisance costs in Matthews correlation of actual and predicted names.",
       .formula = "mcc on test - mcc on test:NAME, of the samples of one step; over all steps, "
                  "of the summed counts",
       .reads = "post, test and each test:NAME, step by step",
       .better = Better::lower,
       .view = View::raw,
       .values = [](const RunView& run) { return nuisance_losses(run, "mcc"); }}};
}

}  // namespace tyto
