// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/wearables/wearables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/world/registry.hpp"
#include "tyto/world/wearables/features.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

WearableOptions small_wearables() {
  WearableOptions options;
  options.classes = 10;
  options.subjects = 6;
  options.windows = 2;
  options.schedule.increments = 2;
  return options;
}

Matrix all_rows(const Wearables& made, std::string_view source = "features") {
  const FeatureStore& store = *made.series.joined.store;
  std::vector<Index> rows(static_cast<std::size_t>(store.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  const std::vector<Index> shape = store.shape(source);
  Matrix values(store.rows(),
                std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()));
  store.gather(source, rows, values);
  return values;
}

TEST(Wearables, are_the_same_bytes_for_a_seed_at_any_number_of_threads) {
  const int threads = thread_count();
  set_thread_count(1);
  const Wearables one = make_wearables(small_wearables(), 5);
  set_thread_count(2);
  const Wearables two = make_wearables(small_wearables(), 5);
  set_thread_count(threads);
  EXPECT_EQ(all_rows(one), all_rows(two));
  EXPECT_EQ(one.series.joined.store->digest(), two.series.joined.store->digest());
  EXPECT_EQ(one.series.joined.table.annotations, two.series.joined.table.annotations);
  EXPECT_EQ(one.series.joined.table.time, two.series.joined.table.time);
  EXPECT_NE(all_rows(one), all_rows(make_wearables(small_wearables(), 6)));
}

TEST(Wearables, have_every_window_of_every_subject_and_activity_once) {
  const Wearables made = make_wearables(small_wearables(), 1);
  const IndexTable& table = made.series.joined.table;
  ASSERT_EQ(table.size(), 10 * 6 * 2);
  std::map<std::pair<std::string, std::string>, Index> cells;
  for (std::size_t i = 0; i < table.id.size(); ++i) {
    ++cells[{table.group[i], table.label[i]}];
  }
  EXPECT_EQ(cells.size(), 60U);
  for (const auto& [cell, count] : cells) {
    EXPECT_EQ(count, 2) << cell.first << cell.second;
  }
  EXPECT_EQ(std::set<std::string>(table.id.begin(), table.id.end()).size(), 120U);
  // Each subject's clock shows every place of its recording once.
  std::set<std::pair<std::string, double>> moments;
  for (std::size_t i = 0; i < table.id.size(); ++i) {
    moments.emplace(table.group[i], table.time[i]);
    EXPECT_LT(table.time[i], 20 * 4.0);
  }
  EXPECT_EQ(moments.size(), 120U);
  EXPECT_EQ(table.annotations.at("subject"), table.group);
  EXPECT_TRUE(all_rows(made).allFinite());
}

TEST(Wearables, take_the_activities_asked_for) {
  WearableOptions options = small_wearables();
  options.choose = "first";
  const IndexTable first = make_wearables(options, 1).series.joined.table;
  const std::set<std::string> labels(first.label.begin(), first.label.end());
  EXPECT_EQ(labels.size(), 10U);
  EXPECT_TRUE(labels.contains("walking") && labels.contains("swimming"));
  EXPECT_FALSE(labels.contains("vacuuming"));
  options.activities = {"vacuuming", "walking", "lying"};
  const IndexTable named = make_wearables(options, 1).series.joined.table;
  EXPECT_EQ(std::set<std::string>(named.label.begin(), named.label.end()),
            (std::set<std::string>{"walking", "lying", "vacuuming"}));
}

TEST(Wearables, show_a_window_alike_in_a_small_and_a_large_world) {
  WearableOptions options = small_wearables();
  options.activities = {"walking", "lying", "typing"};
  const Wearables three = make_wearables(options, 3);
  options.activities = {"walking", "lying", "typing", "rowing"};
  options.windows = 3;
  const Wearables four = make_wearables(options, 3);
  std::map<std::string, Index> row_of;
  for (Index i = 0; i < four.series.joined.table.size(); ++i) {
    row_of[four.series.joined.table.id[static_cast<std::size_t>(i)]] = i;
  }
  const Matrix small = all_rows(three);
  const Matrix large = all_rows(four);
  for (Index i = 0; i < small.rows(); ++i) {
    const std::string& id = three.series.joined.table.id[static_cast<std::size_t>(i)];
    EXPECT_EQ(small.row(i), large.row(row_of.at(id))) << id;
  }
}

TEST(Wearables, keep_subjects_apart) {
  WearableOptions options;
  options.windows = 1;
  options.window_s = 1;
  const Wearables made = make_wearables(options, 4);
  const IndexTable& table = made.series.joined.table;
  std::map<std::string, std::set<std::size_t>> sides;
  for (const Increment& increment : made.schedule.increments) {
    for (std::size_t side = 0; side < 3; ++side) {
      for (const Index row : increment.splits[side].row) {
        sides[table.group[static_cast<std::size_t>(row)]].insert(side);
      }
    }
  }
  ASSERT_EQ(sides.size(), 40U);
  Index testing = 0;
  for (const auto& [subject, where] : sides) {
    EXPECT_EQ(where.size(), 1U) << subject;
    testing += where.contains(2) ? 1 : 0;
  }
  EXPECT_EQ(testing, 12);  // 0.3 of 40
}

TEST(WearableNuisance, alters_the_share_it_should_and_nothing_else) {
  WearableOptions options = small_wearables();
  const Wearables clean = make_wearables(options, 2);
  options.nuisance.share = 0.4;
  options.nuisance.splits = {"test"};
  const Wearables made = make_wearables(options, 2);
  const std::vector<std::string>& altered = made.series.joined.table.annotations.at("altered");
  for (const std::string& word : clean.series.joined.table.annotations.at("altered")) {
    EXPECT_EQ(word, "none");
  }
  std::vector<bool> shown_altered(altered.size());
  for (Index t = 0; t < made.schedule.size(); ++t) {
    const Increment& increment = made.schedule.increments[static_cast<std::size_t>(t)];
    for (const Side side : {Side::train, Side::validate, Side::test}) {
      std::map<std::string, Index> counts;
      for (const Index row : increment.split(side).row) {
        const auto i = static_cast<std::size_t>(row);
        ++counts[altered[i]];
        shown_altered[i] = altered[i] != "none";
      }
      const Index size = increment.split(side).size();
      const Index expected = t > 0 && side == Side::test ? size * 2 / 5 : 0;
      EXPECT_EQ(size - counts["none"], expected) << t;
      // Three kinds in turn.
      EXPECT_EQ(counts["rotated"], (expected + 2) / 3);
      EXPECT_EQ(counts["gain"], (expected + 1) / 3);
      EXPECT_EQ(counts["noise"], expected / 3);
    }
  }
  const Matrix before = all_rows(clean);
  const Matrix after = all_rows(made);
  for (Index i = 0; i < before.rows(); ++i) {
    const bool is_altered = shown_altered[static_cast<std::size_t>(i)];
    EXPECT_EQ(before.row(i) != after.row(i), is_altered) << i;
    EXPECT_EQ(altered[static_cast<std::size_t>(i)] != "none", is_altered) << i;
  }
  EXPECT_GT(std::count(shown_altered.begin(), shown_altered.end(), true), 5);
}

TEST(WearableNuisance, does_what_each_kind_says) {
  Signal still = Signal::Zero(6, 100);
  still.row(0).setOnes();
  still.row(5).setConstant(2);
  NuisanceOptions options;
  options.angle = 90;
  options.gain = 0.7;
  options.noise = 0.3;
  const Rng rng(1, "nuisance");
  Signal none = still;
  alter(Alteration::none, options, rng, none);
  EXPECT_EQ(none, still);
  Signal rotated = still;
  alter(Alteration::rotated, options, rng, rotated);
  EXPECT_NEAR(rotated.col(7).head(3).norm(), 1, 1e-12);
  EXPECT_NEAR(rotated.col(7).tail(3).norm(), 2, 1e-12);
  EXPECT_GT((rotated - still).col(7).norm(), 0.1);
  // Gravity (1, 0, 0) and spin (0, 0, 2) stay at right angles.
  EXPECT_NEAR(rotated.col(7).head(3).dot(rotated.col(7).tail(3)), 0, 1e-12);
  Signal gain = still;
  alter(Alteration::gain, options, rng, gain);
  EXPECT_NEAR(std::abs(std::log(gain(0, 99))), 0.7, 1e-12);
  EXPECT_NEAR(std::abs(std::log(gain(0, 49))), 0.35, 1e-12);
  EXPECT_EQ(gain(1, 99), 0);
  Signal noise = still;
  alter(Alteration::noise, options, rng, noise);
  EXPECT_NEAR(std::sqrt((noise - still).squaredNorm() / 600), 0.3, 0.03);
}

float feature(const Vector& values, std::string_view name) {
  const std::vector<std::string> names = window_feature_names();
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return values(found - names.begin());
}

TEST(WindowFeatures, have_distinct_names_and_as_many_values) {
  const std::vector<std::string> names = window_feature_names();
  EXPECT_EQ(names.size(), 85U);  // 6 x 10 + 2 x 8 + 9
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(window_features(Matrix::Random(6, 101), 50).size(), 85);
}

TEST(WindowFeatures, of_a_pure_sine_are_those_of_the_formula) {
  Matrix signal = Matrix::Zero(6, 200);  // 4 s at 50 Hz
  for (Index t = 0; t < 200; ++t) {
    const double angle = 2 * std::numbers::pi * 2 * static_cast<double>(t) / 50 + 0.1;
    signal(1, t) = static_cast<float>(0.5 + 3 * std::sin(angle));
    signal(2, t) = static_cast<float>(std::sin(angle) + std::sin(3 * angle));
    signal(4, t) = static_cast<float>(-std::sin(angle));
    signal(5, t) = static_cast<float>(std::cos(angle));
  }
  const Vector values = window_features(signal, 50);
  EXPECT_FLOAT_EQ(feature(values, "acc_y_peak_hz"), 2);
  EXPECT_NEAR(feature(values, "acc_y_mean"), 0.5, 1e-6);
  EXPECT_NEAR(feature(values, "acc_y_std"), 3 / std::sqrt(2.0), 1e-5);
  // The angle runs from 0.1 to 16 pi - 0.15 and passes pi, ..., 15 pi: 15 crossings in 4 s.
  EXPECT_FLOAT_EQ(feature(values, "acc_y_crossings"), 3.75);
  EXPECT_NEAR(feature(values, "acc_y_low"), 0, 1e-6);
  EXPECT_NEAR(feature(values, "acc_y_mid"), 3 / std::sqrt(2.0), 1e-5);
  EXPECT_NEAR(feature(values, "acc_y_high"), 0, 1e-6);
  EXPECT_NEAR(feature(values, "acc_z_mid"), std::sqrt(0.5), 1e-5);   // 2 Hz
  EXPECT_NEAR(feature(values, "acc_z_high"), std::sqrt(0.5), 1e-5);  // 6 Hz
  EXPECT_NEAR(feature(values, "acc_energy"), 4.5 + 1, 1e-4);
  EXPECT_NEAR(feature(values, "gyr_y_with_gyr_z"), 0, 1e-6);  // sine and cosine
  EXPECT_NEAR(feature(values, "acc_y_with_acc_z"), std::sqrt(0.5), 1e-5);
  EXPECT_NEAR(feature(values, "gyr_norm_mean"), 1, 1e-6);
  EXPECT_NEAR(feature(values, "gyr_norm_std"), 0, 1e-6);
}

TEST(WindowFeatures, of_a_constant_have_no_energy_rhythm_or_correlation) {
  const Vector values = window_features(Matrix::Constant(6, 200, 0.1F), 50);
  const std::vector<std::string> names = window_feature_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const float value = values(static_cast<Index>(i));
    const bool norm = names[i].find("_norm_") != std::string::npos;
    if (names[i].ends_with("_mean") || names[i].ends_with("_min") || names[i].ends_with("_max") ||
        names[i].ends_with("_q10") || names[i].ends_with("_q90")) {
      EXPECT_NEAR(value, norm ? 0.1 * std::sqrt(3.0) : 0.1, 1e-6) << names[i];
    } else {
      EXPECT_NEAR(value, 0, 1e-6) << names[i];
    }
  }
}

