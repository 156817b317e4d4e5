// SPDX-License-Identifier: Apache-2.0
// What every predictor promises, checked for every preset and for every registered part in its
// slot. A new part inherits these tests by being listed.
#include <limits>
#include <numeric>
#include <ostream>
#include <thread>

#include "support/blobs.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tyto/core/archive.hpp"
#include "tyto/predictor/composition.hpp"
#include "tyto/predictor/presets.hpp"

namespace tyto {
namespace {

using testing_support::Blobs;
using testing_support::make_blobs;

constexpr std::uint64_t kSeed = 5;

struct Subject {
  std::string name, yaml;
  bool classifies = true;
  bool weighs = false;  // members by the held-out samples
};

std::ostream& operator<<(std::ostream& out, const Subject& subject) {
  return out << subject.name;
}

// A predictor around one part: plain parts everywhere else.
Subject mounted(const PartSpec& spec, Slot slot) {
  std::map<Slot, std::string> parts{{Slot::classifier, "ncm"},
                                    {Slot::detector, "softmax"},
                                    {Slot::feedback, "random"},
                                    {Slot::memory, "unlimited"}};
  // Small enough for many lessons, and nothing tuned on the held-out samples we lie about.
  const std::map<std::string, std::string> options{
      {"blend", "{name: blend, members: [osnn, gauss, slda]}"},
      {"mlp", "{name: mlp, steps_at_least: 200}"},
      {"mlp_embedding", "{name: mlp_embedding, steps_at_least: 200}"},
      {"openmax", "{name: openmax, base: {name: mlp, steps_at_least: 200}}"},
      {"ridge", "{name: ridge, projection: 64, strength: 0.01, scale: 10}"}};
  parts[slot] = options.contains(spec.name) ? options.at(spec.name) : spec.name;
  std::string yaml = fmt::format("name: {}\n", spec.name);
  for (const auto& [where, part] : parts) {
    yaml += fmt::format("{}: {}\n", slot_name(where), part);
  }
  return {fmt::format("{}_{}", slot_name(slot), spec.name), yaml, true, spec.name == "blend"};
}

std::vector<Subject> subjects() {
  // Networks small enough for many lessons.
  const std::map<std::string, std::string> quick{
      {"ann-evm", "representation: {name: mlp_embedding, steps_at_least: 200}\n"},
      {"openmax",
       "classifier: {name: openmax, also: [detector], base: {name: mlp, steps_at_least: 200}}\n"},
      {"tyto",
       "classifier: {name: blend, members: [{name: ridge, projection: 64}, osnn, gmm_finch, slda]}"
       "\n"}};
  std::vector<Subject> all;
  for (const std::string& name : preset_names()) {
    const auto config = read_predictor(ConfigNode::scalar(name), name);
    std::string tame = name;
    std::replace(tame.begin(), tame.end(), '-', '_');
    const auto lighter = quick.find(name);
    all.push_back(
        {"preset_" + tame,
         fmt::format("preset: {}\n{}", name, lighter == quick.end() ? "" : lighter->second),
         config.find(Slot::classifier) != nullptr, name == "tyto"});
  }
  for (const PartSpec& spec : part_specs()) {
    for (const Slot slot : spec.slots) {
      all.push_back(mounted(spec, slot));
    }
  }
  return all;
}

class PredictorContract : public testing::TestWithParam<Subject> {
 protected:
  static std::unique_ptr<Composition> make(std::uint64_t seed = kSeed) {
    return std::make_unique<Composition>(
        read_predictor(parse_yaml(GetParam().yaml, GetParam().name), "predictor"), seed);
  }

  static void teach(Predictor& predictor, const Lesson& lesson, std::uint64_t step) {
    Progress silent;
    Work work{Rng(kSeed, "test", step), silent};
    predictor.learn(lesson, work);
  }

  static void watch(Predictor& predictor, const Samples& unlabelled) {
    Progress silent;
    Work work{Rng(4), silent};
    predictor.observe(unlabelled, work);
  }

  static std::unique_ptr<Composition> taught() {
    auto predictor = make();
    teach(*predictor, {first().samples, first().names, {}}, 0);
    watch(*predictor, second().samples);
    teach(*predictor, {second().samples, second().names, {}}, 1);
    return predictor;
  }

  static const Blobs& first() {  // three classes
    static const Blobs blobs = make_blobs(0, 3, 60, 1, 0);
    return blobs;
  }

  static const Blobs& second() {  // one known class and two new ones
    static const Blobs blobs = make_blobs(2, 5, 40, 2, 1000);
    return blobs;
  }

