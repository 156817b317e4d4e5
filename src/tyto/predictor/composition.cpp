// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/all_finite.hpp"
#include "tyto/math/score_rows.hpp"
#include "tyto/math/softmax.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/predictor/gathered.hpp"
#include "tyto/predictor/neighbourhood.hpp"

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
    for (const Slot more : choice.also) {
      parts.fill(more, part);
    }
    parts.fill(slot, std::move(part));
  }
  return parts;
}

// Log probabilities of the known columns: the calibrator's, or those of the plain logits.
Matrix given_known(const Evidence& evidence) {
  if (evidence.log_known.cols() > 0) {
    return evidence.log_known;
  }
  const std::vector<Index> columns = known_columns(evidence);
  if (columns.empty() || evidence.size() == 0) {
    return Matrix(evidence.size(), 0);
  }
  const Dense<double> logits = evidence.logits(Eigen::all, columns).cast<double>();
  return score_log_probabilities(logits).cast<float>();
}

std::vector<Label> known_labels(const Evidence& evidence) {
  std::vector<Label> known;
  for (const Index column : known_columns(evidence)) {
    known.push_back(evidence.classes[static_cast<std::size_t>(column)]);
  }
  return known;
}

Role role_by(std::uint64_t hash, double holdout) {
  return static_cast<double>(hash >> 11) * 0x1.0p-53 < holdout ? Role::hold : Role::fit;
}

}  // namespace

std::uint64_t role_hash(SampleId id, std::uint64_t seed) {
  return mix(seed, "holdout", static_cast<std::uint32_t>(id));
}

Role role_of(SampleId id, std::uint64_t seed, double holdout) {
  return role_by(role_hash(id, seed), holdout);
}

Role role_of_group(std::uint32_t group, std::uint64_t seed, double holdout) {
  return role_by(mix(seed, "holdout group", group), holdout);
}

Composition::Composition(PredictorConfig config, std::uint64_t seed)
    : Composition(config, seed, [config] { return make_parts(config); }) {}

Composition::Composition(PredictorConfig config, std::uint64_t seed, MakeParts make)
    : config_(std::move(config)),
      seed_(seed),
      make_(std::move(make)),
      parts_(make_()),
      space_(std::make_shared<const LabelSpace>()),
      aim_(config_.accepted_error) {
  parts_.check();
  if (config_.sets && parts_.classifier == nullptr) {
    throw Error(ErrorKind::config,
                fmt::format("{}: sets of classes need a classifier", config_.name));
  }
  restart_sets();
}

void Composition::restart_sets() {
  sets_ = config_.sets ? std::optional(PredictionSets(*config_.sets, seed_)) : std::nullopt;
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
  evidence.features =
      parts_.representation == nullptr ? samples.rows() : parts_.representation->represent(samples);
  if (!all_finite(evidence.features)) {
    for (Index i = 0; i < evidence.features.rows(); ++i) {
      if (!all_finite(evidence.features.row(i))) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: sample {} of a batch of {} has a feature that "
                                "is not a finite number",
                                config_.name, i, samples.size()));
      }
    }
  }
  return evidence;
}

bool Composition::has_groups_to_hold(const Samples& samples) const {
  constexpr double kFewestHeld = 1;  // groups to be expected among the held-out ones
  std::set<std::uint32_t> groups;
  for (Index i = 0; i < samples.size(); ++i) {
    groups.insert(samples.group(i));
  }
  const bool held = std::any_of(groups.begin(), groups.end(), [&](std::uint32_t group) {
    return role_of_group(group, seed_, config_.holdout) == Role::hold;
  });
  return held && config_.holdout * static_cast<double>(groups.size()) >= kFewestHeld;
}

Role Composition::role_for(const Samples& samples, Index i) const {
  const SampleId id = samples.id(i);
  if (fitted_by_need_.contains(static_cast<std::uint32_t>(id))) {
    return Role::fit;
  }
  return holds_groups_ ? role_of_group(samples.group(i), seed_, config_.holdout)
                       : role_of(id, seed_, config_.holdout);
}

