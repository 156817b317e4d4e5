// SPDX-License-Identifier: Apache-2.0
// A model that may stand in the slots classifier and detector at once: it learns a lesson once.
#pragma once

#include <utility>

#include "tyto/parts/slots.hpp"

namespace tyto {

class JointLearner : public Classifier, public Detector {
 public:
  void learn(const Experience& experience, Work& work) final {
    study(experience, work);
    learned_ = true;
  }

  void profile(const Experience& experience, Work& work) final {
    if (!std::exchange(learned_, false)) {  // else it is the classifier, which comes first
      study(experience, work);
    }
  }

 private:
  virtual void study(const Experience& experience, Work& work) = 0;

  bool learned_ = false;  // in this lesson, as the classifier
};

}  // namespace tyto
