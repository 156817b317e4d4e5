// SPDX-License-Identifier: Apache-2.0
// A lesson on its way through the slots: features, classes, memory, trust, novelty, groups.
#include <deque>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/parts/pooled_scale.hpp"
#include "tyto/parts/pooled_weights.hpp"
#include "tyto/predictor/composition/composition.hpp"
#include "tyto/predictor/composition/gathered.hpp"
#include "tyto/predictor/composition/spaced_experience.hpp"
#include "tyto/predictor/composition/threshold_folds.hpp"

namespace tyto {

namespace {

std::vector<Label> labels_named(const std::vector<std::string>& names, LabelSpace& space) {
  std::vector<Label> labels;
  labels.reserve(names.size());
  for (const std::string& name : names) {
    labels.push_back(name.empty() ? Label::unknown : space.add_known(name));
  }
  return labels;
}

Work work_of(Slot slot, const Work& work) {
  return work.fork(slot_name(slot));
}

}  // namespace

void Composition::learn(const Lesson& given, Work& work) {
  const Lesson lesson{seen(given.samples), given.names, given.roles};
  const Index n = lesson.samples.size();
  if (n == 0 || static_cast<Index>(lesson.names.size()) != n ||
      (!lesson.roles.empty() && static_cast<Index>(lesson.roles.size()) != n)) {
    throw Error(ErrorKind::data,
                fmt::format("{}: a lesson of {} samples came with {} names and {} "
                            "roles",
                            config_.name, n, lesson.names.size(), lesson.roles.size()));
  }
  if (is_fitted()) {
    check(lesson.samples, "learn");
  }
  attempt(lesson.samples, [&] { learn_unguarded(lesson, work); });
}

// What a lesson brings on its way through the slots.
struct Composition::Passage {
  LabelSpace space;
  std::map<Label, Index> came;
  std::unique_ptr<Gathered> experience;  // refers to `space`
};

// A predictor that learns all but a part of the samples.
struct Composition::Fold {
  Fold(const PredictorConfig& config, std::uint64_t seed, MakeParts make, FoldLesson given,
       const Work& of_detector)
      : without(config, seed, std::move(make)),
        lesson(std::move(given)),
        work(of_detector.fork(fmt::format("fold {}", lesson.fold))) {}

