// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/report_source.hpp"

#include <map>

#include "support/places.hpp"
#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/run/run.hpp"
#include "tyto/report/page/pictures/png.hpp"

namespace tyto {
namespace {

using testing_support::Scratch;

TEST(RunReferences, are_folders_with_or_without_an_arm) {
  const std::vector<std::string> texts{"runs/a/", "runs/b:ncm-50pct", "./runs/b:slda-0pct"};
  const auto all = parse_run_references(texts);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].folder, "runs/a");
  EXPECT_TRUE(all[0].arms.empty());
  EXPECT_EQ(all[1].folder, "runs/b");
  EXPECT_THAT(all[1].arms, testing::ElementsAre("ncm-50pct", "slda-0pct"));
}

TEST(RunReferences, of_a_whole_run_and_one_of_its_arms_are_the_whole_run) {
  for (const auto& texts : {std::vector<std::string>{"a", "a:x"}, {"a:x", "a"}}) {
    const auto all = parse_run_references(texts);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_TRUE(all[0].arms.empty());
  }
}

TEST(RunReferences, may_be_folders_with_a_colon_in_their_name) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "run:1");
  const std::vector<std::string> texts{(scratch / "run:1").string()};
  const auto all = parse_run_references(texts);
  EXPECT_EQ(all[0].folder, scratch / "run:1");
  EXPECT_TRUE(all[0].arms.empty());
}

class ReportSourceTest : public testing::Test {
 protected:
  static RunOptions into(const std::filesystem::path& folder) {
    RunOptions options;
    options.folder = folder;
    options.report = false;
    return options;
  }

  static Experiment experiment(const std::string& predictors, const std::string& more = "") {
    return read_experiment(parse_yaml(
        "name: small\nprior_knowledge: none\ndata: digits\n"
        "world: {kind: increments, start: {classes: 5}, increments: 1}\nfeedback: [0.5]\n"
        "predictors: " +
            predictors + "\n" + more,
        "small.yaml"));
  }

  static PageSource source_of(const std::filesystem::path& folder) {
    const std::vector<std::string> texts{folder.string()};
    return read_page_source(parse_run_references(texts), catalog());
  }

  static Catalog catalog() { return Catalog({testing_support::in_tree("/datasets")}); }

  Scratch scratch;
  Progress quiet;
};

TEST_F(ReportSourceTest, finds_the_features_of_a_sample_again) {
  run_experiment(experiment("[ncm]"), catalog(), into(scratch / "run"), quiet);
  const PageSource source = source_of(scratch / "run");
  const RunRecord& record = *source.arms.at(0).seeds.at(0).record;
  const Phase phase = record.phase({1, "pre", "test"});
  const std::vector<SampleId> some{phase.sample.at(5), phase.sample.at(0),
                                   record.phase({0, "post", "train"}).sample.at(3)};
  const Matrix found = source.runs.at(0).samples.features(some);

  const Dataset digits = catalog().load("digits");
  std::map<std::string, Index> row_of;
  for (Index i = 0; i < digits.table.size(); ++i) {
    row_of[digits.table.id[static_cast<std::size_t>(i)]] = i;
  }
  ASSERT_EQ(found.rows(), 3);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const std::string& name = record.truth()->name.at(static_cast<std::size_t>(some[i]));
    const std::vector<Index> row{row_of.at(name)};
    Matrix expected(1, found.cols());
    digits.store->gather("features", row, expected);
    EXPECT_EQ(found.row(static_cast<Index>(i)), expected.row(0)) << name;
  }
  EXPECT_THROW((void)source.runs[0].samples.features(std::vector<SampleId>{SampleId{999999}}),
               Error);
}

