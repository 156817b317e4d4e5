// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/catalog.hpp"

#include <cstdlib>

#include "sample/store_helpers.hpp"
#include "support/places.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void put_dataset(const std::filesystem::path& folder, std::string_view summary) {
  std::filesystem::create_directories(folder);
  write_file(folder / "i.csv", "label,x\na,1\n");
  write_file(folder / "dataset.yaml", fmt::format("summary: {}\nindex: i.csv\nfeatures: [{{columns:"
                                                  " [x]}}]\n",
                                                  summary));
}

TEST(Catalog, finds_a_name_in_the_first_place_that_has_it) {
  const TestFolder folder;
  put_dataset(folder / "one/toy", "from one");
  put_dataset(folder / "two/toy", "from two");
  put_dataset(folder / "two/other", "alone");
  std::filesystem::create_directories(folder / "two/no_descriptor");
  const Catalog catalog({folder / "absent", folder / "one", folder / "two"});
  EXPECT_EQ(catalog.names(), (std::vector<std::string>{"other", "toy"}));
  EXPECT_EQ(catalog.load("toy").summary, "from one");
  EXPECT_EQ(catalog.load("other").summary, "alone");
}

TEST(Catalog, takes_paths_of_folders_and_descriptors) {
  const TestFolder folder;
  put_dataset(folder / "toy", "by path");
  const Catalog catalog(std::vector<std::filesystem::path>{});
  EXPECT_EQ(catalog.load((folder / "toy").string()).summary, "by path");
  EXPECT_EQ(catalog.load((folder / "toy/dataset.yaml").string()).summary, "by path");
}

TEST(Catalog, tells_where_it_looked_and_what_there_is) {
  const TestFolder folder;
  put_dataset(folder / "letters", "x");
  put_dataset(folder / "digits", "x");
  const Catalog catalog({folder.path()});
  EXPECT_THAT(refusal([&] { (void)catalog.find("leters"); }),
              AllOf(HasSubstr("no dataset is called \"leters\" (did you mean \"letters\"?)"),
                    HasSubstr("there are: digits, letters"), HasSubstr(folder.path().string())));
  EXPECT_THAT(refusal([&] { (void)Catalog({folder / "none"}).find("x"); }),
              HasSubstr("there are: none"));
  EXPECT_THAT(refusal([&] { (void)catalog.find(""); }), HasSubstr("no dataset is called \"\""));
}

TEST(Catalog, searches_given_places_before_those_of_the_environment) {
  const TestFolder folder;
  put_dataset(folder / "given/toy", "given");
  put_dataset(folder / "env/toy", "environment");
  put_dataset(folder / "env/envoy", "environment");
  const std::string list =
      fmt::format(":{}:{}", (folder / "absent").string(), (folder / "env").string());
  ASSERT_EQ(::setenv("TYTO_DATA", list.c_str(), 1), 0);
  const Catalog catalog = Catalog::standard({folder / "given"});
  ::unsetenv("TYTO_DATA");
  EXPECT_EQ(catalog.load("toy").summary, "given");
  EXPECT_EQ(catalog.load("envoy").summary, "environment");
  EXPECT_EQ(catalog.load("letters").name, "letters");  // ships with Tyto
}

TEST(ShippedData, are_the_letters_of_the_repository) {
  const Dataset letters = Catalog::standard().load("letters");
  EXPECT_EQ(letters.table.size(), 20000);
  EXPECT_EQ(std::count(letters.table.split.begin(), letters.table.split.end(), "train"), 16000);
  EXPECT_EQ(letters.table.split[15999], "train");
  EXPECT_EQ(letters.table.split[16000], "test");
  EXPECT_EQ(letters.store->shape("features"), std::vector<Index>{16});
  // The counts of the UCI note: 789 A, 766 B, ..., 734 Z.
  EXPECT_EQ(std::count(letters.table.label.begin(), letters.table.label.end(), "A"), 789);
  EXPECT_EQ(std::count(letters.table.label.begin(), letters.table.label.end(), "B"), 766);
  EXPECT_EQ(std::count(letters.table.label.begin(), letters.table.label.end(), "Z"), 734);

  const std::filesystem::path other =
      testing_support::in_tree("/../shared/data/letter_recognition/letter_recognition.csv.gz");
  if (!std::filesystem::exists(other)) {
    GTEST_SKIP() << other << " is not here";
  }
  const CsvTable csv = CsvTable::load(other);
  EXPECT_EQ(csv.texts(csv.column("letter")), letters.table.label);
  std::vector<Index> columns;
  std::vector<Index> rows;
  for (Index i = 0; i < 16; ++i) {
    columns.push_back(csv.column("x_box") + i);
  }
  for (Index i = 0; i < 20000; ++i) {
    rows.push_back(i);
  }
  Matrix features(20000, 16);
  letters.store->gather("features", rows, features);
  EXPECT_EQ(csv.matrix(columns), features);
}

TEST(ShippedData, are_the_digits_without_a_split) {
  const Dataset digits = Catalog::standard().load("digits");
  EXPECT_EQ(digits.table.size(), 1797);
  EXPECT_TRUE(digits.table.split.empty());
  EXPECT_EQ(digits.store->shape("features"), std::vector<Index>{64});
  const std::vector<std::ptrdiff_t> known{178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
  for (std::size_t digit = 0; digit < known.size(); ++digit) {
    EXPECT_EQ(
        std::count(digits.table.label.begin(), digits.table.label.end(), std::to_string(digit)),
        known[digit]);
  }
}

}  // namespace
}  // namespace tyto