  static const Blobs& fresh() {  // classes known and never seen
    static const Blobs blobs = make_blobs(0, 6, 30, 3, 5000);
    return blobs;
  }

  static std::string bytes(const Predictor& predictor) {
    State state;
    predictor.save(state);
    return to_archive(state);
  }

  static StoreShelf two_stores() { return StoreShelf({first().store, second().store}); }

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
  EXPECT_THROW((void)predictor->predict(fresh().samples), Error);
  EXPECT_THROW(predictor->observe(fresh().samples, work), Error);
  EXPECT_THROW(predictor->request(fresh().samples, 3, work), Error);
}

TEST_P(PredictorContract, rows_are_probabilities_and_decisions_are_entries) {
  const auto predictor = taught();
  const Prediction out = predictor->predict(fresh().samples);
  ASSERT_EQ(out.probability.rows(), fresh().samples.size());
  ASSERT_EQ(out.probability.cols(), predictor->labels().size());
  for (Index i = 0; i < out.probability.rows(); ++i) {
    EXPECT_NEAR(out.probability.row(i).sum(), 1.0F, 1e-5);
    EXPECT_GE(out.probability.row(i).minCoeff(), 0.0F);
    EXPECT_LT(static_cast<Index>(out.label[static_cast<std::size_t>(i)]), out.space->size());
  }
  EXPECT_EQ(out.novelty.size(), static_cast<std::size_t>(fresh().samples.size()));
  EXPECT_EQ(predictor->predict(Samples()).probability.rows(), 0);
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
  const auto a = taught();
  const auto b = taught();
  EXPECT_EQ(bytes(*a), bytes(*b));
  expect_same(a->predict(fresh().samples), b->predict(fresh().samples));
}

TEST_P(PredictorContract, one_row_at_a_time_equals_a_batch) {
  const auto predictor = taught();
  const Prediction all = predictor->predict(fresh().samples);
  for (const Index i : {Index{0}, Index{1}, Index{17}, fresh().samples.size() - 1}) {
    const std::vector<Index> row{i};
    expect_close(all, row, predictor->predict(fresh().samples.pick(row)));
  }
}

TEST_P(PredictorContract, permuted_rows_permute_the_answer) {
  const auto predictor = taught();
  const auto order = Rng(3).permutation(fresh().samples.size());
  expect_close(predictor->predict(fresh().samples), order,
               predictor->predict(fresh().samples.pick(order)));
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
    expect_same(honest->predict(fresh().samples), borrower->predict(fresh().samples));
  }
}

TEST_P(PredictorContract, a_held_out_sample_stays_held_out) {
  // Held-out rows may set thresholds, but what is fitted must not follow them: give them the labels
  // of other classes, and the best class of every sample stays that of the honest lesson.
  const double holdout = make()->config().holdout;
  std::vector<std::string> lies = first().names;
  Index held = 0;
  for (Index i = 0; i < first().samples.size(); ++i) {
    if (role_of(first().samples.id(i), kSeed, holdout) == Role::hold) {
      std::string& name = lies[static_cast<std::size_t>(i)];
      name = name == "class a" ? "class b" : "class a";
      ++held;
    }
  }
  ASSERT_GT(held, 5);
  const auto honest = make();
  const auto misled = make();
  teach(*honest, {first().samples, first().names, {}}, 0);
  teach(*misled, {first().samples, lies, {}}, 0);
  // The role is settled: taught again with everything else, the liars still are not fitted.
  teach(*honest, {second().samples, second().names, {}}, 1);
  teach(*misled, {second().samples, second().names, {}}, 1);
  const Prediction a = honest->predict(fresh().samples, {true, false});
  const Prediction b = misled->predict(fresh().samples, {true, false});
  ASSERT_EQ(a.logits.rows(), b.logits.rows());
  Index differ = 0;
  for (Index i = 0; i < a.logits.rows(); ++i) {
    Index best_a = 0;
    Index best_b = 0;
    a.logits.row(i).maxCoeff(&best_a);
    b.logits.row(i).maxCoeff(&best_b);
    differ += best_a == best_b ? 0 : 1;
  }
  // Lies about them may shift the weights of members that disagree, no more.
  EXPECT_LE(differ, GetParam().weighs ? a.logits.rows() / 20 : 0);
}

TEST_P(PredictorContract, save_and_load_give_the_same_predictor) {
  auto original = make();
  teach(*original, {first().samples, first().names, {}}, 0);
  State state;
  original->save(state);
  auto copy = make(kSeed + 1);  // the saved seed counts
  copy->load(from_archive(to_archive(state), "saved"), two_stores());
  EXPECT_EQ(bytes(*copy), bytes(*original));
  expect_same(original->predict(fresh().samples), copy->predict(fresh().samples));
  teach(*original, {second().samples, second().names, {}}, 1);
  teach(*copy, {second().samples, second().names, {}}, 1);
  EXPECT_EQ(bytes(*copy), bytes(*original));
  expect_same(original->predict(fresh().samples), copy->predict(fresh().samples));
}

TEST_P(PredictorContract, what_was_observed_is_saved_and_goes_on) {
  auto original = make();
  teach(*original, {first().samples, first().names, {}}, 0);
  watch(*original, second().samples);
  State state;
  original->save(state);
  auto copy = make(kSeed + 1);
  copy->load(from_archive(to_archive(state), "saved"), two_stores());
  expect_same(original->predict(fresh().samples), copy->predict(fresh().samples));
  const std::vector<std::string> some(second().names.begin(), second().names.begin() + 40);
  for (Composition* each : {original.get(), copy.get()}) {
    watch(*each, fresh().samples);
    teach(*each, {second().samples.slice(0, 40), some, {}}, 1);
    watch(*each, fresh().samples);
  }
  EXPECT_EQ(bytes(*copy), bytes(*original));
  expect_same(original->predict(fresh().samples), copy->predict(fresh().samples));
}

TEST_P(PredictorContract, discovered_classes_keep_their_names) {
  auto predictor = make();
  teach(*predictor, {first().samples, first().names, {}}, 0);
  watch(*predictor, second().samples);
  const LabelSpace before = predictor->labels();
  watch(*predictor, fresh().samples);
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
  const Prediction answer = predictor->predict(fresh().samples);
  const Blobs more = make_blobs(3, 6, 10, 8, 7000);
  std::vector<std::string> reserved = more.names;
  reserved.back() = "unknown";  // a name no class may bear
  EXPECT_THROW(teach(*predictor, {more.samples, reserved, {}}, 2), Error);
  EXPECT_THROW(teach(*predictor, {more.samples, {"too", "few"}, {}}, 2), Error);
  EXPECT_EQ(bytes(*predictor), before);
  expect_same(answer, predictor->predict(fresh().samples));
}

TEST_P(PredictorContract, grows_to_new_classes_and_keeps_the_old) {
  auto predictor = make();
  teach(*predictor, {first().samples, first().names, {}}, 0);
  const LabelSpace before = predictor->labels();
  ASSERT_EQ(before.known_names().size(), 3U);
  teach(*predictor, {second().samples, second().names, {}}, 1);
  const LabelSpace& after = predictor->labels();
  EXPECT_EQ(after.known_names().size(), 5U);
  for (Index i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after.name(static_cast<Label>(i)), before.name(static_cast<Label>(i)));
  }
  if (!GetParam().classifies) {
    return;
  }
  const Prediction out = predictor->predict(fresh().samples, {true, false});
  Index right = 0;
  Index asked = 0;
  for (Index i = 0; i < fresh().samples.size(); ++i) {
    const std::string& name = fresh().names[static_cast<std::size_t>(i)];
    if (const auto label = after.find(name)) {
      ++asked;
      Index best = 0;
      auto row = out.probability.row(i).tail(out.probability.cols() - 1);  // without `unknown`
      row.maxCoeff(&best);
      right += best + 1 == static_cast<Index>(*label) ? 1 : 0;
    }
  }
  EXPECT_EQ(asked, 150);
  EXPECT_GE(right, 135) << "old and new classes alike";
}

TEST_P(PredictorContract, asks_for_each_row_at_most_once) {
  const auto predictor = taught();
  Progress silent;
  Work work{Rng(2), silent};
  const auto order = predictor->request(fresh().samples, 20, work);
  EXPECT_GE(order.size(), 20U);
  const std::set<Index> unique(order.begin(), order.end());
  EXPECT_EQ(unique.size(), order.size());
  EXPECT_GE(*unique.begin(), 0);
  EXPECT_LT(*unique.rbegin(), fresh().samples.size());
  EXPECT_TRUE(predictor->request(Samples(), 5, work).empty());
}

TEST_P(PredictorContract, predicts_the_same_from_two_threads) {
  const auto predictor = taught();
  const Prediction alone = predictor->predict(fresh().samples);
  Prediction a;
  Prediction b;
  std::thread one([&] { a = predictor->predict(fresh().samples); });
  std::thread two([&] { b = predictor->predict(fresh().samples); });
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