TEST(WindowFeatures, count_crossings_and_slopes_as_by_hand) {
  Matrix signal = Matrix::Zero(6, 8);
  signal.row(0) << 1, -1, 1, -1, 1, 1, -1, -1;  // mean 0; 5 changes of sign; 5 steps of 2
  const Vector values = window_features(signal, 4);
  EXPECT_FLOAT_EQ(feature(values, "acc_x_crossings"), 2.5);       // 5 in 2 s
  EXPECT_FLOAT_EQ(feature(values, "acc_x_slope"), 10.F / 7 * 4);  // 10 over 7 steps of 1/4 s
  EXPECT_FLOAT_EQ(feature(values, "acc_x_std"), 1);
  EXPECT_FLOAT_EQ(feature(values, "acc_norm_mean"), 1);
}

TEST(Wearables, give_the_signals_from_which_the_features_are) {
  WearableOptions options = small_wearables();
  options.activities = {"walking", "lying", "typing"};
  options.nuisance.share = 0.5;
  const Wearables without = make_wearables(options, 1);
  EXPECT_EQ(without.series.joined.store->sources(), std::vector<std::string>{"features"});
  options.signals = true;
  const Wearables made = make_wearables(options, 1);
  const FeatureStore& store = *made.series.joined.store;
  EXPECT_EQ(store.sources(), (std::vector<std::string>{"features", "signal"}));
  EXPECT_EQ(store.shape("signal"), (std::vector<Index>{6, 200}));
  EXPECT_EQ(store.column_names("features"), window_feature_names());
  const Matrix signals = all_rows(made, "signal");
  const Matrix features = all_rows(made);
  EXPECT_EQ(features, all_rows(without));
  for (Index i = 0; i < signals.rows(); ++i) {
    const Matrix window = Eigen::Map<const Matrix>(signals.row(i).data(), 6, 200);
    EXPECT_EQ(window_features(window, 50).transpose(), features.row(i)) << i;
  }
}

