// SPDX-License-Identifier: Apache-2.0
// A schedule that is written down: what is dealt when, under which name, and what is refused.
#include <map>

#include "support/scratch.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {
namespace {

namespace listed_world {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Rows r0 to r11, without labels.
Dataset bare_rows(Index rows = 12) {
  Dataset data;
  data.name = "features";
  for (Index i = 0; i < rows; ++i) {
    data.table.id.push_back(fmt::format("r{}", i));
    data.table.label.emplace_back();
  }
  data.store = std::make_shared<const DenseStore>(Matrix::Zero(rows, 1));
  return data;
}

// Two classes at the start, a third at increment 1.
constexpr std::string_view kPlain =
    "id,label,increment,split,who\n"
    "r5,cat,0,train,ann\n"
    "r0,dog,0,train,ben\n"
    "r1,dog,0,test,ben\n"
    "r2,cat,0,val,ann\n"
    "r3,owl,1,train,cy\n"
    "r4,cat,1,train,ann\n"
    "r6,owl,1,test,cy\n"
    "r7,dog,1,test,ann\n"
    "r8,owl,,test,cy\n"
    "r9,owl,1,,cy\n";

class ManifestWorld : public testing::Test {
 protected:
  std::unique_ptr<WorldSource> build(std::string_view table, const std::string& more = "",
                                     Dataset data = bare_rows()) {
    write_file(scratch / "m.csv", table);
    return build_yaml(fmt::format("{{kind: manifest, file: {}{}}}", (scratch / "m.csv").string(),
                                  more.empty() ? "" : ", " + more),
                      std::move(data));
  }

  static std::unique_ptr<WorldSource> build_yaml(const std::string& yaml, Dataset data) {
    std::vector<Dataset> datasets;
    datasets.push_back(std::move(data));
    return build_world(parse_yaml(yaml, "m.yaml"), "world", std::move(datasets), 7);
  }

