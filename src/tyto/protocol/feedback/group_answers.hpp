// SPDX-License-Identifier: Apache-2.0
// One answer for a whole group: the class that most of a discovered group's samples are of.
#pragma once

#include <string>

#include "tyto/core/options.hpp"
#include "tyto/protocol/feedback/answers.hpp"

namespace tyto {

struct GroupOptions {
  std::string answer = "majority";  // unanimous: nothing is said of a mixed group
  std::string learn = "members";    // asked: but the sample by which the group was asked for
  double weight = 1;                // share of the other members that is learned

  void describe(OptionVisitor& visitor);
};

// A group is a class the predictor discovered, its members the samples shown now that it decides
// for it; it is asked for by the first of them in the order. Rows outside of groups are passed
// over, so the whole order is wanted.
OracleAnswers group_answers(const OracleRequest& request, const GroupOptions& options,
                            const Speak& speak, Work& work);

}  // namespace tyto