// Pictures of 8 x 8 pixels: dark ones are normal, of new ones the lower right quarter is bright.
TEST_F(ReportSourceTest, tells_where_a_detector_of_patches_looks) {
  const std::filesystem::path folder = scratch / "data/spots";
  std::filesystem::create_directories(folder);
  std::string csv = "id,label\n", pixels;
  for (int i = 0; i < 60; ++i) {
    const bool spot = i >= 40;
    csv += "p" + std::to_string(i) + (spot ? ",spot\n" : i % 2 == 0 ? ",x\n" : ",y\n");
    for (int value = 0; value < 192; ++value) {
      const bool bright = spot && value % 64 / 8 >= 4 && value % 8 >= 4;
      pixels += static_cast<char>(bright ? 250 : 20 + (i + value) % 5);
    }
  }
  write_file(folder / "index.csv", csv);
  write_file(folder / "rgb.bin", pixels);
  write_file(folder / "dataset.yaml",
             "index: index.csv\nfeatures:\n"
             "  - {source: features, file: rgb.bin, shape: [3, 8, 8], type: uint8}\n"
             "picture: {source: features}\n");
  const Catalog data({scratch / "data"});
  run_experiment(
      read_experiment(parse_yaml(
          "name: spots\nprior_knowledge: none\ndata: spots\n"
          "world: {kind: novel_classes, normal: [x, y], novel_test: [spot], novel_validate: 0}\n"
          "protocol: detect\npredictors:\n"
          "  - {name: patches, classifier: ncm, detector: {name: patch_autoencoder, patch: 4, "
          "stride: 4, width: 4, hidden: 8, code: 2, epochs: 60, steps_at_least: 0, batch: 16}, "
          "holdout: 0.3}\n"
          "  - {name: knn, classifier: ncm, detector: knn, memory: unlimited, holdout: 0.3}\n",
          "spots.yaml")),
      data, into(scratch / "run"), quiet);
  const std::vector<std::string> texts{(scratch / "run").string()};
  const PageSource source = read_page_source(parse_run_references(texts), data);
  const RunRecord& record = *source.arms.at(0).seeds.at(0).record;
  std::vector<SampleId> spots;
  for (const SampleId sample : record.phase({0, "detect", "test"}).sample) {
    if (record.truth()->label_of(sample) == "spot") {
      spots.push_back(sample);
    }
  }
  ASSERT_FALSE(spots.empty());
  const auto heat = source.runs[0].samples.heat("patches", spots);
  ASSERT_EQ(heat.size(), spots.size());
  for (const std::optional<PictureHeat>& one : heat) {
    ASSERT_TRUE(one);
    EXPECT_EQ(one->height, 8);
    EXPECT_EQ(one->cell, 4);
    ASSERT_EQ(one->errors.size(), 4);
    EXPECT_EQ(one->errors.maxCoeff(), one->errors(1, 1));
    EXPECT_EQ(one->top, 4);
    EXPECT_EQ(one->left, 4);
  }
  EXPECT_TRUE(source.runs[0].samples.heat("knn", spots).empty());
}

