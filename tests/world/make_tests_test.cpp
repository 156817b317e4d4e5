// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/make_tests.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "support/places.hpp"
#include "support/test_data_makers.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"
#include "tyto/sail_on/write_tests.hpp"
#include "tyto/world/rounds/class_map.hpp"
#include "tyto/world/wearables/wearables.hpp"

namespace tyto {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::evenly;
using testing_support::LineDataset;
using testing_support::problem_of;
using testing_support::small_options;

constexpr std::size_t kNovel = 1, kDetection = 2, kOntology = 3, kNames = 6;
constexpr std::size_t kChange = 12, kGroup = 14, kDifficulty = 16, kClass = 18;

// Every promise of the header, for whatever was asked.
void expect_promises(const Dataset& dataset, const MakeTestsOptions& options, const MadeTests& made,
                     std::uint64_t seed) {
  const IndexTable& table = dataset.table;
  const std::set<Index> train(made.train.begin(), made.train.end());
  const std::set<std::string> known(made.classes.begin(), made.classes.end());
  EXPECT_TRUE(std::is_sorted(made.classes.begin(), made.classes.end()));
  EXPECT_EQ(train.size(), made.train.size());
  std::set<std::string> taught;
  for (const Index row : made.train) {
    taught.insert(table.label[at(row)]);
  }
  EXPECT_EQ(taught, known);
  ASSERT_EQ(made.tests.size(),
            at(options.tests) * options.novelty.size() * options.difficulty.size());
  std::set<std::string> all_ids;
  auto sample = made.samples.begin();
  Index altered = 0;
  for (std::size_t t = 0; t < made.tests.size(); ++t) {
    const sail_on::TestData& test = *made.tests[t];
    const std::size_t group = t / at(options.tests);
    const std::string& novelty = options.novelty[group / options.difficulty.size()];
    const std::string& difficulty = options.difficulty[group % options.difficulty.size()];
    EXPECT_EQ(test.id, fmt::format("{}.{}.{}.{}", options.protocol, group + 1,
                                   t % at(options.tests) + 1, seed));
    const json told = json::parse(test.metadata);
    const Index red = told["detection"];
    ASSERT_EQ(std::ssize(test.rows), options.length);
    EXPECT_EQ(told["red_light"], test.rows[at(red)][0]);
    EXPECT_GE(red, options.earliest_red_light());
    EXPECT_LE(red, options.latest_red_light());
    EXPECT_EQ(told["known_class_names"], made.classes);
    EXPECT_LE(told["pre_novelty_batches"], red / options.round_size);
    std::set<Index> rows;
    std::set<std::string> novel_names;
    Index novel = 0;
    for (Index i = 0; i < options.length; ++i, ++sample) {
      ASSERT_NE(sample, made.samples.end());
      const std::vector<std::string>& truth = test.rows[at(i)];
      ASSERT_EQ(truth.size(), 19U);
      EXPECT_EQ(truth[0], sample->id);
      EXPECT_TRUE(all_ids.insert(truth[0]).second);
      EXPECT_TRUE(rows.insert(sample->row).second) << "a row stands twice in " << test.id;
      EXPECT_FALSE(train.contains(sample->row));
      const std::string& label = table.label[at(sample->row)];
      EXPECT_EQ(truth[kNames], label);
      EXPECT_EQ(truth[kClass], label);
      EXPECT_EQ(truth[kGroup], table.group.empty() ? "NA" : table.group[at(sample->row)]);
      EXPECT_EQ(truth[kDetection], i >= red ? "1" : "0");
      const bool is_novel = truth[kNovel] == "1";
      EXPECT_TRUE(!is_novel || i >= red);
      const auto number = std::find(made.classes.begin(), made.classes.end(), label);
      EXPECT_EQ(truth[kOntology], std::to_string(number - made.classes.begin()));
      EXPECT_EQ(known.contains(label), novelty == "altered" || !is_novel);
      EXPECT_EQ(sample->altered > 0, novelty == "altered" && is_novel);
      altered += sample->altered > 0 ? 1 : 0;
      EXPECT_TRUE(sample->altered == 0 || sample->altered == altered);
      EXPECT_EQ(truth[kChange], is_novel ? std::string(told["change"]) : "NA");
      EXPECT_EQ(truth[kDifficulty] == "NA", !is_novel);
      if (is_novel && difficulty != "mixed") {
        EXPECT_EQ(truth[kDifficulty], difficulty);
      }
      novel += is_novel ? 1 : 0;
      if (is_novel && novelty == "classes") {
        novel_names.insert(label);
      }
    }
    const auto after = static_cast<double>(options.length - red);
    EXPECT_EQ(novel, std::llround(options.novel_share * after));
    EXPECT_DOUBLE_EQ(told["prop_novel"], static_cast<double>(novel) / after);
    EXPECT_LE(std::ssize(novel_names), options.novel_classes);
    const std::vector<std::string> promised = told["novel_class_names"];
    for (const std::string& name : novel_names) {
      EXPECT_THAT(promised, testing::Contains(name));
    }
  }
  EXPECT_EQ(sample, made.samples.end());
  EXPECT_EQ(made.altered.rows(), altered);
}

TEST(MakeTests, keeps_every_promise_for_many_options) {
  Rng rng(20, "options");
  const auto pick = [&](std::vector<std::string> words) {
    return words[at(rng.below(std::ssize(words)))];
  };
  const auto pick_list = [&](std::vector<std::string> words) {
    rng.shuffle(words);
    words.resize(at(1 + rng.below(std::ssize(words))));
    return words;
  };
  for (int trial = 0; trial < 150; ++trial) {
    LineDataset line;
    line.place = evenly(6 + rng.below(8));
    line.per_class = 60;
    line.subjects = rng.below(2) * 10;
    line.split = line.subjects == 0 && rng.below(2) == 0 ? "halves" : "";
    Dataset dataset = line.make();
    dataset.table.label[at(rng.below(dataset.table.size()))] = "";
    MakeTestsOptions options;
    options.protocol = pick({"OND", "CONDDA"});
    options.known = rng.below(2) * (2 + rng.below(2));
    options.tests = 1 + rng.below(4);
    options.novelty = pick_list({"classes", "altered"});
    options.difficulty = pick_list({"easy", "medium", "hard", "mixed"});
    options.round_size = 1 + rng.below(9);
    options.before = options.round_size * (1 + rng.below(3));
    options.length = options.before + 2 + rng.below(20);
    options.red_light = pick({"round", "anywhere", "drawn"});
    if (options.red_light == "anywhere") {
      options.before = 1 + rng.below(options.length - 2);
    }
    options.novel_share = 0.3 + 0.7 * rng.uniform();
    options.novel_classes = 1 + rng.below(5);
    options.arrival = pick({"at_once", "gradual", "in_turn"});
    options.alterations = pick_list({"noise", "exchange", "scale"});
    if (options.length - options.latest_red_light() < 2) {
      options.red_light = "anywhere";
    }
    const std::uint64_t seed = rng.bits() >> 40U;
    SCOPED_TRACE(fmt::format("trial {}", trial));
    try {
      expect_promises(dataset, options, make_tests(dataset, options, seed), seed);
    } catch (const Error& error) {
      FAIL() << error.what();
    }
  }
}

TEST(MakeTests, the_columns_are_those_of_the_public_layout) {
  const MadeTests made = make_tests(LineDataset{evenly(8)}.make(), small_options(), 1);
  EXPECT_THAT(
      made.tests.front()->columns,
      ElementsAre("anonymous_id", "novel", "detection", "ontology_id", "spatial", "temporal",
                  "kinetics_id_0", "kinetics_id_1", "kinetics_id_2", "kinetics_id_3",
                  "kinetics_id_4", "annotation_name_1", "annotation_value_1", "annotation_name_2",
                  "annotation_value_2", "annotation_name_3", "annotation_value_3",
                  "annotation_name_4", "annotation_value_4"));
  const std::filesystem::path real = testing_support::in_tree(
      "/../shared/data/sail_on_wire/data/OND/activity_recognition/OND.2.1.3001_single_df.csv");
  if (!std::filesystem::exists(real)) {
    GTEST_SKIP() << real << " is not here";
  }
  const std::string text = read_file(real);
  const std::string ours = sail_on::truth_csv(*made.tests.front());
  EXPECT_EQ(ours.substr(0, ours.find('\n')), text.substr(0, text.find('\n')));
}

TEST(MakeTests, tells_the_evaluator_all_the_keys_of_the_metadata) {
  MakeTestsOptions options = small_options();
  options.feedback_max_ids = 3;
  options.max_detection_feedback_ids = 7;
  const MadeTests made = make_tests(LineDataset{evenly(8)}.make(), options, 5);
  const json told = json::parse(made.tests[1]->metadata);
  EXPECT_EQ(told["protocol"], "OND");
  EXPECT_EQ(told["domain"], "activity_recognition");
  EXPECT_EQ(told["test_id"], "OND.1.2.5");
  EXPECT_EQ(told["group"], 1);
  EXPECT_EQ(told["seed"], 5);
  EXPECT_EQ(told["known_classes"], 4);
  EXPECT_EQ(told["novel_classes"], 4);
  EXPECT_EQ(told["max_novel_classes"], 4);
  EXPECT_EQ(told["round_size"], 8);
  EXPECT_EQ(told["n_rounds"], 5);
  EXPECT_EQ(told["detection"], 16);
  EXPECT_EQ(told["pre_novelty_batches"], 1);  // half of the two
  EXPECT_EQ(told["feedback_max_ids"], 3);
  EXPECT_EQ(told["max_detection_feedback_ids"], 7);
  EXPECT_EQ(told["threshold"], 0.5);
  EXPECT_EQ(told["prop_novel"], 0.5);
  EXPECT_EQ(told["difficulty"], "mixed");
  EXPECT_EQ(told["novelty_type"], "classes");
}

TEST(MakeTests, names_the_four_classes_that_lie_nearest) {
  LineDataset line;
  line.place = {0, 1.5, 2.5, 5, 8, 30};
  line.width = 1;
  MakeTestsOptions options = small_options();
  options.tests = 4;
  const MadeTests made = make_tests(line.make(), options, 2);
  const std::map<std::string, std::vector<std::string>> expected{
      {"c00", {"c01", "c02", "c03", "c04"}}, {"c01", {"c02", "c00", "c03", "c04"}},
      {"c02", {"c01", "c00", "c03", "c04"}}, {"c03", {"c02", "c04", "c01", "c00"}},
      {"c04", {"c03", "c02", "c01", "c00"}}, {"c05", {"c04", "c03", "c02", "c01"}}};
  std::set<std::string> seen;
  for (const auto& test : made.tests) {
    for (const auto& row : test->rows) {
      const std::vector<std::string> near(row.begin() + 7, row.begin() + 11);
      EXPECT_EQ(near, expected.at(row[kNames]));
      seen.insert(row[kNames]);
    }
  }
  EXPECT_EQ(seen.size(), 6U);
}

TEST(MakeTests, says_NA_where_there_are_fewer_classes) {
  LineDataset line;
  line.place = {0, 1, 5};
  const MadeTests made = make_tests(line.make(), small_options(), 2);
  EXPECT_EQ(made.classes.size(), 2U);
  for (const auto& row : made.tests.front()->rows) {
    EXPECT_EQ(row[9], "NA");
    EXPECT_EQ(row[10], "NA");
  }
}

TEST(MakeTests, the_farthest_classes_are_easy_and_the_nearest_hard) {
  // Three known classes lie together at random; distances to them order the others by hand.
  LineDataset line;
  line.place = {0, 1, 2, 3, 5, 8, 20, 50, 100};
  line.width = 1;
  MakeTestsOptions options = small_options();
  options.known = 3;
  options.difficulty = {"easy", "medium", "hard"};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const MadeTests made = make_tests(line.make(), options, seed);
    std::vector<std::pair<double, std::string>> order;
    for (std::size_t c = 0; c < line.place.size(); ++c) {
      const std::string name = "c0" + std::to_string(c);
      double nearest = 1e9;
      for (const std::string& known : made.classes) {
        nearest = std::min(nearest, std::abs(line.place[c] - line.place[at(known[2] - '0')]));
      }
      if (nearest > 0) {
        order.emplace_back(-nearest, name);
      }
    }
    std::sort(order.begin(), order.end());
    for (std::size_t t = 0; t < made.tests.size(); ++t) {
      const std::vector<std::string> drawn =
          json::parse(made.tests[t]->metadata)["novel_class_names"];
      EXPECT_EQ(drawn.size(), 2U);
      for (const std::string& name : drawn) {
        // Equal distances may stand in either order; that is at most a third's border.
        const auto found = std::find_if(order.begin(), order.end(),
                                        [&](const auto& entry) { return entry.second == name; });
        ASSERT_NE(found, order.end());
        const std::size_t third = t / 2;
        EXPECT_LE(-found->first, -order[third * 2].first + 0.2);
        EXPECT_GE(-found->first, -order[third * 2 + 1].first - 0.2);
      }
    }
  }
}

