// SPDX-License-Identifier: Apache-2.0
// A predictor put together from parts. It checks shape, finiteness and state once for all parts,
// keeps held-out samples held out, and undoes a lesson that fails.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tyto/parts/slots.hpp"
#include "tyto/predictor/config.hpp"
#include "tyto/predictor/fusion.hpp"
#include "tyto/predictor/neighbour_cache.hpp"
#include "tyto/predictor/prediction_sets.hpp"
#include "tyto/predictor/predictor.hpp"

namespace tyto {

class Gathered;

// The objects in the slots; one object may stand in several.
struct Parts {
  std::map<Slot, std::shared_ptr<Part>> owned;  // by the slot that names it
  Representation* representation = nullptr;
  Classifier* classifier = nullptr;
  Calibrator* calibrator = nullptr;
  Detector* detector = nullptr;
  Recogniser* recogniser = nullptr;
  Alarm* alarm = nullptr;
  Requester* feedback = nullptr;
  Memory* memory = nullptr;
  Index neighbours = 0, batch_neighbours = 0;  // the most that any part needs
  bool rivals = false;

  void fill(Slot slot, std::shared_ptr<Part> part);
  // Throws Error(config) with a sentence on what a part needs and nobody gives.
  void check() const;
};

// Of one sample, for ever: by a hash of its id.
Role role_of(SampleId id, std::uint64_t seed, double holdout);
std::uint64_t role_hash(SampleId id, std::uint64_t seed);

// Of a whole group (a subject, a source video): samples of one group are alike, so that a threshold
// set on some of them promises too much for the next group.
Role role_of_group(std::uint32_t group, std::uint64_t seed, double holdout);

class Composition final : public Predictor {
 public:
  // `seed` decides the roles of samples; the randomness of a call comes with its Work.
  Composition(PredictorConfig config, std::uint64_t seed);
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

  [[nodiscard]] const LabelSpace& labels() const override { return *space_; }

  void tell(Notes& notes) const override;

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

  [[nodiscard]] bool is_fitted() const { return lessons_ > 0; }

  [[nodiscard]] std::optional<Change> change() const;  // what the alarm says, if there is one

  [[nodiscard]] Index remembered() const;  // samples in memory

  [[nodiscard]] const PredictorConfig& config() const { return config_; }

  [[nodiscard]] const Parts& parts() const { return parts_; }

  [[nodiscard]] Index width() const { return width_; }  // of the features; 0 before it has learned

  // What stands behind a prediction, for explanations. Neighbours are borrowed from the memory.
  [[nodiscard]] Evidence evidence(const Samples& samples) const;

  [[nodiscard]] Matrix represented(const Samples& samples) const { return look(samples).features; }

 private:
  void check(const Samples& samples, std::string_view doing) const;
  // Leaves everything as it was if `change` throws. `given` are the samples it works on.
  void attempt(const Samples& given, const std::function<void()>& change);
  void learn_unguarded(const Lesson& lesson, Work& work);
  std::vector<float> observe_unguarded(const Samples& unlabelled, Work& work);
  [[nodiscard]] bool has_groups_to_hold(const Samples& samples) const;
  [[nodiscard]] Role role_for(const Samples& samples, Index i) const;
  [[nodiscard]] std::vector<Role> roles_for(const Lesson& lesson, std::span<const Label> labels);
  [[nodiscard]] std::vector<Index> wanted_order(const Samples& samples, Index budget,
                                                Work& work) const;

  struct HeldNovelty {
    std::vector<float> novelty;
    std::vector<Label> labels;
  };

  void set_threshold(const Gathered& experience, const Work& work);
  [[nodiscard]] HeldNovelty score_held(const Gathered& experience) const;
  // Of samples left out in turn; empty where enough are held out. The detector's scale rests on
  // them from then on.
  [[nodiscard]] HeldNovelty score_folds(const Gathered& experience, const Work& work);
  [[nodiscard]] bool has_given_roles(const Samples& samples, const std::vector<Role>& roles) const;
  void note_unasked(const Samples& samples);  // of the first lesson
  // Samples that were granted unasked or drawn, not chosen; all of a class that has few of them.
  [[nodiscard]] std::vector<bool> that_count(const Samples& samples,
                                             const std::vector<Label>& labels) const;
  void fit_sets(const Gathered& experience);
  void restart_sets();  // as before the first lesson
  // Evidence of a batch: features; then neighbours and class scores; then novelty and groups.
  [[nodiscard]] Evidence look(const Samples& samples) const;
  void find_near(Evidence& evidence) const;
  [[nodiscard]] Evidence classified(const Samples& samples) const;
  [[nodiscard]] Evidence examined(const Samples& samples) const;
  void restore(const State& before, const Shelf& shelf);

  PredictorConfig config_;
  std::uint64_t seed_;
  MakeParts make_;
  Parts parts_;
  std::shared_ptr<const LabelSpace> space_;
  std::optional<Threshold> threshold_;
  std::optional<PredictionSets> sets_;  // where the configuration asks for them
  double aim_;  // the error the threshold is set for: the accepted one, corrected by what was heard
  std::set<std::uint32_t> fitted_by_need_;   // else a class would have no sample to fit on
  std::set<std::uint32_t> granted_unasked_;  // by the first lesson; kept where folds need it
  bool holds_groups_ = false;                // settled by the first lesson
  Index width_ = 0;
  Index lessons_ = 0;
  // Neighbours found since the memory last changed; never changes an answer.
  mutable NeighbourCache found_;
};

}  // namespace tyto
