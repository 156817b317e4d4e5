// SPDX-License-Identifier: Apache-2.0
// The representation that is chosen by what was left out, and what it is chosen by.
#include <cmath>
#include <limits>

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/parts/representation/space_quality.hpp"

namespace tyto::chosen_test {
namespace {

constexpr Slot kRepresents = Slot::representation;

Matrix column(std::initializer_list<float> values) {
  Matrix out(static_cast<Index>(values.size()), 1);
  Index row = 0;
  for (const float value : values) {
    out(row++, 0) = value;
  }
  return out;
}

TEST(SpaceQuality, is_one_where_classes_lie_apart_and_the_unknown_farther_still) {
  const Matrix fitted = column({0, 0.1F, 10, 10.1F});
  const Matrix asked = column({0.05F, 10.05F, 100});
  EXPECT_NEAR(space_quality(fitted, toy_labels({1, 1, 2, 2}), asked, toy_labels({1, 2, 3})), 1.0,
              1e-3);
}

TEST(SpaceQuality, counts_pairs_of_known_and_unknown_as_worked_by_hand) {
  // One class is known, so its probability says nothing: a half. Nearest distances: known 1 and 9,
  // unknown 4 and 16: three of four pairs are in order.
  const Matrix fitted = column({0, 0, 0});
  const Matrix asked = column({1, -3, 2, 4});
  EXPECT_NEAR(space_quality(fitted, toy_labels({1, 1, 1}), asked, toy_labels({1, 1, 2, 3})),
              (0.5 + 0.75) / 2.0, 1e-6);
  // Equally far: half a pair.
  EXPECT_NEAR(space_quality(fitted, toy_labels({1, 1, 1}), column({2, -2}), toy_labels({1, 2})),
              0.5, 1e-6);
}

TEST(SpaceQuality, gives_rows_that_tell_nothing_the_probability_of_a_coin) {
  const Matrix fitted = column({0, 0, 0, 0});
  // Both classes at every place: probability 1/2, and no unknown class: a half.
  EXPECT_NEAR(space_quality(fitted, toy_labels({1, 2, 1, 2}), column({0, 0}), toy_labels({1, 2})),
              0.5, 1e-3);
}

TEST(SpaceQuality, does_not_hang_on_scale_or_place) {
  const Matrix fitted = random_rows(40, 3, 1);
  const Matrix asked = random_rows(30, 3, 2);
  std::vector<int> labels;
  for (int i = 0; i < 40; ++i) {
    labels.push_back(1 + i % 4);
  }
  std::vector<int> theirs;
  for (int i = 0; i < 30; ++i) {
    theirs.push_back(1 + i % 6);
  }
  const double plain = space_quality(fitted, toy_labels(labels), asked, toy_labels(theirs));
  const Matrix moved = (fitted.array() * 64.0F + 4096.0F).matrix();
  const Matrix asked_moved = (asked.array() * 64.0F + 4096.0F).matrix();
  EXPECT_NEAR(space_quality(moved, toy_labels(labels), asked_moved, toy_labels(theirs)), plain,
              2e-3);
}

TEST(SpaceQuality, is_none_of_rows_that_are_not_finite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Label> two = toy_labels({1, 2});
  EXPECT_EQ(space_quality(column({0, nan}), two, column({0, 1}), two), 0.0);
  EXPECT_EQ(space_quality(column({0, 1}), two, column({0, nan}), two), 0.0);
  EXPECT_EQ(space_quality(column({0, 3e38F}), two, column({0, -3e38F}), two), 0.0);
}

// Two columns tell the classes; the others are noise a hundred times as wide.
struct Drowned {
  Matrix rows;
  std::vector<int> labels;
};

Drowned drowned(Index each, std::uint64_t seed) {
  constexpr int kClasses = 6;
  Rng rng(seed, "drowned");
  Drowned out;
  out.rows.resize(kClasses * each, 6);
  for (Index i = 0; i < out.rows.rows(); ++i) {
    const int of = static_cast<int>(i % kClasses);
    const double angle = 2.0 * 3.14159265 * of / kClasses;
    for (Index j = 0; j < 6; ++j) {
      const double middle = j == 0 ? 8.0 * std::cos(angle) : j == 1 ? 8.0 * std::sin(angle) : 0.0;
      out.rows(i, j) = static_cast<float>(middle + (j < 2 ? 1.0 : 100.0) * rng.normal());
    }
    out.labels.push_back(of + 1);
  }
  return out;
}

TEST(Chosen, takes_the_space_that_tells_classes_whatever_its_place_in_the_list) {
  const Drowned data = drowned(30, 1);
  ToyWork work;
  const auto whitened = make_part<Representation>(kRepresents, "whiten");
  whitened->adapt(ToyExperience(data.rows, data.labels), work);
  for (const char* among : {"[whiten, identity]", "[identity, whiten]"}) {
    SCOPED_TRACE(among);
    const auto part =
        make_part<Representation>(kRepresents, "chosen", std::string("{among: ") + among + "}");
    EXPECT_EQ(part->settled(), "");
    EXPECT_TRUE(part->adapt(ToyExperience(data.rows, data.labels), work));
    EXPECT_EQ(part->settled(), "whiten");
    EXPECT_EQ(part->represent(data.rows), whitened->represent(data.rows));
    EXPECT_EQ(
        reloaded(part, kRepresents, "chosen", std::string("{among: ") + among + "}")->settled(),
        "whiten");
  }
}

TEST(Chosen, stays_with_the_first_where_nothing_speaks_for_another) {
  ToyWork work;
  const Matrix rows = random_rows(60, 4, 3);
  std::vector<int> labels;
  for (int i = 0; i < 60; ++i) {
    labels.push_back(1 + i % 3);  // of noise alone
  }
  const auto part =
      make_part<Representation>(kRepresents, "chosen", "{among: [identity, {name: whiten}]}");
  part->adapt(ToyExperience(rows, labels), work);
  EXPECT_EQ(part->represent(rows), rows);
}

TEST(Chosen, chooses_again_while_samples_are_few_and_not_after) {
  ToyWork work;
  const Drowned data = drowned(60, 2);
  const auto first = [&](Index rows) {
    return ToyExperience(Matrix(data.rows.topRows(rows)),
                         std::vector<int>(data.labels.begin(), data.labels.begin() + rows));
  };
  const auto part = make_part<Representation>(kRepresents, "chosen");
  EXPECT_TRUE(part->adapt(first(60), work));
  EXPECT_FALSE(part->adapt(first(62), work));  // hardly more
  EXPECT_TRUE(part->adapt(first(120), work));  // six columns: few until 120
  EXPECT_FALSE(part->adapt(first(360), work));
}

TEST(Chosen, follows_the_choice_of_the_whole) {
  ToyWork work;
  const Drowned data = drowned(30, 4);
  const auto whole =
      make_part<Representation>(kRepresents, "chosen", "{among: [identity, whiten]}");
  whole->adapt(ToyExperience(data.rows, data.labels), work);
  ASSERT_NE(whole->represent(data.rows), data.rows);
  const Matrix noise = random_rows(40, 6, 5);
  std::vector<int> labels;
  for (int i = 0; i < 40; ++i) {
    labels.push_back(1 + i % 2);
  }
  const auto alone =
      make_part<Representation>(kRepresents, "chosen", "{among: [identity, whiten]}");
  alone->adapt(ToyExperience(noise, labels), work);
  EXPECT_EQ(alone->represent(noise), noise);
  const auto fold = make_part<Representation>(kRepresents, "chosen", "{among: [identity, whiten]}");
  fold->follow(*whole.slot);
  fold->adapt(ToyExperience(noise, labels), work);
  EXPECT_NE(fold->represent(noise), noise);
}

TEST(Chosen, looks_at_no_held_out_row) {
  const Drowned data = drowned(30, 6);
  std::vector<Role> roles(data.labels.size(), Role::fit);
  for (std::size_t i = 0; i < roles.size(); i += 5) {
    roles[i] = Role::hold;
  }
  Drowned other = data;
  for (std::size_t i = 0; i < roles.size(); i += 5) {
    other.rows.row(static_cast<Index>(i)).setConstant(1e4F);
    other.labels[i] = 1;
  }
  ToyWork work;
  const auto one = make_part<Representation>(kRepresents, "chosen");
  const auto two = make_part<Representation>(kRepresents, "chosen");
  one->adapt(ToyExperience(data.rows, data.labels, roles), work);
  two->adapt(ToyExperience(other.rows, other.labels, roles), work);
  EXPECT_EQ(one->represent(data.rows), two->represent(data.rows));
}

TEST(Chosen, takes_one_class_one_row_and_one_candidate) {
  ToyWork work;
  const Matrix rows = random_rows(5, 3, 8);
  const auto one_class =
      make_part<Representation>(kRepresents, "chosen", "{among: [l2, identity]}");
  EXPECT_TRUE(one_class->adapt(ToyExperience(rows, std::vector<int>(5, 1)), work));
  const auto one_row = make_part<Representation>(kRepresents, "chosen", "{among: [identity, l2]}");
  EXPECT_TRUE(one_row->adapt(ToyExperience(Matrix(rows.topRows(1)), {1}), work));
  EXPECT_EQ(one_row->represent(rows), rows);
  const auto single = make_part<Representation>(kRepresents, "chosen", "{among: [l2]}");
  EXPECT_TRUE(single->adapt(ToyExperience(rows, std::vector<int>(5, 1)), work));
  EXPECT_EQ(single->represent(rows), make_part<Representation>(kRepresents, "l2")->represent(rows));
}

TEST(Chosen, says_what_it_lacks) {
  ToyWork work;
  const auto part = make_part<Representation>(kRepresents, "chosen");
  EXPECT_THROW(part->represent(random_rows(1, 2, 1)), Error);
  EXPECT_THROW(part->adapt(ToyExperience(random_rows(1, 2, 1), {1}, {Role::hold}), work), Error);
  EXPECT_THROW(make_part<Representation>(kRepresents, "chosen", "{among: []}"), Error);
  EXPECT_THROW(make_part<Representation>(kRepresents, "chosen", "{among: [slda]}"), Error);
}

}  // namespace
}  // namespace tyto::chosen_test
