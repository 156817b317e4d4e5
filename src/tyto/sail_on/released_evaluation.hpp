// SPDX-License-Identifier: Apache-2.0
// The measures of a test as the public evaluation server computes them, its quirks included: for
// comparing with published numbers. The sound definitions are in measure/formulas/programme.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto::sail_on {

// Row by row as posted: the order is trusted, ids are never matched.
struct ReleasedInput {
  std::vector<double> changed;  // p(the world has changed), in [0, 1]; NaN is below any threshold
  std::vector<int> novel;       // 0 or 1
  std::vector<std::int64_t> label;  // column of `probability`; a negative one is never right
  Dense<double> probability;        // rows x classes, in [0, 1]; no other rule
  std::string threshold;            // as the metadata spell it: "0.3"; "": they have none
  bool is_transcripts = false;      // the standard threshold is 0.3, not 0.5
};

using ReleasedValue = std::variant<bool, std::int64_t, double>;
using ReleasedObject = std::map<std::string, ReleasedValue>;

// m_acc, m_acc_failed, m_is_cdt_and_is_early, m_ndp, m_ndp_post, m_ndp_pre, m_num, m_num_stats.
// O(rows x classes). Throws Error(data) saying which rule the input breaks.
std::map<std::string, ReleasedObject> released_objects(const ReleasedInput& input);

// The same as one line of JSON as the server writes it: keys sorted, numbers as Python prints them,
// NaN as the word NaN, no line end.
std::string evaluate_released(const ReleasedInput& input);

// As Python prints a float: the shortest text that reads back, with ".0" if it is whole.
std::string python_number(double value);

// What the local harness of the public client has besides.

struct TopAccuracies {
  double top1 = 0.0, top3 = 0.0;  // rounded to 5 digits
};

// Of the rows with novel = 1; -1 where there are none.
TopAccuracies released_accuracy_on_novel(const ReleasedInput& input);
// Of every round of `round_size` rows, the last may be shorter.
std::vector<TopAccuracies> released_accuracy_by_round(const ReleasedInput& input, Index round_size);
// 100 agent.post_topk / baseline.pre_topk. Throws Error(data) where the baseline is never right
// before the change, or where one of the evaluations has no such key.
TopAccuracies released_nrp(const ReleasedObject& agent_accuracy,
                           const ReleasedObject& baseline_accuracy);

}  // namespace tyto::sail_on
