// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/composition.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/all_finite.hpp"
#include "tyto/math/softmax.hpp"
#include "tyto/parts/nested_part.hpp"
#include "tyto/predictor/composition/evidence_rows.hpp"
#include "tyto/predictor/composition/gathered.hpp"
#include "tyto/predictor/composition/spaced_experience.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kBlock = 4096;  // rows per prediction: bounds memory, fills the GEMM kernels
// Neighbours looked through for one of another class before the search is widened.
constexpr Index kFewestForRivals = 16;

Parts make_parts(const PredictorConfig& config) {
  Parts parts;
  for (const auto& [slot, choice] : config.parts) {
    const auto path = fmt::format("{}.{}", config.name, slot_name(slot));
    std::shared_ptr<Part> part = find_part(slot, choice.name).make(choice.options, path);
    const auto look_at_space = [&, &space = choice.space](Slot looks) {
      if (looks == Slot::detector) {
        parts.detector_space = space;
      } else if (looks == Slot::recogniser) {
        parts.recogniser_space = space;
      }
    };
    for (const Slot more : choice.also) {
      parts.fill(more, part);
      look_at_space(more);
    }
    parts.fill(slot, std::move(part));
    look_at_space(slot);
  }
  return parts;
}

}  // namespace

Composition::Composition(const PredictorConfig& config, std::uint64_t seed)
    : Composition(config, seed, [config] { return make_parts(config); }) {}

Composition::Composition(PredictorConfig config, std::uint64_t seed, MakeParts make)
    : config_(std::move(config)),
      make_(std::move(make)),
      parts_(make_()),
      held_out_(config_.holdout, config_.holdout_groups, seed, config_.holdout_once),
      threshold_(config_),
      space_(std::make_shared<const LabelSpace>()) {
  parts_.check();
  if (config_.sets && parts_.classifier == nullptr) {
    throw Error(ErrorKind::config,
                fmt::format("{}: sets of classes need a classifier", config_.name));
  }
  if (config_.fusion == Fusion::groups && parts_.recogniser == nullptr) {
    throw Error(ErrorKind::config,
                fmt::format("{}: fusion groups lets the recogniser decide, but the slot recogniser "
                            "is empty",
                            config_.name));
  }
  restart_sets();
}

void Composition::restart_sets() {
  sets_ =
      config_.sets ? std::optional(PredictionSets(*config_.sets, held_out_.seed())) : std::nullopt;
}

std::optional<Change> Composition::change() const {
  return parts_.alarm == nullptr ? std::nullopt : std::optional(parts_.alarm->change());
}

Index Composition::remembered() const {
  return parts_.memory == nullptr ? 0 : parts_.memory->samples().size();
}

void Composition::check(const Samples& samples, std::string_view doing) const {
  if (!is_fitted()) {
    throw Error(ErrorKind::state,
                fmt::format("{}: cannot {} before the first lesson", config_.name, doing));
  }
  if (!samples.empty() && samples.width() != width_) {
    throw Error(ErrorKind::data,
                fmt::format("{}: cannot {}: features have {} columns, learned with "
                            "{}",
                            config_.name, doing, samples.width(), width_));
  }
}

Evidence Composition::look(const Samples& samples) const {
  Evidence evidence;
  evidence.samples = samples;
  evidence.features = represent(samples.rows(), "sample");
  if (parts_.frames) {
    evidence.frames =
        frames_of(samples, [this](const MatrixView& rows) { return represent(rows, "frame"); });
  }
  return evidence;
}

Matrix Composition::represent(const MatrixView& rows, std::string_view what) const {
  Matrix features =
      parts_.representation == nullptr ? Matrix(rows) : parts_.representation->represent(rows);
  if (!all_finite(features)) {
    for (Index i = 0; i < features.rows(); ++i) {
      if (!all_finite(features.row(i))) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: {} {} of a batch of {} has a feature that is not a finite "
                                "number",
                                config_.name, what, i, features.rows()));
      }
    }
  }
  return features;
}

Evidence Composition::unscored(const Samples& samples) const {
  Evidence evidence = look(samples);
  find_near(evidence);
  return evidence;
}

Evidence Composition::classified(const Samples& samples) const {
  Evidence evidence = unscored(samples);
  // In a lesson the held-out samples are looked at by one part after the other.
  constexpr std::uint64_t kUncalibrated = 1;
  const bool cached = may_cache();
  const std::uint64_t key = cached ? ScoreCache::key_of(evidence) ^ kUncalibrated : 0;
  if (!cached || !scored_.fill(key, evidence)) {
    score(evidence);
    if (cached) {
      scored_.keep(key, evidence, false);
    }
  }
  if (parts_.calibrator != nullptr) {
    parts_.calibrator->calibrate(evidence);
  }
  return evidence;
}

