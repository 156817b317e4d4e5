// SPDX-License-Identifier: Apache-2.0
// The contract suite itself: parts that break a promise are found, and by the check that is meant
// to find them.
#include "predictor/contract.hpp"
#include "predictor/mutants.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using contract::Failures;
using contract::Subject;
using mutants::AroundOne;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

template <class Mutant>
Subject mutant(Slot slot, std::string_view name, const std::string& sound) {
  return contract::mounted(slot, name, sound, [](std::unique_ptr<Part> part) {
    return std::make_shared<Mutant>(std::move(part));
  });
}

struct OneGroup final : AroundOne<Recogniser> {
  using AroundOne::AroundOne;

  void discover(const Evidence& batch, const Experience& past, LabelSpace& space,
                Work& work) override {
    as_.discover(batch, past, space, work);
  }

  void revise(const Experience& experience, LabelSpace& space, Work& work) override {
    as_.revise(experience, space, work);
  }

  void recognise(Evidence& evidence) const override {
    as_.recognise(evidence);
    evidence.membership.setZero();
    evidence.membership.col(0).setOnes();
  }
};

struct HeldAsFit final : AroundOne<Memory> {
  using AroundOne::AroundOne;

  void keep(const Experience& all, Work& work) override {
    as_.keep(all, work);
    roles_.assign(as_.roles().size(), Role::fit);
  }

  [[nodiscard]] const Samples& samples() const override { return as_.samples(); }

  [[nodiscard]] const std::vector<Label>& labels() const override { return as_.labels(); }

  [[nodiscard]] const std::vector<Role>& roles() const override { return roles_; }

 private:
  std::vector<Role> roles_;
};

struct AsksTwice final : AroundOne<Requester> {
  using AroundOne::AroundOne;

  std::vector<Index> order(const Evidence& batch, Index budget, Work& work) const override {
    std::vector<Index> rows = as_.order(batch, budget, work);
    if (!rows.empty()) {
      rows.back() = rows.front();
    }
    return rows;
  }
};

struct SoundCalibrator : AroundOne<Calibrator> {
  using AroundOne::AroundOne;

  void tune(const Experience& experience, Work& work) override { as_.tune(experience, work); }

  void calibrate(Evidence& evidence) const override { as_.calibrate(evidence); }
};

struct AlwaysAsSure final : SoundCalibrator {
  using SoundCalibrator::SoundCalibrator;

  void calibrate(Evidence& evidence) const override {
    as_.calibrate(evidence);
    evidence.probability.setConstant(1.0F / static_cast<float>(evidence.probability.cols()));
  }
};

struct TunedOnFit final : SoundCalibrator {
  using SoundCalibrator::SoundCalibrator;

  void tune(const Experience& experience, Work& work) override {
    as_.tune(mutants::Swapped(experience), work);
  }
};

struct AdaptsToAll final : AroundOne<Representation> {
  using AroundOne::AroundOne;

  bool adapt(const Experience& experience, Work& work) override {
    return as_.adapt(mutants::AllFit(experience), work);
  }

  [[nodiscard]] Matrix represent(const MatrixView& rows) const override {
    return as_.represent(rows);
  }
};

struct Asleep final : AroundOne<Alarm> {
  using AroundOne::AroundOne;

  std::vector<float> watch(const Evidence& batch) override { return as_.watch(batch); }

  [[nodiscard]] Change change() const override {
    Change change = as_.change();
    change.changed = false;
    return change;
  }

  void start_again() override { as_.start_again(); }
};

TEST(ContractBites, a_sound_part_in_the_place_of_itself_passes) {
  for (const char* name : {"mahalanobis", "knn"}) {
    const auto sound =
        mutant<mutants::SoundDetector>(Slot::detector, std::string("sound_") + name, name);
    EXPECT_THAT(contract::holds_out(sound), IsEmpty());
    EXPECT_THAT(contract::ranks_new_above_known(sound), IsEmpty());
  }
}

TEST(ContractBites, finds_a_detector_turned_upside_down) {
  const auto subject = mutant<mutants::Inverted>(Slot::detector, "inverted", "knn");
  EXPECT_THAT(contract::ranks_new_above_known(subject), Not(IsEmpty()));
}

