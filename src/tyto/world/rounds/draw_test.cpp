// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/draw_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kStrengths{"easy", "medium", "hard"};

std::string whose(const TestKind& kind) {
  return fmt::format("group {} ({}, {})", kind.group, kind.novelty, kind.difficulty);
}

// `count` of the places [0, n), ascending. Gradual: the later a place, the likelier it is, in
// proportion to its number (Efraimidis and Spirakis 2006).
std::vector<Index> draw_places(Index n, Index count, bool gradual, Rng rng) {
  std::vector<Index> places = rng.permutation(n);
  if (gradual) {
    std::vector<std::pair<double, Index>> keys;
    for (Index i = 0; i < n; ++i) {
      keys.emplace_back(-std::log(1 - rng.uniform()) / static_cast<double>(i + 1), i);
    }
    std::sort(keys.begin(), keys.end());
    for (Index i = 0; i < n; ++i) {
      places[at(i)] = keys[at(i)].second;
    }
  }
  places.resize(at(count));
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<Index> known_rows(const TestMaterial& material, const TestKind& kind, Index count,
                              Rng rng) {
  std::vector<Index> rows;
  for (const Index c : material.known) {
    rows.insert(rows.end(), material.shown[at(c)].begin(), material.shown[at(c)].end());
  }
  if (static_cast<Index>(rows.size()) < count) {
    throw Error(ErrorKind::data,
                fmt::format("{}: a test needs {} samples of known classes and the {} known classes "
                            "have {} that are not for learning; tests may share samples, but a "
                            "test shows none twice: ask for shorter tests or more known classes",
                            whose(kind), count, material.known.size(), rows.size()));
  }
  rng.shuffle(rows);
  rows.resize(at(count));
  return rows;
}

// Rows of new classes, place after place: of the classes that may appear there the next row of one,
// drawn by how many each has left.
class NovelRows {
 public:
  NovelRows(const TestMaterial& material, const TestPlan& plan, bool in_turn, Rng rng)
      : plan_(plan), names_(material.map.names), in_turn_(in_turn), rng_(rng.fork("class")) {
    Rng order = rng.fork("row");
    for (const Index c : plan.novel_classes) {
      left_.push_back(material.shown[at(c)]);
      order.shuffle(left_.back());
    }
  }

  void expect_enough(Index count) const {
    const Index there = rows_left(std::ssize(left_));
    if (there < count) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: a test needs {} samples of new classes and the {} that were "
                              "drawn have {} to show; tests may share samples, but a test shows "
                              "none twice: ask for shorter tests, a lower novel_share or more "
                              "novel_classes",
                              whose(plan_.kind), count, left_.size(), there));
    }
  }

  // For place `place` of `after` behind the red light.
  Index next(Index place, Index after) {
    const Index classes = std::ssize(left_);
    const Index open = in_turn_ ? std::min(classes, place * classes / after + 1) : classes;
    const Index there = rows_left(open);
    if (there == 0) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: {} samples behind the red light those of the first {} new "
                      "classes (\"{}\" ...) are used up; ask for shorter tests, a lower "
                      "novel_share or arrival: at_once",
                      whose(plan_.kind), place, open, names_[at(plan_.novel_classes.front())]));
    }
    Index drawn = rng_.below(there);
    std::size_t c = 0;
    while (drawn >= std::ssize(left_[c])) {
      drawn -= std::ssize(left_[c++]);
    }
    const Index row = left_[c].back();
    left_[c].pop_back();
    return row;
  }

 private:
  [[nodiscard]] Index rows_left(Index classes) const {
    Index sum = 0;
    for (Index c = 0; c < classes; ++c) {
      sum += std::ssize(left_[at(c)]);
    }
    return sum;
  }

  const TestPlan& plan_;
  const std::vector<std::string>& names_;
  bool in_turn_;
  Rng rng_;
  std::vector<std::vector<Index>> left_;
};

void mark_novel(TestPlan& plan, const MakeTestsOptions& options, const Rng& rng) {
  const Index after = options.length - plan.red_light;
  const Index count = std::llround(options.novel_share * static_cast<double>(after));
  plan.novel.assign(at(options.length), false);
  for (const Index place :
       draw_places(after, count, options.arrival == "gradual", rng.fork("places"))) {
    plan.novel[at(plan.red_light + place)] = true;
  }
}

void fill_with_classes(TestPlan& plan, const TestMaterial& material,
                       const MakeTestsOptions& options, const Rng& rng) {
  plan.change = "class";
  plan.novel_classes = material.as_hard_as(plan.kind.difficulty);
  rng.fork("novel classes").shuffle(plan.novel_classes);
  plan.novel_classes.resize(std::min(plan.novel_classes.size(), at(options.novel_classes)));
  const Index novel = std::count(plan.novel.begin(), plan.novel.end(), true);
  NovelRows source(material, plan, options.arrival == "in_turn", rng.fork("novel rows"));
  source.expect_enough(novel);
  const std::vector<Index> known =
      known_rows(material, plan.kind, options.length - novel, rng.fork("known rows"));
  std::size_t next = 0;
  for (Index i = 0; i < options.length; ++i) {
    plan.row.push_back(plan.novel[at(i)]
                           ? source.next(i - plan.red_light, options.length - plan.red_light)
                           : known[next++]);
    plan.difficulty.emplace_back(
        !plan.novel[at(i)] ? ""
        : plan.kind.difficulty == "mixed"
            ? material.difficulty_of(material.map.of_row[at(plan.row.back())])
            : plan.kind.difficulty);
  }
}

void fill_with_altered(TestPlan& plan, const TestMaterial& material,
                       const MakeTestsOptions& options, const Rng& rng) {
  plan.change = options.alterations[at(plan.kind.run - 1) % options.alterations.size()];
  plan.row = known_rows(material, plan.kind, options.length, rng.fork("known rows"));
  Rng strength = rng.fork("strength");
  for (Index i = 0; i < options.length; ++i) {
    plan.difficulty.emplace_back(!plan.novel[at(i)] ? ""
                                 : plan.kind.difficulty == "mixed"
                                     ? kStrengths[at(strength.below(3))]
                                     : plan.kind.difficulty);
  }
}

}  // namespace

TestPlan draw_test(const TestMaterial& material, const MakeTestsOptions& options, TestKind kind,
                   const Rng& rng) {
  TestPlan plan;
  plan.kind = std::move(kind);
  const Index earliest = options.earliest_red_light();
  plan.red_light =
      earliest + rng.fork("red light").below(options.latest_red_light() - earliest + 1);
  mark_novel(plan, options, rng);
  if (plan.kind.novelty == "classes") {
    fill_with_classes(plan, material, options, rng);
  } else {
    fill_with_altered(plan, material, options, rng);
  }
  return plan;
}

}  // namespace tyto
