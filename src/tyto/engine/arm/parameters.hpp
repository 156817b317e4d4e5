// SPDX-License-Identifier: Apache-2.0
// The numbers a predictor has learned, and how many of them an update has touched.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/state.hpp"

namespace tyto {

struct ParameterCount {
  std::int64_t all = 0;      // real numbers in matrices
  std::int64_t changed = 0;  // of these, in rows that are new or differ from the time before
};

// Keeps a digest of 8 bytes for each row, not the rows: what is counted as changed is whole rows,
// since a checkpoint is not to hold a model twice.
class ParameterRows {
 public:
  // `state` is the predictor's; its child `without` is no part of it. O(numbers) time.
  ParameterCount update(const State& state, std::string_view without);

  void save(State& state) const;
  void load(const State& state);

 private:
  std::map<std::string, std::vector<std::int64_t>> rows_;  // digests, by dotted name of the matrix
};

}  // namespace tyto
