// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/increments.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/world/increments/folds.hpp"
#include "tyto/world/manifest.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Text = std::string;

std::size_t zu(Index i) {
  return static_cast<std::size_t>(i);
}

class TableMaker {
 public:
  TableMaker& add(const Text& label, const Text& split, Index count = 1, const Text& group = "") {
    for (Index i = 0; i < count; ++i) {
      dataset_.table.id.push_back(fmt::format("{}{}", prefix_, dataset_.table.id.size()));
      dataset_.table.label.push_back(label);
      dataset_.table.split.push_back(split);
      dataset_.table.group.push_back(group);
    }
    return *this;
  }

  explicit TableMaker(const Text& name, Text prefix = "") : prefix_(std::move(prefix)) {
    dataset_.name = name;
  }

  [[nodiscard]] const Dataset& dataset() const { return dataset_; }

 private:
  Dataset dataset_;
  Text prefix_;
};

Series series_of(std::vector<Dataset> datasets) {
  return join_series(std::move(datasets), nullptr);
}

IncrementOptions in_order(const Text& schedule, Index increments) {
  IncrementOptions options;
  options.schedule = schedule;
  options.increments = increments;
  options.order = "blocks";
  options.folds = "in_order";
  return options;
}

ConfigNode names_node(const std::vector<Text>& names) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::list;
  for (const Text& name : names) {
    node.items.push_back(ConfigNode::scalar(name));
  }
  return node;
}

// A start dataset with classes s0, s1, so that increments 1.. are those of the second dataset.
Dataset two_start_classes() {
  return TableMaker("start", "s")
      .add("s0", "train", 4)
      .add("s1", "train", 4)
      .add("s0", "test")
      .dataset();
}

// counts[increment] of one label in one split
std::vector<Index> spread_of(const Schedule& schedule, const Series& series, const Text& label,
                             Side side = Side::train) {
  std::vector<Index> counts;
  for (const Increment& increment : schedule.increments) {
    Index count = 0;
    for (const Index row : increment.split(side).row) {
      count += series.joined.table.label[zu(row)] == label ? 1 : 0;
    }
    counts.push_back(count);
  }
  return counts;
}

