// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/memory_notes.hpp"

#include <gtest/gtest.h>

namespace tyto {
namespace {

// Classes "a" and "b, c": so many clips of four frames of 8 bytes each.
Notes noted(Index of_a, Index of_b, Index shown) {
  Notes notes;
  notes.by_class = {{Label{1}, {of_a, 4 * of_a, 32 * of_a}},
                    {Label{2}, {of_b, 4 * of_b, 32 * of_b}}};
  notes.kept = {of_a + of_b, 4 * (of_a + of_b), 32 * (of_a + of_b)};
  notes.frames_shown = shown;
  notes.memory = {40, "frames", 4, 0.25};
  return notes;
}

LabelSpace two_classes() {
  LabelSpace space;
  space.add_known("a");
  space.add_known("b, c");
  return space;
}

TEST(MemoryNotes, have_a_row_per_class_and_one_for_all_parts) {
  MemoryNotes notes;
  Notes told = noted(3, 1, 160);
  told.kept.frames += 4;  // a recogniser keeps some as well
  notes.add(0, told, two_classes());
  EXPECT_EQ(notes.lines("arm"),
            "arm,0,a,3,12,96,,,,,,\n"
            "arm,0,\"b, c\",1,4,32,,,,,,\n"
            "arm,0,,4,20,128,160,0.125,40,frames,4,0.25\n");
}

TEST(MemoryNotes, of_an_increment_the_last_ones_count_and_nothing_new_adds_nothing) {
  MemoryNotes notes;
  const LabelSpace space = two_classes();
  notes.add(0, noted(3, 1, 160), space);
  notes.add(0, noted(3, 1, 160), space);  // a second step that taught nothing
  notes.add(1, noted(3, 1, 160), space);
  const std::string first = notes.lines("x");
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 3);
  notes.add(2, noted(2, 2, 200), space);
  State state;
  notes.save(state);
  MemoryNotes again;  // cut and resumed in between
  again.load(state);
  for (MemoryNotes* one : {&notes, &again}) {
    one->add(2, noted(1, 3, 240), space);
    EXPECT_EQ(one->lines("x"), first +
                                   "x,2,a,1,4,32,,,,,,\n"
                                   "x,2,\"b, c\",3,12,96,,,,,,\n"
                                   "x,2,,4,16,128,240,0.0666667,40,frames,4,0.25\n");
  }
}

TEST(MemoryRemark, tells_frames_share_and_budget) {
  Notes notes = noted(30, 10, 12800);
  notes.memory.budget = 1160;
  EXPECT_EQ(memory_remark(notes),
            "memory: 160 frames of 12,800 shown, 1.25 %, budget 1,160 frames");
  notes.kept.frames = 1170;
  EXPECT_EQ(memory_remark(notes),
            "memory: 160 frames of 12,800 shown, 1.25 %, budget 1,160 frames; other parts keep "
            "1,010 more");
  notes.memory.budget.reset();
  EXPECT_FALSE(memory_remark(notes));
  Notes rows;  // single rows, counted as such: the tables say it all
  rows.by_class = {{Label{1}, {3, 3, 24}}};
  rows.memory.budget = 5;
  EXPECT_FALSE(memory_remark(rows));
  rows.memory.unit = "bytes";
  EXPECT_TRUE(memory_remark(rows));
}

}  // namespace
}  // namespace tyto