  std::string refusal(std::string_view table, const std::string& more = "") {
    try {
      build(table, more);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  // "name:label" of a split, in the order dealt.
  static std::vector<std::string> dealt(const WorldSource& source, const World& world,
                                        std::string_view split) {
    std::vector<std::string> out;
    const Samples& samples = world.deal().find(split)->samples;
    for (Index i = 0; i < samples.size(); ++i) {
      const auto id = static_cast<std::size_t>(samples.id(i));
      out.push_back(source.truth()->name[id] + ":" + source.truth()->label[id]);
    }
    return out;
  }

  testing_support::Scratch scratch;
};

TEST_F(ManifestWorld, deals_what_the_table_says_under_the_names_it_says) {
  const auto source = build(kPlain, "order: listed");
  const auto world = source->make_world({});
  EXPECT_EQ(world->brief().steps, 2);
  ASSERT_TRUE(world->advance());
  EXPECT_THAT(dealt(*source, *world, "train"), ElementsAre("r5:cat", "r0:dog"));
  EXPECT_THAT(dealt(*source, *world, "validate"), ElementsAre("r2:cat"));
  EXPECT_THAT(dealt(*source, *world, "test"), ElementsAre("r1:dog"));
  ASSERT_TRUE(world->advance());
  EXPECT_THAT(dealt(*source, *world, "train"), ElementsAre("r3:owl", "r4:cat"));
  EXPECT_THAT(dealt(*source, *world, "test"), ElementsAre("r6:owl", "r7:dog"));
  EXPECT_THAT(world->shown_before(), UnorderedElementsAre("cat", "dog"));
  EXPECT_FALSE(world->advance());
}

TEST_F(ManifestWorld, calls_classes_otherwise_from_an_increment_on) {
  const auto source =
      build(kPlain, "order: listed, label_changes: [{increment: 1, merge: {pet: [cat, dog]}}]");
  const auto world = source->make_world({});
  ASSERT_TRUE(world->advance());
  EXPECT_THAT(dealt(*source, *world, "train"), ElementsAre("r5:cat", "r0:dog"));
  ASSERT_TRUE(world->advance());
  EXPECT_THAT(dealt(*source, *world, "train"), ElementsAre("r3:owl", "r4:pet"));
  EXPECT_THAT(world->shown_before(), ElementsAre("pet"));
  EXPECT_THAT(world->last_shown(), ElementsAre(0));
  ASSERT_EQ(world->label_changes().size(), 1U);
  EXPECT_THAT(source->facts().manifest, HasSubstr("r7,pet,1,test,known"));
  EXPECT_THAT(refusal(kPlain, "label_changes: [{increment: 2, rename: {cat: tom}}]"),
              HasSubstr("world.label_changes: increment 2 is never reached; the last one is 1"));
  EXPECT_THAT(refusal(kPlain, "label_changes: [{increment: 1, rename: {cow: ox}}]"),
              HasSubstr("no class is called \"cow\" then"));
}

// By looking through the deals of random tables.
TEST_F(ManifestWorld, says_when_each_class_was_last_shown) {
  Rng rng(5, "last shown");
  for (int round = 0; round < 20; ++round) {
    std::string table = "id,label,increment,split\n";
    Index row = 0;
    const Index steps = 2 + rng.below(5);
    const auto add = [&](std::string_view label, Index step, std::string_view split) {
      table += fmt::format("r{},{},{},{}\n", row++, label, step, split);
    };
    for (Index step = 0; step < steps; ++step) {
      add("always", step, "train");
      add("always", step, "test");
      if (step == 0) {
        add("start", 0, "train");
      }
      for (Index c = 0; c < 4; ++c) {
        if (rng.below(3) == 0) {
          add(fmt::format("c{}", c), step, rng.below(2) == 0 ? "train" : "test");
        }
      }
    }
    const auto source = build(table, "", bare_rows(row));
    const auto world = source->make_world({});
    std::map<std::string, Index> last{{"always", -1}, {"start", -1}};
    while (world->advance()) {
      const std::vector<std::string> shown = world->shown_before();
      const std::vector<Index> told = world->last_shown();
      ASSERT_EQ(shown.size(), told.size());
      for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto found = last.find(shown[i]);
        EXPECT_EQ(told[i], found == last.end() ? -1 : found->second) << shown[i] << "\n" << table;
      }
      for (const char* split : {"train", "test"}) {
        const Samples& samples = world->deal().find(split)->samples;
        for (Index i = 0; i < samples.size(); ++i) {
          last[source->truth()->label_of(samples.id(i))] = world->deal().step;
        }
      }
    }
  }
}

TEST_F(ManifestWorld, tells_what_is_not_shown_and_keeps_other_columns_as_annotations) {
  const auto source = build(kPlain);
  EXPECT_THAT(source->facts().notes,
              Contains(HasSubstr("2 rows without an increment or a split are not shown")));
  EXPECT_THAT(source->facts().notes, Contains(HasSubstr("4 rows of \"features\" belong to no")));
  const Truth& truth = *source->truth();
  for (std::size_t i = 0; i < truth.name.size(); ++i) {
    if (truth.name[i] == "r3") {
      EXPECT_EQ(truth.annotations.at("who")[i], "cy");
    }
  }
}

TEST_F(ManifestWorld, reads_back_the_manifest_it_writes) {
  const auto source = build(kPlain, "order: listed");
  const std::string written = source->facts().manifest;
  EXPECT_THAT(written, HasSubstr("r6,owl,1,test,novel"));
  EXPECT_THAT(written, HasSubstr("r7,dog,1,test,known"));
  EXPECT_EQ(build(written, "order: listed")->facts().manifest, written);
}

TEST_F(ManifestWorld, the_index_of_the_data_serves_as_the_table) {
  Dataset data = bare_rows(6);
  data.table.label = {"a", "b", "a", "c", "c", "b"};
  data.table.split = {"train", "train", "test", "train", "test", "test"};
  data.table.annotations["step"] = {"1", "1", "1", "2", "2", "2"};
  const auto source = build_yaml("{kind: manifest, columns: {increment: step}}", std::move(data));
  EXPECT_THAT(source->facts().notes, Contains(HasSubstr("counts increments from 1")));
  const auto world = source->make_world({});
  ASSERT_TRUE(world->advance());
  EXPECT_THAT(dealt(*source, *world, "train"), UnorderedElementsAre("r0:a", "r1:b"));
  ASSERT_TRUE(world->advance());
  EXPECT_THAT(dealt(*source, *world, "test"), UnorderedElementsAre("r4:c", "r5:b"));
}

TEST_F(ManifestWorld, orders_by_time) {
  const auto source = build(
      "id,label,increment,split,time\nr0,a,0,train,3\nr1,b,0,train,1\nr2,a,0,train,2.5\n"
      "r3,a,0,test,0\n",
      "order: time");
  const auto world = source->make_world({});
  ASSERT_TRUE(world->advance());
  EXPECT_THAT(dealt(*source, *world, "train"), ElementsAre("r1:b", "r2:a", "r0:a"));
}

TEST_F(ManifestWorld, says_where_names_differ_from_those_of_the_data) {
  Dataset data = bare_rows();
  data.table.label[5] = "tiger";
  EXPECT_THAT(build(kPlain, "", std::move(data))->facts().notes,
              Contains(HasSubstr("1 samples have another label in \"features\"")));
}

TEST_F(ManifestWorld, refuses_a_sample_that_trains_and_tests) {
  const std::string told = refusal(std::string(kPlain) + "r0,dog,1,test,ben\n");
  EXPECT_THAT(told, HasSubstr("sample \"r0\" is in train of increment 0 (line 3) and in test of "
                              "increment 1 (line 12)"));
}

TEST_F(ManifestWorld, refuses_a_group_that_trains_and_tests_unless_told_otherwise) {
  const std::string columns = "columns: {group: who}";
  EXPECT_THAT(refusal(kPlain, columns), HasSubstr("group \"ben\" trains (sample \"r0\", line 3)"));
  EXPECT_THAT(refusal(kPlain, columns + ", groups: ignore"), IsEmpty());
}

TEST_F(ManifestWorld, lost_samples_are_named_or_left_out) {
  const std::string table = std::string(kPlain) + "r99,dog,1,train,ben\n";
  EXPECT_THAT(refusal(table), HasSubstr("1 of 9 samples have no features in \"features\": r99"));
  EXPECT_THAT(refusal(table, "lost: leave_out"), IsEmpty());
}

TEST_F(ManifestWorld, checks_what_the_table_calls_known_and_novel) {
  const std::string head = "id,label,increment,split,novelty\nr0,a,0,train,known\nr1,b,0,train,\n";
  EXPECT_THAT(refusal(head + "r2,c,1,train,novel\nr3,c,1,test,novel\n"), IsEmpty());
  EXPECT_THAT(refusal(head + "r2,c,1,train,novel\nr3,c,1,test,known\n"),
              HasSubstr("line 5: sample \"r3\" of \"c\" is called known at increment 1, but this "
                        "class was not shown before"));
  EXPECT_THAT(refusal(head + "r2,c,1,train,novel\nr3,a,1,test,novel\n"),
              HasSubstr("is called novel at increment 1, but this class is taught at the start"));
  // Shown before in test alone: the table decides.
  for (const std::string_view word : {"known", "novel"}) {
    const std::string table =
        fmt::format("{}r2,c,0,test,novel\nr4,b,1,train,known\nr5,c,1,train,{}\n", head, word);
    EXPECT_THAT(build(table)->facts().manifest, HasSubstr(fmt::format("r5,c,1,train,{}", word)));
  }
}

TEST_F(ManifestWorld, refuses_bad_cells_by_line_column_and_value) {
  const std::string head = "id,label,increment,split\nr0,a,0,train\nr1,b,0,train\nr2,a,0,test\n";
  EXPECT_THAT(refusal(head + "r3,a,x,test\n"),
              HasSubstr("line 5, column \"increment\": \"x\" is no increment"));
  EXPECT_THAT(refusal(head + "r3,a,-1,test\n"), HasSubstr("\"-1\" is no increment"));
  EXPECT_THAT(refusal(head + "r3,a,0,exam\n"),
              HasSubstr("column \"split\": \"exam\" is not one of train"));
  EXPECT_THAT(refusal(head + "r3,a,2,test\n"), HasSubstr("no row is of increment 1"));
  EXPECT_THAT(refusal(head + "r3,a,1,test\n"),
              HasSubstr("increment 1 has no labelled row to train on"));
  EXPECT_THAT(refusal(head + ",a,0,test\n"), HasSubstr("is no id"));
  EXPECT_THAT(refusal("id,label,increment,split\nr0,a,0,train\nr2,a,0,test\n"),
              HasSubstr("increment 0 trains 1 classes"));
  EXPECT_THAT(refusal("id,label,increment,split\nr0,a,0,train\nr2,b,0,train\n"),
              HasSubstr("nothing is shown in test"));
  EXPECT_THAT(refusal("id,label,split\nr0,a,train\n"),
              HasSubstr("a manifest needs a column \"increment\"; there are id, label, split"));
  EXPECT_THAT(refusal(head, "columns: {label: kind}"),
              HasSubstr("there is no column \"kind\", which is to stand for label"));
  EXPECT_THAT(refusal(head, "order: time"), HasSubstr("`order: time` needs a column time"));
}

}  // namespace listed_world

}  // namespace
}  // namespace tyto