  Composition without;
  FoldLesson lesson;
  Work work;
  std::unique_ptr<Passage> passage;
};

void Composition::learn_unguarded(const Lesson& lesson, Work& work) {
  const std::unique_ptr<Passage> passage = take_in(lesson, work);
  std::deque<Fold> folds = make_folds(*passage->experience, work);
  weigh_by(folds);
  conclude(*passage, folds, work);
  ++lessons_;
  for (Index i = 0; i < lesson.samples.size(); ++i) {
    frames_shown_ += lesson.samples.frame_count(i);
  }
}

std::unique_ptr<Composition::Passage> Composition::take_in(const Lesson& lesson, Work& work) {
  auto passage = std::unique_ptr<Passage>(new Passage{*space_, {}, {}});
  std::vector<Label> labels = labels_named(lesson.names, passage->space);
  later_names_.learn(labels);
  width_ = lesson.samples.width();
  for (const auto& [slot, part] : parts_.owned) {
    for (const std::string& source : part->needs().sources) {
      (void)lesson.samples.width(source);  // throws where the data lack it
    }
  }
  if (!is_fitted()) {
    held_out_.settle(lesson.samples);
    if (config_.folds > 0 && lesson.samples.size() <= kMostFolded) {
      held_out_.note_unasked(lesson.samples);
    }
  }
  const std::vector<Role> roles = held_out_.roles_for(lesson, labels, parts_.memory);
  passage->experience.reset(
      new Gathered(merged_with_memory(lesson, labels, roles, passage->space)));
  Gathered& experience = *passage->experience;
  if (!is_fitted()) {
    experience.start_again();
    held_out_.close_first(lesson.samples, roles);
  }
  passage->came = count_unchosen(labels, roles, !is_fitted());
  adapt_features(experience, work);
  learn_classes(experience, work);
  return passage;
}

void Composition::weigh_by(std::deque<Fold>& folds) {
  auto* own = dynamic_cast<PooledWeights*>(parts_.classifier);
  if (own == nullptr || folds.empty()) {
    return;
  }
  std::vector<FoldedClassifier> classifiers;
  classifiers.reserve(folds.size());
  for (const Fold& fold : folds) {
    classifiers.push_back({fold.without.parts_.classifier, fold.passage->experience.get()});
  }
  own->weigh_together(classifiers);
}

void Composition::conclude(Passage& passage, std::deque<Fold>& folds, Work& work) {
  Gathered& experience = *passage.experience;
  forget_found();  // of what the classifier made of the features before
  const auto classify = [this](const Samples& samples) { return classified(samples); };
  experience.now(classify);
  tune_beliefs(experience, work);
  profile_novelty(experience, folds, passage.came, work);
  scored_.forget();  // by the detector of before
  experience.now(classify);
  revise_groups(experience, passage.space, work);
  weigh_groups();
  if (parts_.alarm != nullptr) {
    parts_.alarm->start_again();
  }
  space_ = std::make_shared<const LabelSpace>(std::move(passage.space));
}

// A sample that comes again replaces the remembered one.
Gathered Composition::merged_with_memory(const Lesson& lesson, const std::vector<Label>& labels,
                                         const std::vector<Role>& roles,
                                         const LabelSpace& space) const {
  std::set<std::uint32_t> coming;
  for (Index i = 0; i < lesson.samples.size(); ++i) {
    coming.insert(static_cast<std::uint32_t>(lesson.samples.id(i)));
  }
  Samples kept;
  std::vector<Label> kept_labels;
  std::vector<Role> kept_roles;
  if (parts_.memory != nullptr) {
    const Samples& old = parts_.memory->samples();
    std::vector<Index> still;
    for (Index i = 0; i < old.size(); ++i) {
      if (!coming.contains(static_cast<std::uint32_t>(old.id(i)))) {
        still.push_back(i);
        kept_labels.push_back(parts_.memory->labels()[static_cast<std::size_t>(i)]);
        kept_roles.push_back(parts_.memory->roles()[static_cast<std::size_t>(i)]);
      }
    }
    kept = static_cast<Index>(still.size()) == old.size() ? old : old.pick(still);
  }
  return {kept, std::move(kept_labels), std::move(kept_roles), lesson.samples, labels, roles,
          space};
}

void Composition::adapt_features(Gathered& experience, const Work& work) {
  if (parts_.representation != nullptr) {
    forget_found();
    Work own = work_of(Slot::representation, work);
    const bool moved = parts_.representation->adapt(experience, own);
    if (moved) {
      experience.start_again();
    }
  }
  experience.represented(represent_rows());
  if (parts_.frames) {
    experience.now([this](const Samples& samples) { return look(samples); });
  }
}

void Composition::learn_classes(Gathered& experience, const Work& work) {
  if (parts_.classifier != nullptr) {
    Work own = work_of(Slot::classifier, work);
    parts_.classifier->learn(experience, own);
  }
  keep_samples(experience, work);
  if (parts_.classifier != nullptr) {
    experience.now([this](const Samples& samples) { return unscored(samples); });
    Work own = work.fork("weigh");
    parts_.classifier->weigh(experience, own);
  }
}

void Composition::keep_samples(Gathered& experience, const Work& work) {
  if (parts_.memory == nullptr) {
    return;
  }
  Work own = work_of(Slot::memory, work);
  if (parts_.scores_before_keeping()) {
    experience.now([this](const Samples& samples) {
      Evidence evidence = look(samples);
      score(evidence);
      return evidence;
    });
  }
  parts_.memory->keep(experience, own);
  forget_found();
  if (parts_.classifier != nullptr) {
    Gathered remembered = past(experience.space());
    remembered.represented(represent_rows());
    remembered.now([this](const Samples& samples) {
      Evidence evidence = look(samples);
      find_near(evidence);
      score(evidence);
      return evidence;
    });
    parts_.classifier->settle(remembered, own);
  }
}

void Composition::tune_beliefs(const Gathered& experience, const Work& work) {
  if (parts_.calibrator != nullptr) {
    Work own = work_of(Slot::calibrator, work);
    parts_.calibrator->tune(experience, own);
  }
  if (sets_) {
    fit_sets(experience);
  }
}

void Composition::fit_sets(const Gathered& experience) {
  std::vector<Matrix> blocks;
  std::vector<Label> labels;
  std::vector<Label> known;
  experience.each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label> truth) {
    blocks.push_back(given_known(block));
    labels.insert(labels.end(), truth.begin(), truth.end());
    known = known_labels(block);
  });
  if (known.empty()) {
    return;
  }
  // At once: blocks of remembered and of new samples do not lie in one store.
  const Samples held = experience.samples(experience.labelled(Role::hold));
  Matrix log_known(held.size(), std::ssize(known));
  Index row = 0;
  for (const Matrix& block : blocks) {
    log_known.middleRows(row, block.rows()) = block;
    row += block.rows();
  }
  sets_->fit({held, log_known, known}, labels);
}