TEST(ContractBites, finds_a_detector_that_says_the_same_of_all) {
  const auto subject = mutant<mutants::AlwaysAsNovel>(Slot::detector, "constant", "mahalanobis");
  EXPECT_THAT(contract::ranks_new_above_known(subject), Not(IsEmpty()));
}

TEST(ContractBites, finds_a_detector_fitted_on_held_out_samples) {
  using OnHeldOnly = mutants::ToldDetector<mutants::Swapped>;
  using OnAll = mutants::ToldDetector<mutants::AllFit>;
  for (const Subject& subject : {mutant<OnHeldOnly>(Slot::detector, "on_held_out", "mahalanobis"),
                                 mutant<OnAll>(Slot::detector, "on_all", "mahalanobis")}) {
    const Failures failures = contract::holds_out(subject);
    EXPECT_THAT(failures, Contains(HasSubstr("novelty follow the labels")));
    EXPECT_THAT(failures, Contains(HasSubstr("novelty follow the features")));
  }
}

TEST(ContractBites, finds_a_detector_that_forgets_earlier_lessons) {
  using Forgets = mutants::ToldDetector<mutants::OnlyFresh>;
  const auto subject = mutant<Forgets>(Slot::detector, "forgetful", "mahalanobis");
  EXPECT_THAT(contract::ranks_new_above_known(subject),
              testing::ElementsAre(HasSubstr("f lie above ab")));
}

TEST(ContractBites, finds_a_classifier_that_forgets_or_never_decides) {
  using Forgets = mutants::ToldClassifier<mutants::OnlyFresh>;
  EXPECT_THAT(contract::names_old_and_new(mutant<Forgets>(Slot::classifier, "forgetful", "ncm")),
              Not(IsEmpty()));
  EXPECT_THAT(
      contract::names_old_and_new(mutant<mutants::Undecided>(Slot::classifier, "undecided", "ncm")),
      Not(IsEmpty()));
}

TEST(ContractBites, finds_a_classifier_and_a_representation_fitted_on_all) {
  using OnAll = mutants::ToldClassifier<mutants::AllFit>;
  EXPECT_THAT(contract::holds_out(mutant<OnAll>(Slot::classifier, "on_all", "ncm")),
              Contains(HasSubstr("logits follow the labels")));
  EXPECT_THAT(
      contract::holds_out(mutant<AdaptsToAll>(Slot::representation, "on_all", "standardise")),
      Contains(HasSubstr("features follow the features")));
}

TEST(ContractBites, finds_a_recogniser_with_one_group_for_all) {
  EXPECT_THAT(contract::groups_new_classes(mutant<OneGroup>(Slot::recogniser, "one", "finch")),
              Not(IsEmpty()));
}

TEST(ContractBites, finds_a_memory_that_fits_on_what_was_held_out) {
  EXPECT_THAT(contract::remembers_roles(mutant<HeldAsFit>(Slot::memory, "all_fit", "unlimited")),
              Not(IsEmpty()));
}

TEST(ContractBites, finds_a_requester_that_asks_twice) {
  EXPECT_THAT(
      contract::asks_for_each_row_once(mutant<AsksTwice>(Slot::feedback, "twice", "margin")),
      Contains(HasSubstr("different")));
}

TEST(ContractBites, finds_a_calibrator_that_says_nothing_or_is_tuned_on_fitted_samples) {
  EXPECT_THAT(contract::names_old_and_new(
                  mutant<AlwaysAsSure>(Slot::calibrator, "constant", "temperature")),
              Not(IsEmpty()));
  EXPECT_THAT(
      contract::tunes_on_held_out(mutant<TunedOnFit>(Slot::calibrator, "on_fit", "temperature")),
      testing::SizeIs(2));
}

TEST(ContractBites, finds_an_alarm_that_sleeps) {
  EXPECT_THAT(contract::alarms_at_new_classes(mutant<Asleep>(Slot::alarm, "asleep", "martingale")),
              Contains(HasSubstr("raise no alarm")));
}

}  // namespace
}  // namespace tyto