TEST(MakeTests, ids_tell_neither_class_nor_row_nor_novelty) {
  MakeTestsOptions options = small_options();
  options.novelty = {"classes", "altered"};
  const Dataset dataset = LineDataset{evenly(8)}.make();
  const MadeTests made = make_tests(dataset, options, 3);
  for (const MadeSample& sample : made.samples) {
    ASSERT_EQ(sample.id.size(), 36U);
    for (std::size_t i = 0; i < sample.id.size(); ++i) {
      const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
      EXPECT_TRUE(dash ? sample.id[i] == '-'
                       : std::string_view("0123456789abcdef").find(sample.id[i]) !=
                             std::string_view::npos);
    }
    EXPECT_EQ(sample.id[14], '4');
    EXPECT_EQ(sample.id.find(dataset.table.id[at(sample.row)]), std::string::npos);
  }
  // Other classes are known, and the places of a test still bear the same ids.
  options.known = 5;
  const MadeTests other = make_tests(dataset, options, 3);
  bool same_rows = true;
  for (std::size_t i = 0; i < made.samples.size(); ++i) {
    EXPECT_EQ(made.samples[i].id, other.samples[i].id);
    same_rows = same_rows && made.samples[i].row == other.samples[i].row;
  }
  EXPECT_FALSE(same_rows);
}

