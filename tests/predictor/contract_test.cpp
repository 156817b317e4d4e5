// SPDX-License-Identifier: Apache-2.0
// What every predictor promises, checked for every preset and for every registered part in its
// slot. A new part inherits these tests by being listed.
#include "predictor/contract.hpp"

#include <limits>
#include <numeric>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/predictor/presets.hpp"

namespace tyto {
namespace {

using contract::first_lesson;
using contract::fresh_samples;
using contract::kSeed;
using contract::lesson_of;
using contract::second_lesson;
using contract::Subject;
using contract::teach;
using contract::watch;
using testing::IsEmpty;
using testing_support::Blobs;
using testing_support::make_blobs;

std::vector<Subject> subjects() {
  // Networks small enough for many lessons.
  const std::string small = "hidden: 32, segments: 2, epochs: 5, steps_at_least: 300";
  std::map<std::string, std::string> quick{
      {"ann-evm", "representation: {name: mlp_embedding, steps_at_least: 200}\n"},
      // One epoch of one step on six units teaches nothing here; and a role goes by the hash alone.
      {"ann-published",
       "classifier: {name: mlp, form: paper, hidden: 64, batch: 50, steps_at_least: 300}\n"
       "holdout_lessons: all\n"},
      {"ann-released",
       "classifier: {name: mlp, form: released, hidden: 64, dropout: 0.5, batch: 50, "
       "steps_at_least: 300}\n"},
      {"ann-evm-released",
       "representation: {name: mlp_embedding, form: sound, dropout: 0.5, steps_at_least: 200}\n"
       "classifier: {tail: 3}\n"},
      {"gmm-finch-published", "holdout_lessons: all\n"},
      {"gmm-finch-released", "holdout_lessons: all\n"},
      {"openmax",
       "classifier: {name: openmax, also: [detector], base: {name: mlp, steps_at_least: 200}}\n"},
      {"ranpac", "classifier: {name: ridge, projection: 64, choose: gcv, scale: 10}\n"},
      {"tyto-cil",
       "classifier: {name: ridge, projection: 64, strength: 0.01, scale: 10, "
       "over: means_and_changes, segments: 4}\n"},
      {"tyto",
       "classifier: {name: blend, members: [{name: ridge, projection: 64}, osnn, gmm_finch, slda]}"
       "\n"}};
  // The same for parts, and nothing tuned on the held-out samples we lie about.
  std::map<std::string, std::string> options{
      {"autoencoder", "{name: autoencoder, steps_at_least: 300}"},
      {"blend", "{name: blend, members: [osnn, gauss, slda]}"},
      {"deep_ensemble",
       "{name: deep_ensemble, members: 2, member: {name: mlp, hidden: 32, steps_at_least: 200}}"},
      {"mc_dropout", "{name: mc_dropout, hidden: 32, epochs: 5, steps_at_least: 300, passes: 5}"},
      {"gcd_network",  // of rows that are no pictures
       "{name: gcd_network, network: {trunk: '', hidden: 32, width: 16, epochs: 20}}"},
      {"mlp", "{name: mlp, steps_at_least: 200}"},
      {"mlp_embedding", "{name: mlp_embedding, steps_at_least: 200}"},
      {"openmax", "{name: openmax, base: {name: mlp, steps_at_least: 200}}"},
      {"multimodal",
       "{name: multimodal, detectors: [mahalanobis, {name: autoencoder, steps_at_least: 300}]}"},
      {"ndcc", "{name: ndcc, hidden: 32, steps_at_least: 300}"},
      // Rows of six numbers are pictures of two pixels.
      {"patch_autoencoder",
       "{name: patch_autoencoder, picture_height: 1, greatest: 10, patch: 4, width: 4, hidden: 16, "
       "code: 3, noise: 0, batch: 32, epochs: 1}"},
      {"symbolic_ar", "{name: symbolic_ar, steps_at_least: 200}"},
      {"ridge", "{name: ridge, projection: 64, strength: 0.01, scale: 10}"}};
  for (const std::string name :
       {"bic", "derpp", "er", "ewc", "finetune", "icarl", "lwf", "mas", "naive"}) {
    options[name] = "{name: " + name + ", " + small + "}";
    quick[name] = "classifier: " + options[name] + "\n";
  }
  quick["joint"] = "classifier: {name: naive, start: anew, " + small + "}\n";
  std::vector<Subject> all;
  for (const std::string& name : preset_names()) {
    const auto lighter = quick.find(name);
    all.push_back(contract::preset_subject(name, lighter == quick.end() ? "" : lighter->second));
  }
  for (const PartSpec& spec : part_specs()) {
    const auto lighter = options.find(spec.name);
    for (const Slot slot : spec.slots) {
      all.push_back(contract::mounted(slot, spec.name,
                                      lighter == options.end() ? spec.name : lighter->second));
    }
  }
  // Parts that look at what the classifier makes of the features.
  const std::string network = "classifier: {name: mlp, steps_at_least: 200}\n";
  all.push_back(contract::composed("detector_in_embedding",
                                   network + "detector: {name: knn, k: 1, space: embedding}\n"));
  all.push_back(contract::composed(
      "recogniser_in_embedding",
      network + "detector: softmax\nrecogniser: {name: finch, space: embedding}\n"));
  all.push_back(contract::composed("detector_in_logits",
                                   "classifier: slda\ndetector: {name: density, space: logits}\n"));
  all.push_back(contract::composed(
      "recogniser_in_logits",
      "classifier: {name: ridge, projection: 64, strength: 0.01, scale: 10}\ndetector: knn\n"
      "recogniser: {name: ss_kmeans, space: logits}\n"));
  return all;
}

class PredictorContract : public testing::TestWithParam<Subject> {
 protected:
  static std::unique_ptr<Composition> make(std::uint64_t seed = kSeed) {
    return GetParam().make(seed);
  }

