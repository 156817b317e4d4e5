// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/incremental/anchored_learner.hpp"

#include <algorithm>

namespace tyto {

AnchoredOptions::AnchoredOptions(double standard, Index epochs_released) : strength(standard) {
  released_optimiser = OptimiserKind::adagrad;
  paper_epochs = 20;
  released_epochs = epochs_released;
  released_batch = 64;
}

void AnchoredOptions::describe(OptionVisitor& visitor) {
  LearnerOptions::describe(visitor);
  visitor.field("strength", strength, {0, 1e12},
                "lambda: how strongly weights are held. The released importances are not divided "
                "by the number of samples, so that the same number means less there");
  visitor.field("importance_samples", importance_samples, {1, 1e9},
                "clips of a lesson on which importances are taken, drawn at random if it has more");
}

void AnchoredLearner::begin(const ClipLesson&) {
  if (network() == nullptr) {
    anchors_.clear();
  }
}

void AnchoredLearner::plan(const ClipLesson&, Training& training) {
  const bool sound = anchored_.form_of() == MethodForm::sound;
  training.objective.anchors = anchors_.weighted(anchored_.strength * (sound ? rule_.factor : 1.0));
}

void AnchoredLearner::finish(const ClipLesson& lesson, const Training& training, Work& work) {
  const bool released = anchored_.form_of() == MethodForm::released;
  const std::vector<Index> order = work.rng.fork("importance").permutation(lesson.clips.size());
  const Index samples =
      released ? lesson.clips.size() : std::min(lesson.clips.size(), anchored_.importance_samples);
  const auto drawn = [&](Rows which, const Rng& rng, Batch& batch) {
    std::vector<Index> clips;
    for (const Index i : which) {
      clips.push_back(order[static_cast<std::size_t>(i)]);
    }
    draw(lesson, clips, rng, batch);
  };
  State importance = network()->importance(samples, drawn, released ? rule_.released : rule_.sound,
                                           training, work);
  State at;
  network()->save(at);
  if (anchored_.form_of() == MethodForm::sound) {
    anchors_.merge(importance, at);
  } else {
    anchors_.append(std::move(importance), std::move(at));
  }
}

}  // namespace tyto
