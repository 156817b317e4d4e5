// SPDX-License-Identifier: Apache-2.0
// Networks that see pictures: the trunk learns with the rest, or stays as it is.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/nn/module.hpp"
#include "tyto/nn/picture_rows.hpp"

namespace tyto {

namespace {

constexpr Index kSide = 16;
constexpr Index kNumbers = 3 * kSide * kSide;

// Pictures that are bright in their left or right half: class 0 or 1. As clips of two frames whose
// halves differ, the order of the frames is the class.
struct Halves {
  Index segments = 1;

  [[nodiscard]] DrawBatch draw() const {
    return [*this](Rows which, const Rng&, Batch& batch) {
      batch.clear();
      batch.rows.resize(std::ssize(which) * segments, kNumbers);
      for (std::size_t i = 0; i < which.size(); ++i) {
        const std::int64_t target = which[i] % 2;
        batch.targets.push_back(target);
        for (Index s = 0; s < segments; ++s) {
          const bool right = (target == 1) != (s == 1);
          Rng noise(static_cast<std::uint64_t>(which[i]), "noise", static_cast<std::uint64_t>(s));
          for (Index k = 0; k < kNumbers; ++k) {
            const bool bright = (k % kSide >= kSide / 2) == right;
            batch.rows(static_cast<Index>(i) * segments + s, k) =
                static_cast<float>((bright ? 200 : 60) + 40 * noise.uniform());
          }
        }
      }
    };
  }
};

NetworkSettings with_trunk(const std::string& name, Taught taught = Taught::whole) {
  NetworkSettings settings;
  settings.inputs = kNumbers;
  settings.trunk =
      TrunkSettings{.backbone = name, .height = kSide, .width = kSide, .taught = taught};
  settings.outputs = 2;
  return settings;
}

std::string trunk_bytes(const Network& net) {
  State state;
  net.save(state);
  return to_archive(state);
}

Training short_training(Index epochs, Index segments = 1) {
  Training training;
  training.optimiser.learning_rate = 3e-3;
  training.batch = 8;
  training.epochs = epochs;
  training.segments = segments;
  return training;
}

double fit(Network& net, const Halves& halves, const Training& training) {
  Progress silent;
  Work work{Rng(5, "training"), silent};
  return net.fit(32, halves.draw(), training, work);
}

double right_share(const Network& net, const Halves& halves) {
  Batch batch;
  std::vector<Index> which;
  for (Index i = 100; i < 140; ++i) {
    which.push_back(i);
  }
  halves.draw()(which, Rng(0), batch);
  const Matrix logits = net.forward(batch.rows, halves.segments, nullptr);
  Index right = 0;
  for (Index i = 0; i < logits.rows(); ++i) {
    right += (logits(i, 1) > logits(i, 0)) == (batch.targets[static_cast<std::size_t>(i)] == 1);
  }
  return static_cast<double>(right) / static_cast<double>(logits.rows());
}

TEST(Trunk, learns_where_pictures_are_bright) {
  const auto net = nn_module().make_network(with_trunk("cnn_small"), Rng(1, "net"));
  fit(*net, {}, short_training(6));
  EXPECT_EQ(right_share(*net, {}), 1.0);
}

// Both orders have the same frames: a mean over them tells nothing, a network of clips sees it.
TEST(Trunk, of_clips_sees_the_order_of_frames) {
  const auto net = nn_module().make_network(with_trunk("i3d_small"), Rng(1, "net"));
  const Halves swapped{2};
  fit(*net, swapped, short_training(10, 2));
  EXPECT_EQ(right_share(*net, swapped), 1.0);
  const auto pictures = nn_module().make_network(with_trunk("cnn_small"), Rng(1, "net"));
  fit(*pictures, swapped, short_training(10, 2));
  EXPECT_LT(right_share(*pictures, swapped), 0.8);
}

TEST(Trunk, stays_as_it_is_where_frozen) {
  const auto net = nn_module().make_network(with_trunk("cnn_small", Taught::frozen), Rng(1, "net"));
  State before, after;
  net->save(before);
  fit(*net, {}, short_training(2));
  net->save(after);
  for (const auto& [name, value] : before.values) {
    const bool same = std::get<Matrix>(value) == after.get<Matrix>(name);
    EXPECT_EQ(same, name.starts_with("trunk.")) << name;
  }
}

TEST(Trunk, learns_its_last_block_alone) {
  const auto net = nn_module().make_network(with_trunk("cnn_small", Taught::last), Rng(1, "net"));
  State before, after;
  net->save(before);
  fit(*net, {}, short_training(2));
  net->save(after);
  const auto same = [&](const std::string& name) {
    return before.get<Matrix>(name) == after.get<Matrix>(name);
  };
  EXPECT_TRUE(same("trunk.conv1.weight"));
  EXPECT_TRUE(same("trunk.bn2.running_mean"));
  EXPECT_FALSE(same("trunk.conv3.weight"));
  EXPECT_FALSE(same("trunk.bn3.running_mean"));
}

TEST(Trunk, comes_back_from_its_state_and_copies) {
  const auto net = nn_module().make_network(with_trunk("cnn_small"), Rng(1, "net"));
  fit(*net, {}, short_training(1));
  State state;
  net->save(state);
  const auto other = nn_module().make_network(with_trunk("cnn_small"), Rng(2, "other"));
  EXPECT_NE(trunk_bytes(*other), trunk_bytes(*net));
  other->load(state);
  EXPECT_EQ(trunk_bytes(*other), trunk_bytes(*net));
  const auto copy = net->copy();
  fit(*net, {}, short_training(1));
  EXPECT_EQ(trunk_bytes(*copy), trunk_bytes(*other));
  EXPECT_NE(trunk_bytes(*copy), trunk_bytes(*net));
}

TEST(Training, cut_at_an_epoch_ends_with_the_same_bytes) {
  for (const auto kind : {OptimiserKind::adam, OptimiserKind::sgd, OptimiserKind::adagrad}) {
    Training whole = short_training(4);
    whole.optimiser.kind = kind;
    whole.optimiser.momentum = 0.9;
    whole.optimiser.schedule = RateSchedule::cosine;
    const auto net = nn_module().make_network(with_trunk("cnn_small"), Rng(1, "net"));
    fit(*net, {}, whole);
    auto cut = nn_module().make_network(with_trunk("cnn_small"), Rng(1, "net"));
    State moments;
    Training part = whole;
    part.moments = &moments;
    part.end_epoch = 1;
    fit(*cut, {}, part);
    State saved;
    cut->save(saved);
    cut = nn_module().make_network(with_trunk("cnn_small"), Rng(9, "another"));
    cut->load(saved);
    part.first_epoch = 1;
    part.end_epoch = 4;
    fit(*cut, {}, part);
    EXPECT_EQ(trunk_bytes(*cut), trunk_bytes(*net));
  }
}

TEST(Training, draws_ahead_what_it_draws_in_turn) {
  Training training = short_training(2);
  const auto net = nn_module().make_network(with_trunk("cnn_small"), Rng(1, "net"));
  fit(*net, {}, training);
  training.draw_ahead = true;
  const auto ahead = nn_module().make_network(with_trunk("cnn_small"), Rng(1, "net"));
  fit(*ahead, {}, training);
  EXPECT_EQ(trunk_bytes(*ahead), trunk_bytes(*net));
}

TEST(Training, tells_who_waits_that_a_draw_has_failed) {
  Training training = short_training(1);
  training.draw_ahead = true;
  const auto net = nn_module().make_network(with_trunk("cnn_small"), Rng(1, "net"));
  Progress silent;
  Work work{Rng(5, "training"), silent};
  const auto draw = [](Rows which, const Rng& rng, Batch& batch) {
    if (which.front() == which.back()) {
      throw Error(ErrorKind::io, "the disk is gone");
    }
    Halves{}.draw()(which, rng, batch);
  };
  EXPECT_THROW(net->fit(9, draw, training, work), Error);  // the last batch has one sample
}

// Without dropout and batch statistics the gradient is that of the logits it gives.
TEST(Trunk, has_the_gradient_of_its_loss) {
  const auto net = nn_module().make_network(with_trunk("cnn_small"), Rng(1, "net"));
  fit(*net, {}, short_training(1));  // statistics that are not 0 and 1
  Batch batch;
  Halves{}.draw()(std::vector<Index>{0, 1, 2}, Rng(0), batch);
  const Training training = short_training(1);
  State gradients;
  net->gradient(batch, training, gradients);
  for (const auto* name : {"trunk.conv1.weight", "trunk.bn2.weight", "trunk.conv3.weight"}) {
    State state;
    net->save(state);
    const Matrix wanted = gradients.get<Matrix>(name);
    Index row = 0, column = 0;
    wanted.cwiseAbs().maxCoeff(&row, &column);
    const auto loss_at = [&](float by) {
      State moved = state;
      std::get<Matrix>(moved.values.at(name))(row, column) += by;
      const auto other = net->copy();
      other->load(moved);
      State ignored;
      return other->gradient(batch, training, ignored);
    };
    const double step = 1e-2;
    const double slope =
        (loss_at(static_cast<float>(step)) - loss_at(static_cast<float>(-step))) / (2 * step);
    EXPECT_NEAR(slope, wanted(row, column), 0.02 * std::abs(wanted(row, column)) + 1e-4) << name;
  }
}

TEST(PictureRows, have_a_size) {
  EXPECT_EQ(picture_size(3 * 32 * 32).height, 32);
  EXPECT_EQ(picture_size(3 * 24 * 32, 24).width, 32);
  EXPECT_THROW(picture_size(3 * 24 * 32), Error);
  EXPECT_THROW(picture_size(1000), Error);
  EXPECT_THROW(picture_size(3 * 24 * 32, 31), Error);
}

TEST(PictureRows, are_mirrored_and_moved_sample_by_sample) {
  Matrix rows(32, 3 * 8 * 8);
  for (Index r = 0; r < rows.rows(); ++r) {
    for (Index k = 0; k < rows.cols(); ++k) {
      rows(r, k) = static_cast<float>(k);  // all alike
    }
  }
  const Matrix before = rows;
  augment_pictures(rows, 2, {8, 8}, Augment::none, Rng(3));
  EXPECT_EQ(rows, before);
  augment_pictures(rows, 2, {8, 8}, Augment::flip, Rng(3));
  Index mirrored = 0;
  for (Index sample = 0; sample < 16; ++sample) {
    EXPECT_EQ(rows.row(2 * sample), rows.row(2 * sample + 1));
    const bool same = rows.row(2 * sample) == before.row(0);
    EXPECT_TRUE(same || (rows(2 * sample, 0) == 7 && rows(2 * sample, 7) == 0));
    mirrored += same ? 0 : 1;
  }
  EXPECT_GT(mirrored, 0);
  EXPECT_LT(mirrored, 16);
  Matrix moved = before;
  augment_pictures(moved, 1, {8, 8}, Augment::shift_flip, Rng(4));
  EXPECT_NE(moved, before);
  EXPECT_LE(moved.maxCoeff(), before.maxCoeff());
}

}  // namespace
}  // namespace tyto