bool Composition::may_cache() const {
  return !parts_.frames && !parts_.sources && parts_.classifier != nullptr;
}

void Composition::score(Evidence& evidence) const {
  if (parts_.classifier != nullptr) {
    evidence.classifier = parts_.classifier;
    parts_.classifier->classify(evidence);
    evidence.probability = softmax(evidence.logits);
  }
}

Gathered Composition::past(const LabelSpace& space) const {
  return parts_.memory == nullptr ? Gathered({}, {}, {}, {}, {}, {}, space)
                                  : Gathered(parts_.memory->samples(), parts_.memory->labels(),
                                             parts_.memory->roles(), {}, {}, {}, space);
}

std::function<Matrix(const MatrixView&, std::string_view)> Composition::represent_rows() const {
  return [this](const MatrixView& rows, std::string_view what) { return represent(rows, what); };
}

NeighbourWants Composition::neighbours_wanted() const {
  return {parts_.rivals ? std::max(parts_.neighbours, kFewestForRivals) : parts_.neighbours,
          parts_.batch_neighbours};
}

void Composition::find_near(Evidence& evidence) const {
  const NeighbourWants wants = neighbours_wanted();
  if (wants.remembered > 0 || wants.batch > 0) {
    evidence.near = find_neighbours(
        evidence.features, parts_.memory,
        [this](const Samples& remembered) { return represented(remembered); }, wants,
        &found_in(Space::features));
  }
}

Evidence Composition::judged(const Samples& samples) const {
  Evidence evidence = unscored(samples);
  const bool cached = may_cache();
  const std::uint64_t key = cached ? ScoreCache::key_of(evidence) : 0;
  if (!cached || !scored_.fill(key, evidence)) {
    score(evidence);
    if (parts_.calibrator != nullptr) {
      parts_.calibrator->calibrate(evidence);
    }
    if (parts_.detector != nullptr) {
      detect(evidence);
    }
    if (cached) {
      scored_.keep(key, evidence, parts_.calibrator != nullptr);
    }
  }
  const Threshold* threshold = threshold_.get();
  if (parts_.detector != nullptr && threshold != nullptr) {
    judge(evidence, *threshold);
  }
  return evidence;
}

Evidence Composition::examined(const Samples& samples) const {
  Evidence evidence = judged(samples);
  if (parts_.recogniser != nullptr) {
    recognise(evidence);
    if (group_evidence_) {
      heed_groups(evidence, *group_evidence_);
    }
  }
  return evidence;
}

Index Composition::rows_at_once(const Samples& samples) const {
  constexpr std::uint64_t kScores = 8 << 20;  // of a block, by one classifier: 32 MB
  constexpr Index kFewestRows = 256;
  // A power of two, so that a few classes more leave the blocks as they were.
  const auto most = std::bit_floor(kScores / static_cast<std::uint64_t>(space_->size()));
  return std::min(samples_per_block(samples, kBlock),
                  std::max(kFewestRows, static_cast<Index>(most)));
}

Evidence Composition::watched(const Samples& samples) const {
  Needs needs;  // of those who see it
  for (const Slot slot : {Slot::alarm, Slot::recogniser}) {
    if (const auto found = parts_.owned.find(slot); found != parts_.owned.end()) {
      needs = joined_needs(needs, found->second->needs());
    }
  }
  if (needs.neighbours > 0 || needs.rivals || needs.batch_neighbours > 0 || parts_.frames ||
      parts_.recogniser_space != Space::features) {
    return judged(samples);
  }
  const bool scores = needs.classifier || needs.embedding || needs.head || needs.gradient;
  Evidence all;
  all.samples = samples;
  in_blocks(samples.size(), rows_at_once(samples), [&](Index begin, Index count) {
    Evidence block = judged(samples.slice(begin, count));
    if (!scores) {
      block.logits = block.embedding = block.probability = Matrix();
    }
    add_block(block, begin, all);
  });
  return all;
}

std::vector<float> Composition::observe(const Samples& given, Work& work) {
  const Samples unlabelled = seen(given);
  check(unlabelled, "observe");
  if (unlabelled.empty() || (parts_.alarm == nullptr && parts_.recogniser == nullptr)) {
    return {};
  }
  std::vector<float> changed;
  attempt_watch(unlabelled, [&] { changed = observe_unguarded(unlabelled, work); });
  return changed;
}

