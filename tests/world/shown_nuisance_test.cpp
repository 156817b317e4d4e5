// SPDX-License-Identifier: Apache-2.0
// Worlds whose samples are seen under nuisances: once more in tests, or from some increment on.
#include "tyto/world/nuisance/shown_nuisance.hpp"

#include <cmath>
#include <tuple>

#include "support/small_worlds.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/sample/prediction.hpp"
#include "tyto/video/nuisance.hpp"
#include "tyto/video/planar.hpp"
#include "tyto/world/clips/clips.hpp"
#include "tyto/world/nuisance/feature_nuisance.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<WorldSource> built(const std::string& yaml) {
  const ConfigNode node = parse_yaml(yaml, "n.yaml");
  std::vector<Dataset> datasets;
  if (node.find("kind")->text == "increments") {
    datasets.push_back(testing_support::small_dataset());
  }
  return build_world(node, "world", std::move(datasets), 4);
}

std::vector<std::string> split_names(const World& world) {
  std::vector<std::string> names;
  for (const Split& split : world.deal().splits) {
    names.push_back(split.name);
  }
  return names;
}

TEST(ShownNuisance, shows_the_test_samples_once_more_and_nothing_else) {
  const auto source = built("{kind: increments, increments: 2, nuisance_tests: [noise, scale]}");
  const auto world = source->make_world({});
  const auto plain = built("{kind: increments, increments: 2}")->make_world({});
  while (world->advance()) {
    ASSERT_TRUE(plain->advance());
    EXPECT_THAT(split_names(*world),
                ElementsAre("train", "validate", "test", "test:noise", "test:scale"));
    const Split& test = *world->deal().find("test");
    const Split& noisy = *world->deal().find("test:noise");
    ASSERT_EQ(noisy.samples.size(), test.samples.size());
    for (Index i = 0; i < test.samples.size(); ++i) {
      EXPECT_EQ(noisy.samples.id(i), test.samples.id(i));
    }
    EXPECT_EQ(test.samples.rows(), plain->deal().find("test")->samples.rows());
    EXPECT_NE(noisy.samples.rows(), test.samples.rows());
    EXPECT_EQ(world->budget(noisy), 0);
    EXPECT_THROW(world->ask(FeedbackKind::labels, noisy, {}), Error) << "nothing is told of it";
  }
  EXPECT_THAT(source->facts().notes, testing::Contains(HasSubstr("under: noise, scale")));
}

TEST(ShownNuisance, scales_about_the_centre_of_the_features) {
  const auto world =
      built("{kind: increments, increments: 0, nuisance_tests: {scale: {factor: 3}}}")
          ->make_world({});
  world->advance();
  const FeatureFacts facts = feature_facts(*testing_support::small_dataset().store, "features");
  const Matrix before = world->deal().find("test")->samples.rows();
  const Matrix after = world->deal().find("test:scale")->samples.rows();
  for (Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(after(0, j) - facts.centre(j), 3 * (before(0, j) - facts.centre(j)), 1e-4);
  }
}

TEST(ShownNuisance, reads_a_source_that_the_data_have) {
  Matrix features = Matrix::Random(40, 2);
  std::vector<DenseStore::Source> sources;
  sources.push_back({"features", features, {}});
  sources.push_back({"features_blur", 2 * features, {}});
  sources.push_back({"wide", Matrix::Zero(40, 5), {}});
  Dataset data;
  data.name = "extracted";
  for (int i = 0; i < 40; ++i) {
    data.table.id.push_back("v" + std::to_string(i));
    data.table.label.push_back(i % 2 == 0 ? "a" : "b");
  }
  data.store = std::make_shared<const DenseStore>(std::move(sources));
  const auto world = [&](const std::string& tests) {
    return build_world(
               parse_yaml("{kind: increments, increments: 0, nuisance_tests: " + tests + "}", "n"),
               "world", {data}, 4)
        ->make_world({});
  };
  const auto shown = world("{blur: features_blur}");
  shown->advance();
  EXPECT_EQ(shown->deal().find("test:blur")->samples.rows(),
            2 * shown->deal().find("test")->samples.rows());
  EXPECT_THROW(world("{blur: features_blr}"), Error);
  try {
    world("{blur: wide}");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"wide\" has 5 values a row and cannot stand for"));
  }
}

