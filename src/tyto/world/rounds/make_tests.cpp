// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/make_tests.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/world/rounds/draw_test.hpp"
#include "tyto/world/rounds/feature_changes.hpp"
#include "tyto/world/rounds/test_truth.hpp"

namespace tyto {

namespace {

// 128 drawn bits in the form of a random UUID.
std::string opaque_id(Rng& rng) {
  const std::uint64_t high = (rng.bits() & 0xFFFFFFFFFFFF0FFFU) | 0x4000U;
  const std::uint64_t low = (rng.bits() & 0x3FFFFFFFFFFFFFFFU) | 0x8000000000000000U;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xFFFFU,
                     high & 0xFFFFU, low >> 48U, low & 0xFFFFFFFFFFFFU);
}

void expect_distinct(std::string_view path, std::string_view key,
                     const std::vector<std::string>& words) {
  if (words.empty()) {
    throw Error(ErrorKind::config, fmt::format("{}.{}: name one or more", path, key));
  }
  const std::set<std::string> distinct(words.begin(), words.end());
  if (distinct.size() != words.size()) {
    throw Error(ErrorKind::config,
                fmt::format("{}.{}: a word stands twice in {}", path, key, fmt::join(words, ", ")));
  }
}

// The group's number counts pairs of novelty and difficulty, in the order asked for.
std::vector<TestKind> kinds_of_tests(const MakeTestsOptions& options) {
  std::vector<TestKind> kinds;
  Index group = 0;
  for (const std::string& novelty : options.novelty) {
    for (const std::string& difficulty : options.difficulty) {
      ++group;
      for (Index run = 1; run <= options.tests; ++run) {
        kinds.push_back({group, run, novelty, difficulty});
      }
    }
  }
  return kinds;
}

class TestMaker {
 public:
  TestMaker(const Dataset& dataset, const MakeTestsOptions& options, std::uint64_t seed)
      : dataset_(dataset),
        options_(options),
        seed_(seed),
        rng_(seed, "make_tests"),
        material_(gather_material(dataset, options, rng_)) {
    const auto wants = [&](const std::string& word) {
      return std::find(options.novelty.begin(), options.novelty.end(), word) !=
             options.novelty.end();
    };
    if (wants("classes") && material_.unknown.empty()) {
      throw Error(ErrorKind::config,
                  fmt::format("known: {} classes of \"{}\" are known and no other has samples to "
                              "test on; none is left to be new",
                              material_.known.size(), dataset.name));
    }
    if (wants("altered")) {
      expect_changeable(dataset, material_.map.source);
    }
    for (const Index c : material_.known) {
      made_.classes.push_back(material_.map.names[at(c)]);
    }
    made_.train = material_.train;
    made_.source = material_.map.source;
  }

  void add(const TestKind& kind) {
    // Not of the group's number: a test is the same whatever else is made beside it.
    const Rng rng = rng_.fork(fmt::format("test {} {}", kind.novelty, kind.difficulty),
                              static_cast<std::uint64_t>(kind.run));
    const TestPlan plan = draw_test(material_, options_, kind, rng);
    Rng naming = rng.fork("ids");
    std::vector<std::string> ids;
    for (const Index row : plan.row) {
      ids.push_back(opaque_id(naming));
      made_.samples.push_back({ids.back(), row, 0});
    }
    if (kind.novelty == "altered") {
      alter(plan, rng.fork("alter"));
    }
    made_.tests.push_back(test_truth(dataset_, material_, options_, plan, ids, seed_));
  }

  MadeTests finish() {
    made_.altered.resize(std::ssize(altered_), altered_.empty() ? 0 : altered_.front().cols());
    for (std::size_t i = 0; i < altered_.size(); ++i) {
      made_.altered.row(static_cast<Index>(i)) = altered_[i];
    }
    return std::move(made_);
  }

 private:
  void alter(const TestPlan& plan, const Rng& rng) {
    const std::vector<Index> shape = dataset_.store->shape(made_.source);
    const Index width = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
    const std::size_t first = made_.samples.size() - plan.row.size();
    for (Index i = 0; i < plan.size(); ++i) {
      if (plan.novel[at(i)]) {
        Matrix values(1, width);
        const Index row = plan.row[at(i)];
        dataset_.store->gather(made_.source, Rows(&row, 1), values);
        change_features(dataset_, material_, row, {plan.change, plan.difficulty[at(i)]},
                        rng.fork("sample", static_cast<std::uint64_t>(i)), values);
        altered_.push_back(std::move(values));
        made_.samples[first + at(i)].altered = std::ssize(altered_);
      }
    }
  }

  const Dataset& dataset_;
  const MakeTestsOptions& options_;
  std::uint64_t seed_;
  Rng rng_;
  TestMaterial material_;
  MadeTests made_;
  std::vector<Matrix> altered_;  // a row each
};

}  // namespace

