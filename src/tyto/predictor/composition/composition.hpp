// SPDX-License-Identifier: Apache-2.0
// A predictor put together from parts: the walk through their slots. It checks shape, finiteness
// and state once for all parts, and undoes a lesson that fails.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/predictor/composition/group_evidence.hpp"
#include "tyto/predictor/composition/held_out.hpp"
#include "tyto/predictor/composition/later_names.hpp"
#include "tyto/predictor/composition/neighbour_cache.hpp"
#include "tyto/predictor/composition/neighbourhood.hpp"
#include "tyto/predictor/composition/novelty_threshold.hpp"
#include "tyto/predictor/composition/parts_in_slots.hpp"
#include "tyto/predictor/composition/score_cache.hpp"
#include "tyto/predictor/config.hpp"
#include "tyto/predictor/prediction_sets.hpp"
#include "tyto/predictor/predictor.hpp"

namespace tyto {

class Gathered;
class SpacedExperience;

class Composition final : public Predictor {
 public:
  // `seed` decides the roles of samples; the randomness of a call comes with its Work.
  Composition(const PredictorConfig& config, std::uint64_t seed);
  // With parts made elsewhere, for tests and for users of the library.
  using MakeParts = std::function<Parts()>;
  Composition(PredictorConfig config, std::uint64_t seed, MakeParts make);

  void learn(const Lesson& lesson, Work& work) override;
  std::vector<float> observe(const Samples& unlabelled, Work& work) override;
  [[nodiscard]] Prediction predict(const Samples& samples, Ask ask = {}) const override;
  // A share `holdout` of every prefix are samples that will be held out, in the order of a hash;
  // the others are ordered by the part in the slot `feedback`, at random without one.
  std::vector<Index> request(const Samples& samples, Index budget, Work& work) const override;
  // Moves the threshold towards the accepted error, unless it is frozen or the detector's own.
  void hear(const std::map<std::string, double>& measures) override;
  void expect_classes(Index classes) override;
  // Parts keep the classes they learned; their answers are given under the new names.
  void change_labels(const std::vector<LabelChange>& changes) override;

  [[nodiscard]] const LabelSpace& labels() const override { return *space_; }

  void tell(Notes& notes) const override;

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

  [[nodiscard]] bool is_fitted() const { return lessons_ > 0; }

  [[nodiscard]] std::optional<Change> change() const;  // what the alarm says, if there is one

  [[nodiscard]] Index remembered() const;  // samples in memory

  // Sentences on what its settings ask for and its samples cannot give; empty: all is well.
  [[nodiscard]] std::vector<std::string> cautions() const;

  [[nodiscard]] const PredictorConfig& config() const { return config_; }

  [[nodiscard]] const Parts& parts() const { return parts_; }

  [[nodiscard]] Index width() const { return width_; }  // of the features; 0 before it has learned

  // What stands behind a prediction, for explanations. Neighbours are borrowed from the memory.
  [[nodiscard]] Evidence evidence(const Samples& samples) const;

  // What the detector sees of it.
  [[nodiscard]] Evidence seen_by_detector(const Evidence& evidence) const {
    return in_space(evidence, parts_.detector_space);
  }

  [[nodiscard]] Matrix represented(const Samples& samples) const {
    return represent(seen(samples).rows(), "sample");
  }

  // The samples with the source that this predictor reads as their features.
  [[nodiscard]] Samples seen(const Samples& samples) const {
    return samples.reading(config_.features);
  }

 private:
  void check(const Samples& samples, std::string_view doing) const;
  // Leaves everything as it was if `change` throws. `given` are the samples it works on.
  void attempt(const Samples& given, const std::function<void()>& change);
  // The same where `change` is observing: it changes the alarm, the recogniser and the label space,
  // so that nothing else, and no memory, is copied.
  void attempt_watch(const Samples& given, const std::function<void()>& change);
  std::vector<float> observe_unguarded(const Samples& unlabelled, Work& work);
  void suspect(Evidence& evidence) const;
  void weigh_groups();  // sets `group_evidence_`
  // Of the rows `free` of these samples, as positions in it.
  [[nodiscard]] std::vector<Index> wanted_order(const Samples& samples,
                                                const std::vector<Index>& free, Index budget,
                                                Work& work) const;