Text refusal(const Series& series, const IncrementOptions& options) {
  try {
    build_schedule(series, options, Rng(1));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ClassesPerIncrement, match_the_worked_vectors) {
  EXPECT_THAT(classes_per_increment(227, 5, "table"), ElementsAre(46, 46, 46, 46, 43));
  EXPECT_THAT(classes_per_increment(227, 5, "text"), ElementsAre(45, 45, 45, 45, 47));
  EXPECT_THAT(classes_per_increment(82, 5, "table"), ElementsAre(17, 17, 17, 17, 14));
  EXPECT_THAT(classes_per_increment(82, 5, "text"), ElementsAre(16, 16, 16, 16, 18));
  EXPECT_THAT(classes_per_increment(7, 3, "table"), ElementsAre(3, 3, 1));
  EXPECT_THAT(classes_per_increment(7, 3, "text"), ElementsAre(2, 2, 3));
  EXPECT_THAT(classes_per_increment(6, 5, "table"), ElementsAre(2, 2, 2, 0, 0));
  EXPECT_THAT(classes_per_increment(6, 5, "text"), ElementsAre(1, 1, 1, 1, 2));
}

TEST(BuildSchedule, spreads_as_the_worked_vectors_do) {
  // Novel classes in order of introduction (table: rarest first); five increments, one class each:
  // early 1 row, late 10 rows at j = 2, then three larger ones.
  const auto data = TableMaker("new")
                        .add("early", "train", 1)
                        .add("late", "train", 10)
                        .add("x", "train", 20)
                        .add("y", "train", 30)
                        .add("z", "train", 40)
                        .add("s0", "train", 6)
                        .add("s1", "train", 5)
                        .dataset();
  const Series series = series_of({two_start_classes(), data});
  const Schedule schedule = build_schedule(series, in_order("table", 5), Rng(1));
  ASSERT_EQ(schedule.size(), 6);
  EXPECT_THAT(schedule.increments[2].introduced, ElementsAre("late"));
  EXPECT_THAT(spread_of(schedule, series, "late"), ElementsAre(0, 0, 3, 3, 2, 2));
  EXPECT_THAT(spread_of(schedule, series, "s0"), ElementsAre(4, 2, 1, 1, 1, 1));  // known, 6 rows
  EXPECT_THAT(spread_of(schedule, series, "s1"), ElementsAre(4, 5, 0, 0, 0, 0));  // 5 <= 5
  EXPECT_THAT(spread_of(schedule, series, "z"), ElementsAre(0, 0, 0, 0, 0, 40));

  for (const Index rows : {3, 4}) {  // 3 < 4 folds: whole; 4: one each
    const Series small = series_of({two_start_classes(), TableMaker("new")
                                                             .add("early", "train", 1)
                                                             .add("late", "train", rows)
                                                             .add("x", "train", 20)
                                                             .add("y", "train", 30)
                                                             .add("z", "train", 40)
                                                             .dataset()});
    const auto spread =
        spread_of(build_schedule(small, in_order("table", 5), Rng(1)), small, "late");
    EXPECT_EQ(spread, rows == 3 ? (std::vector<Index>{0, 0, 3, 0, 0, 0})
                                : (std::vector<Index>{0, 0, 1, 1, 1, 1}));
  }
}

TEST(BuildSchedule, orders_classes_by_frequency_then_name) {
  const auto data = TableMaker("new")
                        .add("d", "train", 9)
                        .add("b", "train", 7)
                        .add("c", "train", 7)
                        .add("a", "train", 8)
                        .add("e", "train", 7)
                        .dataset();
  const Series series = series_of({two_start_classes(), data});
  const Schedule text = build_schedule(series, in_order("text", 2), Rng(1));
  EXPECT_THAT(text.increments[1].introduced, ElementsAre("d", "a"));
  EXPECT_THAT(text.increments[2].introduced, ElementsAre("b", "c", "e"));
  const Schedule table = build_schedule(series, in_order("table", 2), Rng(1));
  EXPECT_THAT(table.increments[1].introduced, ElementsAre("b", "c", "e"));
  EXPECT_THAT(table.increments[2].introduced, ElementsAre("a", "d"));
  auto options = in_order("text", 2);
  options.introduce = "alphabetical";
  EXPECT_THAT(build_schedule(series, options, Rng(1)).increments[1].introduced,
              ElementsAre("a", "b"));
}

TEST(BuildSchedule, text_splits_a_known_class_of_n_rows_and_table_does_not) {
  const auto data =
      TableMaker("new").add("s0", "train", 3).add("s1", "train", 9).add("n", "train", 9).dataset();
  const Series series = series_of({two_start_classes(), data});
  EXPECT_THAT(spread_of(build_schedule(series, in_order("text", 3), Rng(1)), series, "s0"),
              ElementsAre(4, 1, 1, 1));
  EXPECT_THAT(spread_of(build_schedule(series, in_order("table", 3), Rng(1)), series, "s0"),
              ElementsAre(4, 3, 0, 0));
}

TEST(BuildSchedule, deals_known_rows_then_novel_then_small_then_handed_down) {
  // text, 2 increments, floor(2 / 2) = 1 class each: n (2 rows), then m (1 row); rows by number:
  // start 0-8; s0 at 9 10, m at 11, n at 12 13, s0 at 14 15.
  const auto data = TableMaker("new")
                        .add("s0", "train", 2)
                        .add("m", "train", 1)
                        .add("n", "train", 2)
                        .add("s0", "train", 2)
                        .dataset();
  const Series series = series_of({two_start_classes(), data});
  const Schedule schedule = build_schedule(series, in_order("text", 2), Rng(1));
  EXPECT_THAT(schedule.increments[1].split(Side::train).row, ElementsAre(9, 10, 12));
  EXPECT_THAT(schedule.increments[1].split(Side::train).novel, ElementsAre(false, false, true));
  EXPECT_THAT(schedule.increments[2].split(Side::train).row, ElementsAre(14, 15, 11, 13));
  EXPECT_THAT(schedule.increments[2].split(Side::train).novel,
              ElementsAre(false, false, true, false));
  EXPECT_THAT(schedule.shown_before(0), ElementsAre("s0", "s1"));
  EXPECT_THAT(schedule.shown_before(2), ElementsAre("s0", "s1", "n"));
}

TEST(BuildSchedule, spreads_classes_of_one_split_with_the_known_ones) {
  const auto data =
      TableMaker("new").add("n", "train", 8).add("n", "test", 8).add("ghost", "test", 5).dataset();
  const Series series = series_of({two_start_classes(), data});
  const Schedule schedule = build_schedule(series, in_order("table", 2), Rng(1));
  EXPECT_THAT(spread_of(schedule, series, "ghost", Side::test), ElementsAre(0, 3, 2));
  EXPECT_THAT(schedule.increments[1].introduced, ElementsAre("n"));
  // Novel to the evaluator when first shown, known afterwards.
  const auto counts = count_increments(schedule);
  EXPECT_EQ(counts[1].samples[2].novel, 4 + 3);
  EXPECT_EQ(counts[2].samples[2].novel, 0);
}

// ---- a slow, direct reading of the published construction, as an oracle for `table` ----

using LabelledRows = std::vector<std::pair<Index, Text>>;

// Fold of each row, by sorting the encoded labels and dealing positions.
std::vector<LabelledRows> oracle_folds(const LabelledRows& rows, Index n) {
  std::vector<Text> order;
  for (const auto& [row, label] : rows) {
    if (std::find(order.begin(), order.end(), label) == order.end()) {
      order.push_back(label);
    }
  }
  std::vector<std::size_t> encoded;
  for (const auto& [row, label] : rows) {
    encoded.push_back(zu(std::find(order.begin(), order.end(), label) - order.begin()));
  }
  std::sort(encoded.begin(), encoded.end());
  std::vector<LabelledRows> folds(zu(n));
  std::map<Index, Index> fold_of;
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::vector<Index> ids;
    for (Index fold = 0; fold < n; ++fold) {
      for (std::size_t p = zu(fold); p < encoded.size(); p += zu(n)) {
        if (encoded[p] == k) {
          ids.push_back(fold);
        }
      }
    }
    std::size_t next = 0;
    for (const auto& [row, label] : rows) {
      if (label == order[k]) {
        fold_of[row] = ids[next++];
      }
    }
  }
  for (const auto& entry : rows) {
    folds[zu(fold_of[entry.first])].push_back(entry);
  }
  return folds;
}

