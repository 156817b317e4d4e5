// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/gaussians.hpp"

#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/world/gaussian_bayes.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

ConfigNode yaml(std::string_view text) {
  return parse_yaml(text, "toy.yaml");
}

TEST(Gaussians, have_the_published_counts) {
  const Series series = make_gaussians({}, 1);
  ASSERT_EQ(series.names, (std::vector<std::string>{"k400", "k600", "k700_2020"}));
  const std::vector<Index> expected{400, 14000, 24000};
  std::map<std::string, Index> per_class;
  for (std::size_t d = 0; d < 3; ++d) {
    std::map<std::string, Index> per_split;
    for (Index row = series.first_row_of[d]; row < series.first_row_of[d + 1]; ++row) {
      const auto i = static_cast<std::size_t>(row);
      ++per_split[series.joined.table.split[i]];
      ++per_class[series.joined.table.label[i]];
    }
    EXPECT_EQ(per_split,
              (std::map<std::string, Index>{
                  {"train", expected[d]}, {"validate", expected[d]}, {"test", expected[d]}}));
  }
  EXPECT_EQ(per_class.size(), 24U);
  // Per split: a start class 100 + 40 x 25 + 40 x 25; the i-th of k600 4 x 25 i + 4 (10 - i) x 25
  // = 1000 in its own dataset and 1000 in the next; a class of k700_2020 1000.
  EXPECT_EQ(per_class["k400-3"], 3 * 2100);
  EXPECT_EQ(per_class["k600-7"], 3 * 2000);
  EXPECT_EQ(per_class["k700_2020-10"], 3 * 1000);
}

TEST(Gaussians, lie_where_the_geometry_says) {
  const Series series = make_gaussians({}, 2);
  std::map<std::string, std::vector<Index>> rows;
  for (Index row = 0; row < series.joined.table.size(); ++row) {
    rows[series.joined.table.label[static_cast<std::size_t>(row)]].push_back(row);
  }
  const auto check = [&](const std::string& label, double x, double y, double variance) {
    const std::vector<Index>& which = rows.at(label);
    Matrix values(static_cast<Index>(which.size()), 2);
    series.joined.store->gather("features", which, values);
    const Eigen::RowVector2d mean = values.cast<double>().colwise().mean();
    const double spread =
        (values.cast<double>().rowwise() - mean).squaredNorm() / static_cast<double>(values.size());
    EXPECT_NEAR(mean(0), x, 0.01) << label;
    EXPECT_NEAR(mean(1), y, 0.01) << label;
    EXPECT_NEAR(spread / variance, 1, 0.1) << label;
  };
  check("k400-4", -1, 0, 0.005);
  check("k600-2", -std::sqrt(0.5), -std::sqrt(0.5), 0.001);
  check("k600-5", -std::sqrt(0.75), 0.5, 0.001);
  check("k700_2020-8", -std::sqrt(2.0), std::sqrt(2.0), 0.01);
  // 3.5 pi / 12 is 52.5 degrees: 3 (0.608761, 0.793353).
  check("k700_2020-10", 1.826284, 2.380060, 0.01);
}

TEST(Gaussians, run_as_a_world_of_twenty_one_steps) {
  const auto built = build_world(yaml("{kind: gaussians, samples: 4}"), "world", {}, 7);
  const WorldFacts facts = built->facts();
  EXPECT_EQ(facts.samples.size(), 21U);
  EXPECT_TRUE(facts.notes.empty());
  std::set<std::string> shown;
  const auto world = built->make_world({0.5, {}});
  Index steps = 0;
  while (world->advance()) {
    Index total = 0;
    for (const Split& split : world->deal().splits) {
      total += split.samples.size();
      for (Index i = 0; i < split.samples.size(); ++i) {
        shown.insert(built->truth()->label_of(split.samples.id(i)));
      }
    }
    EXPECT_EQ(total, facts.samples[static_cast<std::size_t>(steps)]);
    EXPECT_EQ(std::ssize(shown), 4 + steps) << "one new class a step";
    ++steps;
  }
  EXPECT_EQ(steps, 21);
  EXPECT_EQ(facts.manifest,
            build_world(yaml("{kind: gaussians, samples: 4}"), "world", {}, 7)->facts().manifest);
}