TEST(ShownNuisance, changes_everything_from_an_increment_on_and_one_memory_holds_both) {
  const auto world =
      built(
          "{kind: increments, increments: 3, nuisance_later: {from: 2, by: {scale: {factor: 0}}}}")
          ->make_world({});
  Samples first;
  Samples later;
  while (world->advance()) {
    EXPECT_EQ(world->deal().splits.size(), 3U);
    const Samples& train = world->deal().find("train")->samples;
    const Matrix rows = train.rows();
    const bool at_centre = (rows.rowwise() - rows.row(0)).isZero(1e-6F);
    EXPECT_EQ(at_centre, world->deal().step >= 2) << "step " << world->deal().step;
    (world->deal().step == 0 ? first : later) = train;
  }
  EXPECT_EQ(Samples::joined(first, later).size(), first.size() + later.size());
}

TEST(ShownNuisance, acts_on_pictures_with_the_parameters_of_the_video) {
  const auto source = built(
      "{kind: clips, classes: 4, videos: 10, tasks: 2, width: 12, height: 10, "
      "nuisance_tests: [rotation, noise]}");
  const auto world = source->make_world({});
  world->advance();
  const Samples& test = world->deal().find("test")->samples;
  const Samples& turned = world->deal().find("test:rotation")->samples;
  const std::string& name = source->truth()->name.at(static_cast<std::size_t>(test.id(0)));
  const DrawnNuisance own = make_nuisance(ConfigNode::scalar("rotation"), "n")
                                ->draw(nuisance_stream(4, "rotation", name));
  const Matrix before = test.slice(0, 1).frame_rows("rgb");
  const Matrix after = turned.slice(0, 1).frame_rows("rgb");
  ASSERT_EQ(before.rows(), after.rows());
  for (Index f = 0; f < before.rows(); ++f) {
    EXPECT_EQ(picture_of_planes(&after(f, 0), 12, 10),
              own.change(picture_of_planes(&before(f, 0), 12, 10), f));
  }
}

TEST(ShownNuisance, has_sensor_counterparts_in_the_world_of_wearables) {
  const auto world = built(
                         "{kind: wearables, classes: 4, subjects: 6, windows: 3, window_s: 1, "
                         "increments: 0, altered_sources: [rotated, gain], nuisance_tests: "
                         "{rotated: features_rotated, gain: features_gain}}")
                         ->make_world({});
  world->advance();
  const Matrix plain = world->deal().find("test")->samples.rows();
  const Matrix rotated = world->deal().find("test:rotated")->samples.rows();
  EXPECT_NE(plain, rotated);
  EXPECT_NE(rotated, world->deal().find("test:gain")->samples.rows());
}

TEST(ShownNuisance, comes_over_time_in_every_simulated_world_which_says_so) {
  for (const auto& [world, by, seen] :
       {std::tuple("gaussians, samples: 1, start_samples: 10, rounds: 2", "noise", "features"),
        std::tuple("wearables, classes: 6, subjects: 6, windows: 2, window_s: 1, increments: 3",
                   "noise", "features"),
        std::tuple("wearables, classes: 6, subjects: 6, windows: 2, window_s: 1, increments: 3, "
                   "altered_sources: [rotated]",
                   "{rotated: features_rotated}", "features"),
        std::tuple("sequences, classes: 8, videos: 10, tasks: 4", "noise", "features"),
        std::tuple("clips, classes: 8, videos: 10, tasks: 4, width: 8, height: 8", "invert",
                   "rgb")}) {
    const std::string options = std::string("{kind: ") + world;
    const auto plain_source = built(options + "}");
    const auto source = built(options + ", nuisance_later: {from: 2, by: " + by + "}}");
    const auto plain = plain_source->make_world({});
    const auto later = source->make_world({});
    while (later->advance()) {
      ASSERT_TRUE(plain->advance());
      const bool is_altered = later->deal().find("train")->samples.frame_rows(seen) !=
                              plain->deal().find("train")->samples.frame_rows(seen);
      EXPECT_EQ(is_altered, later->deal().step >= 2) << options << later->deal().step;
    }
    EXPECT_THAT(source->truth()->annotations.at("altered_from"), testing::Each("2")) << options;
    EXPECT_THAT(source->truth()->annotations.at("altered"), testing::Each("none")) << options;
    EXPECT_TRUE(plain_source->truth()->annotations.contains("altered")) << options;
    EXPECT_FALSE(plain_source->truth()->annotations.contains("altered_from")) << options;
  }
}