TEST(WearableSignals, are_what_the_catalogue_says_where_nobody_differs) {
  Activity shake{.name = "shake",
                 .family = "toy",
                 .posture = {0, 0, 2},
                 .rhythm = {1.5, 0},
                 .push = {{{0, 0.5, 0}, {}}},
                 .spin = {{{2, 0, 0}, {}}},
                 .event = {},
                 .texture = {}};
  const Motion motion;
  const Signal signal = synthesise(shake, motion, {50, 200, 0}, Rng(1));
  EXPECT_NEAR((signal.row(2).array() - 1).abs().maxCoeff(), 0, 1e-12);  // one g, whatever was said
  EXPECT_NEAR(signal.row(0).norm(), 0, 1e-12);
  // Six whole cycles: mean square of a sine is half its squared amplitude.
  EXPECT_NEAR(signal.row(1).squaredNorm() / 200, 0.125, 1e-9);
  EXPECT_NEAR(signal.row(3).squaredNorm() / 200, 2, 1e-9);
  Motion left;
  left.left = true;
  const Signal mirrored = synthesise(shake, left, {50, 200, 0}, Rng(1));
  EXPECT_EQ(mirrored.row(1), -signal.row(1));
  EXPECT_EQ(mirrored.row(2), signal.row(2));
  EXPECT_EQ(mirrored.row(3), -signal.row(3));
}