std::vector<Role> Composition::roles_for(const Lesson& lesson, std::span<const Label> labels) {
  const Index n = lesson.samples.size();
  std::vector<Role> roles = lesson.roles;
  if (!is_fitted()) {
    holds_groups_ = config_.holdout_groups && has_groups_to_hold(lesson.samples);
  }
  if (roles.empty()) {
    for (Index i = 0; i < n; ++i) {
      roles.push_back(role_for(lesson.samples, i));
    }
  }
  // A class none of whose samples may be fitted would not be learned at all: its first one is.
  std::set<Label> fitted;
  if (parts_.memory != nullptr) {
    const auto& old = parts_.memory->labels();
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (parts_.memory->roles()[i] == Role::fit) {
        fitted.insert(old[i]);
      }
    }
  }
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == Role::fit) {
      fitted.insert(labels[i]);
    }
  }
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const bool may_move = lesson.roles.empty() && labels[i] != Label::unknown;
    if (may_move && fitted.insert(labels[i]).second) {
      roles[i] = Role::fit;
      const SampleId id = lesson.samples.id(static_cast<Index>(i));
      fitted_by_need_.insert(static_cast<std::uint32_t>(id));
    }
  }
  return roles;
}

void Composition::learn(const Lesson& lesson, Work& work) {
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

void Composition::learn_unguarded(const Lesson& lesson, Work& work) {
  LabelSpace space = *space_;
  std::vector<Label> labels;
  for (const std::string& name : lesson.names) {
    labels.push_back(name.empty() ? Label::unknown : space.add_known(name));
  }
  width_ = lesson.samples.width();
  for (const auto& [slot, part] : parts_.owned) {
    (void)lesson.samples.width(part->needs().source);  // throws where the data lack it
  }
  const std::vector<Role> roles = roles_for(lesson, labels);
  if (!is_fitted()) {
    note_unasked(lesson.samples);
  }

  // A sample that comes again replaces the remembered one.
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
  Gathered experience(kept, std::move(kept_labels), std::move(kept_roles), lesson.samples, labels,
                      roles, space);

  if (!is_fitted()) {
    experience.start_again();
  }
  const auto part_work = [&](Slot slot) { return work.fork(slot_name(slot)); };
  if (parts_.representation != nullptr) {
    found_.forget();
    Work own = part_work(Slot::representation);
    const bool moved = parts_.representation->adapt(experience, own);
    if (moved) {
      experience.start_again();
    }
  }
  experience.represented([this](const Samples& samples) { return represented(samples); });
  if (parts_.classifier != nullptr) {
    Work own = part_work(Slot::classifier);
    parts_.classifier->learn(experience, own);
  }
  if (parts_.memory != nullptr) {
    Work own = part_work(Slot::memory);
    parts_.memory->keep(experience, own);
    found_.forget();
    if (parts_.classifier != nullptr) {
      parts_.classifier->settle(*parts_.memory, own);
    }
  }
  if (parts_.classifier != nullptr) {
    experience.now([this](const Samples& samples) {
      Evidence evidence = look(samples);
      find_near(evidence);
      return evidence;
    });
    Work own = work.fork("weigh");
    parts_.classifier->weigh(experience, own);
  }
  experience.now([this](const Samples& samples) { return classified(samples); });
  if (parts_.calibrator != nullptr) {
    Work own = part_work(Slot::calibrator);
    parts_.calibrator->tune(experience, own);
  }
  if (sets_) {
    fit_sets(experience);
  }
  if (parts_.detector != nullptr) {
    Work own = part_work(Slot::detector);
    parts_.detector->profile(experience, own);
    set_threshold(experience, own);
  }
  if (parts_.recogniser != nullptr) {
    Work own = part_work(Slot::recogniser);
    parts_.recogniser->revise(experience, space, own);
  }
  if (parts_.alarm != nullptr) {
    parts_.alarm->start_again();
  }
  space_ = std::make_shared<const LabelSpace>(std::move(space));
  ++lessons_;
}

void Composition::fit_sets(const Gathered& experience) {
  std::vector<Matrix> blocks;
  std::vector<Label> labels;
  std::vector<Label> known;
  Samples held;
  experience.each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label> truth) {
    blocks.push_back(given_known(block));
    labels.insert(labels.end(), truth.begin(), truth.end());
    known = known_labels(block);
    held = held.empty() ? block.samples : Samples::joined(held, block.samples);
  });
  if (known.empty()) {
    return;
  }
  Matrix log_known(held.size(), std::ssize(known));
  Index row = 0;
  for (const Matrix& block : blocks) {
    log_known.middleRows(row, block.rows()) = block;
    row += block.rows();
  }
  sets_->fit({held, log_known, known}, labels);
}

