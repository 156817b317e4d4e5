// SPDX-License-Identifier: Apache-2.0
// Does it forget the old classes while it learns new ones?
#include "tyto/measure/formulas/forgetting.hpp"

#include <set>

#include "tyto/measure/run_registry.hpp"

namespace tyto {

namespace {

void add_values(std::vector<RunValue>& values, const PhaseKey& at,
                const Forgetting::ByClass& classes, Index samples) {
  for (const auto& [name, value] : classes) {
    values.push_back({at, name, value, samples});
  }
  values.push_back({at, "", mean_forgetting(classes), samples});
}

std::vector<RunValue> forgetting_of(const RunView& run) {
  std::vector<RunValue> values;
  std::set<std::pair<std::string, std::string>> done;  // phase and split
  for (const PhaseKey& first : run.phases()) {
    const std::vector<PhaseKey> steps = run.steps(first.phase, first.split);
    if (!is_after_learning(first.phase) || steps.size() < 2 ||  // nothing can have been forgotten
        !done.emplace(first.phase, first.split).second) {
      continue;
    }
    Forgetting forgetting;
    Index samples = 0;
    for (const PhaseKey& key : steps) {
      const PhaseView view = run.view(key);
      forgetting.add(view);
      samples += view.size();
      add_values(values, key, forgetting.now(), view.size());
    }
    add_values(values, {kAllSteps, first.phase, first.split, 0}, forgetting.at_last(), samples);
  }
  return values;
}

}  // namespace

std::vector<RunMeasureSpec> forgetting_run_measures() {
  return {{.name = "forgetting",
           .summary = "How much less often the old classes get their right name than when they got "
                      "it best: 0 nothing is lost, 1 all of it, below 0 they are named better "
                      "than ever.",
           .formula =
               "mean over the old classes c of max over s of R_c(s), minus R_c(t); R_c(s) share of "
               "the samples of c after feedback at step s that got its name, s < t a step at which "
               "c was known and had samples; t this step, over all steps the last one that has "
               "samples of c; missing if no class is old",
           .reads = "post, each split by itself, step after step",
           .better = Better::lower,
           .view = View::raw,
           .also_called = {"average_forgetting", "forgetting_measure"},
           .values = forgetting_of}};
}

}  // namespace tyto
