// SPDX-License-Identifier: Apache-2.0
// What a predictor may take for one call, and the calls that took more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

struct Limits {  // 0: none
  double learn_seconds = 0;
  double predict_seconds = 0;
  double memory_bytes = 0;

  void describe(OptionVisitor& visitor);

  [[nodiscard]] bool any() const {
    return learn_seconds > 0 || predict_seconds > 0 || memory_bytes > 0;
  }

  [[nodiscard]] bool any_of_time() const { return learn_seconds > 0 || predict_seconds > 0; }
};

struct LimitBreach {
  Index increment = 0;
  std::string call;   // learn, observe, predict
  std::string limit;  // the option
  double allowed = 0, used = 0;
  bool undone = false;  // the state before the call was put back
};

// Those of an arm so far.
class LimitBreaches {
 public:
  static constexpr std::string_view kColumns = "arm,increment,call,limit,allowed,used,undone\n";

  void add(LimitBreach breach) { all_.push_back(std::move(breach)); }

  [[nodiscard]] std::string lines(std::string_view arm) const;                   // of CSV
  [[nodiscard]] std::vector<std::string> sentences(const Limits& limits) const;  // for people

  // Nothing where there are none.
  void save(State& state) const;
  void load(const State& state);

 private:
  std::vector<LimitBreach> all_;
};

}  // namespace tyto
