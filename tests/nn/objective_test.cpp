// SPDX-License-Identifier: Apache-2.0
// Every term of the objective against its formula in double precision, and its gradient against
// differences.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tyto/nn/module.hpp"

namespace tyto {

namespace {

constexpr Index kSamples = 5, kInputs = 3, kOutputs = 4, kSegments = 2;

Matrix noise(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed, "noise");
  Matrix out(rows, columns);
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = static_cast<float>(rng.normal());
  }
  return out;
}

Batch small_batch() {
  Batch batch;
  batch.rows = noise(kSamples * kSegments, kInputs, 1);
  batch.targets = {0, 3, 1, 2, 3};
  return batch;
}

Training with_segments() {
  Training training;
  training.segments = kSegments;
  return training;
}

std::unique_ptr<Network> residual_net() {
  NetworkSettings settings;
  settings.inputs = kInputs;
  settings.encoder = {{5, Join::none}, {5, Join::add}};
  settings.outputs = kOutputs;
  return nn_module().make_network(settings, Rng(3, "net"));
}

double log_sum(const Eigen::VectorXd& z) {
  return z.maxCoeff() + std::log((z.array() - z.maxCoeff()).exp().sum());
}

Eigen::VectorXd logits_of(const Network& net, const Matrix& rows, Index sample) {
  return net.forward(rows, kSegments, nullptr).row(sample).cast<double>().transpose();
}

double cross_entropy(const Network& net, const Matrix& rows, const Batch& batch, Index i) {
  const Eigen::VectorXd z = logits_of(net, rows, i);
  return log_sum(z) - z[batch.targets[static_cast<std::size_t>(i)]];
}

double loss_of(const Network& net, const Batch& batch, const Training& training) {
  State gradients;
  return net.gradient(batch, training, gradients);
}

// The gradient of every weight against the difference of two losses.
void expect_gradient(const Network& net, const Batch& batch, const Training& training) {
  State gradients;
  (void)net.gradient(batch, training, gradients);
  State weights;
  net.save(weights);
  for (const auto& [name, value] : gradients.values) {
    const Matrix& gradient = std::get<Matrix>(value);
    for (Index k = 0; k < gradient.size(); k += 3) {
      const auto moved = [&](float by) {
        State state = weights;
        Matrix changed = state.get<Matrix>(name);
        changed.data()[k] += by;
        state.set(name, changed);
        const auto other = net.copy();
        other->load(state);
        return loss_of(*other, batch, training);
      };
      const double slope = (moved(0.001F) - moved(-0.001F)) / 0.002;
      EXPECT_NEAR(gradient.data()[k], slope, 2e-3 + 2e-3 * std::abs(slope)) << name << " " << k;
    }
  }
}

TEST(Objective, mean_of_segments_goes_through_the_output_layer) {
  const auto net = residual_net();
  const Batch batch = small_batch();
  const Matrix alone = net->forward(batch.rows, 1, nullptr);
  const Matrix together = net->forward(batch.rows, kSegments, nullptr);
  ASSERT_EQ(together.rows(), kSamples);
  for (Index i = 0; i < kSamples; ++i) {
    const Matrix mean = alone.middleRows(i * kSegments, kSegments).colwise().mean();
    EXPECT_TRUE(together.row(i).isApprox(mean.row(0), 1e-5F));
  }
}

TEST(Objective, cross_entropy_is_weighted_by_sample) {
  const auto net = residual_net();
  Batch batch = small_batch();
  batch.weights = {1, 0, 2, 0.5F, 1};
  double expected = 0;
  for (Index i = 0; i < kSamples; ++i) {
    expected += batch.weights[static_cast<std::size_t>(i)] *
                cross_entropy(*net, batch.rows, batch, i) / kSamples;
  }
  EXPECT_NEAR(loss_of(*net, batch, with_segments()), expected, 1e-5);
  expect_gradient(*net, batch, with_segments());
}

TEST(Objective, a_second_view_takes_its_share) {
  const auto net = residual_net();
  Batch batch = small_batch();
  batch.second = noise(kSamples * kSegments, kInputs, 2);
  Training training = with_segments();
  training.objective.second_view = 0.3;
  double expected = 0;
  for (Index i = 0; i < kSamples; ++i) {
    expected += (0.7 * cross_entropy(*net, batch.rows, batch, i) +
                 0.3 * cross_entropy(*net, batch.second, batch, i)) /
                kSamples;
  }
  EXPECT_NEAR(loss_of(*net, batch, training), expected, 1e-5);
  expect_gradient(*net, batch, training);
}