TEST(ShownNuisance, is_the_same_for_a_seed_and_another_world_for_another_nuisance) {
  const auto state_of = [](const std::string& tests) {
    const auto world =
        built("{kind: increments, increments: 2, nuisance_tests: " + tests + "}")->make_world({});
    world->advance();
    State state;
    world->save(state);
    return state.get<std::string>("plan");
  };
  EXPECT_EQ(state_of("[noise]"), state_of("[noise]"));
  EXPECT_NE(state_of("[noise]"), state_of("{noise: {deviation: 3}}"));
}

TEST(ShownNuisance, can_be_rehearsed) {
  for (const std::string kind :
       {"{kind: increments, start: {classes: 4}, increments: 2, nuisance_tests: [noise]}",
        "{kind: clips, classes: 8, videos: 10, tasks: 4, width: 8, height: 8, "
        "nuisance_tests: [flip]}"}) {
    const auto source = built(kind);
    const auto rehearsal = source->rehearsable()->rehearsal({}, 3)->make_world({});
    ASSERT_TRUE(rehearsal->advance()) << kind;
    EXPECT_EQ(rehearsal->deal().splits.size(), 3U);
    EXPECT_GT(rehearsal->deal()
                  .find("train")
                  ->samples.frame_rows(kind.find("clips") == kind.npos ? "features" : "rgb")
                  .rows(),
              0);
  }
}

TEST(ShownNuisance, is_refused_in_a_sentence) {
  const auto problem = [](const std::string& world, const std::string& more) {
    try {
      built("{kind: " + world + ", " + more + "}");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(problem("increments", "nuisance_tests: [noies]"),
              AllOf(HasSubstr("world.nuisance_tests.noies: no nuisance of features"),
                    HasSubstr("did you mean \"noise\"?"), HasSubstr("or name a source")));
  EXPECT_THAT(problem("increments", "nuisance_tests: [blur]"), HasSubstr("of features is called"));
  EXPECT_THAT(problem("clips", "nuisance_tests: [exchange]"), HasSubstr("nuisance of pictures"));
  EXPECT_THAT(problem("increments", "nuisance_tests: [noise, noise]"), HasSubstr("stands twice"));
  EXPECT_THAT(problem("increments", "nuisance_tests: {noise: {deviaton: 2}}"),
              HasSubstr("world.nuisance_tests.noise.deviaton: unknown key"));
  EXPECT_THAT(problem("increments", "nuisance_tests: {noise: [1]}"), HasSubstr("must be options"));
  EXPECT_THAT(problem("increments", "nuisance_tests: {a/b: features}"), HasSubstr("is no name"));
  EXPECT_THAT(problem("increments", "nuisance_later: {by: [noise, scale]}"),
              HasSubstr("must be one nuisance"));
  EXPECT_THAT(problem("clips", "nuisance_tests: {flip: , scale: {source: features}}"),
              HasSubstr("flip on rgb, scale on features"));
}

TEST(FeatureNuisance, does_what_its_name_says) {
  const Dataset data = testing_support::small_dataset();
  const FeatureFacts facts = feature_facts(*data.store, "features");
  const auto changed = [&](const std::string& name, const std::string& options, Index frame = 0) {
    const auto specs = feature_nuisance_specs();
    const auto& spec = *std::find_if(specs.begin(), specs.end(),
                                     [&](const auto& one) { return one.name == name; });
    Matrix values(1, 3);
    values << 1, 2, 3;
    spec.make(parse_yaml(options, "o"), name)->change(facts, Rng(5), frame, values);
    return values;
  };
  const Matrix dropped = changed("dropout", "{share: 0.34}");
  Index at_centre = 0;
  for (Index j = 0; j < 3; ++j) {
    at_centre += std::abs(dropped(0, j) - facts.centre(j)) < 1e-5 ? 1 : 0;
  }
  EXPECT_EQ(at_centre, 1);
  const Matrix gained = changed("gain", "{gain: 0.5}");
  for (Index j = 0; j < 3; ++j) {
    const double factor =
        (gained(0, j) - facts.centre(j)) / (static_cast<double>(j + 1) - facts.centre(j));
    EXPECT_NEAR(std::abs(std::log(factor)), 0.5, 1e-5);
  }
  EXPECT_NE(changed("noise", "{}", 0), changed("noise", "{}", 1)) << "new in every frame";
  EXPECT_EQ(changed("gain", "{}", 0), changed("gain", "{}", 1)) << "the same in all frames";
  EXPECT_EQ(changed("exchange", "{}", 0), changed("exchange", "{}", 1));
}

}  // namespace
}  // namespace tyto
