// SPDX-License-Identifier: Apache-2.0
// Shares of right and wrong calls of novelty.
#include "tyto/measure/formulas/false_novelty.hpp"
#include "tyto/measure/registry.hpp"

namespace tyto {

namespace {

using Share = std::optional<double> (*)(const Confusion&);

MeasureSpec share_spec(std::string name, View view, Better better, Share share, std::string summary,
                       std::string formula, std::vector<std::string> also_called = {}) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .formula = std::move(formula),
          .positive_class = view == View::detection ? "novel" : "",
          .better = better,
          .over_steps = OverSteps::sum,
          .views = {view},
          .value = [share](const PhaseView& p, View of) { return share(p.views.of(of)); },
          .also_called = std::move(also_called)};
}

}  // namespace

std::vector<MeasureSpec> novelty_calls_measures() {
  return {
      share_spec("detection_rate", View::detection, Better::higher, detection_rate,
                 "Share of the samples of new classes that were noticed as new.",
                 "TP / (TP + FN); TP novel called novel, FN novel called known", {"uda"}),
      share_spec("false_alarm_rate", View::detection, Better::lower, false_alarm_rate,
                 "Share of the samples of known classes that were taken for new: the error really "
                 "made, to be held against the accepted one.",
                 "FP / (FP + TN); FP known called novel, TN known called known"),
      share_spec("alarm_precision", View::detection, Better::higher, alarm_precision,
                 "Share of the calls of novelty that were right.", "TP / (TP + FP)"),
      share_spec("known_accuracy", View::classification, Better::higher, known_accuracy,
                 "Share of the samples of known classes given their right name; calling one new is "
                 "wrong.",
                 "sum over known k of M_kk / sum over known k of t_k"),
      share_spec("accepted_accuracy", View::classification, Better::higher, accepted_accuracy,
                 "Share given the right name among the samples of known classes that were not "
                 "taken for new.",
                 "sum over known k of M_kk / sum over known k of (t_k - M_k,unknown)"),
  };
}

}  // namespace tyto