void MakeTestsOptions::describe(OptionVisitor& visitor) {
  static constexpr std::string_view kProtocols[] = {"OND", "CONDDA"};
  static constexpr std::string_view kNovelty[] = {"classes", "altered"};
  static constexpr std::string_view kDifficulty[] = {"easy", "medium", "hard", "mixed"};
  static constexpr std::string_view kRedLight[] = {"round", "anywhere", "drawn"};
  static constexpr std::string_view kArrival[] = {"at_once", "gradual", "in_turn"};
  static constexpr std::string_view kGroupWords[] = {"keep", "ignore"};
  visitor.field("protocol", protocol, kProtocols, "which evaluation the tests are for");
  visitor.field("known", known, {0, 1e6}, "classes known at the start; 0: half of them");
  visitor.field("tests", tests, {1, 1e5}, "tests in a group");
  visitor.field("novelty", novelty, kNovelty,
                "new classes, or altered samples of known ones; a group of tests for each");
  visitor.field("difficulty", difficulty, kDifficulty,
                "how far what is new lies from what is known; a group of tests for each");
  visitor.field("length", length, {2, 1e6}, "samples in a test");
  visitor.field("before", before, {1, 1e6}, "samples before the red light");
  visitor.field("round_size", round_size, {1, 1e6}, "samples in a round");
  visitor.field("red_light", red_light, kRedLight,
                "round: at the begin of a round; anywhere; drawn: between a half and one and a "
                "half of `before`, in each test anew");
  visitor.field("novel_share", novel_share, {0, 1}, "of the samples after the red light");
  visitor.field("novel_classes", novel_classes, {1, 1e6}, "new classes in a test, at most");
  visitor.field("arrival", arrival, kArrival,
                "of what is new: evenly, more and more, or one class after another");
  visitor.field("alterations", alterations, kFeatureChanges,
                "of altered samples; the tests of a group take turns");
  visitor.field("feedback_max_ids", feedback_max_ids, {0, 1e6}, "labels told in a round");
  visitor.field("max_detection_feedback_ids", max_detection_feedback_ids, {0, 1e6},
                "samples in a round of which is told whether they are novel");
  visitor.field("pre_novelty_batches", pre_novelty_batches, {-1, 1e6},
                "rounds that agents are told to be before the change; -1: half of those in "
                "`before`");
  visitor.field("test_share", test_share, {0.01, 0.99},
                "of the rows, for tests, where the dataset has no splits");
  visitor.field("groups", groups, kGroupWords, "keep: a group is never in train and in a test");
}

Index MakeTestsOptions::earliest_red_light() const {
  return red_light == "drawn" ? std::max<Index>(1, before / 2) : before;
}

Index MakeTestsOptions::latest_red_light() const {
  return red_light == "drawn" ? std::max(before, std::min(before + before / 2, length - 1))
                              : before;
}

void MakeTestsOptions::check(std::string_view path) const {
  MakeTestsOptions copy = *this;  // by the same description as any file of options
  const Describe visit = [&](OptionVisitor& visitor) { copy.describe(visitor); };
  read_options(write_options(visit), path, visit);
  expect_distinct(path, "novelty", novelty);
  expect_distinct(path, "difficulty", difficulty);
  expect_distinct(path, "alterations", alterations);
  if (before >= length) {
    throw Error(ErrorKind::config,
                fmt::format("{}.before: {} samples before the red light leave none after it in a "
                            "test of {}",
                            path, before, length));
  }
  if (round_size > length) {
    throw Error(ErrorKind::config, fmt::format("{}.round_size: {} is more than the {} samples of a "
                                               "test",
                                               path, round_size, length));
  }
  if (red_light == "round" && before % round_size != 0) {
    const Index lower = before / round_size * round_size;
    throw Error(ErrorKind::config,
                fmt::format("{}.before: {} samples are no whole rounds of {}; take {}, or "
                            "red_light: anywhere",
                            path, before, round_size,
                            lower == 0 ? fmt::format("{}", round_size)
                                       : fmt::format("{} or {}", lower, lower + round_size)));
  }
  if (std::llround(novel_share * static_cast<double>(length - latest_red_light())) < 1) {
    throw Error(ErrorKind::config,
                fmt::format("{}.novel_share: {} of the {} samples after the red light is no novel "
                            "sample",
                            path, novel_share, length - latest_red_light()));
  }
  if (pre_novelty_batches > earliest_red_light() / round_size) {
    throw Error(ErrorKind::config,
                fmt::format("{}.pre_novelty_batches: only {} rounds of {} are sure to lie before a "
                            "red light at sample {}, not {}",
                            path, earliest_red_light() / round_size, round_size,
                            earliest_red_light(), pre_novelty_batches));
  }
}

MadeTests make_tests(const Dataset& dataset, const MakeTestsOptions& given, std::uint64_t seed) {
  given.check("make_tests");
  MakeTestsOptions options = given;
  if (options.pre_novelty_batches < 0) {
    options.pre_novelty_batches = options.before / 2 / options.round_size;
  }
  TestMaker maker(dataset, options, seed);
  for (const TestKind& kind : kinds_of_tests(options)) {
    maker.add(kind);
  }
  return maker.finish();
}

}  // namespace tyto