// Whom the recogniser looks at follows the novelty, not what may be called novel.
void Composition::suspect(Evidence& evidence) const {
  if (const Threshold* threshold = threshold_.get(); threshold != nullptr) {
    for (std::size_t i = 0; i < evidence.novel.size(); ++i) {
      if (threshold->p_value(evidence.novelty[i]) <= static_cast<float>(config_.suspected)) {
        evidence.novel[i] = 1;
      }
    }
  }
}

std::vector<float> Composition::observe_unguarded(const Samples& unlabelled, Work& work) {
  Evidence evidence = watched(unlabelled);
  std::vector<float> changed;
  if (parts_.alarm != nullptr) {
    changed = parts_.alarm->watch(evidence);
  }
  suspect(evidence);
  if (parts_.recogniser != nullptr) {
    LabelSpace space = *space_;
    Work own = work.fork(slot_name(Slot::recogniser));
    Gathered remembered = past(*space_);
    remembered.represented(represent_rows());
    remembered.now([this](const Samples& samples) { return classified(samples); });
    if (const Space seen = parts_.recogniser_space; seen == Space::features) {
      parts_.recogniser->discover(evidence, remembered, space, own);
    } else {
      parts_.recogniser->discover(in_space(evidence, seen), in_space(remembered, seen, false),
                                  space, own);
    }
    space_ = std::make_shared<const LabelSpace>(std::move(space));
    weigh_groups();
  }
  return changed;
}

Prediction Composition::predict(const Samples& given, Ask ask) const {
  const Samples samples = seen(given);
  check(samples, "predict");
  const Threshold* threshold = group_evidence_ ? &group_evidence_->threshold : threshold_.get();
  Prediction all;
  all.space = space_;
  all.probability.resize(samples.size(), space_->size());
  in_blocks(samples.size(), rows_at_once(samples), [&](Index begin, Index count) {
    Evidence evidence = examined(samples.slice(begin, count));
    const Prediction block = fuse(evidence, space_, threshold, config_.fusion);
    all.probability.middleRows(begin, count) = block.probability;
    all.label.insert(all.label.end(), block.label.begin(), block.label.end());
    all.novelty.insert(all.novelty.end(), block.novelty.begin(), block.novelty.end());
    all.p_value.insert(all.p_value.end(), block.p_value.begin(), block.p_value.end());
    const auto append = [&](bool wanted, const Matrix& from, Matrix& to) {
      if (wanted && from.cols() > 0) {
        to.conservativeResize(samples.size(), from.cols());
        to.middleRows(begin, count) = from;
      }
    };
    append(ask.logits, evidence.logits, all.logits);
    append(ask.embedding, evidence.embedding, all.embedding);
    if (sets_ && !evidence.classes.empty()) {
      const std::vector<Label> known = known_labels(evidence);
      auto sets = sets_->sets({evidence.samples, given_known(evidence), known});
      all.sets.insert(all.sets.end(), std::make_move_iterator(sets.begin()),
                      std::make_move_iterator(sets.end()));
      all.set_promise = sets_->promise();
    }
    if (ask.log_known && !evidence.classes.empty()) {
      all.known = known_labels(evidence);
      append(true, given_known(evidence), all.log_known);
      all.temperature.insert(all.temperature.end(), evidence.temperature.begin(),
                             evidence.temperature.end());
    }
    if (ask.epochs && parts_.calibrator != nullptr) {
      const ByEpoch own = parts_.calibrator->by_epoch(evidence);
      all.by_epoch.epoch = own.epoch;
      append(true, own.confidence, all.by_epoch.confidence);
      all.by_epoch.native.insert(all.by_epoch.native.end(), own.native.begin(), own.native.end());
    }
  });
  later_names_.apply(all);
  return all;
}

void Composition::change_labels(const std::vector<LabelChange>& changes) {
  LabelSpace space = *space_;
  LaterNames names = later_names_;
  for (const LabelChange& change : changes) {
    names.add(change, space);
  }
  later_names_ = std::move(names);
  space_ = std::make_shared<const LabelSpace>(std::move(space));
}

void Composition::hear(const std::map<std::string, double>& measures) {
  if (parts_.detector != nullptr) {
    threshold_.hear(measures, parts_.detector->own_threshold());
    weigh_groups();
  }
}

void Composition::expect_classes(Index classes) {
  if (parts_.recogniser != nullptr) {
    parts_.recogniser->expect_classes(classes);
  }
}

Evidence Composition::evidence(const Samples& given) const {
  const Samples samples = seen(given);
  check(samples, "explain");
  return examined(samples);
}

}  // namespace tyto
