// SPDX-License-Identifier: Apache-2.0
// Thresholds from parts left out in turn, where few samples are held out.
#include <cmath>

#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/predictor/composition/composition.hpp"
#include "tyto/sample/store_access.hpp"

namespace tyto {
namespace {

constexpr double kAccepted = 0.1;

struct People {  // each moves in a way of their own
  Samples samples;
  std::vector<std::string> names;
};

// `groups` people, numbered from `first_group`, show each of `classes` `times` times.
People make_people(Index first_group, Index groups, Index classes, Index times, double manner,
                   std::uint64_t seed, std::uint32_t first_id) {
  constexpr Index kWidth = 8;
  Rng rng(seed, "people", static_cast<std::uint64_t>(first_group));
  Matrix rows(groups * classes * times, kWidth);
  People out;
  Samples::Table table;
  Index row = 0;
  for (Index group = 0; group < groups; ++group) {
    Vector own(kWidth);
    for (Index j = 0; j < kWidth; ++j) {
      own[j] = static_cast<float>(manner * rng.normal());
    }
    for (Index c = 0; c < classes; ++c) {
      for (Index t = 0; t < times; ++t, ++row) {
        for (Index j = 0; j < kWidth; ++j) {
          rows(row, j) = static_cast<float>((j == c ? 12.0 : 0.0) + rng.normal()) + own[j];
        }
        out.names.push_back("class " + std::to_string(c));
        table.id.push_back(static_cast<SampleId>(first_id + static_cast<std::uint32_t>(row)));
        table.row.push_back(row);
        table.group.push_back(static_cast<std::uint32_t>(first_group + group));
      }
    }
  }
  out.samples = Samples(std::make_shared<DenseStore>(std::move(rows)), std::move(table));
  return out;
}

std::unique_ptr<Composition> make(const std::string& detector, Index folds, std::uint64_t seed = 1,
                                  const std::string& classifier = "ncm") {
  const std::string yaml = "{name: p, classifier: " + classifier + ", detector: " + detector +
                           ", memory: unlimited, accepted_error: " + std::to_string(kAccepted) +
                           ", threshold_by: classes, folds: " + std::to_string(folds) + "}";
  return std::make_unique<Composition>(read_predictor(parse_yaml(yaml, "x"), "p"), seed);
}

void teach_people(Composition& predictor, const People& people, std::uint64_t step = 0) {
  Progress silent;
  Work work{Rng(3, "teach", step), silent};
  predictor.learn({people.samples, people.names, {}}, work);
}

// Share of samples called new, all of whose classes are known.
double false_alarms(const Composition& predictor, const People& people) {
  double called = 0;
  const Prediction out = predictor.predict(people.samples);
  for (const Label label : out.label) {
    called += label == Label::unknown ? 1 : 0;
  }
  return called / static_cast<double>(out.label.size());
}

std::string bytes_of(const Composition& predictor) {
  State state;
  predictor.save(state);
  return to_archive(state);
}

class Folds : public testing::TestWithParam<const char*> {};

// Four people are too few to hold one out by chance; single held-out samples are of people fitted
// on, whose manner is known. Left out in turn they tell what the next person will look like.
TEST_P(Folds, keep_the_promise_for_people_never_seen) {
  double held = 0;
  double folded = 0;
  constexpr int kTrials = 20;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const People known = make_people(1, 4, 3, 6, 1.5, trial, 0);
    const People next = make_people(100, 10, 3, 6, 1.5, trial, 1000);
    for (const Index folds : {0, 5}) {
      const auto predictor = make(GetParam(), folds, trial);
      teach_people(*predictor, known);
      (folds == 0 ? held : folded) += false_alarms(*predictor, next) / kTrials;
    }
  }
  EXPECT_GT(held, 2 * kAccepted);
  // Four people say little of all people, so that the promise holds about, not exactly.
  EXPECT_LT(folded, 2 * kAccepted);
  EXPECT_LT(folded, held / 2);
}

// Factors and penalties that were settled by held-out samples of people fitted on would make the
// scores of the folds and those of the predictor two different things.
class FoldWeights : public testing::TestWithParam<const char*> {};

TEST_P(FoldWeights, let_class_scores_keep_the_promise) {
  double called = 0;
  constexpr int kTrials = 20;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const People known = make_people(1, 4, 3, 6, 2.0, trial, 0);
    const People next = make_people(100, 10, 3, 6, 2.0, trial, 1000);
    const auto predictor = make("max_logit", 5, trial, GetParam());
    teach_people(*predictor, known);
    called += false_alarms(*predictor, next) / kTrials;
  }
  EXPECT_LT(called, 2 * kAccepted);
}