Index oracle_count(const LabelledRows& rows, const Text& label) {
  return std::count_if(rows.begin(), rows.end(), [&](const auto& r) { return r.second == label; });
}

// result[increment][split] = rows in published order
std::vector<std::array<std::vector<Index>, 3>> oracle_increments(
    const std::array<LabelledRows, 3>& splits, const std::set<Text>& known, Index n) {
  std::set<Text> unknown;
  for (const auto& [row, label] : splits[0]) {
    if (!known.contains(label)) {
      unknown.insert(label);
    }
  }
  std::vector<std::pair<Index, Text>> order;
  for (const Text& label : unknown) {
    order.emplace_back(oracle_count(splits[0], label), label);
  }
  std::sort(order.begin(), order.end());
  const auto c =
      zu(static_cast<Index>(std::ceil(static_cast<double>(order.size()) / static_cast<double>(n))));
  std::vector<std::array<std::vector<Index>, 3>> result(zu(n));
  for (std::size_t s = 0; s < 3; ++s) {
    LabelledRows small, folded, only;
    for (const auto& entry : splits[s]) {
      if (known.contains(entry.second)) {
        (oracle_count(splits[s], entry.second) <= n ? small : folded).push_back(entry);
      } else if (!unknown.contains(entry.second)) {
        only.push_back(entry);
      }
    }
    std::vector<std::set<Index>> base(zu(n));
    for (const auto& [row, label] : small) {
      base[0].insert(row);
    }
    for (const LabelledRows& part : {folded, only}) {
      const auto folds = oracle_folds(part, n);
      for (std::size_t j = 0; j < folds.size(); ++j) {
        for (const auto& [row, label] : folds[j]) {
          base[j].insert(row);
        }
      }
    }
    for (std::size_t j = 0; j < result.size(); ++j) {
      result[j][s].assign(base[j].begin(), base[j].end());
    }
    std::vector<std::vector<Index>> own(zu(n)), handed(zu(n));
    for (std::size_t j = 0; j < result.size(); ++j) {
      const Index rem = n - static_cast<Index>(j);
      LabelledRows fold_these;
      std::vector<Index> whole;
      for (const auto& entry : splits[s]) {
        const auto found = std::find_if(order.begin(), order.end(),
                                        [&](const auto& o) { return o.second == entry.second; });
        if (found == order.end() || zu(found - order.begin()) / std::max<std::size_t>(c, 1) != j) {
          continue;
        }
        if (rem > 1 && oracle_count(splits[s], entry.second) < rem) {
          whole.push_back(entry.first);
        } else {
          fold_these.push_back(entry);
        }
      }
      const auto folds = oracle_folds(fold_these, rem);
      for (std::size_t f = 0; f < folds.size(); ++f) {
        for (const auto& [row, label] : folds[f]) {
          (f == 0 ? own[j] : handed[j + f]).push_back(row);
        }
      }
      own[j].insert(own[j].end(), whole.begin(), whole.end());
    }
    for (std::size_t j = 0; j < result.size(); ++j) {
      result[j][s].insert(result[j][s].end(), own[j].begin(), own[j].end());
      result[j][s].insert(result[j][s].end(), handed[j].begin(), handed[j].end());
    }
  }
  return result;
}

