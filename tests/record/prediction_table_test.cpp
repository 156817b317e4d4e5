// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/foreign/prediction_table.hpp"

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

PredictionTableOptions with_known(const std::string& labels) {
  PredictionTableOptions options;
  options.known = KnownList::parse(labels);
  return options;
}

Phase only_phase(const TableRecord& record) {
  EXPECT_EQ(record.phases().size(), 1u);
  return record.phase(record.phases().front());
}

std::string why_refused(const std::string& csv, const PredictionTableOptions& options = {}) {
  try {
    const TableRecord record(CsvTable::parse(csv, "p.csv"), options);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "not refused";
}

double table_value(const RunRecord& record, std::string_view view, std::string_view measure) {
  for (const MeasureRow& row : measure_run(record)) {
    if (row.step == kAllSteps && row.view == view && row.measure == measure) {
      return row.value.value();
    }
  }
  ADD_FAILURE() << view << ' ' << measure;
  return 0.0;
}

// The worked example of docs/measures.md.
constexpr const char* kWorked =
    "id,label,predicted\n"
    "1,A,A\n2,A,A\n3,A,A\n4,A,B\n5,B,B\n6,B,B\n7,B,unknown\n8,B,A\n9,X,unknown_0\n"
    "10,X,unknown_0\n11,X,A\n12,Y,unknown_1\n13,Y,unknown_0\n14,Y,unknown\n";

TEST(TableRecord, gives_the_numbers_of_the_worked_example) {
  const TableRecord record(CsvTable::parse(kWorked, "p.csv"), with_known("A,B"));
  EXPECT_NEAR(table_value(record, "raw", "accuracy"), 0.357143, 1e-6);
  EXPECT_NEAR(table_value(record, "raw", "nmi"), 0.463243, 1e-6);
  EXPECT_NEAR(table_value(record, "classification", "mcc"), 0.566947, 1e-6);
  EXPECT_NEAR(table_value(record, "detection", "balanced_accuracy"), 0.854167, 1e-6);
  EXPECT_NEAR(table_value(record, "recognition", "nmi"), 0.504935, 1e-6);
  EXPECT_DOUBLE_EQ(table_value(record, "detection", "detection_rate"), 5 / 6.);
  EXPECT_DOUBLE_EQ(table_value(record, "detection", "false_alarm_rate"), 1 / 8.);
  EXPECT_DOUBLE_EQ(table_value(record, "classification", "accepted_accuracy"), 5 / 7.);
  EXPECT_DOUBLE_EQ(table_value(record, "detection", "reaction_time"), 0.0);
}

TEST(TableRecord, takes_for_known_what_is_predicted_unless_told) {
  const TableRecord record(CsvTable::parse(kWorked, "p.csv"), {});
  EXPECT_THAT(only_phase(record).known, ElementsAre("A", "B"));  // not unknown, unknown_0
  EXPECT_THAT(record.notes(), testing::Contains(HasSubstr("known classes: the 2 that are ever")));
  EXPECT_DOUBLE_EQ(table_value(record, "detection", "detection_rate"), 5 / 6.);
}

TEST(TableRecord, decides_for_the_most_probable_class_and_ties_go_to_the_first_column) {
  const TableRecord record(CsvTable::parse("id,label,p_B,p_A,p_unknown\n"
                                           "a,A,0.4,0.4,0.2\n"
                                           "b,B,0.1,0.2,0.7\n"
                                           "c,C,0,1,0\n",
                                           "p.csv"),
                           {});
  const Phase phase = only_phase(record);
  EXPECT_EQ(phase.decision(0), "B");
  EXPECT_EQ(phase.space.name(static_cast<Label>(phase.top(0, 1))), "A");
  EXPECT_EQ(phase.top(0, 3), -1);
  EXPECT_EQ(phase.decision(1), "unknown");
  EXPECT_THAT(phase.known, ElementsAre("B", "A"));
  EXPECT_THAT(phase.novelty, ElementsAre(0.6F, 0.8F, 0.0F));  // 1 - largest of A and B
  EXPECT_THAT(phase.p_true, ElementsAre(0.4F, 0.1F, 0.0F));
  EXPECT_THAT(phase.p_unknown, ElementsAre(0.2F, 0.7F, 0.0F));
  EXPECT_THAT(phase.confidence, ElementsAre(0.4F, 0.7F, 1.0F));
}

TEST(TableRecord, counts_known_columns_alone_in_the_novelty_score) {
  const TableRecord record(
      CsvTable::parse("id,label,A,B,C\n1,A,0.2,0.3,0.5\n2,C,0.9,0.1,0\n", "p.csv"),
      with_known("A,B"));
  EXPECT_THAT(only_phase(record).novelty, ElementsAre(0.7F, 0.1F));
}

TEST(TableRecord, keeps_a_decision_that_is_not_the_most_probable_one) {
  const TableRecord record(CsvTable::parse("id,label,predicted,score,p_A,p_B\n"
                                           "1,A,B,0.25,0.9,0.1\n"
                                           "2,B,unknown,0.75,0.2,0.8\n",
                                           "p.csv"),
                           {});
  const Phase phase = only_phase(record);
  EXPECT_EQ(phase.decision(0), "B");
  EXPECT_EQ(phase.space.name(static_cast<Label>(phase.top(0, 1))), "A");
  EXPECT_EQ(phase.decision(1), "unknown");
  EXPECT_EQ(phase.space.name(static_cast<Label>(phase.top(1, 1))), "B");
  EXPECT_THAT(phase.confidence, ElementsAre(0.1F, 0.0F));
  EXPECT_THAT(phase.novelty, ElementsAre(0.25F, 0.75F));
}

TEST(TableRecord, ranks_the_five_best_of_many) {
  const TableRecord record(CsvTable::parse("id,label,a,b,c,d,e,f\n"
                                           "1,f,0.05,0.3,0.1,0.3,0.2,0.05\n",
                                           "p.csv"),
                           {});
  const Phase phase = only_phase(record);
  std::string order;
  for (Index rank = 0; rank < 5; ++rank) {
    order += phase.space.name(static_cast<Label>(phase.top(0, rank)));
  }
  EXPECT_EQ(order, "bdeca");
}

TEST(TableRecord, reads_the_published_layout_of_kowl) {
  const TableRecord record(
      CsvTable::parse("youtube_id,time_start,time_end,target_labels,unknown,juggling,phase\n"
                      "dQw4w9WgXcQ,10,20,juggling,0.25,0.5,0.25\n",
                      "preds.csv"),
      {});
  EXPECT_EQ(record.truth()->name.front(), "dQw4w9WgXcQ_000010_000020");
  const Phase phase = only_phase(record);
  EXPECT_EQ(phase.decision(0), "juggling");
  EXPECT_EQ(phase.p_unknown.front(), 0.25F);
}

TEST(TableRecord, parts_rows_into_phases_in_the_order_of_increments) {
  const TableRecord record(CsvTable::parse("id,true,prediction,increment,phase,split\n"
                                           "a,A,A,2,pre,test\n"
                                           "a,A,A,1,pre,test\n"
                                           "a,A,B,1,post,test\n"
                                           "b,B,B,1,pre,test\n",
                                           "p.csv"),
                           {});
  EXPECT_THAT(record.phases(), ElementsAre(PhaseKey{1, "pre", "test"}, PhaseKey{1, "post", "test"},
                                           PhaseKey{2, "pre", "test"}));
  const Phase first = record.phase({1, "pre", "test"});
  EXPECT_THAT(first.sample, ElementsAre(SampleId{1}, SampleId{3}));
  EXPECT_EQ(first.decision(1), "B");
}

TEST(TableRecord, keeps_the_columns_that_are_wanted) {
  PredictionTableOptions options;
  options.wanted = {"subject"};
  const TableRecord record(
      CsvTable::parse("id,label,predicted,subject\n1,A,A,s1\n2,A,A,\n", "p.csv"), options);
  EXPECT_THAT(record.truth()->annotations.at("subject"), ElementsAre("s1", ""));
}

TEST(TableRecord, knows_discovered_classes_by_name) {
  const TableRecord record(
      CsvTable::parse("id,label,predicted\n1,X,discovered_2\n2,A,A\n", "p.csv"), {});
  EXPECT_EQ(only_phase(record).decision(0), "discovered_2");
  EXPECT_THAT(only_phase(record).known, ElementsAre("A"));
  EXPECT_THAT(why_refused("id,label,predicted\n1,X,discovered_99999999999\n"),
              HasSubstr("discovered"));
}

TEST(TableRecord, names_a_missing_column_and_its_likely_spelling) {
  EXPECT_THAT(why_refused("id,lable,predicted\n1,A,A\n"),
              AllOf(HasSubstr("p.csv: no column holds the actual class"),
                    HasSubstr("did you mean \"lable\""), HasSubstr("or name it")));
  EXPECT_THAT(why_refused("name,label,predicted\n1,A,A\n"),
              HasSubstr("no column holds the name of the sample: call it id, or name it"));
  try {
    static_cast<void>(find_columns(CsvTable::parse("id,lable,predicted\n1,A,A\n", "p.csv"), {}));
    FAIL();
  } catch (const ColumnNotFound& problem) {
    EXPECT_EQ(problem.role(), ColumnRole::truth);
  }
  EXPECT_THAT(why_refused("id,label,predcited\n1,A,A\n"),
              AllOf(HasSubstr("predcited"), HasSubstr("two classes or more")));
  EXPECT_THAT(why_refused("id,label\n1,A\n"), HasSubstr("no column holds the decision"));
  PredictionTableOptions options;
  options.columns.predicted = "guess";
  EXPECT_THAT(why_refused("id,label,gues\n1,A,A\n", options),
              HasSubstr("no column is called \"guess\" (did you mean \"gues\"?)"));
}

TEST(TableRecord, asks_which_where_two_columns_could_be_meant) {
  EXPECT_EQ(why_refused("id,label,target,predicted\n1,A,B,A\n"),
            "p.csv: the columns \"label\" and \"target\" could both hold the actual class; name "
            "the right one");
  PredictionTableOptions options;
  options.columns.truth = "target";
  const TableRecord record(CsvTable::parse("id,label,target,predicted\n1,A,B,A\n", "p.csv"),
                           options);
  EXPECT_EQ(record.truth()->label.front(), "B");
}

TEST(TableRecord, refuses_what_is_no_probability) {
  EXPECT_THAT(why_refused("id,label,A,B\n1,A,0.5,0.5\n2,A,0.5,half\n"),
              HasSubstr("p.csv: line 3, column \"B\": \"half\" is not a number"));
  EXPECT_THAT(why_refused("id,label,A,B\n1,A,1.5,-0.5\n"),
              AllOf(HasSubstr("line 2, column \"B\": the probability -0.5 is negative"),
                    HasSubstr("logits")));
  EXPECT_THAT(why_refused("id,label,A,B\n1,A,0.5,nan\n"), HasSubstr("nan is not finite"));
  EXPECT_THAT(why_refused("id,label,A,B\n1,A,0.5,0.4\n"),
              AllOf(HasSubstr("p.csv: line 2: the 2 probabilities, from column \"A\" on, sum to "
                              "0.9, not to 1 within 0.001"),
                    HasSubstr("something else")));
  EXPECT_THAT(why_refused("id,label,A,B\n1,A,7.5,0.4\n"), HasSubstr("logits"));
  EXPECT_EQ(why_refused("id,label,A,B\n1,A,0.5,0.5009\n"), "not refused");
}

TEST(TableRecord, refuses_rows_that_say_nothing_or_say_it_twice) {
  EXPECT_THAT(why_refused("id,label,predicted\n"), HasSubstr("p.csv: has no rows"));
  EXPECT_THAT(why_refused("id,label,predicted\n1,,A\n"),
              HasSubstr("line 2, column \"label\": the actual class is empty"));
  EXPECT_THAT(why_refused("id,label,predicted\n1,A,A\n2,A,\n"),
              HasSubstr("line 3, column \"predicted\": the decision is empty"));
  EXPECT_THAT(why_refused("id,label,predicted\n,A,A\n"), HasSubstr("the id is empty"));
  EXPECT_EQ(
      why_refused("id,label,predicted\na,A,A\nb,A,A\na,A,A\n"),
      "p.csv: line 4, column \"id\": the id \"a\" stands already in line 2 of the same phase");
  EXPECT_EQ(why_refused("id,label,predicted,increment\na,A,A,1\na,A,A,2\n"), "not refused");
  EXPECT_THAT(why_refused("id,label,predicted,increment\na,A,A,one\n"), HasSubstr("\"one\""));
  EXPECT_THAT(why_refused("id,label,predicted,novelty\na,A,A,high\n"),
              HasSubstr("line 2, column \"novelty\": \"high\" is not a number"));
  EXPECT_THAT(why_refused("id,label,predicted,novelty\na,A,A,nan\n"), HasSubstr("novelty score"));
}

TEST(TableRecord, finds_every_double_among_many) {  // against the flat table of rows
  std::string csv = "id,label,predicted\n";
  for (int i = 0; i < 3000; ++i) {
    csv += "sample" + std::to_string(i * 7919 % 3000) + ",A,A\n";
  }
  EXPECT_EQ(why_refused(csv), "not refused");
  EXPECT_THAT(why_refused(csv + "sample1234,A,A\n"), HasSubstr("line 3002"));
}

TEST(KnownList, grows_with_the_increments) {
  const testing_support::Scratch scratch;
  write_file(scratch / "known.csv", "increment,label,phase\n0,A,\n1,X,post\n2,Y,pre\n0,A,\n");
  const KnownList list = KnownList::load(scratch / "known.csv");
  EXPECT_THAT(list.at(0, "post"), ElementsAre("A"));
  EXPECT_THAT(list.at(1, "pre"), ElementsAre("A"));
  EXPECT_THAT(list.at(1, "post"), ElementsAre("A", "X"));
  EXPECT_THAT(list.at(2, "pre"), ElementsAre("A", "X", "Y"));
}

TEST(KnownList, is_a_file_or_words) {
  const testing_support::Scratch scratch;
  write_file(scratch / "known.txt", "A\r\n\n riding a bike \n");
  EXPECT_THAT(KnownList::parse((scratch / "known.txt").string()).labels(),
              ElementsAre("A", "riding a bike"));
  EXPECT_THAT(KnownList::parse("A, B,A").at(0, "pre"), ElementsAre("A", "B"));
  EXPECT_THROW(static_cast<void>(KnownList::parse(" , ")), Error);
  EXPECT_THAT(why_refused(kWorked, with_known("known.txt")),
              AllOf(HasSubstr("\"known.txt\""), HasSubstr("a file meant that does not exist")));
}

}  // namespace
}  // namespace tyto