void Composition::profile_novelty(Gathered& experience, std::deque<Fold>& folds,
                                  const std::map<Label, Index>& came, const Work& work) {
  if (parts_.detector == nullptr) {
    return;
  }
  if (!parts_.detector_reads_scores()) {  // else all ever held out would be classified for nothing
    experience.now([this](const Samples& samples) { return unscored(samples); });
  }
  Work own = work_of(Slot::detector, work);
  const bool on_features = parts_.detector_space == Space::features;
  const SpacedExperience spaced = in_space(experience, parts_.detector_space, true);
  const Experience& seen = on_features ? static_cast<const Experience&>(experience) : spaced;
  parts_.detector->profile(seen, own);
  if (threshold_.is_settled()) {
    return;
  }
  HeldNovelty scored = score_folds(folds);
  if (scored.novelty.empty()) {
    scored = score_held(seen, *parts_.detector);
  }
  if (!threshold_.set(std::move(scored), came, parts_.detector->own_threshold())) {
    throw Error(ErrorKind::data,
                fmt::format("{}: none of {} labelled samples was held out (holdout {}), so no "
                            "threshold can be set; give more samples or a larger holdout",
                            config_.name, experience.size(), config_.holdout));
  }
}

std::deque<Composition::Fold> Composition::make_folds(const Gathered& experience,
                                                      const Work& work) const {
  std::deque<Fold> folds;
  if (parts_.detector == nullptr || threshold_.is_settled() || (is_fitted() && remembered() == 0)) {
    return folds;  // the samples of one lesson know nothing of what was learned before
  }
  PredictorConfig config = config_;
  config.folds = 0;
  config.sets.reset();
  config.fusion = Fusion::soft;  // no recogniser decides there
  const auto make = [this] {
    Parts parts = make_();
    parts.recogniser = nullptr;  // nothing is asked of these
    parts.alarm = nullptr;
    parts.feedback = nullptr;
    return parts;
  };
  const Work own = work_of(Slot::detector, work);
  for (FoldLesson& lesson : fold_lessons(experience, held_out_, config_.folds,
                                         config_.holdout_groups, own.rng.fork("folds"))) {
    Fold& fold = folds.emplace_back(config, held_out_.seed(), make, std::move(lesson), own);
    fold.without.space_ = std::make_shared<const LabelSpace>(experience.space());
    if (parts_.representation != nullptr) {
      fold.without.parts_.representation->follow(*parts_.representation);
    }
    fold.passage = fold.without.take_in(fold.lesson.lesson, fold.work);
  }
  return folds;
}

HeldNovelty Composition::score_folds(std::deque<Fold>& folds) {
  HeldNovelty out;
  std::vector<const Detector*> detectors;
  for (Fold& fold : folds) {
    std::deque<Fold> none;
    fold.without.conclude(*fold.passage, none, fold.work);
    fold.passage.reset();
    ++fold.without.lessons_;
    detectors.push_back(fold.without.parts_.detector);
    out.add(fold.without.examined(fold.lesson.left_out).novelty, fold.lesson.labels,
            fold.lesson.left_out);
  }
  if (auto* scale = dynamic_cast<PooledScale*>(parts_.detector);
      scale != nullptr && !detectors.empty()) {
    out.novelty = scale->pool(detectors);
    TYTO_ASSERT(out.novelty.size() == out.labels.size());
  }
  return out;
}

void Composition::revise_groups(const Gathered& experience, LabelSpace& space, const Work& work) {
  if (parts_.recogniser != nullptr) {
    Work own = work_of(Slot::recogniser, work);
    if (parts_.recogniser_space == Space::features) {
      parts_.recogniser->revise(experience, space, own);
    } else {
      parts_.recogniser->revise(in_space(experience, parts_.recogniser_space, true), space, own);
    }
  }
}

}  // namespace tyto
