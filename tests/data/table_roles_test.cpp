// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/table_roles.hpp"

#include "support/scratch.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/described_table.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;
using testing_support::Scratch;

TableRoles roles_in(const std::string& text, const AskedRoles& asked = {}) {
  return find_roles(CsvTable::parse(text, "t.csv"), asked);
}

template <class Call>
std::string why_not(const Call& call) {
  try {
    call();
  } catch (const Error& problem) {
    return problem.what();
  }
  return "nothing was refused";
}

TEST(TableRoles, are_found_by_usual_names_however_written) {
  const TableRoles roles = roles_in(
      "Sample ID,Class,Patient,Split,Timestamp,height,width\n"
      "a,oak,p1,train,1,2.5,3\nb,oak,p1,train,2,2,3\nc,elm,p2,test,3,1,4\nd,elm,p2,test,4,1,4\n");
  EXPECT_THAT(roles.column, UnorderedElementsAre(Pair("id", "Sample ID"), Pair("label", "Class"),
                                                 Pair("group", "Patient"), Pair("split", "Split"),
                                                 Pair("time", "Timestamp")));
  EXPECT_THAT(roles.features, ElementsAre("height", "width"));
  EXPECT_THAT(roles.doubts, IsEmpty());
}

TEST(TableRoles, words_that_repeat_are_classes_where_no_name_tells_them_and_that_is_a_doubt) {
  const TableRoles roles = roles_in("x,kind of tree\n1,oak\n2,oak\n3,elm\n4,elm\n");
  EXPECT_THAT(roles.column, Contains(Pair("label", "kind of tree")));
  EXPECT_THAT(roles.doubts, ElementsAre(HasSubstr("the only column of words that repeat")));
  const TableRoles names = roles_in("x,person\n1,ann\n2,bob\n3,cid\n4,dan\n");
  EXPECT_FALSE(names.column.contains("label"));  // each once: no classes
}

TEST(TableRoles, a_column_that_counts_the_rows_is_never_a_feature) {
  std::string text = "Unnamed: 0,n,class,x\n";
  for (int i = 0; i < 12; ++i) {
    text += fmt::format("{},{},{},{}\n", i, i + 1, i % 2 == 0 ? "a" : "b", i * 7 % 5);
  }
  const TableRoles roles = roles_in(text);
  EXPECT_THAT(roles.column, Contains(Pair("id", "Unnamed: 0")));
  EXPECT_THAT(roles.features, ElementsAre("x"));
  EXPECT_THAT(roles.ignored, ElementsAre("n"));
  EXPECT_THAT(roles.doubts, IsEmpty());
}

TEST(TableRoles, gaps_words_and_measured_targets_are_no_features_and_are_told) {
  const TableRoles roles =
      roles_in("id,target,age,note,x\n1,0.5,3,a,1\n1,0.25,,b,2\n2,0.75,5,c,3\n2,0.125,6,d,4\n");
  EXPECT_THAT(roles.features, ElementsAre("x"));
  EXPECT_THAT(roles.doubts,
              UnorderedElementsAre(
                  AllOf(HasSubstr("\"id\" has 2 values in 4 rows"), HasSubstr("is it a group?")),
                  HasSubstr("\"target\" has 4 values in 4 rows: too many for classes"),
                  HasSubstr("\"age\" is no feature: line 3 holds nothing"),
                  HasSubstr("\"note\" is no feature: line 2 holds \"a\"")));
  EXPECT_THAT(roles.ignored, ElementsAre("id"));  // the reader of datasets would refuse it
}

TEST(TableRoles, a_name_that_ends_as_ids_do_is_one_where_values_differ) {
  EXPECT_THAT(roles_in("tree_id,humid,x\na,1,5\nb,2,5\nc,4,6\n").column,
              ElementsAre(Pair("id", "tree_id")));
  EXPECT_THAT(roles_in("humid,x\n1,5\n2,5\n4,6\n").features, ElementsAre("humid", "x"));
}

TEST(TableRoles, y_beside_x_is_a_coordinate) {
  EXPECT_THAT(roles_in("x,y\n1,1\n2,1\n1,2\n2,2\n").features, ElementsAre("x", "y"));
  EXPECT_THAT(roles_in("a,y\n1,0\n2,0\n5,1\n2,1\n").column, Contains(Pair("label", "y")));
}