// Means of each class and deviations of each column over the given subjects.
struct Centroids {
  std::map<std::string, Eigen::RowVectorXd> mean;
  Eigen::RowVectorXd scale;
};

Centroids learn_centroids(const Wearables& made, const Dense<double>& values, Index subjects) {
  const IndexTable& table = made.series.joined.table;
  const Index rows = table.size() / 20 * subjects;  // of 20
  Centroids out;
  std::map<std::string, double> count;
  const Eigen::RowVectorXd centre = values.topRows(rows).colwise().mean();
  out.scale = ((values.topRows(rows).rowwise() - centre).array().square().colwise().mean().sqrt())
                  .max(1e-9);
  for (Index i = 0; i < rows; ++i) {
    const std::string& label = table.label[static_cast<std::size_t>(i)];
    out.mean.try_emplace(label, Eigen::RowVectorXd::Zero(values.cols()));
    out.mean[label] += values.row(i).cwiseQuotient(out.scale);
    ++count[label];
  }
  for (auto& [label, mean] : out.mean) {
    mean /= count[label];
  }
  return out;
}

double centroid_accuracy(double difficulty, std::uint64_t seed) {
  WearableOptions options;
  options.difficulty = difficulty;
  options.subjects = 20;
  options.windows = 2;
  const Wearables made = make_wearables(options, seed);
  const Dense<double> values = all_rows(made).cast<double>();
  const Centroids learned = learn_centroids(made, values, 14);
  Index right = 0;
  const Index first = values.rows() / 20 * 14;
  for (Index i = first; i < values.rows(); ++i) {
    std::string best;
    double least = INFINITY;
    for (const auto& [label, mean] : learned.mean) {
      const double distance = (values.row(i).cwiseQuotient(learned.scale) - mean).squaredNorm();
      if (distance < least) {
        least = distance;
        best = label;
      }
    }
    right += best == made.series.joined.table.label[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(values.rows() - first);
}

TEST(Wearables, are_harder_to_tell_apart_at_higher_difficulty) {
  const double easy = centroid_accuracy(0.5, 1);
  const double standard = centroid_accuracy(1, 1);
  const double hard = centroid_accuracy(2, 1);
  RecordProperty("easy", std::to_string(easy));
  RecordProperty("standard", std::to_string(standard));
  RecordProperty("hard", std::to_string(hard));
  EXPECT_GT(easy, standard + 0.05);
  EXPECT_GT(standard, hard + 0.05);
  EXPECT_GT(hard, 2.0 / 30);  // far from guessing
  EXPECT_LT(standard, 0.95);  // and from trivial
}

TEST(Wearables, make_alike_activities_alike) {
  WearableOptions options;
  options.subjects = 20;
  options.windows = 2;
  const Wearables made = make_wearables(options, 2);
  const Centroids learned = learn_centroids(made, all_rows(made).cast<double>(), 20);
  const auto apart = [&](const std::string& a, const std::string& b) {
    return (learned.mean.at(a) - learned.mean.at(b)).norm();
  };
  for (const auto& [a, near, far] :
       {std::array<std::string, 3>{"walking", "nordic_walking", "running"},
        {"walking", "climbing_stairs", "typing"},
        {"sitting", "lying", "standing"},
        {"eating_soup", "drinking", "brushing_teeth"},
        {"sweeping", "vacuuming", "swimming"},
        {"throwing", "falling", "clapping"}}) {
    EXPECT_LT(apart(a, near), 0.8 * apart(a, far)) << a << " " << near << " " << far;
  }
}

std::string wearables_refusal(std::string_view text) {
  try {
    build_world(parse_yaml(text, "toy.yaml"), "world", {}, 1);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "";
}

TEST(Wearables, refuse_bad_options_in_a_sentence) {
  EXPECT_THAT(wearables_refusal("{kind: wearables, activities: [walking, runing]}"),
              HasSubstr("runing"));
  EXPECT_THAT(wearables_refusal("{kind: wearables, activities: [lying, walking, lying]}"),
              HasSubstr("world.activities: \"lying\" stands twice"));
  EXPECT_THAT(wearables_refusal("{kind: wearables, activities: [lying]}"),
              HasSubstr("needs 2 activities or more, not only \"lying\""));
  EXPECT_THAT(wearables_refusal("{kind: wearables, classes: 31}"),
              HasSubstr("world.classes: 31 is outside [2, 30]"));
  EXPECT_THAT(wearables_refusal("{kind: wearables, subjects: 1000, windows: 1000}"),
              HasSubstr("world.windows: 1000 for each of 1000 subjects and 30 activities"));
  EXPECT_THAT(wearables_refusal("{kind: wearables, nuisance: {share: 0.1, kinds: []}}"),
              HasSubstr("world.nuisance.kinds: a share of 0.1 is to be altered, but no kind"));
  EXPECT_THAT(wearables_refusal("{kind: wearables, nuisance: {share: 0.1, splits: []}}"),
              HasSubstr("world.nuisance.splits"));
  EXPECT_THAT(wearables_refusal("{kind: wearables, nuisance: {kinds: [blur]}}"), HasSubstr("blur"));
  EXPECT_THAT(wearables_refusal("{kind: wearables, spread: {tmpo: 1}}"),
              HasSubstr("did you mean \"tempo\"?"));
}

TEST(Wearables, run_as_a_world_whose_resolved_options_build_the_same) {
  const std::string text =
      "{kind: wearables, classes: 8, subjects: 8, windows: 2, increments: 3, "
      "start: {classes: [walking, lying], share: 0.5}, choose: first, activities: "
      "[walking, lying, rowing, typing, boxing], nuisance: {share: 0.5}}";
  const auto built = build_world(parse_yaml(text, "toy.yaml"), "world", {}, 3);
  EXPECT_EQ(built->facts().samples.size(), 4U);
  const Truth& truth = *built->truth();
  for (const std::string name : {"altered", "group", "hand", "subject", "tempo", "vigour"}) {
    ASSERT_TRUE(truth.annotations.contains(name)) << name;
    EXPECT_EQ(truth.annotations.at(name).size(), 80U);
  }
  const ConfigNode resolved = resolve_world(parse_yaml(text, "toy.yaml"), "world");
  const auto again = build_world(parse_yaml(to_yaml(resolved), "again.yaml"), "world", {}, 3);
  EXPECT_EQ(again->facts().manifest, built->facts().manifest);
  EXPECT_EQ(again->stores().front()->digest(), built->stores().front()->digest());
  EXPECT_EQ(again->truth()->annotations, truth.annotations);
}

TEST(Wearables, are_all_in_the_documentation) {
  const std::string page = read_file(testing_support::in_tree("/docs/wearables.md"));
  for (const Activity& activity : activity_catalogue()) {
    EXPECT_THAT(page, HasSubstr("`" + std::string(activity.name) + "`"));
  }
}

TEST(Wearables, add_activities_that_the_watch_cannot_tell_from_others) {
  WearableOptions options = small_wearables();
  options.activities = {"standing", "sitting", "walking"};
  options.subjects = 40;
  options.windows = 4;
  const Wearables plain = make_wearables(options, 2);
  options.unsensed = {"foot_tapping", "calf_raises"};
  const Wearables made = make_wearables(options, 2);
  const IndexTable& table = made.series.joined.table;
  const std::map<std::string, std::string> look{{"standing", "standing"},
                                                {"sitting", "sitting"},
                                                {"walking", "walking"},
                                                {"foot_tapping", "sitting"},
                                                {"calf_raises", "standing"}};
  std::map<std::string, std::vector<Index>> rows;
  for (Index i = 0; i < table.size(); ++i) {
    const std::string& label = table.label[at(i)];
    EXPECT_EQ(table.annotations.at("seen_as")[at(i)], look.at(label));
    rows[label].push_back(i);
  }
  EXPECT_FALSE(plain.series.joined.table.annotations.contains("seen_as"));
  ASSERT_EQ(rows.size(), 5U);
  // The others are the bytes they were, and no window comes twice.
  const Matrix all = all_rows(made);
  const Matrix before = all_rows(plain);
  std::map<std::string, Index> place;
  for (Index i = 0; i < table.size(); ++i) {
    place[table.id[at(i)]] = i;
  }
  for (Index i = 0; i < before.rows(); ++i) {
    EXPECT_EQ(before.row(i), all.row(place.at(plain.series.joined.table.id[at(i)])));
  }
  std::set<std::vector<float>> distinct;
  for (Index i = 0; i < all.rows(); ++i) {
    distinct.insert(std::vector<float>(all.row(i).begin(), all.row(i).end()));
  }
  EXPECT_EQ(std::ssize(distinct), all.rows());
  // Means of all features agree within chance where the look is the same, and not where it differs.
  const auto farthest = [&](const std::string& one, const std::string& other) {
    const auto stats = [&](const std::string& label) {
      Matrix own(static_cast<Index>(rows.at(label).size()), all.cols());
      for (std::size_t i = 0; i < rows.at(label).size(); ++i) {
        own.row(static_cast<Index>(i)) = all.row(rows.at(label)[i]);
      }
      const Eigen::RowVectorXf mean = own.colwise().mean();
      const Eigen::RowVectorXf variance =
          (own.rowwise() - mean).array().square().colwise().mean() / static_cast<float>(own.rows());
      return std::pair(mean, variance);
    };
    const auto [mean, variance] = stats(one);
    const auto [other_mean, other_variance] = stats(other);
    return ((mean - other_mean).array().abs() /
            (variance + other_variance).array().sqrt().max(1e-9F))
        .maxCoeff();
  };
  EXPECT_LT(farthest("foot_tapping", "sitting"), 4.5F);  // standard errors, the most of 85
  EXPECT_LT(farthest("calf_raises", "standing"), 4.5F);
  EXPECT_GT(farthest("foot_tapping", "standing"), 20.0F);
}

TEST(Wearables, refuse_an_unsensed_activity_named_twice) {
  WearableOptions options = small_wearables();
  options.unsensed = {"leg_raises", "leg_raises"};
  try {
    make_wearables(options, 1);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("world.unsensed: \"leg_raises\" stands twice"));
  }
}

}  // namespace
}  // namespace tyto