  // For those that may change it.
  static std::unique_ptr<Composition> taught() {
    auto predictor = make();
    teach(*predictor, lesson_of(first_lesson()), 0);
    watch(*predictor, second_lesson().samples);
    teach(*predictor, lesson_of(second_lesson()), 1);
    return predictor;
  }

  // The same for those that only look.
  static const Composition& lived() { return *contract::life_of(GetParam()).predictor; }

  static std::string bytes(const Predictor& predictor) {
    State state;
    predictor.save(state);
    return to_archive(state);
  }

  static StoreShelf two_stores() {
    return StoreShelf({first_lesson().store, second_lesson().store});
  }

  static void expect_same(const Prediction& a, const Prediction& b) {
    EXPECT_EQ(a.probability, b.probability);
    EXPECT_EQ(a.label, b.label);
    EXPECT_EQ(a.novelty, b.novelty);
    EXPECT_EQ(a.p_value, b.p_value);
  }

  // Equal to 1e-4 relative: GEMM kernels differ by shape and by the place in a block.
  static void expect_close(const Prediction& all, Rows rows, const Prediction& some) {
    ASSERT_EQ(some.probability.rows(), static_cast<Index>(rows.size()));
    float largest = 1.0F;
    for (const float novelty : all.novelty) {
      largest = std::max(largest, std::abs(novelty));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto at = static_cast<Index>(i);
      EXPECT_LT((all.probability.row(rows[i]) - some.probability.row(at)).cwiseAbs().maxCoeff(),
                1e-4);
      EXPECT_NEAR(all.novelty[static_cast<std::size_t>(rows[i])], some.novelty[i], 1e-4 * largest);
    }
  }
};

TEST_P(PredictorContract, refuses_everything_before_the_first_lesson) {
  auto predictor = make();
  Progress silent;
  Work work{Rng(1), silent};
  EXPECT_THROW((void)predictor->predict(fresh_samples().samples), Error);
  EXPECT_THROW(predictor->observe(fresh_samples().samples, work), Error);
  EXPECT_THROW(predictor->request(fresh_samples().samples, 3, work), Error);
}

TEST_P(PredictorContract, rows_are_probabilities_and_decisions_are_entries) {
  const Composition& predictor = lived();
  const Prediction out = predictor.predict(fresh_samples().samples);
  ASSERT_EQ(out.probability.rows(), fresh_samples().samples.size());
  ASSERT_EQ(out.probability.cols(), predictor.labels().size());
  for (Index i = 0; i < out.probability.rows(); ++i) {
    EXPECT_NEAR(out.probability.row(i).sum(), 1.0F, 1e-5);
    EXPECT_GE(out.probability.row(i).minCoeff(), 0.0F);
    EXPECT_LT(static_cast<Index>(out.label[static_cast<std::size_t>(i)]), out.space->size());
  }
  EXPECT_EQ(out.novelty.size(), static_cast<std::size_t>(fresh_samples().samples.size()));
  EXPECT_EQ(predictor.predict(Samples()).probability.rows(), 0);
}

TEST_P(PredictorContract, refuses_numbers_that_are_not_finite) {
  auto predictor = taught();
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Blobs spoiled = make_blobs(0, 3, 10, 9, 9000);
    spoiled.store->overwrite(bad);
    const std::string before = bytes(*predictor);
    EXPECT_THROW((void)predictor->predict(spoiled.samples), Error);
    EXPECT_THROW(teach(*predictor, {spoiled.samples, spoiled.names, {}}, 2), Error);
    EXPECT_EQ(bytes(*predictor), before);
    auto untaught = make();
    EXPECT_THROW(teach(*untaught, {spoiled.samples, spoiled.names, {}}, 0), Error);
    EXPECT_FALSE(untaught->is_fitted());
  }
}

TEST_P(PredictorContract, refuses_another_width) {
  auto predictor = taught();
  const Blobs wide = make_blobs(0, 3, 10, 9, 9000, 7);
  Progress silent;
  Work work{Rng(1), silent};
  const std::string before = bytes(*predictor);
  EXPECT_THROW((void)predictor->predict(wide.samples), Error);
  EXPECT_THROW(predictor->observe(wide.samples, work), Error);
  EXPECT_THROW(predictor->request(wide.samples, 3, work), Error);
  EXPECT_THROW(teach(*predictor, {wide.samples, wide.names, {}}, 2), Error);
  EXPECT_EQ(bytes(*predictor), before);
}

TEST_P(PredictorContract, same_seed_gives_the_same_bytes) {
  const Composition& a = lived();
  const auto b = taught();
  EXPECT_EQ(bytes(a), bytes(*b));
  expect_same(a.predict(fresh_samples().samples), b->predict(fresh_samples().samples));
}

TEST_P(PredictorContract, one_row_at_a_time_equals_a_batch) {
  const Composition& predictor = lived();
  const Prediction all = predictor.predict(fresh_samples().samples);
  for (const Index i : {Index{0}, Index{1}, Index{17}, fresh_samples().samples.size() - 1}) {
    const std::vector<Index> row{i};
    expect_close(all, row, predictor.predict(fresh_samples().samples.pick(row)));
  }
}

TEST_P(PredictorContract, permuted_rows_permute_the_answer) {
  const Composition& predictor = lived();
  const auto order = Rng(3).permutation(fresh_samples().samples.size());
  expect_close(predictor.predict(fresh_samples().samples), order,
               predictor.predict(fresh_samples().samples.pick(order)));
}

TEST_P(PredictorContract, keeps_nothing_of_lent_samples) {
  const auto honest = make();
  const auto borrower = make();
  for (std::uint64_t step = 0; step < 3; ++step) {
    const auto index = static_cast<Index>(step);
    const Blobs kept =
        make_blobs(index, index + 3, 50, 20 + step, 1000U * static_cast<std::uint32_t>(step));
    teach(*honest, {kept.samples.lent(), kept.names, {}}, step);
    watch(*honest, kept.samples.lent());

    Blobs lent =
        make_blobs(index, index + 3, 50, 20 + step, 1000U * static_cast<std::uint32_t>(step));
    teach(*borrower, {lent.samples.lent(), lent.names, {}}, step);
    watch(*borrower, lent.samples.lent());
    Progress silent;
    Work work{Rng(4), silent};
    borrower->request(lent.samples.lent(), 5, work);
    (void)borrower->predict(lent.samples.lent());
    lent.store->overwrite(1e6F);
    expect_same(honest->predict(fresh_samples().samples),
                borrower->predict(fresh_samples().samples));
  }
}

TEST_P(PredictorContract, a_held_out_sample_stays_held_out) {
  EXPECT_THAT(contract::holds_out(GetParam()), IsEmpty());
}

TEST_P(PredictorContract, new_classes_rank_above_known_ones) {
  EXPECT_THAT(contract::ranks_new_above_known(GetParam()), IsEmpty());
}

TEST_P(PredictorContract, groups_tell_new_classes_apart) {
  EXPECT_THAT(contract::groups_new_classes(GetParam()), IsEmpty());
}

TEST_P(PredictorContract, a_remembered_sample_keeps_its_role) {
  EXPECT_THAT(contract::remembers_roles(GetParam()), IsEmpty());
}

TEST_P(PredictorContract, calibrators_are_tuned_on_held_out_samples_alone) {
  EXPECT_THAT(contract::tunes_on_held_out(GetParam()), IsEmpty());
}

TEST_P(PredictorContract, alarms_are_raised_by_new_classes) {
  EXPECT_THAT(contract::alarms_at_new_classes(GetParam()), IsEmpty());
}

TEST_P(PredictorContract, save_and_load_give_the_same_predictor) {
  auto original = make();
  teach(*original, lesson_of(first_lesson()), 0);
  State state;
  original->save(state);
  auto copy = make(kSeed + 1);  // the saved seed counts
  copy->load(from_archive(to_archive(state), "saved"), two_stores());
  EXPECT_EQ(bytes(*copy), bytes(*original));
  expect_same(original->predict(fresh_samples().samples), copy->predict(fresh_samples().samples));
  teach(*original, lesson_of(second_lesson()), 1);
  teach(*copy, lesson_of(second_lesson()), 1);
  EXPECT_EQ(bytes(*copy), bytes(*original));
  expect_same(original->predict(fresh_samples().samples), copy->predict(fresh_samples().samples));
}

TEST_P(PredictorContract, what_was_observed_is_saved_and_goes_on) {
  auto original = make();
  teach(*original, lesson_of(first_lesson()), 0);
  watch(*original, second_lesson().samples);
  State state;
  original->save(state);
  auto copy = make(kSeed + 1);
  copy->load(from_archive(to_archive(state), "saved"), two_stores());
  expect_same(original->predict(fresh_samples().samples), copy->predict(fresh_samples().samples));
  const std::vector<std::string> some(second_lesson().names.begin(),
                                      second_lesson().names.begin() + 40);
  for (Composition* each : {original.get(), copy.get()}) {
    watch(*each, fresh_samples().samples);
    teach(*each, {second_lesson().samples.slice(0, 40), some, {}}, 1);
    watch(*each, fresh_samples().samples);
  }
  EXPECT_EQ(bytes(*copy), bytes(*original));
  expect_same(original->predict(fresh_samples().samples), copy->predict(fresh_samples().samples));
}

TEST_P(PredictorContract, discovered_classes_keep_their_names) {
  auto predictor = make();
  teach(*predictor, lesson_of(first_lesson()), 0);
  watch(*predictor, second_lesson().samples);
  const LabelSpace before = predictor->labels();
  watch(*predictor, fresh_samples().samples);
  const LabelSpace& after = predictor->labels();
  ASSERT_GE(after.size(), before.size());
  for (Index i = 0; i < before.size(); ++i) {
    const auto label = static_cast<Label>(i);
    EXPECT_EQ(after.name(label), before.name(label));
    if (after.kind(label) == LabelKind::retired) {
      EXPECT_FALSE(after.why_retired(label).empty()) << after.name(label);
    } else {
      EXPECT_EQ(after.kind(label), before.kind(label));
    }
  }
}

TEST_P(PredictorContract, a_failed_lesson_changes_nothing) {
  auto predictor = taught();
  const std::string before = bytes(*predictor);
  const Prediction answer = predictor->predict(fresh_samples().samples);
  const Blobs more = make_blobs(3, 6, 10, 8, 7000);
  std::vector<std::string> reserved = more.names;
  reserved.back() = "unknown";  // a name no class may bear
  EXPECT_THROW(teach(*predictor, {more.samples, reserved, {}}, 2), Error);
  EXPECT_THROW(teach(*predictor, {more.samples, {"too", "few"}, {}}, 2), Error);
  EXPECT_EQ(bytes(*predictor), before);
  expect_same(answer, predictor->predict(fresh_samples().samples));
}

TEST_P(PredictorContract, grows_to_new_classes_and_keeps_the_old) {
  auto predictor = make();
  teach(*predictor, lesson_of(first_lesson()), 0);
  const LabelSpace before = predictor->labels();
  ASSERT_EQ(before.known_names().size(), 3U);
  teach(*predictor, lesson_of(second_lesson()), 1);
  const LabelSpace& after = predictor->labels();
  EXPECT_EQ(after.known_names().size(), 5U);
  for (Index i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after.name(static_cast<Label>(i)), before.name(static_cast<Label>(i)));
  }
  EXPECT_THAT(contract::names_old_and_new(GetParam()), IsEmpty());
}

TEST_P(PredictorContract, asks_for_each_row_at_most_once) {
  EXPECT_THAT(contract::asks_for_each_row_once(GetParam()), IsEmpty());
}

TEST_P(PredictorContract, predicts_the_same_from_two_threads) {
  const Composition& predictor = lived();
  const Prediction alone = predictor.predict(fresh_samples().samples);
  Prediction a;
  Prediction b;
  std::thread one([&] { a = predictor.predict(fresh_samples().samples); });
  std::thread two([&] { b = predictor.predict(fresh_samples().samples); });
  one.join();
  two.join();
  std::vector<Index> all(alone.novelty.size());
  std::iota(all.begin(), all.end(), Index{0});
  expect_close(alone, all, a);
  expect_close(alone, all, b);
}

INSTANTIATE_TEST_SUITE_P(, PredictorContract, testing::ValuesIn(subjects()),
                         [](const auto& subject) { return subject.param.name; });

}  // namespace
}  // namespace tyto