INSTANTIATE_TEST_SUITE_P(Classifiers, FoldWeights,
                         testing::Values("{name: ridge, projection: 50}",
                                         "{name: blend, members: [ncm, slda, {name: ridge, "
                                         "projection: 50}]}"));

TEST_P(Folds, resume_to_the_same_bytes) {
  const People first = make_people(1, 4, 3, 6, 1.0, 1, 0);
  const People second = make_people(5, 4, 4, 6, 1.0, 2, 1000);
  const auto through = make(GetParam(), 5);
  teach_people(*through, first);
  const auto again = make(GetParam(), 5);
  const StoreShelf shelf({StoreAccess::store(first.samples)});
  State state;
  through->save(state);
  again->load(state, shelf);
  teach_people(*through, second, 1);
  teach_people(*again, second, 1);
  EXPECT_EQ(bytes_of(*through), bytes_of(*again));
}

INSTANTIATE_TEST_SUITE_P(Detectors, Folds,
                         testing::Values("mahalanobis",
                                         "{name: ensemble, detectors: [mahalanobis, max_logit]}",
                                         "{name: ensemble, average: ranks, detectors: "
                                         "[mahalanobis, max_logit]}",
                                         "{name: conformal, scores: [mahalanobis, max_logit]}"));

std::vector<float> held_of(const Composition& predictor) {
  State state;
  predictor.save(state);
  const Matrix& held = state.child("threshold").get<Matrix>("held");
  return {held.data(), held.data() + held.size()};
}

TEST(FoldThreshold, rests_on_every_sample_granted_unasked) {
  const People known = make_people(1, 4, 3, 6, 0.0, 1, 0);
  const auto predictor = make("mahalanobis", 5);
  teach_people(*predictor, known);
  EXPECT_EQ(std::ssize(held_of(*predictor)), known.samples.size());
}

TEST(FoldThreshold, leaves_out_chosen_samples_but_of_classes_with_few_drawn_ones) {
  const auto predictor = make("mahalanobis", 5);
  const People first = make_people(0, 1, 3, 20, 0.0, 1, 0);
  teach_people(*predictor, first);
  const auto drawn = [&](const People& people, const std::string& name) {
    Index count = 0;
    for (Index i = 0; i < people.samples.size(); ++i) {
      count += (name.empty() || people.names[static_cast<std::size_t>(i)] == name) &&
               role_of(people.samples.id(i), 1, 0.1) == Role::hold;
    }
    return count;
  };
  const People more = make_people(0, 1, 3, 10, 0.0, 2, 1000);  // of the same classes
  teach_people(*predictor, more, 1);
  EXPECT_EQ(std::ssize(held_of(*predictor)), first.samples.size() + drawn(more, ""));
  const People fourth = make_people(0, 1, 4, 4, 0.0, 3, 2000);  // and of one more
  ASSERT_LT(drawn(fourth, "class 3"), 4);
  teach_people(*predictor, fourth, 2);
  EXPECT_EQ(std::ssize(held_of(*predictor)), first.samples.size() + drawn(more, "") +
                                                 drawn(fourth, "") - drawn(fourth, "class 3") + 4);
}

