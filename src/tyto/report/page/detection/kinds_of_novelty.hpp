// SPDX-License-Identifier: Apache-2.0
// Which novelties are found: class by class, and by how much of the novel thing can be seen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/report/page/detection/judged_arm.hpp"

namespace tyto {

struct FoundKind {
  std::string name;             // of a class; "" of a bin
  double from = 0, below = 0;   // of a bin: visible shares
  Index samples = 0;            // novel ones
  std::optional<double> auroc;  // against all normal samples
  std::vector<Index> found;     // by point: samples with an alarm at its threshold
};

// Novel test samples by class, the least told from normal ones first, ties by name.
std::vector<FoundKind> found_by_class(const JudgedArm& arm);

// By the annotation `visible_share`, which is a share from 0 to 1: below 1 %, 1 to 2, 2 to 5, 5 to
// 10, 10 to 25 and from 25 % on. Bins without samples are left out; nothing where no novel sample
// is annotated so.
std::vector<FoundKind> found_by_visible_share(const JudgedArm& arm, const Truth& truth);

}  // namespace tyto
