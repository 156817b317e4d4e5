// SPDX-License-Identifier: Apache-2.0
// Steps of new samples and, beside them, as many remembered ones.
#pragma once

#include "tyto/parts/incremental/network_learner.hpp"

namespace tyto {

class ReplayLearner : public NetworkLearner {
 protected:
  using NetworkLearner::NetworkLearner;

  void train(const ClipLesson& lesson, const Training& training, Work& work) override;
};

}  // namespace tyto
