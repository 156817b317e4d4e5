// SPDX-License-Identifier: Apache-2.0
// What feedback cost an arm, increment by increment, where answers have a price or are no labels.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tyto/engine/run/experiment.hpp"
#include "tyto/record/record.hpp"

namespace tyto {

struct FeedbackTable {
  static constexpr std::string_view kColumns =
      "arm,predictor,feedback,increment,spent,asked,labels,wrong,share_wrong\n";

  std::string lines;                  // of CSV; none: labels were granted at 1 apiece
  std::optional<std::string> remark;  // for people
};

FeedbackTable feedback_table(const Arm& arm, const RunRecord& record);

}  // namespace tyto
