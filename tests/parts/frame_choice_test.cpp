// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/memory/frame_choice.hpp"

#include <cmath>
#include <numeric>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

std::vector<Index> places_of(const std::vector<FrameMean>& frames) {
  std::vector<Index> places;
  for (const FrameMean& frame : frames) {
    EXPECT_EQ(frame.weight, std::vector<float>{1.0F});
    places.push_back(frame.first);
  }
  return places;
}

Matrix on_a_line(const std::vector<float>& values) {
  return Eigen::Map<const Matrix>(values.data(), std::ssize(values), 1);
}

Eigen::RowVectorXd point(double value) {
  return Eigen::RowVectorXd::Constant(1, value);
}

TEST(FrameChoice, uniform_frames_are_the_centres_of_equal_parts) {
  // tick = 10 / 4 = 2.5: floor(1.25 + 2.5 i) = 1, 3, 6, 8.
  EXPECT_EQ(places_of(uniform_frames(10, 4)), (std::vector<Index>{1, 3, 6, 8}));
  EXPECT_EQ(places_of(uniform_frames(7, 1)), (std::vector<Index>{3}));
  EXPECT_EQ(places_of(uniform_frames(3, 3)), (std::vector<Index>{0, 1, 2}));
  for (const Index all : {5, 16, 33}) {  // as Samples::thinned has them
    std::vector<Index> rows(at(all));
    std::iota(rows.begin(), rows.end(), Index{0});
    Matrix numbers(all, 1);
    for (Index i = 0; i < all; ++i) {
      numbers(i, 0) = static_cast<float>(i);
    }
    const Samples one(std::make_shared<const DenseStore>(numbers),
                      {{SampleId{1}}, rows, {0, all}, {}, {}});
    for (Index count = 1; count <= all; ++count) {
      const Matrix thinned = one.thinned(count).frame_rows();
      const auto places = places_of(uniform_frames(all, count));
      ASSERT_EQ(thinned.rows(), std::ssize(places));
      for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_EQ(thinned(static_cast<Index>(i), 0), static_cast<float>(places[i]));
      }
    }
  }
}

TEST(FrameChoice, k_centre_begins_at_the_mean_and_goes_to_the_farthest) {
  // Mean 4.4, nearest 2. Farthest from it 10; then 0 is 2 from 2, while 1 and 9 are 1 from one.
  const Matrix frames = on_a_line({0, 1, 2, 9, 10});
  EXPECT_EQ(places_of(k_centre_frames(frames, 1)), (std::vector<Index>{2}));
  EXPECT_EQ(places_of(k_centre_frames(frames, 2)), (std::vector<Index>{2, 4}));
  EXPECT_EQ(places_of(k_centre_frames(frames, 3)), (std::vector<Index>{0, 2, 4}));
  // Ties go to the earlier: 0 and 4 are as far from 2.
  EXPECT_EQ(places_of(k_centre_frames(on_a_line({0, 2, 4}), 2)), (std::vector<Index>{0, 1}));
  // Twins are taken one by one, none twice.
  EXPECT_EQ(places_of(k_centre_frames(on_a_line({5, 5, 5, 5}), 3)), (std::vector<Index>{0, 1, 2}));
}

