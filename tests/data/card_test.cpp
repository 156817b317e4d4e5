// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/card.hpp"

#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/data/catalog.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::Not;

DataCard card_of(const std::filesystem::path& path) {
  Progress silent;
  AuditOptions options;
  options.near.share = 0;
  return make_card(path, options, silent);
}

TEST(Card, of_letters_has_its_licence_and_counts) {
  const DataCard card = card_of(Catalog::standard().find("letters"));
  const std::string text = card_markdown(card);
  EXPECT_THAT(text, HasSubstr("# letters\n"));
  EXPECT_THAT(text, HasSubstr("- licence: CC BY 4.0\n"));
  EXPECT_THAT(text, HasSubstr("- importer: not stated\n"));
  EXPECT_THAT(text, HasSubstr("20000 samples, 0 without a label."));
  EXPECT_THAT(text, HasSubstr("- split test: 4000\n- split train: 16000\n- groups: none given\n"));
  EXPECT_THAT(text, HasSubstr("26 classes; samples per class: 734 to 813, median"));
  EXPECT_THAT(text, HasSubstr("| A | 789 | 156 | 633 |\n"));
  EXPECT_THAT(text, HasSubstr("\nand 6 more\n"));
  EXPECT_THAT(text, HasSubstr("- problem: 380 test rows are equal to a row of the split train\n"));
  ASSERT_EQ(card.files.size(), 2U);
  EXPECT_EQ(card.files[1].name, "letters.csv.gz");
}

TEST(Card, says_what_nobody_stated_and_invents_nothing) {
  const TestFolder folder;
  write_file(folder / "dataset.yaml",
             "name: mine\nabout: {license: CC0, sensor: 'a|b'}\nindex: a.csv\n"
             "features: [{columns: [x]}]\n");
  write_file(folder / "a.csv", "id,label,x\n1,a,2\n2,a,5\n3,a,9\n4,b,1\n");
  const DataCard card = card_of(folder.path());
  const std::string text = card_markdown(card);
  EXPECT_THAT(text, HasSubstr("Summary: not stated."));
  for (const char* key :
       {"origin", "citation", "importer", "units", "intended use", "prior knowledge"}) {
    EXPECT_THAT(text, HasSubstr("- " + std::string(key) + ": not stated\n"));
  }
  EXPECT_THAT(text, HasSubstr("- licence: CC0\n"));
  EXPECT_THAT(text, HasSubstr("- sensor: a\\|b\n"));
  EXPECT_THAT(text, HasSubstr("- splits: none given\n"));
  EXPECT_THAT(text, HasSubstr("| features | 1 | 1 | 9 | 4.25 | x |"));
  EXPECT_THAT(
      text,
      HasSubstr("2 classes; samples per class: 1 to 3, median 2; largest to smallest 3 : 1."));
  EXPECT_THAT(text, HasSubstr("- note: 1 class has fewer than 2 samples: b\n"));
  EXPECT_THAT(text, Not(HasSubstr("problem:")));
  ASSERT_EQ(card.files.size(), 2U);
  EXPECT_EQ(card.files[1].bytes, std::string("id,label,x\n1,a,2\n2,a,5\n3,a,9\n4,b,1\n").size());
  EXPECT_FALSE(card.files[1].digest.empty());
}

}  // namespace
}  // namespace tyto
