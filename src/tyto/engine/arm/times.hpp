// SPDX-License-Identifier: Apache-2.0
// Seconds and memory of each step: what differs from run to run, kept apart from the record. What
// the predictor's own calls take is told apart; the rest is world, protocol, record and commit.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tyto/core/matrix.hpp"
#include "tyto/engine/arm/timed_predictor.hpp"

namespace tyto {

struct MemoryUse {
  double anonymous_mb = 0;  // our own pages
  double mapped_mb = 0;     // pages of mapped files, the kernel's to drop
};

MemoryUse memory_use();

std::string measuring_line(std::string_view arm, double seconds);

class Times {
 public:
  explicit Times(std::filesystem::path file);  // lines; continues a file that is there

  void add(std::string_view arm, Index commit, Index step, double seconds,
           const PredictorSeconds& predictor);
  void write() const;

 private:
  std::filesystem::path file_;
  std::string text_;
};

}  // namespace tyto