TEST(Objective, softmax_distillation_is_over_the_outputs_of_the_teacher) {
  const auto net = residual_net();
  Batch batch = small_batch();
  batch.soft = noise(kSamples, 2, 3);  // of two old classes
  Training training = with_segments();
  training.objective.cross_entropy = 0.4;
  training.objective.distil = {0.6, DistilKind::softmax, 2.0};
  double expected = 0;
  for (Index i = 0; i < kSamples; ++i) {
    const Eigen::VectorXd own = logits_of(*net, batch.rows, i).head(2) / 2.0;
    const Eigen::VectorXd told = batch.soft.row(i).cast<double>().transpose() / 2.0;
    const Eigen::VectorXd p = (told.array() - log_sum(told)).exp();
    expected += (0.4 * cross_entropy(*net, batch.rows, batch, i) -
                 0.6 * p.dot((own.array() - log_sum(own)).matrix())) /
                kSamples;
  }
  EXPECT_NEAR(loss_of(*net, batch, training), expected, 1e-5);
  expect_gradient(*net, batch, training);
}

TEST(Objective, sigmoid_distillation_is_summed_over_old_outputs) {
  const auto net = residual_net();
  Batch batch = small_batch();
  batch.soft = noise(kSamples, 3, 4);
  Training training = with_segments();
  training.objective.distil = {1.0, DistilKind::sigmoid, 1.0};
  double expected = 0;
  for (Index i = 0; i < kSamples; ++i) {
    const Eigen::VectorXd z = logits_of(*net, batch.rows, i);
    double sum = cross_entropy(*net, batch.rows, batch, i);
    for (Index k = 0; k < 3; ++k) {
      const double q = 1.0 / (1.0 + std::exp(-static_cast<double>(batch.soft(i, k))));
      sum += std::log1p(std::exp(z[k])) - q * z[k];
    }
    expected += sum / kSamples;
  }
  EXPECT_NEAR(loss_of(*net, batch, training), expected, 1e-5);
  expect_gradient(*net, batch, training);
}

TEST(Objective, matches_only_the_outputs_that_are_told) {
  const auto net = residual_net();
  Batch batch = small_batch();
  const float none = std::numeric_limits<float>::quiet_NaN();
  batch.match = Matrix::Constant(kSamples, kOutputs, none);
  batch.match.row(1) << 1.0F, -2.0F, none, none;  // of a time with two classes
  Training training = with_segments();
  training.objective.logit_match = 0.5;
  double expected = 0;
  for (Index i = 0; i < kSamples; ++i) {
    expected += cross_entropy(*net, batch.rows, batch, i) / kSamples;
  }
  const Eigen::VectorXd z = logits_of(*net, batch.rows, 1);
  expected += 0.5 * ((z[0] - 1) * (z[0] - 1) + (z[1] + 2) * (z[1] + 2)) / 2 / kSamples;
  EXPECT_NEAR(loss_of(*net, batch, training), expected, 1e-5);
  expect_gradient(*net, batch, training);
}

TEST(Objective, anchors_hold_what_they_name_and_leave_new_outputs_free) {
  const auto net = residual_net();
  State at;
  net->save(at);
  State importance = at;
  double expected = 0;
  for (auto& [name, value] : importance.values) {
    auto& matrix = std::get<Matrix>(value);
    matrix = matrix.cwiseAbs();
    expected += 2.0 * matrix.cast<double>().sum() * 0.25;  // every weight will be off by a half
  }
  State moved = at;
  for (auto& [name, value] : moved.values) {
    std::get<Matrix>(value).array() += 0.5F;
  }
  net->load(moved);
  const Batch batch = small_batch();
  Training training = with_segments();
  const double without = loss_of(*net, batch, training);
  training.objective.anchors = {{2.0, importance, at}};
  EXPECT_NEAR(loss_of(*net, batch, training) - without, expected, 1e-4);
  expect_gradient(*net, batch, training);
  net->grow(kOutputs + 2, Rng(1));
  State gradients;
  (void)net->gradient(batch, training, gradients);
  State plain;
  (void)net->gradient(batch, with_segments(), plain);
  EXPECT_EQ(gradients.get<Matrix>("weight_2").bottomRows(2),
            plain.get<Matrix>("weight_2").bottomRows(2));
  EXPECT_NE(gradients.get<Matrix>("weight_2").topRows(4), plain.get<Matrix>("weight_2").topRows(4));
}

// Importances against gradients of single samples.
TEST(Objective, fisher_is_the_mean_of_squared_gradients_of_samples) {
  const auto net = residual_net();
  const Batch batch = small_batch();
  const auto draw = [&](Rows which, const Rng&, Batch& out) {
    out.clear();
    out.rows.resize(std::ssize(which) * kSegments, kInputs);
    for (std::size_t i = 0; i < which.size(); ++i) {
      out.rows.middleRows(static_cast<Index>(i) * kSegments, kSegments) =
          batch.rows.middleRows(which[i] * kSegments, kSegments);
      out.targets.push_back(batch.targets[static_cast<std::size_t>(which[i])]);
    }
  };
  Progress silent;
  Work work{Rng(1), silent};
  Training training = with_segments();
  training.batch = 2;
  const State fisher = net->importance(kSamples, draw, ImportanceKind::fisher, training, work);
  const State released =
      net->importance(kSamples, draw, ImportanceKind::fisher_released, training, work);
  Matrix squares = Matrix::Zero(kOutputs, 5);
  for (Index i = 0; i < kSamples; ++i) {
    Batch one;
    one.rows = batch.rows.middleRows(i * kSegments, kSegments);
    one.targets = {batch.targets[static_cast<std::size_t>(i)]};
    State gradient;
    (void)net->gradient(one, training, gradient);
    squares += gradient.get<Matrix>("weight_2").cwiseAbs2() / kSamples;
  }
  EXPECT_TRUE(fisher.get<Matrix>("weight_2").isApprox(squares, 1e-4F));
  EXPECT_FALSE(released.get<Matrix>("weight_2").isApprox(squares, 1e-2F));
  const State mas = net->importance(kSamples, draw, ImportanceKind::mas, training, work);
  EXPECT_GE(mas.get<Matrix>("weight_0").minCoeff(), 0.0F);
}