TEST(MakeTests, a_test_is_the_same_whatever_is_made_beside_it) {
  const Dataset dataset = LineDataset{evenly(9)}.make();
  MakeTestsOptions options = small_options();
  options.difficulty = {"hard"};
  const MadeTests few = make_tests(dataset, options, 3);
  options.tests = 3;
  options.difficulty = {"easy", "hard"};
  options.novelty = {"altered", "classes"};
  const MadeTests many = make_tests(dataset, options, 3);
  EXPECT_EQ(few.tests[0]->rows, many.tests[9]->rows);
  EXPECT_EQ(few.tests[1]->rows, many.tests[10]->rows);
  options.protocol = "CONDDA";
  EXPECT_EQ(make_tests(dataset, options, 3).tests[9]->rows, many.tests[9]->rows);
  EXPECT_NE(make_tests(dataset, options, 4).tests[9]->rows, many.tests[9]->rows);
}

TEST(MakeTests, learns_from_train_and_shows_validate_and_test) {
  LineDataset line{evenly(6)};
  line.split = "halves";
  const Dataset dataset = line.make();
  const MadeTests made = make_tests(dataset, small_options(), 3);
  std::set<std::string> shown;
  for (const MadeSample& sample : made.samples) {
    shown.insert(dataset.table.split[at(sample.row)]);
  }
  EXPECT_EQ(shown, (std::set<std::string>{"validate", "test"}));
  for (const Index row : made.train) {
    EXPECT_EQ(dataset.table.split[at(row)], "train");
  }
  EXPECT_EQ(made.train.size(), 3U * 20U);  // all there is of the known classes
}

