// SPDX-License-Identifier: Apache-2.0
// How many samples each of the seven sets of novelty has, where the world says what was observed.
#include "tyto/measure/formulas/novelty_sets.hpp"

#include "tyto/measure/registry.hpp"

namespace tyto {

namespace {

MeasureSpec novelty_set_spec(std::string name, NoveltySet set, Better better, std::string summary,
                             std::string formula) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .formula = "number of samples with " + std::move(formula) +
                     "; w new in the world, o new as observed, p called new by the predictor",
          .positive_class = "novel",
          .better = better,
          .over_steps = OverSteps::sum,
          .views = {View::detection},
          .value = [set](const PhaseView& p, View) -> std::optional<double> {
            if (!p.novelty_sets || p.views.raw.total() == 0) {
              return std::nullopt;
            }
            return static_cast<double>(count_of(*p.novelty_sets, set));
          }};
}

std::optional<double> nuisance_alarms(const PhaseView& p) {
  if (!p.novelty_sets) {
    return std::nullopt;
  }
  const Confusion::Count called = count_of(*p.novelty_sets, NoveltySet::faux_observed);
  const Confusion::Count all =
      called + count_of(*p.novelty_sets, NoveltySet::ignored_faux_observation);
  return all == 0 ? std::nullopt
                  : std::optional(static_cast<double>(called) / static_cast<double>(all));
}

}  // namespace

std::vector<MeasureSpec> novelty_sets_measures() {
  return {
      novelty_set_spec("unanimous_novelty", NoveltySet::unanimous, Better::higher,
                       "New classes that were seen and noticed.", "w, o and p"),
      novelty_set_spec("ignored_observed_novelty", NoveltySet::ignored_observed, Better::lower,
                       "New classes that were seen, yet taken for known ones.", "w and o, not p"),
      novelty_set_spec("imperceptible_novelty", NoveltySet::imperceptible, Better::neither,
                       "New classes that the sensor does not show, taken for known ones.",
                       "w, not o or p"),
      novelty_set_spec(
          "unverifiable_novelty", NoveltySet::unverifiable, Better::neither,
          "New classes that the sensor does not show, called new all the same: by luck or by "
          "prior knowledge.",
          "w and p, not o"),
      novelty_set_spec(
          "ignored_faux_observation_novelty", NoveltySet::ignored_faux_observation, Better::higher,
          "Known classes whose observation alone has changed, rightly taken for known.",
          "o, not w or p"),
      novelty_set_spec("faux_observed_novelty", NoveltySet::faux_observed, Better::lower,
                       "Known classes whose observation alone has changed, taken for new: nuisance "
                       "novelty.",
                       "o and p, not w"),
      novelty_set_spec("faux_agent_novelty", NoveltySet::faux_agent, Better::lower,
                       "Known classes, seen as ever, taken for new: out of nothing.",
                       "p, not w or o"),
      {.name = "nuisance_alarm_rate",
       .summary = "Share taken for new among the samples of known classes whose observation alone "
                  "has changed.",
       .formula = "F / (F + I); F faux_observed_novelty, I ignored_faux_observation_novelty",
       .positive_class = "novel",
       .better = Better::lower,
       .over_steps = OverSteps::sum,
       .views = {View::detection},
       .value = [](const PhaseView& p, View) { return nuisance_alarms(p); }},
  };
}

}  // namespace tyto
