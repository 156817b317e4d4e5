// SPDX-License-Identifier: Apache-2.0
// By which option of `tyto measure` a column of predictions is named.
#pragma once

#include <string_view>

#include "tyto/record/foreign/prediction_columns.hpp"

namespace tyto {

inline std::string_view option_of(ColumnRole role) {
  switch (role) {
    case ColumnRole::id: return "--id";
    case ColumnRole::truth: return "--true";
    case ColumnRole::predicted: return "--predicted";
    case ColumnRole::novelty: return "--novelty";
    case ColumnRole::increment: return "--increment";
    case ColumnRole::phase: return "--phase-column";
    case ColumnRole::split: break;
  }
  return "--split-column";
}

}  // namespace tyto