TEST(MakeTests, keeps_groups_whole_where_it_divides_the_rows) {
  LineDataset line{evenly(6)};
  line.subjects = 8;
  const Dataset dataset = line.make();
  const MadeTests made = make_tests(dataset, small_options(), 3);
  std::set<std::string> learned;
  for (const Index row : made.train) {
    learned.insert(dataset.table.group[at(row)]);
  }
  EXPECT_EQ(learned.size(), 4U);
  for (const MadeSample& sample : made.samples) {
    EXPECT_FALSE(learned.contains(dataset.table.group[at(sample.row)]));
  }
}

TEST(MakeTests, refuses_a_group_on_both_sides_unless_told_to_ignore_groups) {
  LineDataset line{evenly(6)};
  line.subjects = 5;
  line.split = "halves";
  const Dataset dataset = line.make();
  EXPECT_THAT(problem_of([&] { make_tests(dataset, small_options(), 1); }, ErrorKind::data),
              AllOf(HasSubstr("group \"s"), HasSubstr("groups: ignore")));
  MakeTestsOptions options = small_options();
  options.groups = "ignore";
  EXPECT_NO_THROW(make_tests(dataset, options, 1));
}

TEST(MakeTests, says_what_is_too_few_with_the_numbers) {
  LineDataset line{evenly(8)};
  MakeTestsOptions options = small_options();
  options.length = 400;
  options.novel_share = 0.1;
  EXPECT_THAT(problem_of([&] { make_tests(line.make(), options, 1); }, ErrorKind::data),
              AllOf(HasSubstr("a test needs 362 samples of known classes and the 4 known classes "
                              "have 80"),
                    HasSubstr("tests may share samples")));
  options = small_options();
  options.length = 96;
  options.novel_share = 1;
  options.novel_classes = 1;
  EXPECT_THAT(
      problem_of([&] { make_tests(line.make(), options, 1); }, ErrorKind::data),
      HasSubstr("a test needs 80 samples of new classes and the 1 that were drawn have 20"));
  options = small_options();
  options.known = 9;
  EXPECT_THAT(problem_of([&] { make_tests(line.make(), options, 1); }, ErrorKind::config),
              HasSubstr("known: 9 of the 8 classes"));
  options.known = 1;
  EXPECT_THAT(problem_of([&] { make_tests(line.make(), options, 1); }, ErrorKind::config),
              HasSubstr("known: 1 of the 8 classes"));
  options.known = 8;
  EXPECT_THAT(problem_of([&] { make_tests(line.make(), options, 1); }, ErrorKind::config),
              HasSubstr("none is left to be new"));
  options.novelty = {"altered"};
  EXPECT_NO_THROW(make_tests(line.make(), options, 1));
  line.place = {0};
  EXPECT_THAT(problem_of([&] { make_tests(line.make(), options, 1); }, ErrorKind::data),
              HasSubstr("has 1 class with samples"));
}

