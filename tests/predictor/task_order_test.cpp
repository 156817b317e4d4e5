// SPDX-License-Identifier: Apache-2.0
// Classifiers that keep sums alone end with the same model however the classes were cut into tasks:
// nothing is forgotten though nothing is remembered and every sample is seen once.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

constexpr Index kTaskClasses = 40, kTaskSamples = 24, kTaskWidth = 12;

struct Videos {  // samples of one to five frames, of classes in order
  Samples samples;
  std::vector<std::string> names;
};

// Not negative, as after a rectifier.
Videos make_videos(Index per_class, std::uint64_t seed, std::uint32_t first_id) {
  Rng means(3, "means");
  Matrix mean(kTaskClasses, kTaskWidth);
  for (Index i = 0; i < mean.size(); ++i) {
    mean.data()[i] = static_cast<float>(2.0 * means.normal());
  }
  Rng rng(seed, "videos");
  Videos out;
  Samples::Table table;
  std::vector<float> numbers;
  Index frames = 0;
  table.first.push_back(0);
  for (Index i = 0; i < kTaskClasses * per_class; ++i) {
    const Index c = i / per_class;
    out.names.push_back(fmt::format("class {}", c));
    table.id.push_back(static_cast<SampleId>(first_id + static_cast<std::uint32_t>(i)));
    const Index length = 1 + i % 5;
    for (Index f = 0; f < length; ++f) {
      table.row.push_back(frames++);
      for (Index j = 0; j < kTaskWidth; ++j) {
        const double x = static_cast<double>(mean(c, j)) + rng.normal();
        numbers.push_back(static_cast<float>(std::max(0.0, x)));
      }
    }
    table.first.push_back(frames);
  }
  const Matrix rows = Eigen::Map<const Matrix>(numbers.data(), frames, kTaskWidth);
  out.samples = Samples(std::make_shared<DenseStore>(rows), std::move(table));
  return out;
}

// Which classes come in which task: a shuffled order in `tasks` parts, the first may be larger.
std::vector<std::vector<Index>> cut(Index tasks, std::uint64_t seed) {
  const std::vector<Index> order = Rng(seed, "classes").permutation(kTaskClasses);
  const Index size = kTaskClasses / tasks;
  const Index first = kTaskClasses - (tasks - 1) * size;
  std::vector<std::vector<Index>> out(1);
  for (Index i = 0; i < kTaskClasses; ++i) {
    if (i >= first && (i - first) % size == 0) {
      out.emplace_back();
    }
    out.back().push_back(order[at(i)]);
  }
  return out;
}

struct Outcome {
  std::map<std::string, std::vector<float>> columns;  // log probability of every test sample
  std::vector<std::string> decided;
};

Outcome outcome_of(const std::string& classifier, Index tasks, std::uint64_t order,
                   double holdout) {
  static const Videos train = make_videos(kTaskSamples, 1, 0);
  static const Videos test = make_videos(5, 2, 100000);
  const std::string yaml = fmt::format(
      "{{name: frozen, classifier: {}, memory: none, holdout: {}}}", classifier, holdout);
  Composition predictor(read_predictor(parse_yaml(yaml, "test"), "predictor"), 5);
  Progress silent;
  for (const std::vector<Index>& classes : cut(tasks, order)) {
    std::vector<Index> rows;
    std::vector<std::string> names;
    for (const Index c : classes) {
      for (Index i = 0; i < kTaskSamples; ++i) {
        rows.push_back(c * kTaskSamples + i);
        names.push_back(train.names[at(rows.back())]);
      }
    }
    Work work{Rng(1), silent};
    predictor.learn({train.samples.pick(rows).lent(), names, {}}, work);
  }
  const Prediction out = predictor.predict(test.samples);
  EXPECT_LT(out.probability.col(0).maxCoeff(), 1e-5F);
  Outcome outcome;
  for (Index c = 1; c < out.probability.cols(); ++c) {  // 0: unknown, nothing but rounding
    auto& column = outcome.columns[std::string(out.space->name(static_cast<Label>(c)))];
    for (Index i = 0; i < out.probability.rows(); ++i) {
      column.push_back(std::log(std::max(out.probability(i, c), 1e-30F)));
    }
  }
  for (const Label label : out.label) {
    outcome.decided.emplace_back(out.space->name(label));
  }
  return outcome;
}

