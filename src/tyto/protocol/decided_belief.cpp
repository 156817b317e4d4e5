// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/decided_belief.hpp"

#include <algorithm>
#include <utility>

#include "tyto/core/parallel.hpp"

namespace tyto {

void believe_decision(Prediction& prediction, Index row, const std::vector<Label>& classes) {
  auto belief = prediction.probability.row(row);
  const auto decided = static_cast<Index>(prediction.label[at(row)]);
  Index greatest = 0;
  if (belief.maxCoeff(&greatest) > belief(decided)) {
    std::swap(belief(greatest), belief(decided));
  }
  if (std::find(classes.begin(), classes.end(), static_cast<Label>(decided)) == classes.end()) {
    return;
  }
  float inside = 0;
  for (const Label label : classes) {
    inside += belief(static_cast<Index>(label));
  }
  const float all = belief.sum();
  const float outside = all - inside;
  const float own = belief(decided);
  if (outside <= own) {
    return;
  }
  std::vector<float> kept;
  for (const Label label : classes) {
    kept.push_back(belief(static_cast<Index>(label)));
  }
  belief *= own / outside;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    belief(static_cast<Index>(classes[i])) = kept[i];
  }
  belief(decided) = outside;
}

void believe_known(Prediction& prediction, Index row, const std::vector<Label>& known) {
  if (known.empty()) {
    return;
  }
  auto belief = prediction.probability.row(row);
  Label best = known.front();
  float sum = 0;
  for (const Label label : known) {
    const float p = belief(static_cast<Index>(label));
    sum += p;
    best = p > belief(static_cast<Index>(best)) ? label : best;
  }
  std::vector<float> kept;
  for (const Label label : known) {
    kept.push_back(sum > 0 ? belief(static_cast<Index>(label)) / sum
                           : 1.0F / static_cast<float>(known.size()));
  }
  belief.setZero();
  for (std::size_t i = 0; i < known.size(); ++i) {
    belief(static_cast<Index>(known[i])) = kept[i];
  }
  prediction.label[at(row)] = best;
}

}  // namespace tyto