TEST(MakeTests, refuses_options_that_contradict_each_other) {
  const auto problem = [](const auto& change) {
    MakeTestsOptions options = small_options();
    change(options);
    return problem_of([&] { options.check("world.tests"); }, ErrorKind::config);
  };
  EXPECT_THAT(problem([](auto& o) { o.before = 40; }), HasSubstr("world.tests.before: 40"));
  EXPECT_THAT(problem([](auto& o) { o.before = 18; }), HasSubstr("take 16 or 24"));
  EXPECT_THAT(problem([](auto& o) { o.before = 4; }), HasSubstr("take 8, or"));
  EXPECT_THAT(problem([](auto& o) { o.round_size = 41; }), HasSubstr("41 is more than the 40"));
  EXPECT_THAT(problem([](auto& o) { o.novel_share = 0.01; }), HasSubstr("no novel sample"));
  EXPECT_THAT(problem([](auto& o) { o.pre_novelty_batches = 3; }), HasSubstr("only 2 rounds"));
  EXPECT_THAT(problem([](auto& o) { o.novelty = {}; }), HasSubstr("novelty: name one"));
  EXPECT_THAT(problem([](auto& o) { o.difficulty = {"easy", "easy"}; }), HasSubstr("twice"));
  EXPECT_THAT(problem([](auto& o) { o.difficulty = {"harder"}; }), HasSubstr("\"harder\""));
  EXPECT_THAT(problem([](auto& o) { o.protocol = "OWL"; }), HasSubstr("\"OWL\""));
  EXPECT_THAT(problem([](auto& o) { o.tests = 0; }), HasSubstr("tests.tests: 0 is outside"));
  EXPECT_THAT(problem([](auto& o) { o.novel_share = NAN; }), HasSubstr("novel_share"));
}

