// SPDX-License-Identifier: Apache-2.0
// How soon is novelty called once it is there? The sound form and the two published ones.
#include "tyto/measure/formulas/reaction.hpp"
#include "tyto/measure/registry.hpp"

namespace tyto {

namespace {

MeasureSpec reaction_spec(std::string name, std::string summary, std::string formula,
                          ReactionForm form) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .formula = std::move(formula),
          .positive_class = "novel",
          .better = Better::lower,
          .over_steps = OverSteps::mean,
          .views = {View::detection},
          .value = [form](const PhaseView& p,
                          View) { return reaction_time(p.is_novel, p.is_called_novel, form); },
          .needs_order = true};
}

}  // namespace

std::vector<MeasureSpec> reaction_times_measures() {
  return {
      reaction_spec("reaction_time",
                    "How much of the new passed by before anything was called new: 0 the first new "
                    "sample was noticed, 1 none was.",
                    "2 / ((z + 1 - a) / (d - a) + r / m); a first novel sample, d first one from a "
                    "on called novel, z last sample, r novel samples, m those in [a, d]; missing "
                    "if r = 0",
                    {}),
      reaction_spec("reaction_time_text", "Reaction time as the paper's text words it.",
                    "as reaction_time with m the novel samples in [a, d)", kReactionText),
      reaction_spec("reaction_time_caption", "Reaction time as the paper's figure words it.",
                    "as reaction_time with z the last novel sample; 1 if d > z", kReactionCaption),
  };
}

}  // namespace tyto
