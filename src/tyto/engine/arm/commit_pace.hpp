// SPDX-License-Identifier: Apache-2.0
// How often a commit is written out: after every step where that is quick, else so seldom that it
// takes a small share of the time. What is lost when a run is cut short is done again, to the same
// bytes.
#pragma once

namespace tyto {

class CommitPace {
 public:
  [[nodiscard]] bool is_due(double now) const {
    return took_ < kQuick || now - end_ >= kApart * took_;
  }

  void wrote(double begin, double end) {
    took_ = end - begin;
    end_ = end;
  }

 private:
  static constexpr double kQuick = 0.2;   // seconds
  static constexpr double kApart = 20.0;  // times as long as the last one took

  double took_ = 0, end_ = 0;
};

}  // namespace tyto