  // A lesson goes through the slots in this order; what is learned is shown to those that follow.
  // Up to the classes it is taken in by this predictor, then by others that leave a part of the
  // samples out in turn; with what these say of it come weights, threshold and groups.
  struct Passage;
  struct Fold;
  void learn_unguarded(const Lesson& lesson, Work& work);
  [[nodiscard]] std::unique_ptr<Passage> take_in(const Lesson& lesson, Work& work);
  // Empty where enough samples are held out.
  [[nodiscard]] std::deque<Fold> make_folds(const Gathered& experience, const Work& work) const;
  void weigh_by(std::deque<Fold>& folds);
  void conclude(Passage& passage, std::deque<Fold>& folds, Work& work);
  [[nodiscard]] Gathered merged_with_memory(const Lesson& lesson, const std::vector<Label>& labels,
                                            const std::vector<Role>& roles,
                                            const LabelSpace& space) const;
  void adapt_features(Gathered& experience, const Work& work);
  void learn_classes(Gathered& experience, const Work& work);
  void keep_samples(Gathered& experience, const Work& work);
  void tune_beliefs(const Gathered& experience, const Work& work);
  void profile_novelty(Gathered& experience, std::deque<Fold>& folds,
                       const std::map<Label, Index>& came, const Work& work);
  void revise_groups(const Gathered& experience, LabelSpace& space, const Work& work);
  // Of samples left out in turn. The detector's scale rests on them from then on.
  [[nodiscard]] HeldNovelty score_folds(std::deque<Fold>& folds);
  void fit_sets(const Gathered& experience);
  void restart_sets();  // as before the first lesson

  // Evidence of a batch: features; then neighbours and class scores; then novelty and groups.
  [[nodiscard]] Evidence look(const Samples& samples) const;
  // Raw rows as the parts see them; refuses one that is not finite.
  [[nodiscard]] Matrix represent(const MatrixView& rows, std::string_view what) const;
  [[nodiscard]] std::function<Matrix(const MatrixView&, std::string_view)> represent_rows() const;
  void score(Evidence& evidence) const;                        // class scores, before calibration
  [[nodiscard]] Gathered past(const LabelSpace& space) const;  // what is remembered
  [[nodiscard]] NeighbourWants neighbours_wanted() const;
  void find_near(Evidence& evidence) const;
  // The rows of samples in a space; the same evidence or experience with these as features, and
  // neighbours in that space. `moved`: the classifier has learned since.
  [[nodiscard]] Matrix rows_of(const Samples& samples, Space space) const;
  [[nodiscard]] Evidence in_space(const Evidence& evidence, Space space) const;
  [[nodiscard]] SpacedExperience in_space(const Experience& experience, Space space,
                                          bool moved) const;
  void detect(Evidence& evidence) const;
  void recognise(Evidence& evidence) const;
  void forget_found();  // the memory, the features, the classifier or the detector have changed

  [[nodiscard]] NeighbourCache& found_in(Space space) const {
    return found_[static_cast<std::size_t>(space)];
  }

  [[nodiscard]] Evidence unscored(const Samples& samples) const;  // features and neighbours
  // Not where more is looked at than what tells a block: its samples and features.
  [[nodiscard]] bool may_cache() const;
  [[nodiscard]] Evidence classified(const Samples& samples) const;
  // With novelty and p-values; then with groups.
  [[nodiscard]] Evidence judged(const Samples& samples) const;
  [[nodiscard]] Evidence examined(const Samples& samples) const;
  // Of these samples: with many classes the scores of a row are wide.
  [[nodiscard]] Index rows_at_once(const Samples& samples) const;
  // What alarm and recogniser see of samples they observe: all of them at once.
  [[nodiscard]] Evidence watched(const Samples& samples) const;
  void restore(const State& before, const Shelf& shelf);
  void restore_watchers(const State& before, const Shelf& shelf);

  PredictorConfig config_;
  MakeParts make_;
  Parts parts_;
  HeldOut held_out_;
  NoveltyThreshold threshold_;
  // Where the configuration asks for it and there are groups: what decides instead.
  std::optional<GroupEvidence> group_evidence_;
  std::shared_ptr<const LabelSpace> space_;
  LaterNames later_names_;
  std::optional<PredictionSets> sets_;  // where the configuration asks for them
  Index width_ = 0;
  Index lessons_ = 0;
  Index frames_shown_ = 0;  // in all of them
  // Neighbours found since the memory last changed, by space; never changes an answer.
  mutable std::array<NeighbourCache, 3> found_;
  mutable ScoreCache scored_;  // likewise, since classifier or detector last changed
};

}  // namespace tyto