TEST(TableRoles, a_user_has_the_last_word) {
  const std::string text = "class,kind,x,z\na,p,1,2\na,p,2,2\nb,q,3,2\nb,q,4,2\n";
  const TableRoles roles = roles_in(text, {"", "kind", "", "", {"z"}});
  EXPECT_THAT(roles.column, Contains(Pair("label", "kind")));
  EXPECT_THAT(roles.features, ElementsAre("x"));
  EXPECT_THAT(roles.ignored, ElementsAre("z"));
  EXPECT_THAT(why_not([&] {
                roles_in(text, {"", "knd", "", "", {}});
              }),
              HasSubstr("--label knd: t.csv has no such column (did you mean \"kind\"?)"));
  EXPECT_THAT(why_not([&] {
                roles_in(text, {"kind", "", "", "", {}});
              }),
              HasSubstr("--id kind: 2 of 4 rows have a name of their own"));
  EXPECT_THAT(why_not([&] {
                roles_in(text, {"", "", "", "kind", {}});
              }),
              HasSubstr("--split kind: its values are to be train"));
  EXPECT_THAT(why_not([&] { roles_in("class\na\na\nb\nb\n"); }),
              HasSubstr("no column is left to be a feature"));
}

TEST(DescribedTable, what_is_written_is_read_back_whatever_columns_are_called) {
  const Scratch scratch;
  write_file(
      scratch / "t.csv",
      "id;true;a b;\"c\"\"d\";yes;class;time\n"
      "r1;1;1,5;2;3;no;monday\nr2;2;2;2;3;no;monday\nr3;3;3;2;4;y;tuesday\nr4;4;4;2;4;y;x\n");
  const CsvTable csv = CsvTable::load(scratch / "t.csv");
  const TableRoles roles = find_roles(csv);
  write_file(scratch / "dataset.yaml", descriptor_text(csv, roles, "null", "t.csv"));
  const Dataset data = load_dataset(scratch.path());
  EXPECT_EQ(data.name, "null");
  EXPECT_THAT(data.table.id, ElementsAre("r1", "r2", "r3", "r4"));
  EXPECT_THAT(data.table.label, ElementsAre("no", "no", "y", "y"));
  EXPECT_TRUE(data.table.time.empty());  // words, so it is no time
  EXPECT_THAT(data.store->column_names("features"), ElementsAre("true", "a b", "c\"d", "yes"));
}

TEST(DescribedTable, a_plain_table_is_a_dataset_and_any_other_says_what_to_do) {
  const Scratch scratch;
  write_file(scratch / "plain.csv", "id,label,x\na,u,1\nb,u,2\nc,v,3\nd,v,4\n");
  const Catalog catalog({scratch.path()});
  const Dataset data = catalog.load((scratch / "plain.csv").string());
  EXPECT_EQ(data.name, "plain");
  EXPECT_THAT(data.table.label, ElementsAre("u", "u", "v", "v"));
  EXPECT_THAT(data.files.names, ElementsAre("plain.csv"));
  write_file(scratch / "odd.csv", "id,label,x,note\na,u,1,p\nb,u,2,q\nc,v,3,r\nd,v,4,s\n");
  EXPECT_THAT(
      why_not([&] { (void)catalog.load((scratch / "odd.csv").string()); }),
      AllOf(HasSubstr("\"note\" is no feature: line 2 holds \"p\""), HasSubstr("tyto data init")));
  // The descriptor beside it is what counts, once there is one.
  write_file(scratch / "dataset.yaml",
             "name: named\nindex: odd.csv\nfeatures:\n  - {source: features, columns: [x]}\n");
  EXPECT_EQ(catalog.load((scratch / "odd.csv").string()).name, "named");
  EXPECT_EQ(catalog.load((scratch / "plain.csv").string()).name, "plain");
}

TEST(DescribedTable, a_folder_without_descriptor_is_answered_with_what_to_do) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "mine");
  write_file(scratch / "mine/trees.csv", "a,b\n1,2\n");
  const Catalog catalog({scratch.path()});
  EXPECT_THAT(why_not([&] { (void)catalog.find((scratch / "mine").string()); }),
              AllOf(HasSubstr("mine: holds no dataset.yaml"),
                    HasSubstr("mine/trees.csv` writes one"), HasSubstr("tyto data import")));
  EXPECT_THAT(why_not([&] { (void)catalog.find((scratch / "none.csv").string()); }),
              HasSubstr("none.csv: there is no such file or folder"));
}

TEST(DescribedTable, columns_to_ignore_are_neither_role_nor_annotation) {
  const Scratch scratch;
  write_file(scratch / "t.csv", "id,time,x\nb,noon,1\nb,dusk,2\n");
  write_file(scratch / "dataset.yaml",
             "index: t.csv\nignore: [id, time]\nfeatures:\n  - {source: features, columns: [x]}\n");
  const Dataset data = load_dataset(scratch.path());
  EXPECT_THAT(data.table.id, ElementsAre("0", "1"));
  EXPECT_TRUE(data.table.annotations.empty());
}

}  // namespace
}  // namespace tyto
