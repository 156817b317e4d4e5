// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/forgetting.hpp"

#include <algorithm>
#include <vector>

#include "tyto/record/foreign/prediction_table.hpp"

namespace tyto {

namespace {

struct Recalled {
  Index samples = 0, right = 0;
  bool known = false;
};

// A name that stands at two places, novel in one batch and known in a later one, is one class.
std::map<std::string, Recalled> recalled(const PhaseView& view) {
  std::vector<Recalled> by_place(view.names.size());
  for (Index i = 0; i < view.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    Recalled& of = by_place[static_cast<std::size_t>(view.actual[row])];
    ++of.samples;
    of.right +=
        view.actual[row] == view.decision[row] || view.actual_name(i) == view.decision_name(i) ? 1
                                                                                               : 0;
  }
  std::map<std::string, Recalled> by_name;
  for (std::size_t place = 0; place < by_place.size(); ++place) {
    if (by_place[place].samples > 0) {
      Recalled& of = by_name[view.names[place]];
      of.samples += by_place[place].samples;
      of.right += by_place[place].right;
      of.known = of.known || view.is_known[place] != 0;
    }
  }
  return by_name;
}

}  // namespace

void Forgetting::add(const PhaseView& view) {
  now_.clear();
  for (const auto& [name, count] : recalled(view)) {
    const double recall = static_cast<double>(count.right) / static_cast<double>(count.samples);
    if (const auto best = best_.find(name); best != best_.end()) {
      now_[name] = at_last_[name] = best->second - recall;
      best->second = std::max(best->second, recall);
    } else if (count.known) {
      best_.emplace(name, recall);
    }
  }
}

bool is_after_learning(std::string_view phase) {
  return phase == "post" || phase == kUnsaid;
}

std::optional<double> mean_forgetting(const Forgetting::ByClass& values) {
  double sum = 0;
  for (const auto& [name, value] : values) {
    sum += value;
  }
  return values.empty() ? std::nullopt : std::optional(sum / static_cast<double>(values.size()));
}

}  // namespace tyto