TEST(Objective, mas_is_the_mean_of_absolute_gradients_of_the_squared_length) {
  // One layer, no encoder: z = W x + b, d|z|^2 / dW = 2 z x', of the mean of the segments.
  NetworkSettings settings;
  settings.inputs = kInputs;
  settings.outputs = kOutputs;
  const auto net = nn_module().make_network(settings, Rng(5));
  const Batch batch = small_batch();
  const auto draw = [&](Rows which, const Rng&, Batch& out) {
    out.clear();
    out.rows.resize(std::ssize(which) * kSegments, kInputs);
    for (std::size_t i = 0; i < which.size(); ++i) {
      out.rows.middleRows(static_cast<Index>(i) * kSegments, kSegments) =
          batch.rows.middleRows(which[i] * kSegments, kSegments);
      out.targets.push_back(0);
    }
  };
  Progress silent;
  Work work{Rng(1), silent};
  const State mas = net->importance(kSamples, draw, ImportanceKind::mas, with_segments(), work);
  Matrix expected = Matrix::Zero(kOutputs, kInputs);
  const Matrix logits = net->forward(batch.rows, kSegments, nullptr);
  for (Index i = 0; i < kSamples; ++i) {
    const Matrix x = batch.rows.middleRows(i * kSegments, kSegments).colwise().mean();
    expected += (2.0F * logits.row(i).transpose() * x.row(0)).cwiseAbs() / kSamples;
  }
  EXPECT_TRUE(mas.get<Matrix>("weight_0").isApprox(expected, 1e-4F));
}

// Two steps on one sample, worked out with the loss's own gradients.
TEST(Optimisers, step_as_their_formulas_say) {
  NetworkSettings settings;
  settings.inputs = kInputs;
  settings.outputs = kOutputs;
  const Matrix row = noise(1, kInputs, 9);
  const auto draw = [&](Rows, const Rng&, Batch& batch) {
    batch.clear();
    batch.rows = row;
    batch.targets = {2};
  };
  for (const OptimiserKind kind : {OptimiserKind::sgd, OptimiserKind::adagrad}) {
    const auto net = nn_module().make_network(settings, Rng(5));
    const auto trained = net->copy();
    Training training;
    training.optimiser = {kind, 0.1, 0.9, 0.01, 0.5, RateSchedule::constant};
    training.epochs = 2;
    Progress silent;
    Work work{Rng(1), silent};
    trained->fit(1, draw, training, work);
    Matrix memory = Matrix::Zero(kOutputs, kInputs);
    Matrix bias_memory = Matrix::Zero(1, kOutputs);
    for (int step = 0; step < 2; ++step) {
      Batch batch;
      draw({}, Rng(1), batch);
      State gradients;
      (void)net->gradient(batch, {}, gradients);
      Matrix g = gradients.get<Matrix>("weight_0");
      Matrix b = gradients.get<Matrix>("bias_0");
      const float length = std::sqrt(g.squaredNorm() + b.squaredNorm());
      const float scale = length > 0.5F ? 0.5F / (length + 1e-6F) : 1.0F;
      State weights;
      net->save(weights);
      const auto move = [&](const char* name, Matrix slope, Matrix& kept) {
        Matrix weight = weights.get<Matrix>(name);
        slope = slope * scale + 0.01F * weight;
        if (kind == OptimiserKind::sgd) {
          kept = 0.9F * kept + slope;
          weight -= 0.1F * kept;
        } else {
          kept += slope.cwiseAbs2();
          weight.array() -= 0.1F * slope.array() / (kept.array().sqrt() + 1e-10F);
        }
        weights.set(name, weight);
      };
      move("weight_0", g, memory);
      move("bias_0", b, bias_memory);
      net->load(weights);
    }
    State expected;
    net->save(expected);
    State got;
    trained->save(got);
    EXPECT_TRUE(got.get<Matrix>("weight_0").isApprox(expected.get<Matrix>("weight_0"), 1e-4F));
    EXPECT_TRUE(got.get<Matrix>("bias_0").isApprox(expected.get<Matrix>("bias_0"), 1e-4F));
  }
}

}  // namespace

}  // namespace tyto