Evidence Composition::classified(const Samples& samples) const {
  Evidence evidence = look(samples);
  find_near(evidence);
  if (parts_.classifier != nullptr) {
    evidence.classifier = parts_.classifier;
    parts_.classifier->classify(evidence);
    if (parts_.calibrator != nullptr) {
      parts_.calibrator->calibrate(evidence);
    } else {
      evidence.probability = softmax(evidence.logits);
    }
  }
  return evidence;
}

void Composition::find_near(Evidence& evidence) const {
  const NeighbourWants wants{
      parts_.rivals ? std::max(parts_.neighbours, kFewestForRivals) : parts_.neighbours,
      parts_.batch_neighbours};
  if (wants.remembered > 0 || wants.batch > 0) {
    evidence.near = find_neighbours(
        evidence.features, parts_.memory,
        [this](const Samples& remembered) { return look(remembered).features; }, wants, &found_);
  }
}

Evidence Composition::examined(const Samples& samples) const {
  Evidence evidence = classified(samples);
  if (parts_.detector != nullptr) {
    parts_.detector->detect(evidence);
    if (threshold_) {
      judge(evidence, *threshold_);
    }
  }
  if (parts_.recogniser != nullptr) {
    parts_.recogniser->recognise(evidence);
  }
  return evidence;
}

std::vector<float> Composition::observe(const Samples& unlabelled, Work& work) {
  check(unlabelled, "observe");
  if (unlabelled.empty() || (parts_.alarm == nullptr && parts_.recogniser == nullptr)) {
    return {};
  }
  std::vector<float> changed;
  attempt(unlabelled, [&] { changed = observe_unguarded(unlabelled, work); });
  return changed;
}

std::vector<float> Composition::observe_unguarded(const Samples& unlabelled, Work& work) {
  const Evidence evidence = examined(unlabelled);
  std::vector<float> changed;
  if (parts_.alarm != nullptr) {
    changed = parts_.alarm->watch(evidence);
  }
  if (parts_.recogniser != nullptr) {
    LabelSpace space = *space_;
    Work own = work.fork(slot_name(Slot::recogniser));
    Gathered past = parts_.memory == nullptr
                        ? Gathered({}, {}, {}, {}, {}, {}, *space_)
                        : Gathered(parts_.memory->samples(), parts_.memory->labels(),
                                   parts_.memory->roles(), {}, {}, {}, *space_);
    past.represented([this](const Samples& samples) { return represented(samples); });
    past.now([this](const Samples& samples) { return classified(samples); });
    parts_.recogniser->discover(evidence, past, space, own);
    space_ = std::make_shared<const LabelSpace>(std::move(space));
  }
  return changed;
}

Prediction Composition::predict(const Samples& samples, Ask ask) const {
  check(samples, "predict");
  const Threshold* threshold = threshold_ ? &*threshold_ : nullptr;
  Prediction all;
  all.space = space_;
  all.probability.resize(samples.size(), space_->size());
  in_blocks(samples.size(), kBlock, [&](Index begin, Index count) {
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
  });
  return all;
}

Evidence Composition::evidence(const Samples& samples) const {
  check(samples, "explain");
  return examined(samples);
}

}  // namespace tyto
