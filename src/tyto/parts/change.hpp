// SPDX-License-Identifier: Apache-2.0
// What an alarm says of a stream: whether the world has changed, since when, and how.
#pragma once

#include <string_view>

#include "tyto/core/matrix.hpp"

namespace tyto {

enum class ChangeKind { none, new_classes, shift, unclear };

std::string_view change_name(ChangeKind kind);  // as spelled here

struct Change {             // of the stream so far
  double log_evidence = 0;  // natural logarithm of the e-value: evidence against "as ever"
  bool changed = false;     // at the stated error, valid at every moment
  Index seen = 0;           // samples watched since the last lesson
  Index since = -1;         // estimated first sample of the change, -1: none
  ChangeKind kind = ChangeKind::none;
  double novel_share = 0;  // of the samples watched, Storey's estimate
};

}  // namespace tyto