TEST(MakeTests, refuses_class_names_that_the_layout_would_change) {
  for (const std::string name : {" c00", "c00'", "\"c00\"", "c\n00"}) {
    Dataset dataset = LineDataset{evenly(6)}.make();
    for (std::string& label : dataset.table.label) {
      label = label == "c00" ? name : label;
    }
    EXPECT_THAT(problem_of([&] { make_tests(dataset, small_options(), 1); }, ErrorKind::data),
                HasSubstr("rename it"))
        << name;
  }
}

TEST(MakeTests, maps_a_constant_feature_to_nothing) {
  Dataset dataset = LineDataset{{0, 1, 2}}.make();
  Matrix features(dataset.table.size(), 2);
  for (Index i = 0; i < features.rows(); ++i) {
    features(i, 0) = static_cast<float>(i / 40);  // the class
    features(i, 1) = 0.1F;
  }
  dataset.store = std::make_shared<DenseStore>(features);
  const ClassMap map = map_classes(dataset);
  EXPECT_EQ(map.deviation(1), 0);
  EXPECT_NEAR(map.deviation(0), std::sqrt(2.0 / 3), 1e-12);
  EXPECT_NEAR(map.distance(0, 2), 2 / std::sqrt(2.0 / 3), 1e-12);
  EXPECT_THAT(map.nearest(1, 5), ElementsAre(0, 2));
  EXPECT_TRUE(map.means.col(1).isZero(0));
  features(3, 1) = NAN;
  dataset.store = std::make_shared<DenseStore>(features);
  EXPECT_THAT(problem_of([&] { map_classes(dataset); }, ErrorKind::data),
              HasSubstr("class \"c00\""));
}

TEST(MakeTests, makes_tests_of_simulated_wearables_with_people_kept_apart) {
  WearableOptions world;
  world.subjects = 12;
  world.windows = 2;
  const Dataset dataset = make_wearables(world, 3).series.joined;
  MakeTestsOptions options = small_options();
  options.novelty = {"classes", "altered"};
  const MadeTests made = make_tests(dataset, options, 3);
  expect_promises(dataset, options, made, 3);
  std::set<std::string> learned;
  for (const Index row : made.train) {
    learned.insert(dataset.table.group[at(row)]);
  }
  for (const MadeSample& sample : made.samples) {
    EXPECT_FALSE(learned.contains(dataset.table.group[at(sample.row)]));
  }
}

}  // namespace
}  // namespace tyto
