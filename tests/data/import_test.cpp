// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/import.hpp"

#include <cstring>
#include <set>

#include "sample/store_helpers.hpp"
#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

std::filesystem::path shared_data(std::string_view name) {
  return std::filesystem::path(testing_support::in_tree("/../shared/data")) / name;
}

std::size_t distinct_words(const std::vector<std::string>& words) {
  return std::set<std::string>(words.begin(), words.end()).size();
}

TEST(Import, names_what_is_missing_or_misspelt) {
  const TestFolder folder;
  EXPECT_THAT(refusal([&] { import_dataset("wisdm", folder.path()); }),
              HasSubstr("no importer is called \"wisdm\" (did you mean \"wisdm51\"?)"));
  EXPECT_THAT(refusal([&] { import_dataset("wisdm51", folder.path(), "ring"); }),
              HasSubstr("wisdm51 has no variant \"ring\"; there are: watch, phone"));
  EXPECT_THAT(refusal([&] { import_dataset("sisfall", folder.path(), "ring"); }),
              HasSubstr("sisfall has no variants"));
  EXPECT_THAT(refusal([&] { import_dataset("utd_mhad", folder / "none"); }),
              HasSubstr("none: not a folder"));
  for (const ImportSpec& spec : import_specs()) {
    EXPECT_THAT(refusal([&] { import_dataset(spec.name, folder.path()); }),
                HasSubstr(spec.files.front() + ": the file is missing"));
  }
}

TEST(Import, reads_wisdm51_by_people) {
  if (!std::filesystem::exists(shared_data("wisdm51"))) {
    GTEST_SKIP() << shared_data("wisdm51") << " is not here";
  }
  const Dataset watch = import_dataset("wisdm51", shared_data("wisdm51"));
  EXPECT_EQ(watch.name, "wisdm51_watch");
  EXPECT_EQ(watch.table.size(), 18211);
  EXPECT_EQ(distinct_words(watch.table.label), 18U);
  EXPECT_EQ(distinct_words(watch.table.group), 50U);
  EXPECT_TRUE(watch.table.split.empty());
  EXPECT_EQ(watch.store->shape("features"), std::vector<Index>{91});
  EXPECT_EQ(watch.table.annotations.at("activity").front(), "A");
  const Dataset phone = import_dataset("wisdm51", shared_data("wisdm51"), "phone");
  EXPECT_EQ(phone.table.size(), 20650);
  EXPECT_EQ(distinct_words(phone.table.group), 44U);
}

TEST(Import, splits_utd_mhad_into_odd_and_even_people) {
  if (!std::filesystem::exists(shared_data("utd_mhad"))) {
    GTEST_SKIP() << shared_data("utd_mhad") << " is not here";
  }
  const Dataset data = import_dataset("utd_mhad", shared_data("utd_mhad"));
  EXPECT_EQ(data.table.size(), 861);
  EXPECT_EQ(distinct_words(data.table.id), 861U);
  EXPECT_EQ(distinct_words(data.table.label), 27U);
  EXPECT_EQ(data.store->shape("features"), std::vector<Index>{984});
  for (std::size_t i = 0; i < data.table.id.size(); ++i) {
    ASSERT_EQ(data.table.split[i], std::stoi(data.table.group[i]) % 2 == 1 ? "train" : "test");
  }
}

TEST(Import, reads_a_layout_that_a_descriptor_tells) {
  const TestFolder folder;
  write_file(folder / "index.csv",
             "row,video,class_id,class,split\n0,v1,0,Archery,train\n1,v2,1,Bowling,test\n");
  std::string values(2 * 256 * sizeof(float), '\0');
  const float one = 1.0F;
  std::memcpy(values.data() + 256 * sizeof(float), &one, sizeof(float));
  write_gz(folder / "features_pca256_f32.bin.gz", values);
  const Dataset data = import_dataset("ucf101_vgg16", folder.path());
  EXPECT_EQ(data.name, "ucf101_vgg16");
  EXPECT_THAT(data.about.at("importer"), HasSubstr("ucf101_vgg16, tyto "));
  EXPECT_THAT(data.about.at("origin"), HasSubstr("UCF101"));
  EXPECT_EQ(data.table.id, (std::vector<std::string>{"v1", "v2"}));
  EXPECT_EQ(data.table.label, (std::vector<std::string>{"Archery", "Bowling"}));
  EXPECT_EQ(data.table.split, (std::vector<std::string>{"train", "test"}));
  const std::vector<Index> rows{0, 1};
  Matrix features(2, 256);
  data.store->gather("features", rows, features);
  EXPECT_EQ(features(0, 0), 0.0F);
  EXPECT_EQ(features(1, 0), 1.0F);
}

TEST(Import, keeps_the_given_splits_and_survives_saving) {
  if (!std::filesystem::exists(shared_data("ucf101_vgg16"))) {
    GTEST_SKIP() << shared_data("ucf101_vgg16") << " is not here";
  }
  const TestFolder folder;
  const Dataset data = import_dataset("ucf101_vgg16", shared_data("ucf101_vgg16"));
  EXPECT_EQ(std::count(data.table.split.begin(), data.table.split.end(), "train"), 1442);
  EXPECT_EQ(std::count(data.table.split.begin(), data.table.split.end(), "test"), 568);
  EXPECT_EQ(distinct_words(data.table.label), 15U);
  save_dataset(data, folder / "ucf");
  const Dataset again = load_dataset(folder / "ucf");
  EXPECT_EQ(again.table.id, data.table.id);
  EXPECT_EQ(again.table.annotations, data.table.annotations);
  const std::vector<Index> rows{0, 1000, 2009};
  Matrix before(3, 256);
  Matrix after(3, 256);
  data.store->gather("features", rows, before);
  again.store->gather("features", rows, after);
  EXPECT_EQ(before, after);
}

TEST(Import, tells_the_two_collections_of_activity_images_apart) {
  if (!std::filesystem::exists(shared_data("activity_images"))) {
    GTEST_SKIP() << shared_data("activity_images") << " is not here";
  }
  const Dataset data = import_dataset("activity_images", shared_data("activity_images"));
  EXPECT_EQ(data.table.size(), 26728);
  EXPECT_EQ(distinct_words(data.table.label), 37U);
  EXPECT_EQ(distinct_words(data.table.source), 2U);
  EXPECT_EQ(data.store->shape("features"), std::vector<Index>{128});
}

}  // namespace
}  // namespace tyto