std::string world_refusal(std::string_view text, std::vector<Dataset> datasets = {}) {
  try {
    build_world(yaml(text), "world", std::move(datasets), 1);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Worlds, are_found_by_name_and_explain_their_options) {
  ASSERT_GE(world_specs().size(), 3U);
  EXPECT_EQ(world_specs()[0].name, "clips");
  EXPECT_EQ(world_specs()[2].name, "increments");
  EXPECT_FALSE(world_specs()[2].options.empty());
  EXPECT_THAT(world_refusal("{kind: incrments}"),
              HasSubstr("world.kind: no world is called \"incrments\" (did you mean "
                        "\"increments\"?); there are: clips, gaussians, increments, "));
  EXPECT_THAT(world_refusal("{kind: increments, start: {shar: 1}}"),
              HasSubstr("world.start.shar: unknown key; did you mean \"share\"?"));
  EXPECT_THAT(world_refusal("{}"), HasSubstr("needs at least one dataset"));
  EXPECT_THAT(world_refusal("{kind: gaussians}", std::vector<Dataset>(1)),
              HasSubstr("takes no dataset, 1 given"));
}

TEST(Worlds, resolve_their_options_to_a_file_that_builds_the_same) {
  const ConfigNode resolved = resolve_world(yaml("{kind: gaussians, samples: 3}"), "world");
  EXPECT_EQ(resolved.find("kind")->text, "gaussians");
  EXPECT_EQ(resolved.find("increments")->text, "10");
  EXPECT_EQ(build_world(yaml(to_yaml(resolved)), "world", {}, 3)->facts().manifest,
            build_world(yaml("{kind: gaussians, samples: 3}"), "world", {}, 3)->facts().manifest);
  EXPECT_THROW(resolve_world(yaml("{split: {by: folds, folds: 3, fold: 3}}"), "world"), Error);
}

TEST(Worlds, join_several_datasets_and_their_stores) {
  std::vector<Dataset> datasets;
  for (const std::string name : {"first", "second"}) {
    Dataset dataset;
    dataset.name = name;
    for (Index i = 0; i < 20; ++i) {
      dataset.table.id.push_back(name + std::to_string(i));
      dataset.table.label.push_back(i % 2 == 0 ? "even" : name == "first" ? "odd" : "new");
    }
    dataset.store = std::make_shared<const DenseStore>(Matrix(Matrix::Constant(20, 1, 3)));
    datasets.push_back(std::move(dataset));
  }
  const auto built = build_world(yaml("{increments: 2}"), "world", datasets, 1);
  EXPECT_EQ(built->facts().samples.size(), 3U);
  EXPECT_EQ(std::set(built->truth()->label.begin(), built->truth()->label.end()),
            (std::set<std::string>{"even", "odd", "new"}));
  EXPECT_EQ(built->stores().front()->rows(), 40);
}

TEST(GaussianBayes, is_wrong_as_often_as_the_densities_say) {
  // Equal variances 1 at (0, 0) and (2, 0): on the middle line both are as likely.
  std::vector<GaussianClass> two{{"a", {0, 0}, 1}, {"b", {2, 0}, 1}};
  const std::vector<double> half{0.5, 0.5};
  EXPECT_NEAR(least_error(1, 7, two, half, {true, true}).named, 0.5, 1e-12);
  // At (0, 0) b has exp(-2) of a's density: wrong with exp(-2) / (1 + exp(-2)).
  const double odds = std::exp(-2.0);
  EXPECT_NEAR(least_error(0, 0, two, half, {true, true}).named, odds / (1 + odds), 1e-12);
  // Three to one for b there: shares count.
  EXPECT_NEAR(least_error(0, 0, two, std::vector<double>{0.25, 0.75}, {true, true}).named,
              3 * odds / (1 + 3 * odds), 1e-12);
  // A greater variance thins the density: at its own centre a with variance 4 has a quarter.
  two[0].variance = 4;
  EXPECT_NEAR(least_error(0, 0, two, half, {true, true}).named,
              std::min(0.25, odds) / (0.25 + odds), 1e-12);
}

TEST(GaussianBayes, adds_up_the_classes_that_are_to_be_called_unknown) {
  // Three alike: each a third. By name two thirds are wrong; if two are unknown, one third is.
  const std::vector<GaussianClass> three{{"a", {0, 0}, 1}, {"b", {0, 0}, 1}, {"c", {0, 0}, 1}};
  const std::vector<double> third(3, 1.0 / 3);
  const LeastError error = least_error(0.3, -2, three, third, {true, false, false});
  EXPECT_NEAR(error.named, 2.0 / 3, 1e-12);
  EXPECT_NEAR(error.unknown, 1.0 / 3, 1e-12);
}

TEST(GaussianBayes, takes_a_class_without_variance_for_a_point) {
  const std::vector<GaussianClass> classes{{"a", {0, 0}, 1}, {"b", {1, 0}, 0}, {"c", {1, 0}, 0}};
  const std::vector<double> share{0.5, 0.3, 0.2};
  EXPECT_NEAR(least_error(1, 0, classes, share, {true, true, true}).named, 0.4, 1e-12);
  EXPECT_EQ(least_error(1, 0.5, classes, share, {true, true, true}).named, 0);
}

TEST(Gaussians, tell_how_well_the_best_answer_does) {
  const auto source =
      build_world(yaml("{kind: gaussians, increments: 2, samples: 2, start_samples: 20, rounds: "
                       "2, start_variance: 0.2, k600_variance: 0.05}"),
                  "world", {}, 5);
  const Truth& truth = *source->truth();
  const auto world = source->make_world({});
  const auto number = [&](const char* column, SampleId id) {
    return std::stod(truth.annotations.at(column).at(static_cast<std::size_t>(id)));
  };
  // Each Gaussian class anew, and the frequencies of the split counted by hand.
  std::map<std::string, GaussianClass> made;
  GaussianOptions options;
  options.start_variance = 0.2;
  options.k600_variance = 0.05;
  for (const GaussianClass& one : gaussian_classes(options)) {
    made.emplace(one.name, one);
  }
  Index merged_better = 0;
  while (world->advance()) {
    const Samples& test = world->deal().find("test")->samples;
    std::map<std::string, double> count;
    for (Index i = 0; i < test.size(); ++i) {
      ++count[truth.label_of(test.id(i))];
    }
    const Matrix rows = test.rows();
    for (Index i = 0; i < test.size(); ++i) {
      double all = 0;
      double best = 0;
      for (const auto& [name, often] : count) {
        const GaussianClass& from = made.at(name);
        const double dx = rows(i, 0) - from.mean[0];
        const double dy = rows(i, 1) - from.mean[1];
        const double density =
            often / from.variance * std::exp(-(dx * dx + dy * dy) / (2 * from.variance));
        all += density;
        best = std::max(best, density);
      }
      EXPECT_NEAR(number("least_error", test.id(i)), 1 - best / all, 1e-6);
      EXPECT_LE(number("least_error_unknown", test.id(i)), 1 - best / all + 1e-6);
      merged_better += number("least_error_unknown", test.id(i)) < 1 - best / all - 1e-6 ? 1 : 0;
    }
  }
  EXPECT_GT(merged_better, 0);
}

}  // namespace
}  // namespace tyto