TEST(BuildSchedule, replays_the_published_construction_row_by_row) {
  Rng rng(17);
  for (int trial = 0; trial < 40; ++trial) {
    TableMaker maker("new");
    const Index n = 1 + rng.below(5);
    const Index classes = 3 + rng.below(12);
    for (Index i = 0; i < 220; ++i) {
      const Index c = std::min(rng.below(classes), rng.below(classes));
      const Text split(kSideNames[zu(std::min<Index>(rng.below(4) / 2 + rng.below(2), 2))]);
      maker.add(c < 2 ? fmt::format("s{}", c) : fmt::format("c{}", c), split);
    }
    const Series series = series_of({two_start_classes(), maker.dataset()});
    std::array<LabelledRows, 3> splits;
    const Index begin = series.first_row_of[1];
    for (Index row = begin; row < series.joined.table.size(); ++row) {
      const auto side =
          std::find(kSideNames.begin(), kSideNames.end(), series.joined.table.split[zu(row)]) -
          kSideNames.begin();
      splits[zu(side)].emplace_back(row, series.joined.table.label[zu(row)]);
    }
    const auto expected = oracle_increments(splits, {"s0", "s1"}, n);
    const Schedule schedule = build_schedule(series, in_order("table", n), Rng(1));
    ASSERT_EQ(schedule.size(), n + 1);
    for (std::size_t j = 0; j < expected.size(); ++j) {
      for (std::size_t s = 0; s < 3; ++s) {
        EXPECT_EQ(schedule.increments[j + 1].splits[s].row, expected[j][s])
            << "trial " << trial << " increment " << j + 1 << " split " << s;
      }
    }
  }
}

// ---- properties on random tables ----

Dataset random_dataset(Rng& rng, Index rows, Index classes, bool with_split, bool with_groups) {
  TableMaker maker("random");
  for (Index i = 0; i < rows; ++i) {
    const Index group = rng.below(rows / 6);
    const Index c = std::min(rng.below(classes), rng.below(classes));
    const Text split(kSideNames[zu((with_groups ? group : rng.below(9)) % 3)]);
    maker.add(rng.below(40) == 0 ? "" : fmt::format("c{:02}", c), with_split ? split : "", 1,
              with_groups ? fmt::format("g{}", group) : "");
  }
  return maker.dataset();
}

struct WorldCase {
  bool with_split, with_groups;
  Text schedule, by;
};

class RandomWorlds : public testing::TestWithParam<WorldCase> {};