// Clips of 2 x 1 pixels: a, b and c have thumbnails, one of them too large; the others are drawn.
class ReportPicturesTest : public ReportSourceTest {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = scratch / "data/clips";
    std::filesystem::create_directories(folder / "small");
    std::string csv = "id,label,split,frames,media,thumbnail,thumbnail_frames\n";
    std::string pixels;
    for (int i = 0; i < 24; ++i) {
      const std::string id(1, static_cast<char>('a' + i));
      csv += id + (i % 2 == 0 ? ",x," : ",y,") + (i < 12 ? "train" : "test") + ",8," + id +
             ".mp4," + (i < 3 ? "small/" + id + ".jpg,4\n" : ",\n");
      for (int value = 0; value < 16; ++value) {
        pixels += static_cast<char>(value < 2 ? i : value);
      }
    }
    write_file(folder / "index.csv", csv);
    write_file(folder / "rgb.bin", pixels);
    write_file(folder / "small/a.jpg", "\xff\xd8strip");
    write_file(folder / "small/b.jpg", std::string(30'000, '\xff'));
    write_file(folder / "dataset.yaml",
               "index: index.csv\nfeatures:\n"
               "  - {source: features, file: rgb.bin, shape: [1, 1, 2], type: uint8}\n"
               "picture: {source: features, low: 0, high: 255}\n");
    run_experiment(read_experiment(parse_yaml(
                       "name: small\nprior_knowledge: none\ndata: clips\n"
                       "world: {kind: tasks, tasks: 2}\nprotocol: cil\npredictors:\n"
                       "  - {preset: ncm, memory: {name: class_balanced, budget: 4, frames: 2}}\n",
                       "small.yaml")),
                   clips(), into(scratch / "run"), quiet);
    const std::vector<std::string> texts{(scratch / "run").string()};
    source = read_page_source(parse_run_references(texts), clips());
  }

  [[nodiscard]] Catalog clips() const { return Catalog({scratch / "data"}); }

  [[nodiscard]] SampleId sample(const std::string& name) const {
    const auto& names = source.arms.at(0).seeds.at(0).record->truth()->name;
    return static_cast<SampleId>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  [[nodiscard]] std::optional<SamplePicture> picture(PictureWish wish) const {
    wish.most_bytes = 20'000;
    return source.runs.at(0).samples.picture(wish);
  }

  PageSource source;
};

TEST_F(ReportPicturesTest, are_thumbnails_where_there_are_any_and_drawn_where_not) {
  const auto strip = picture({.sample = sample("a")});
  ASSERT_TRUE(strip.has_value());
  EXPECT_EQ(strip->bytes, "\xff\xd8strip");
  EXPECT_EQ(strip->frames, 4);
  EXPECT_FALSE(strip->drawn);
  EXPECT_EQ(picture({.sample = sample("b")})->bytes, "");  // too large
  for (const char* name : {"c", "t"}) {                    // the file is missing; there is none
    const auto drawn = picture({.sample = sample(name)});
    ASSERT_TRUE(drawn.has_value());
    EXPECT_EQ(drawn->frames, 6);
    EXPECT_TRUE(drawn->drawn);
  }
}

TEST_F(ReportPicturesTest, of_a_memory_show_the_frames_it_kept) {
  const auto kept = source.runs.at(0).samples.kept("ncm");
  ASSERT_EQ(kept.size(), 4U);
  Index first = 0;
  for (const KeptSample& one : kept) {
    EXPECT_EQ(one.frames, 2);
    first += one.label == "x";
    const auto strip = picture({.sample = one.sample, .arm = "ncm"});
    ASSERT_TRUE(strip.has_value());
    EXPECT_EQ(strip->frames, 2);
    EXPECT_TRUE(strip->drawn);
    // Frames 2 and 6 of 8.
    EXPECT_EQ(strip->bytes, grey_png(std::vector<std::uint8_t>{4, 5, 12, 13}, 4, 1));
  }
  EXPECT_EQ(first, 2);
  EXPECT_TRUE(source.runs[0].samples.kept("another").empty());
}

TEST_F(ReportSourceTest, counts_every_sample_of_the_manifest) {
  run_experiment(experiment("[ncm]"), catalog(), into(scratch / "run"), quiet);
  const PageSource source = source_of(scratch / "run");
  Index samples = 0;
  for (const ShownCount& count : source.runs.at(0).seeds.at(0).shown) {
    samples += count.samples;
    EXPECT_TRUE(count.step > 0 || !count.novel);
  }
  EXPECT_EQ(samples, 1797);
}

TEST_F(ReportSourceTest, promises_the_error_a_search_chose_and_none_without_held_out_samples) {
  run_experiment(experiment("[ncm, always_unknown, {name: plain, classifier: ncm}]",
                            "search: {method: grid, trials: 2, options: {ncm: {accepted_error: "
                            "[0.03]}}}\n"),
                 catalog(), into(scratch / "run"), quiet);
  const PageSource source = source_of(scratch / "run");
  ASSERT_EQ(source.arms.size(), 3U);
  const PageTable& trials = *source.runs[0].seeds[0].table("search.csv");
  std::optional<double> chosen =
      read_experiment(load_yaml(scratch / "run/experiment.yaml")).predictors.front().accepted_error;
  for (std::size_t row = 0; row < trials.rows.size(); ++row) {
    if (trials.text(row, "predictor") == "ncm" && trials.text(row, "chosen") == "yes" &&
        trials.text(row, "settings") != "{}") {
      chosen = 0.03;
    }
  }
  EXPECT_EQ(source.arms[0].promised, chosen);
  EXPECT_EQ(source.arms[1].promised, std::nullopt);  // a rule of its own
  EXPECT_EQ(source.arms[2].promised, std::nullopt);  // no detector
}

}  // namespace
}  // namespace tyto
