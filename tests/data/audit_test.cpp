// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/audit.hpp"

#include <cmath>
#include <limits>

#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"
#include "tyto/data/catalog.hpp"

namespace tyto {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two classes, 4 train and 4 test samples each, no two alike.
Dataset sound_dataset() {
  Dataset dataset;
  dataset.name = "sound";
  Matrix values(16, 3);
  Rng rng(5, "sound");
  for (Index i = 0; i < 16; ++i) {
    const auto at = std::to_string(i);
    dataset.table.id.push_back("s" + at);
    dataset.table.label.emplace_back(i % 2 == 0 ? "walk" : "run");
    dataset.table.split.emplace_back(i < 8 ? "train" : "test");
    dataset.table.group.push_back((i < 8 ? "a" : "b") + std::to_string(i % 3));
    for (Index j = 0; j < 3; ++j) {
      values(i, j) = static_cast<float>(rng.normal());
    }
  }
  dataset.store = std::make_shared<DenseStore>(values);
  return dataset;
}

Matrix values_of(const Dataset& dataset) {
  std::vector<Index> rows;
  for (Index i = 0; i < dataset.store->rows(); ++i) {
    rows.push_back(i);
  }
  Matrix out(dataset.store->rows(), dataset.store->shape("features").front());
  dataset.store->gather("features", rows, out);
  return out;
}

void set_values(Dataset& dataset, const Matrix& values) {
  dataset.store = std::make_shared<DenseStore>(values);
}

Audit audit_of(const Dataset& dataset, AuditOptions options = {}) {
  Progress silent;
  return audit_dataset(dataset, {}, options, silent);
}

// "problem alike_labels" and the like.
std::vector<std::string> rules(const Audit& audit) {
  std::vector<std::string> out;
  for (const Finding& finding : audit.findings) {
    out.push_back(std::string(to_word(finding.weight)) + " " + finding.rule);
  }
  return out;
}

const Finding& only(const Audit& audit) {
  EXPECT_EQ(audit.findings.size(), 1U);
  return audit.findings.at(0);
}

TEST(Audit, finds_nothing_in_a_sound_dataset) {
  const Audit audit = audit_of(sound_dataset());
  EXPECT_THAT(rules(audit), IsEmpty());
  EXPECT_EQ(audit.problems(), 0);
  EXPECT_EQ(audit.verdict, "nothing found that would spoil an evaluation");
  EXPECT_EQ(audit.near.distinct, 16);
  EXPECT_FALSE(audit.near.are_drawn);
}

TEST(Audit, finds_rows_repeated_in_one_split) {
  Dataset dataset = sound_dataset();
  Matrix values = values_of(dataset);
  values.row(4) = values.row(2);  // both walk, both train
  set_values(dataset, values);
  const Audit audit = audit_of(dataset);
  EXPECT_THAT(rules(audit), ElementsAre("note repeated_rows"));
  EXPECT_EQ(only(audit).text, "1 row repeats an earlier one exactly");
  EXPECT_THAT(only(audit).examples, ElementsAre("\"s4\" in train = \"s2\" in train"));
  EXPECT_EQ(audit.verdict, "1 note, no problem");
}

TEST(Audit, takes_zero_and_minus_zero_for_equal) {
  Dataset dataset = sound_dataset();
  Matrix values = values_of(dataset);
  values.row(2).setZero();
  values.row(4).setConstant(-0.0F);
  set_values(dataset, values);
  EXPECT_THAT(rules(audit_of(dataset)), ElementsAre("note repeated_rows"));
}

TEST(Audit, finds_rows_of_train_in_the_test) {
  Dataset dataset = sound_dataset();
  dataset.table.split[15] = "validate";
  dataset.table.group[15] = "c0";
  Matrix values = values_of(dataset);
  values.row(12) = values.row(2);
  values.row(15) = values.row(1);
  set_values(dataset, values);
  const Audit audit = audit_of(dataset);
  EXPECT_THAT(rules(audit),
              ElementsAre("problem rows_across_splits", "problem rows_across_splits",
                          "note repeated_rows", "note class_missing", "note rare_in_split"));
  EXPECT_EQ(audit.findings[0].text, "1 validate row is equal to a row of the split train");
  EXPECT_EQ(audit.findings[1].text, "1 test row is equal to a row of the split train");
  EXPECT_THAT(audit.findings[1].examples, ElementsAre("\"s12\" in test = \"s2\" in train"));
  EXPECT_EQ(audit.findings[3].text, "1 class is missing in the split validate: walk");
  EXPECT_EQ(audit.findings[4].text, "1 class has a single sample in the split validate: run");
}

TEST(Audit, finds_equal_rows_with_different_labels) {
  Dataset dataset = sound_dataset();
  Matrix values = values_of(dataset);
  values.row(3) = values.row(2);
  set_values(dataset, values);
  const Audit audit = audit_of(dataset);
  EXPECT_THAT(rules(audit), ElementsAre("problem contradictory_labels", "note repeated_rows"));
  EXPECT_EQ(audit.findings[0].text, "2 rows are equal to a row of another label");
  EXPECT_THAT(audit.findings[0].examples, ElementsAre("\"s2\" is \"walk\", \"s3\" is \"run\""));
}

TEST(Audit, takes_no_label_for_no_contradiction) {
  Dataset dataset = sound_dataset();
  dataset.table.label[2] = "";
  Matrix values = values_of(dataset);
  values.row(3) = values.row(2);
  set_values(dataset, values);
  EXPECT_THAT(rules(audit_of(dataset)), ElementsAre("note unlabelled", "note repeated_rows"));
}

TEST(Audit, compares_samples_of_several_frames_as_wholes) {
  Dataset dataset = sound_dataset();
  Matrix values(32, 3);  // two frames each; sample 4 repeats 2, sample 6 shares one frame with 0
  values << values_of(dataset), 2 * values_of(dataset);
  values.middleRows(8, 2) = values.middleRows(4, 2);
  values.row(12) = values.row(0);
  dataset.table.frames.assign(16, 2);
  set_values(dataset, values);
  const Audit audit = audit_of(dataset);
  EXPECT_THAT(rules(audit), ElementsAre("note repeated_rows"));
  EXPECT_THAT(only(audit).examples, ElementsAre("\"s4\" in train = \"s2\" in train"));
}

TEST(Audit, finds_rows_that_are_almost_equal) {
  Dataset dataset = sound_dataset();
  Matrix values = values_of(dataset);
  values.row(4) = values.row(2).array() + 0.001F;
  set_values(dataset, values);
  const Audit inside = audit_of(dataset);
  EXPECT_THAT(rules(inside), ElementsAre("note near_rows"));
  EXPECT_THAT(only(inside).text, HasSubstr("2 distinct rows are not equal to any other"));
  EXPECT_EQ(only(inside).examples.size(), 1U);      // each is the other's nearest
  values.row(12) = values.row(3).array() + 0.001F;  // run in train, walk in test
  set_values(dataset, values);
  const Audit across = audit_of(dataset);
  EXPECT_THAT(rules(across), ElementsAre("problem near_rows_across_splits", "note near_rows"));
  EXPECT_THAT(across.findings[0].text, HasSubstr("1 validate or test row is"));
  EXPECT_THAT(across.findings[0].text, HasSubstr("1 of them has another label"));
  EXPECT_THAT(across.findings[0].examples.at(0), HasSubstr("\"s12\" and \"s3\": 0.00"));
  AuditOptions blind;
  blind.near.share = 0;
  EXPECT_THAT(rules(audit_of(dataset, blind)), IsEmpty());
}

TEST(Audit, finds_groups_on_both_sides) {
  Dataset dataset = sound_dataset();
  dataset.table.group[9] = "a1";
  const Audit audit = audit_of(dataset);
  EXPECT_THAT(rules(audit), ElementsAre("problem group_across_splits"));
  EXPECT_THAT(only(audit).examples, ElementsAre("group a1: \"s9\" in test, \"s1\" in train"));
}

TEST(Audit, finds_names_that_are_alike) {
  Dataset ids = sound_dataset();
  ids.table.id[3] = "S 2";
  EXPECT_THAT(rules(audit_of(ids)), ElementsAre("problem alike_ids"));
  EXPECT_THAT(only(audit_of(ids)).examples, ElementsAre("\"s2\" and \"S 2\""));
  Dataset groups = sound_dataset();
  for (std::string& group : groups.table.group) {
    group = group == "a0" ? "A1" : group;
  }
  EXPECT_THAT(rules(audit_of(groups)), ElementsAre("problem alike_groups"));
  EXPECT_EQ(only(audit_of(groups)).text,
            "1 group differs from an earlier one only in case or blanks");
}

TEST(Audit, finds_labels_that_are_alike) {
  Dataset dataset = sound_dataset();
  for (const std::size_t i : {0U, 2U, 8U, 10U}) {
    dataset.table.label[i] = "slow_walk";
  }
  for (const std::size_t i : {4U, 6U, 12U, 14U}) {
    dataset.table.label[i] = "Slow-Walk";
  }
  EXPECT_EQ(
      only(audit_of(dataset)).text,
      "the labels \"Slow-Walk\" and \"slow_walk\" differ only in case, blanks, \"_\" or \"-\"");
  EXPECT_THAT(rules(audit_of(dataset)), ElementsAre("problem alike_labels"));
  dataset = sound_dataset();
  for (std::string& label : dataset.table.label) {
    label = label == "run" ? "run " : label;
  }
  EXPECT_THAT(rules(audit_of(dataset)), ElementsAre("problem label_blanks"));
}

TEST(Audit, finds_columns_that_say_nothing_or_the_same) {
  Dataset dataset = sound_dataset();
  Matrix values(16, 5);
  values << values_of(dataset), Matrix::Constant(16, 1, 7), values_of(dataset).col(1);
  set_values(dataset, values);
  const Audit audit = audit_of(dataset);
  EXPECT_THAT(rules(audit), ElementsAre("note constant_column", "note equal_columns"));
  EXPECT_THAT(audit.findings[0].examples, ElementsAre("3"));
  EXPECT_THAT(audit.findings[1].examples, ElementsAre("4 = 1"));
}

TEST(Audit, counts_bad_values_by_column) {
  Dataset dataset = sound_dataset();
  Matrix values = values_of(dataset);
  values(3, 1) = std::numeric_limits<float>::quiet_NaN();
  values(7, 1) = std::numeric_limits<float>::infinity();
  values(5, 2) = -std::numeric_limits<float>::infinity();
  set_values(dataset, values);
  const Audit audit = audit_of(dataset);
  EXPECT_THAT(rules(audit), ElementsAre("problem not_finite"));
  EXPECT_THAT(only(audit).examples, ElementsAre("column 1: 2 values, first in \"s3\"",
                                                "column 2: 1 value, first in \"s5\""));
  EXPECT_EQ(audit.near.distinct, 13);
}

TEST(Audit, finds_rare_and_missing_classes_and_labels) {
  Dataset dataset = sound_dataset();
  dataset.table.label[0] = "";
  dataset.table.label[9] = "jump";
  const Audit audit = audit_of(dataset);
  EXPECT_THAT(rules(audit),
              ElementsAre("note rare_class", "note class_missing", "note unlabelled"));
  EXPECT_THAT(audit.findings[2].examples, ElementsAre("\"s0\""));
}

TEST(Audit, gives_no_more_examples_than_asked_for) {
  Dataset dataset = sound_dataset();
  Matrix values = values_of(dataset);
  for (const Index i : {2, 4, 6}) {
    values.row(i) = values.row(0);
  }
  set_values(dataset, values);
  AuditOptions options;
  options.limit = 2;
  EXPECT_EQ(only(audit_of(dataset, options)).text, "3 rows repeat an earlier one exactly");
  EXPECT_EQ(only(audit_of(dataset, options)).examples.size(), 2U);
}

TEST(Audit, reports_what_the_loader_refuses) {
  const TestFolder folder;
  std::string csv = "id,label,split,x,y\n";
  for (int i = 0; i < 8; ++i) {
    csv += "w" + std::to_string(i) + (i % 2 == 0 ? ",walk," : ",run,") +
           (i < 4 ? "train," : "test,") + std::to_string(i) + "," + std::to_string(i * i) + "\n";
  }
  write_file(folder / "dataset.yaml", "index: a.csv\nfeatures: [{columns: [x, y]}]\n");
  write_file(folder / "a.csv", csv + "w3,walk,train,,4.5\n,run,sunday,9,90\nw9,unknown,test,3,1\n");
  EXPECT_THAT(refusal([&] { load_dataset(folder.path()); }), HasSubstr("is not a number"));
  Progress silent;
  const Audit audit = audit_file(folder.path(), {}, silent);
  EXPECT_THAT(rules(audit),
              ElementsAre("problem no_number", "problem repeated_id", "problem empty_id",
                          "problem reserved_label", "problem unknown_split", "problem not_finite",
                          "note unlabelled"));
  EXPECT_EQ(audit.findings[1].text,
            "1 row has an id that stands already in an earlier one; such a dataset is refused by "
            "every other command");
  EXPECT_THAT(audit.findings[1].examples.at(0),
              HasSubstr("line 10, column \"id\": the id \"w3\" stands already in line 5"));
  EXPECT_THAT(audit.findings[6].examples, ElementsAre("\"w9\" (line 12)"));
}

TEST(Audit, says_why_a_dataset_cannot_be_read) {
  const TestFolder folder;
  write_file(folder / "dataset.yaml", "index: a.csv\nfeatures: [{columns: [z]}]\n");
  write_file(folder / "a.csv", "id,label,x\n1,a,2\n");
  Progress silent;
  const Audit audit = audit_file(folder.path(), {}, silent);
  EXPECT_THAT(rules(audit), ElementsAre("problem cannot_be_read"));
  EXPECT_THAT(only(audit).text, HasSubstr("no column is called \"z\""));
}

TEST(Audit, finds_the_repeated_letters) {
  AuditOptions options;
  options.near.share = 0;
  const Audit audit = audit_of(Catalog::standard().load("letters"), options);
  EXPECT_THAT(rules(audit), Contains("problem rows_across_splits"));
  EXPECT_THAT(rules(audit), Contains("note repeated_rows"));
}

}  // namespace
}  // namespace tyto