TEST(FrameChoice, typical_frames_are_nearest_to_the_mean_in_time_order) {
  // Mean 4.4: 4.4, 3.4, 2.4, 4.6, 5.6 away.
  const Matrix frames = on_a_line({0, 1, 2, 9, 10});
  EXPECT_EQ(places_of(typical_frames(frames, 1)), (std::vector<Index>{2}));
  EXPECT_EQ(places_of(typical_frames(frames, 3)), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(places_of(typical_frames(on_a_line({3, 1, 3, 1}), 2)), (std::vector<Index>{0, 1}));
}

TEST(FrameChoice, foreground_frames_are_like_their_class_and_unlike_all) {
  // Own mean 10, that of all 5. Ratios |x - 5| / |x - 10|: 0, infinite, 2/3, 6, 1.
  const Matrix frames = on_a_line({5, 10, 7, 11, 7.5F});
  EXPECT_EQ(places_of(foreground_frames(frames, 1, point(10), point(5))), (std::vector<Index>{1}));
  EXPECT_EQ(places_of(foreground_frames(frames, 2, point(10), point(5))),
            (std::vector<Index>{1, 3}));
  EXPECT_EQ(places_of(foreground_frames(frames, 4, point(10), point(5))),
            (std::vector<Index>{1, 2, 3, 4}));
  // Where both means are one no frame is better than another.
  EXPECT_EQ(places_of(foreground_frames(frames, 2, point(5), point(5))),
            (std::vector<Index>{0, 1}));
}

TEST(FrameChoice, condensed_frames_are_means_of_runs_weighted_by_closeness) {
  // Distances 0 and 2 to the class mean, squares 0 and 4, their mean 2: weights 1 and exp(-2).
  const auto one = condensed_frames(on_a_line({0, 2}), 1, point(0));
  ASSERT_EQ(one.size(), 1U);
  const double far = std::exp(-2.0);
  EXPECT_NEAR(one[0].weight[0], 1 / (1 + far), 1e-6);
  EXPECT_NEAR(one[0].weight[1], far / (1 + far), 1e-6);
  EXPECT_NEAR(mean_of(on_a_line({0, 2}), one)[0], 2 * far / (1 + far), 1e-6);

  const Matrix frames = random_rows(11, 3, 7);
  for (Index count = 1; count <= 11; ++count) {
    const auto runs = condensed_frames(frames, count, Eigen::RowVectorXd::Constant(3, 100.0));
    ASSERT_EQ(std::ssize(runs), count);
    Index next = 0;  // the runs follow one another and leave nothing out
    for (const FrameMean& run : runs) {
      EXPECT_EQ(run.first, next);
      next += std::ssize(run.weight);
      EXPECT_NEAR(std::accumulate(run.weight.begin(), run.weight.end(), 0.0), 1.0, 1e-6);
      for (const float weight : run.weight) {
        EXPECT_GT(weight, 0.0F);
      }
    }
    EXPECT_EQ(next, 11);
  }
  // All frames at the class mean: they weigh the same.
  EXPECT_EQ(condensed_frames(on_a_line({4, 4}), 1, point(4))[0].weight,
            (std::vector<float>{0.5F, 0.5F}));
}

TEST(FrameChoice, thins_held_out_samples_evenly_whatever_the_rule) {
  const Matrix frames = on_a_line({0, 1, 2, 9, 10, 3});
  for (const std::string_view rule : kFrameChoices) {
    FrameChoice choice{std::string(rule)};
    choice.add(Label{1}, frames);
    choice.add(Label{2}, on_a_line({20, 21}));
    choice.prepare();
    EXPECT_EQ(places_of(choice.pick(Label{1}, Role::hold, frames, 6, 2)),
              (std::vector<Index>{1, 4}))
        << rule;
    const auto fitted = choice.pick(Label{1}, Role::fit, frames, 6, 2);
    EXPECT_EQ(fitted.size(), 2U) << rule;
  }
}

TEST(FrameChoice, knows_no_background_before_there_are_two_classes) {
  const Matrix frames = on_a_line({0, 1, 2, 9, 10, 3});
  FrameChoice choice("foreground");
  choice.add(Label{1}, frames);
  choice.prepare();
  EXPECT_EQ(places_of(choice.pick(Label{1}, Role::fit, frames, 6, 2)), (std::vector<Index>{1, 4}));
  // Means 25/6 and, of all, 41/8: 3 has the largest ratio, 2.125 / 1.167.
  choice.add(Label{2}, on_a_line({8, 8}));
  choice.prepare();
  EXPECT_EQ(places_of(choice.pick(Label{1}, Role::fit, frames, 6, 1)), (std::vector<Index>{5}));
  State state;
  choice.save(state);
  FrameChoice again("foreground");
  again.load(state);
  EXPECT_EQ(places_of(again.pick(Label{1}, Role::fit, frames, 6, 3)),
            places_of(choice.pick(Label{1}, Role::fit, frames, 6, 3)));
}

TEST(FrameChoice, takes_frames_of_the_first_part_alone_where_asked) {
  const Matrix frames = on_a_line({0, 1, 2, 9, 10, 3});
  for (const std::string_view rule : kFrameChoices) {
    FrameChoice choice{std::string(rule)};
    choice.add(Label{1}, frames);
    choice.add(Label{2}, on_a_line({20, 21}));
    choice.prepare();
    for (const FrameMean& frame : choice.pick(Label{1}, Role::fit, frames, 3, 2)) {
      EXPECT_LE(frame.first + std::ssize(frame.weight), 3) << rule;
    }
  }
}

}  // namespace
}  // namespace tyto
