// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/incremental/replay_learner.hpp"

namespace tyto {

void ReplayLearner::train(const ClipLesson& lesson, const Training& training, Work& work) {
  const Index fresh = lesson.clips.size() - lesson.fresh;
  if (fresh == 0 || lesson.fresh == 0) {
    NetworkLearner::train(lesson, training, work);
    return;
  }
  const auto mixed = [&](Rows which, const Rng& rng, Batch& batch) {
    std::vector<Index> clips;
    for (const Index i : which) {
      clips.push_back(lesson.fresh + i);
    }
    Rng again = rng.fork("again");
    for (std::size_t i = 0; i < which.size(); ++i) {
      clips.push_back(again.below(lesson.fresh));
    }
    draw(lesson, clips, rng, batch);
  };
  fit(fresh, mixed, training, work);
}

}  // namespace tyto