TEST(FoldThreshold, leaves_classes_without_a_say_that_a_fold_would_not_know) {
  People known = make_people(0, 1, 3, 10, 0.0, 1, 0);
  known.names.front() = "seen once";
  const auto predictor = make("mahalanobis", 5);
  teach_people(*predictor, known);
  EXPECT_EQ(std::ssize(held_of(*predictor)), known.samples.size() - 1);
}

// Of what was learned before nothing is left to fold: five of one lesson would know its classes
// only.
TEST(FoldThreshold, is_that_of_the_held_out_samples_where_nothing_is_remembered) {
  const std::string yaml =
      "{name: p, classifier: ncm, detector: mahalanobis, memory: none, folds: 5}";
  Composition predictor(read_predictor(parse_yaml(yaml, "x"), "p"), 1);
  teach_people(predictor, make_people(0, 1, 3, 20, 0.0, 1, 0));
  EXPECT_EQ(std::ssize(held_of(predictor)), 60);
  const People more = make_people(0, 1, 3, 20, 0.0, 2, 1000);
  teach_people(predictor, more, 1);
  Index held = 0;
  for (Index i = 0; i < more.samples.size(); ++i) {
    held += role_of(more.samples.id(i), 1, 0.1) == Role::hold ? 1 : 0;
  }
  ASSERT_GT(held, 0);
  EXPECT_EQ(std::ssize(held_of(predictor)), held);
}

TEST(FoldThreshold, is_that_of_a_validation_split_where_one_is_given) {
  const People known = make_people(0, 1, 3, 20, 0.0, 1, 0);
  Lesson lesson{known.samples, known.names, std::vector<Role>(60, Role::fit)};
  std::fill(lesson.roles.begin() + 40, lesson.roles.end(), Role::hold);
  const auto predictor = make("mahalanobis", 5);
  Progress silent;
  Work work{Rng(3), silent};
  predictor->learn(lesson, work);
  EXPECT_EQ(std::ssize(held_of(*predictor)), 20);
}

TEST(FoldThreshold, is_that_of_the_held_out_samples_where_many_are_labelled) {
  const People many = make_people(0, 1, 3, 1400, 0.0, 1, 0);
  for (const Index folds : {0, 5}) {
    const auto predictor = make("mahalanobis", folds);
    teach_people(*predictor, many);
    EXPECT_LT(std::ssize(held_of(*predictor)), 600);
  }
}

TEST(FoldThreshold, of_hard_cases_is_defined) {
  for (const Index classes : {1, 3}) {
    for (const Index times : {1, 2, 30}) {  // of each class
      const People few = make_people(0, 1, classes, times, 0.0, 1, 0);
      const auto folded = make("mahalanobis", 5);
      if (times == 1) {  // whoever leaves it out does not know the class: as without folds
        EXPECT_THROW(teach_people(*folded, few), Error);
        EXPECT_FALSE(folded->is_fitted());
        continue;
      }
      teach_people(*folded, few);
      for (const float novelty : held_of(*folded)) {
        EXPECT_TRUE(std::isfinite(novelty));
      }
    }
  }
  People same = make_people(0, 1, 2, 10, 0.0, 1, 0);  // all rows alike, one of another group
  Samples::Table table;
  for (std::uint32_t i = 0; i < 20; ++i) {
    table.id.push_back(static_cast<SampleId>(i));
    table.row.push_back(0);
    table.group.push_back(i < 19 ? 1 : 2);
  }
  same.samples = Samples(std::make_shared<DenseStore>(Matrix::Ones(20, 8)), std::move(table));
  const auto predictor = make("{name: ensemble, detectors: [mahalanobis, max_logit]}", 5);
  teach_people(*predictor, same);
  EXPECT_LE(false_alarms(*predictor, same), kAccepted);
}

}  // namespace
}  // namespace tyto