double worst_difference(const Outcome& one, const Outcome& other) {
  double worst = 0;
  for (const auto& [name, column] : one.columns) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      // Below e^-20 a probability is as good as none.
      const float a = std::max(column[i], -20.0F);
      const float b = std::max(other.columns.at(name)[i], -20.0F);
      worst = std::max(worst, static_cast<double>(std::abs(a - b)));
    }
  }
  return worst;
}

struct FrozenCase {
  const char* classifier;
  double holdout;

  friend std::ostream& operator<<(std::ostream& out, const FrozenCase& c) {
    return out << c.classifier << ", holdout " << c.holdout;
  }
};

class TaskOrder : public testing::TestWithParam<FrozenCase> {};

// Logits are floats of up to a few hundred; rounding of the sums in double is far below that.
constexpr double kTolerance = 2e-3;

TEST_P(TaskOrder, does_not_matter_to_who_keeps_sums_alone) {
  const auto [classifier, holdout] = GetParam();
  const Outcome joint = outcome_of(classifier, 1, 0, holdout);
  Index right = 0;
  for (std::size_t i = 0; i < joint.decided.size(); ++i) {
    right += joint.decided[i] == fmt::format("class {}", i / 5) ? 1 : 0;
  }
  EXPECT_GT(right, 140);  // of 200: there is something to forget
  for (const Index tasks : {10, 20, 7}) {
    const Outcome cut = outcome_of(classifier, tasks, 11, holdout);
    ASSERT_EQ(cut.columns.size(), joint.columns.size());
    EXPECT_LT(worst_difference(joint, cut), kTolerance) << tasks << " tasks";
    EXPECT_EQ(cut.decided, joint.decided) << tasks << " tasks";
  }
}

std::string frozen_case_name(const testing::TestParamInfo<FrozenCase>& info) {
  std::string name = fmt::format("{}_{}", info.param.classifier, info.param.holdout);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    , TaskOrder,
    testing::Values(FrozenCase{"ncm", 0.1}, FrozenCase{"{name: ncm, metric: cosine}", 0.0},
                    FrozenCase{"slda", 0.1},
                    FrozenCase{"{name: slda, prior: counts, shrinkage: 1e-4}", 0.0},
                    FrozenCase{"fecam", 0.1},
                    FrozenCase{"{name: fecam, covariance: shared, form: released}", 0.0},
                    FrozenCase{"{name: fecam, form: released}", 0.0},
                    FrozenCase{"{name: ridge, projection: 0, scale: 10}", 0.2},
                    FrozenCase{"{name: ridge, projection: 100, scale: 10}", 0.2},
                    FrozenCase{"{name: ridge, projection: 100, scale: 10, choose: gcv}", 0.0},
                    FrozenCase{"{name: ridge, projection: 100, scale: 10, balance: classes}", 0.2}),
    frozen_case_name);

// The scale of ridge is fitted to samples, of which past ones are gone without a memory: it moves
// the logits by one factor and no decision.
TEST(TaskOrderOfRidge, moves_a_fitted_scale_but_no_decision) {
  const char* ridge = "{name: ridge, projection: 100}";
  EXPECT_EQ(outcome_of(ridge, 10, 11, 0.2).decided, outcome_of(ridge, 1, 0, 0.2).decided);
}

// So that the comparison is known to bite.
TEST(TaskOrderOfSlda, matters_to_the_released_recursion) {
  const char* slda = "{name: slda, form: released}";
  EXPECT_GT(worst_difference(outcome_of(slda, 1, 0, 0.0), outcome_of(slda, 10, 11, 0.0)),
            10 * kTolerance);
}

}  // namespace
}  // namespace tyto
