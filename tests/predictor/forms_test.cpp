// SPDX-License-Identifier: Apache-2.0
// The published forms of predictors, by what they promise: thresholds, widths and held-out samples.
#include <cmath>

#include "support/blobs.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/math/softmax.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing_support::Blobs;
using testing_support::make_blobs;

PredictorConfig form_config(const std::string& yaml) {
  return read_predictor(parse_yaml(yaml, "forms.yaml"), "predictor");
}

void teach_form(Composition& predictor, const Lesson& lesson, std::uint64_t step) {
  Progress silent;
  Work work{Rng(7, "form", step), silent};
  predictor.learn(lesson, work);
}

double threshold_of(const Composition& predictor) {
  State state;
  predictor.save(state);
  return state.child("threshold").get<double>("value");
}

std::string refusal_of(const std::string& yaml) {
  try {
    (void)form_config(yaml);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(AnnPublished, is_unknown_below_a_tenth_of_the_initial_validation_samples_for_good) {
  // The logits are given, so that nothing but the rule decides.
  const PredictorConfig config = form_config("{preset: ann-published, classifier: precomputed}");
  Composition predictor(config, 1);
  const Blobs first = make_blobs(0, 3, 30, 1, 0);
  std::vector<Role> roles(first.names.size(), Role::fit);
  std::vector<Index> validation;
  for (std::size_t i = 0; i < roles.size(); i += 4) {
    roles[i] = Role::hold;
    validation.push_back(static_cast<Index>(i));
  }
  ASSERT_EQ(validation.size(), 23U);
  teach_form(predictor, {first.samples, first.names, roles}, 0);

  // By hand: the greatest softmax probability of the three known classes, NumPy's 0.10 quantile of
  // 23 values, which lies at 2.2 from 0.
  const Matrix logits = predictor.evidence(first.samples.pick(validation)).logits;
  std::vector<double> sure;
  for (Index i = 0; i < logits.rows(); ++i) {
    double sum = 0.0;
    for (Index c = 0; c < logits.cols(); ++c) {
      sum += std::exp(static_cast<double>(logits(i, c) - logits.row(i).maxCoeff()));
    }
    sure.push_back(1.0 / sum);
  }
  std::sort(sure.begin(), sure.end());
  const double tau = sure[2] + 0.2 * (sure[3] - sure[2]);
  EXPECT_NEAR(threshold_of(predictor), 1.0 - tau, 1e-6);

  // Frozen: another lesson, and a false alarm rate that is told, leave it. It is saved.
  const Blobs second = make_blobs(2, 5, 30, 2, 1000);
  teach_form(predictor, {second.samples, second.names, {}}, 1);
  predictor.hear({{"false_alarm_rate", 0.5}});
  EXPECT_NEAR(threshold_of(predictor), 1.0 - tau, 1e-6);
  State state;
  predictor.save(state);
  Composition copy(config, 2);
  copy.load(from_archive(to_archive(state), "saved"), StoreShelf({first.store, second.store}));
  EXPECT_EQ(threshold_of(copy), threshold_of(predictor));

  // Unknown exactly where the greatest probability of a known class is below it.
  const Blobs fresh = make_blobs(0, 6, 20, 3, 2000);
  const Prediction out = copy.predict(fresh.samples);
  const Evidence evidence = copy.evidence(fresh.samples);
  const Matrix probability = softmax(evidence.logits);
  Index unknown = 0;
  for (Index i = 0; i < probability.rows(); ++i) {
    const bool novel = static_cast<double>(probability.row(i).maxCoeff()) < tau;
    EXPECT_EQ(out.label[static_cast<std::size_t>(i)] == Label::unknown, novel) << i;
    unknown += novel ? 1 : 0;
  }
  EXPECT_GT(unknown, 0);
  EXPECT_LT(unknown, probability.rows());
}

TEST(AnnForms, have_hidden_layers_as_wide_as_the_features) {
  for (const char* preset : {"ann-published", "ann-released"}) {
    Composition predictor(form_config(preset), 1);
    const Blobs first = make_blobs(0, 3, 30, 1, 0, 7);
    teach_form(predictor, {first.samples, first.names, {}}, 0);
    const Evidence evidence = predictor.evidence(first.samples);
    EXPECT_EQ(evidence.embedding.cols(), 7) << preset;
    EXPECT_EQ(evidence.logits.cols(), 4) << preset;  // and one for unknown
  }
}

TEST(AnnReleased, has_no_threshold_and_fits_on_everything) {
  const PredictorConfig config = form_config("ann-released");
  EXPECT_EQ(config.find(Slot::detector), nullptr);
  EXPECT_EQ(config.holdout, 0.0);
  EXPECT_THAT(forms_of(config), ElementsAre(Pair("classifier", "released")));
}

TEST(HoldoutLessons, of_the_first_alone_leave_later_samples_to_be_fitted_on) {
  const PredictorConfig config = form_config(
      "{name: once, classifier: ncm, detector: softmax, memory: unlimited, holdout: 0.3, "
      "threshold: frozen, holdout_lessons: first}");
  Composition predictor(config, 5);
  const Blobs first = make_blobs(0, 3, 20, 1, 0);
  const Blobs second = make_blobs(2, 4, 20, 2, 1000);
  teach_form(predictor, {first.samples, first.names, {}}, 0);
  State state;
  predictor.save(state);
  Composition copy(config, 6);
  copy.load(from_archive(to_archive(state), "saved"), StoreShelf({first.store}));
  for (Composition* each : {&predictor, &copy}) {
    teach_form(*each, {second.samples, second.names, {}}, 1);
    teach_form(*each, {first.samples, first.names, {}}, 2);  // the first come again
    const Memory& memory = *each->parts().memory;
    Index held = 0;
    for (Index i = 0; i < memory.samples().size(); ++i) {
      const SampleId id = memory.samples().id(i);
      const Role role = memory.roles()[static_cast<std::size_t>(i)];
      EXPECT_EQ(role, static_cast<std::uint32_t>(id) < 1000 ? role_of(id, 5, 0.3) : Role::fit);
      held += role == Role::hold ? 1 : 0;
    }
    EXPECT_GT(held, 5);
    // Nothing of a request is kept back for them.
    const Blobs more = make_blobs(0, 3, 20, 4, 3000);
    Progress silent;
    Work work{Rng(9), silent};
    const std::vector<Index> order = each->request(more.samples, 10, work);
    Work again{Rng(9), silent};
    EXPECT_EQ(order, again.fork("feedback").rng.permutation(60));
  }
}

TEST(GmmFinchForms, say_how_they_were_published) {
  const PredictorConfig config = form_config("gmm-finch-released");
  EXPECT_THAT(forms_of(config), ElementsAre(Pair("classifier", "released")));
  EXPECT_EQ(config.find(Slot::feedback)->name, "uncertain_first");
  ASSERT_NE(config.expects.find("observe_order"), nullptr);
  EXPECT_EQ(config.expects.find("observe_order")->text, "in_turn");
  const PredictorConfig again = read_predictor(write_predictor(config), "predictor");
  EXPECT_EQ(to_yaml(write_predictor(again)), to_yaml(write_predictor(config)));
  EXPECT_EQ(again.expects.find("observe")->items.size(), 3U);
  EXPECT_EQ(again.holdout_once, true);
  EXPECT_THAT(forms_of(form_config("gmm-finch-published")),
              ElementsAre(Pair("classifier", "paper")));
}

TEST(EvmReleased, is_unknown_where_no_psi_reaches_one_half) {
  Composition predictor(form_config("evm-released"), 1);
  const Blobs first = make_blobs(0, 3, 30, 1, 0);
  teach_form(predictor, {first.samples, first.names, {}}, 0);
  const Blobs fresh = make_blobs(0, 6, 20, 3, 2000);
  const Prediction out = predictor.predict(fresh.samples);
  const Evidence evidence = predictor.evidence(fresh.samples);
  ASSERT_EQ(evidence.classes.back(), Label::unknown);
  const Index known = evidence.logits.cols() - 1;
  for (Index i = 0; i < evidence.logits.rows(); ++i) {
    // The columns before they are divided by their sum: psi of each class, and what is left of 1.
    const float best = std::exp(evidence.logits.row(i).head(known).maxCoeff());
    EXPECT_NEAR(std::exp(evidence.logits(i, known)), 1.0F - best, 1e-5);
    EXPECT_EQ(out.label[static_cast<std::size_t>(i)] == Label::unknown, best < 0.5F) << best;
  }
}

TEST(PredictorConfig, refuses_what_makes_no_sense_with_a_sentence) {
  EXPECT_THAT(refusal_of("{preset: ann, threshold_rule: quantile}"),
              HasSubstr("a quantile counts all samples alike; leave threshold_by at samples"));
  EXPECT_THAT(refusal_of("{preset: ncm, expects: in_turn}"),
              HasSubstr("predictor.expects: must be a map of options of the protocol"));
  EXPECT_THAT(refusal_of("{name: a, classifier: {name: ncm, space: logits}}"),
              HasSubstr("predictor.classifier.space: only the parts named in the slots detector "
                        "and recogniser may look at what the classifier makes of the features"));
  EXPECT_THAT(refusal_of("{name: a, classifier: ncm, detector: {name: knn, space: scores}}"),
              HasSubstr("predictor.detector.space: must be one of features, embedding, logits"));
}

}  // namespace
}  // namespace tyto