TEST_P(RandomWorlds, show_every_labelled_row_once_and_keep_groups_on_one_side) {
  Rng rng(23);
  for (int trial = 0; trial < 10; ++trial) {
    const Series series =
        series_of({random_dataset(rng, 600, 20, GetParam().with_split, GetParam().with_groups)});
    IncrementOptions options;
    options.schedule = GetParam().schedule;
    options.split.by = GetParam().by;
    options.split.validate = 0.2;
    options.increments = 1 + rng.below(5);
    options.start.share = 0.3 + 0.2 * static_cast<double>(rng.below(4));
    options.start.classes = ConfigNode::scalar("6");
    const Schedule schedule = build_schedule(series, options, Rng(5));
    ASSERT_EQ(schedule.size(), options.increments + 1);
    const IndexTable& table = series.joined.table;
    std::map<Index, int> shown;
    std::map<Text, std::set<std::size_t>> sides;
    for (const Increment& increment : schedule.increments) {
      for (std::size_t s = 0; s < 3; ++s) {
        ASSERT_EQ(increment.splits[s].row.size(), increment.splits[s].novel.size());
        for (const Index row : increment.splits[s].row) {
          ++shown[row];
          if (GetParam().with_groups) {
            sides[table.group[zu(row)]].insert(s);
          }
          if (GetParam().with_split) {
            EXPECT_EQ(table.split[zu(row)], kSideNames[s]);
          }
        }
      }
    }
    Index unlabelled = 0;
    for (Index row = 0; row < table.size(); ++row) {
      const bool labelled = !table.label[zu(row)].empty();
      unlabelled += labelled ? 0 : 1;
      EXPECT_EQ(shown[row], labelled ? 1 : 0);
    }
    EXPECT_EQ(schedule.unlabelled, unlabelled);
    for (const auto& [group, where] : sides) {
      EXPECT_EQ(where.size(), 1U) << group;
    }
    EXPECT_EQ(schedule.increments[0].introduced.size(), 6U);
    // Novel flags against the definition: not shown in any split before.
    std::set<Text> before(schedule.increments[0].introduced.begin(),
                          schedule.increments[0].introduced.end());
    for (Index t = 0; t < schedule.size(); ++t) {
      const auto listed = schedule.shown_before(t);
      EXPECT_EQ(std::set<Text>(listed.begin(), listed.end()), before);
      std::set<Text> here;
      for (const ScheduledSplit& split : schedule.increments[zu(t)].splits) {
        for (std::size_t i = 0; i < split.row.size(); ++i) {
          const Text& label = table.label[zu(split.row[i])];
          EXPECT_EQ(split.novel[i], !before.contains(label));
          here.insert(label);
        }
      }
      before.insert(here.begin(), here.end());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomWorlds,
                         testing::Values(WorldCase{false, false, "text", "ratio"},
                                         WorldCase{false, false, "table", "folds"},
                                         WorldCase{true, false, "table", "ratio"},
                                         WorldCase{false, true, "text", "ratio"},
                                         WorldCase{false, true, "table", "folds"},
                                         WorldCase{true, true, "text", "ratio"}),
                         [](const auto& of) {
                           return fmt::format("{}_{}{}{}", of.param.schedule, of.param.by,
                                              of.param.with_split ? "_own_split" : "",
                                              of.param.with_groups ? "_groups" : "");
                         });

TEST(BuildSchedule, hands_every_novel_row_of_a_step_on_to_the_known_of_the_next) {
  // known(t+1) = known(t) + novel(t) inside a dataset, up to rounding: a class of m rows introduced
  // at j gives floor or ceil of m / rem rows to each increment, so each class adds one row at most.
  Rng rng(29);
  TableMaker maker("large");
  for (Index c = 0; c < 60; ++c) {
    maker.add(c < 2 ? fmt::format("s{}", c) : fmt::format("c{}", c), "train", 100 + rng.below(900));
  }
  const Series series = series_of({two_start_classes(), maker.dataset()});
  for (const Text schedule : {"text", "table"}) {
    const auto counts = count_increments(build_schedule(series, in_order(schedule, 5), Rng(1)));
    for (std::size_t t = 1; t + 1 < counts.size(); ++t) {
      const auto& now = counts[t].samples[0];
      // Fold totals differ by one row at most per stratified call, of which there are t + 1.
      EXPECT_NEAR(static_cast<double>(counts[t + 1].samples[0].known),
                  static_cast<double>(now.known + now.novel), static_cast<double>(t) + 1);
      EXPECT_EQ(counts[t + 1].known_classes, counts[t].known_classes + counts[t].novel_classes);
    }
  }
}

// `total` rows over `classes` classes, as evenly as can be.
void add_evenly(TableMaker& maker, const Text& prefix, Index classes, Index total) {
  for (Index c = 0; c < classes; ++c) {
    maker.add(fmt::format("{}{:03}", prefix, c), "train",
              total / classes + (c < total % classes ? 1 : 0));
  }
}

TEST(BuildSchedule, reproduces_the_train_columns_of_table_1) {
  // Rows per novel group of the paper's data, rarest group first, as novel rows x increments left:
  // 3163 x 5 = 15,815, ..., 25,538 (K600); 1870 x 5 = 9350, ..., 10,144 (K700). Known before: five
  // folds of 15,985 and 34,242 rows, and small classes of at most five rows, 97 and 45 together.
  TableMaker start("k400", "a"), k600("k600", "b"), k700("k700", "c");
  add_evenly(start, "base ", 389, 389);
  add_evenly(start, "small ", 20, 20);
  add_evenly(k600, "base ", 389, 5 * 15985);
  add_evenly(k600, "small ", 20, 97);
  const std::vector<Index> k600_groups{15815, 22052, 23190, 24596, 25538};
  const std::vector<Index> k700_groups{9350, 9660, 9993, 10546, 10144};
  for (Index g = 0; g < 5; ++g) {
    add_evenly(k600, fmt::format("k600 {} ", g), g < 4 ? 46 : 43, k600_groups[zu(g)]);
    add_evenly(k700, fmt::format("k700 {} ", g), g < 4 ? 17 : 14, k700_groups[zu(g)]);
  }
  add_evenly(k700, "base ", 389, 5 * 34242);
  add_evenly(k700, "small ", 9, 45);
  start.add("base 000", "test");
  const Series series = series_of({start.dataset(), k600.dataset(), k700.dataset()});
  const auto counts = count_increments(build_schedule(series, in_order("table", 5), Rng(1)));
  const std::vector<Index> known_classes{409, 455, 501, 547, 593, 636, 653, 670, 687, 704};
  const std::vector<Index> novel_classes{46, 46, 46, 46, 43, 17, 17, 17, 17, 14};
  const std::vector<Index> known{16082, 19148, 24661, 32391, 44687,
                                 34287, 36112, 38527, 41855, 47128};
  const std::vector<Index> novel{3163, 5513, 7730, 12298, 25538, 1870, 2415, 3331, 5273, 10144};
  ASSERT_EQ(counts.size(), 11U);
  EXPECT_EQ(counts[0].known_classes, 409);
  for (std::size_t t = 0; t < 10; ++t) {
    EXPECT_EQ(counts[t + 1].known_classes, known_classes[t]);
    EXPECT_EQ(counts[t + 1].novel_classes, novel_classes[t]);
    EXPECT_EQ(counts[t + 1].samples[0].novel, novel[t]);
    EXPECT_LE(std::abs(counts[t + 1].samples[0].known - known[t]), 3) << t;  // folds round
  }
}

TEST(BuildSchedule, gives_the_same_bytes_for_a_seed_and_others_for_another) {
  Rng rng(31);
  const Series series = series_of({random_dataset(rng, 500, 12, false, false)});
  IncrementOptions options;
  const auto bytes = [&](std::uint64_t seed) {
    return manifest_csv(build_schedule(series, options, Rng(seed)), series.joined.table);
  };
  EXPECT_EQ(bytes(1), bytes(1));
  EXPECT_NE(bytes(1), bytes(2));
}

TEST(BuildSchedule, shows_a_share_of_the_start_classes_first) {
  const Series series = series_of({TableMaker("one")
                                       .add("a", "", 40)
                                       .add("b", "", 20)
                                       .add("c", "", 30)
                                       .add("d", "", 30)
                                       .dataset()});
  IncrementOptions options = in_order("text", 2);
  options.start.classes = names_node({"b", "a"});
  options.start.share = 0.25;
  const Schedule schedule = build_schedule(series, options, Rng(1));
  EXPECT_THAT(schedule.increments[0].introduced, ElementsAre("b", "a"));
  // 10 of a and 5 of b; test takes 0.3: 3 of a, 1.5 of b, 4.5 rounds to 5, so 2 of b.
  EXPECT_EQ(schedule.increments[0].split(Side::train).size(), 7 + 3);
  EXPECT_EQ(schedule.increments[0].split(Side::test).size(), 3 + 2);
  const auto train = spread_of(schedule, series, "a");
  const auto test = spread_of(schedule, series, "a", Side::test);
  EXPECT_EQ(train[1] + test[1], 15);
  EXPECT_EQ(train[2] + test[2], 15);

  options.start.share = 1;
  const Schedule whole = build_schedule(series, options, Rng(1));
  EXPECT_EQ(spread_of(whole, series, "a")[1] + spread_of(whole, series, "a")[2], 0);
}

TEST(BuildSchedule, chooses_start_classes_by_number) {
  const Series series = series_of({TableMaker("one")
                                       .add("a", "", 10)
                                       .add("b", "", 30)
                                       .add("c", "", 20)
                                       .add("d", "", 40)
                                       .dataset()});
  IncrementOptions options;
  options.increments = 1;
  options.start.classes = ConfigNode::scalar("2");
  options.start.choose = "frequent";
  EXPECT_THAT(build_schedule(series, options, Rng(1)).increments[0].introduced,
              ElementsAre("b", "d"));
  options.start.choose = "alphabetical";
  EXPECT_THAT(build_schedule(series, options, Rng(1)).increments[0].introduced,
              ElementsAre("a", "b"));
  options.start.choose = "random";
  std::set<std::vector<Text>> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    seen.insert(build_schedule(series, options, Rng(seed)).increments[0].introduced);
  }
  EXPECT_GT(seen.size(), 3U);
}

TEST(BuildSchedule, keeps_every_start_class_where_groups_would_take_it_away) {
  // One group per class: a share of 0.3 alone would leave most classes to later increments.
  TableMaker maker("grouped");
  for (const Text label : {"a", "b", "c", "d"}) {
    maker.add(label, "train", 5, "train of " + label).add(label, "test", 5, "test of " + label);
  }
  const Series series = series_of({maker.dataset()});
  IncrementOptions options;
  options.increments = 1;
  options.start.share = 0.3;
  options.start.classes = names_node({"a", "b", "c"});
  const Schedule schedule = build_schedule(series, options, Rng(1));
  for (const Text label : {"a", "b", "c"}) {
    EXPECT_EQ(spread_of(schedule, series, label)[0], 5);
  }
}

TEST(BuildSchedule, shows_one_dataset_whole_with_no_increments) {
  const Series series = series_of({TableMaker("one").add("a", "", 10).add("b", "", 10).dataset()});
  IncrementOptions options;
  options.increments = 0;
  const Schedule schedule = build_schedule(series, options, Rng(1));
  ASSERT_EQ(schedule.size(), 1);
  EXPECT_EQ(schedule.increments[0].split(Side::train).size(), 14);
  EXPECT_EQ(schedule.increments[0].split(Side::test).size(), 6);
}

TEST(BuildSchedule, test_folds_cover_every_row_once) {
  const Series series = series_of({TableMaker("one").add("a", "", 11).add("b", "", 13).dataset()});
  IncrementOptions options;
  options.increments = 0;
  options.split.by = "folds";
  options.split.folds = 3;
  std::map<Index, int> tested;
  for (Index fold = 0; fold < 3; ++fold) {
    options.split.fold = fold;
    const Schedule schedule = build_schedule(series, options, Rng(1));
    for (const Index row : schedule.increments[0].split(Side::test).row) {
      ++tested[row];
    }
  }
  EXPECT_EQ(tested.size(), 24U);
  for (const auto& [row, times] : tested) {
    EXPECT_EQ(times, 1);
  }
}

TEST(BuildSchedule, names_the_group_on_both_sides_unless_told_to_ignore_it) {
  const Series series = series_of({TableMaker("films")
                                       .add("a", "train", 4, "film 7")
                                       .add("b", "train", 4, "film 8")
                                       .add("a", "test", 1, "film 7")
                                       .dataset()});
  IncrementOptions options;
  options.increments = 1;
  options.start.classes = ConfigNode::scalar("2");
  EXPECT_THAT(refusal(series, options), HasSubstr("group \"film 7\" of \"films\" is in both train "
                                                  "and test"));
  options.groups = "ignore";
  EXPECT_EQ(refusal(series, options), "");
}

TEST(BuildSchedule, drops_keeps_or_refuses_samples_seen_in_an_earlier_dataset) {
  const auto again = TableMaker("again", "s").add("s0", "train", 6).add("n", "train", 6).dataset();
  const Series series = series_of({two_start_classes(), again});  // ids s0 to s8 occur twice
  auto options = in_order("text", 1);
  EXPECT_THAT(refusal(series, options), HasSubstr("sample \"s0\" is in \"start\" and again in "
                                                  "\"again\""));
  options.repeats = "drop";
  const Schedule schedule = build_schedule(series, options, Rng(1));
  EXPECT_EQ(schedule.repeated, 9);
  EXPECT_EQ(schedule.increments[1].split(Side::train).size(), 3);
  options.repeats = "keep";
  EXPECT_EQ(build_schedule(series, options, Rng(1)).increments[1].split(Side::train).size(), 12);
}

TEST(BuildSchedule, a_dataset_without_train_rows_is_refused_unless_that_is_optional) {
  const Series series = series_of(
      {TableMaker("first").add("a", "train", 6).add("b", "train", 6).add("a", "test", 2).dataset(),
       TableMaker("second", "s").add("c", "test", 4).add("d", "validate", 6).dataset()});
  IncrementOptions options = in_order("text", 2);
  EXPECT_THAT(refusal(series, options),
              HasSubstr("increment 1 (\"second\") has no row to train on"));
  options.train_optional = true;
  const Schedule schedule = build_schedule(series, options, Rng(1));
  EXPECT_THAT(schedule.increments[1].introduced, ElementsAre("d"));
  EXPECT_THAT(schedule.increments[2].introduced, ElementsAre("c"));
  EXPECT_EQ(schedule.increments[1].split(Side::validate).size(), 3);  // 6 rows in two folds
  EXPECT_EQ(schedule.increments[1].split(Side::test).size(), 0);
  EXPECT_EQ(schedule.increments[2].split(Side::test).size(), 4);
}

TEST(BuildSchedule, data_shown_whole_may_have_validate_rows_instead_of_train_rows) {
  const Series scores = series_of({TableMaker("scores")
                                       .add("a", "validate", 3)
                                       .add("b", "validate", 2)
                                       .add("a", "test", 2)
                                       .add("c", "test", 1)
                                       .dataset()});
  const Schedule schedule = build_schedule(scores, in_order("text", 0), Rng(1));
  EXPECT_THAT(schedule.increments.front().introduced, ElementsAre("a", "b"));
  EXPECT_EQ(schedule.increments.front().split(Side::train).size(), 0);
  EXPECT_THAT(schedule.increments.front().split(Side::test).novel, ElementsAre(false, false, true));
  EXPECT_NE(refusal(scores, in_order("text", 2)), "");
  const Series test = series_of({TableMaker("test").add("a", "test", 3).dataset()});
  EXPECT_THAT(refusal(test, in_order("text", 0)), HasSubstr("has 0 classes to train on"));
}

TEST(BuildSchedule, refuses_what_no_run_could_use) {
  const Series four = series_of({TableMaker("four")
                                     .add("apple", "", 9)
                                     .add("bean", "", 9)
                                     .add("corn", "", 9)
                                     .add("date", "", 9)
                                     .dataset()});
  IncrementOptions options;
  options.start.classes = ConfigNode::scalar("5");
  EXPECT_THAT(refusal(four, options),
              HasSubstr("2 classes or more of the 4 that train has, not 5"));
  options.start.classes = ConfigNode::scalar("1");
  EXPECT_THAT(refusal(four, options), HasSubstr("not 1"));
  options.start.classes = names_node({"apple", "been"});
  EXPECT_THAT(refusal(four, options), HasSubstr("no class \"been\"; did you mean \"bean\"?"));
  options.start.classes = names_node({"apple", "apple"});
  EXPECT_THAT(refusal(four, options), HasSubstr("\"apple\" stands twice"));
  options.start.classes = ConfigNode::scalar("2");
  options.increments = 30;
  EXPECT_THAT(refusal(four, options), HasSubstr("has no row to train on"));
  options.increments = 2;
  options.split.test = 0;
  EXPECT_THAT(refusal(four, options), HasSubstr("none of the 3 increments has a row to test on"));
  options.split.test = 0.6;
  options.split.validate = 0.4;
  EXPECT_THAT(refusal(four, options),
              HasSubstr("world.split.validate: 0.4 for validation and 0.6"));

  const Series one = series_of({TableMaker("one").add("a", "", 9).dataset()});
  options = {};
  options.increments = 0;
  EXPECT_THAT(refusal(one, options), HasSubstr("increment 0 (\"one\") has 1 classes"));

  const Series odd = series_of({TableMaker("odd").add("a", "train").add("b", "dev").dataset()});
  EXPECT_THAT(refusal(odd, options), HasSubstr("row 2 (\"1\") of \"odd\" has split \"dev\""));
}

TEST(ManifestCsv, quotes_names_and_counts_make_a_table) {
  const auto data = TableMaker("new").add("say \"hi\", wave", "train", 2).dataset();
  const Series series = series_of({two_start_classes(), data});
  const Schedule schedule = build_schedule(series, in_order("text", 1), Rng(1));
  const Text csv = manifest_csv(schedule, series.joined.table);
  EXPECT_THAT(csv, HasSubstr("id,label,increment,split,novelty\ns0,s0,0,train,known\n"));
  EXPECT_THAT(csv, HasSubstr("\n0,\"say \"\"hi\"\", wave\",1,train,novel\n"));
  EXPECT_EQ(counts_text(count_increments(schedule)),
            "increment  known classes  novel classes  train known  train novel  test known"
            "  test novel\n"
            "        0              2              0            8            0           1"
            "           0\n"
            "        1              2              1            0            2           0"
            "           0\n");
}

}  // namespace
}  // namespace tyto
