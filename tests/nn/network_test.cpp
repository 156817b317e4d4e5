// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/network.hpp"

#include <cmath>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/nn/module.hpp"

namespace tyto {

namespace {

using Doubles = Dense<double>;

struct Problem {
  Matrix features;
  std::vector<std::int64_t> targets;

  [[nodiscard]] DrawBatch draw() const {
    return [this](Rows which, const Rng&, Batch& batch) {
      batch.rows.resize(static_cast<Index>(which.size()), features.cols());
      batch.targets.resize(which.size());
      for (std::size_t i = 0; i < which.size(); ++i) {
        batch.rows.row(static_cast<Index>(i)) = features.row(which[i]);
        batch.targets[i] = targets[static_cast<std::size_t>(which[i])];
      }
    };
  }
};

Problem random_problem(Index rows, Index width, Index classes, std::uint64_t seed) {
  Rng rng(seed, "problem");
  Problem problem{Matrix(rows, width), {}};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < width; ++j) {
      problem.features(i, j) = static_cast<float>(rng.normal());
    }
    problem.targets.push_back(rng.below(classes));
  }
  return problem;
}

std::string bytes_of(const Network& net) {
  State state;
  net.save(state);
  return to_archive(state);
}

double train(Network& net, const Problem& problem, const Training& training, std::uint64_t seed) {
  Progress silent;
  Work work{Rng(seed, "training"), silent};
  return net.fit(problem.features.rows(), problem.draw(), training, work);
}

Training by_adam(double learning_rate, Index batch, Index epochs) {
  Training training;
  training.optimiser.learning_rate = learning_rate;
  training.batch = batch;
  training.epochs = epochs;
  return training;
}

std::unique_ptr<Network> small_net(Join skip = Join::none, Index layers = 1, double dropout = 0.5) {
  return nn_module().make_network(even_network(6, 6, layers, 4, skip, dropout), Rng(11, "net"));
}

// The definition in network.hpp, written down again in double precision.
Doubles reference_logits(const State& weights, Join skip, Index layers, const Doubles& x) {
  Doubles a = x;
  const auto value = [&](const char* name, Index l) -> Doubles {
    return weights.get<Doubles>(fmt::format("{}_{}", name, l));
  };
  for (Index l = 0; l < layers; ++l) {
    Doubles h = a * value("weight", l).transpose();
    h.rowwise() += Eigen::RowVectorXd(value("bias", l).row(0));
    h = h.unaryExpr([](double z) { return z > 0 ? z : 0.01 * z; });
    if (skip == Join::add) {
      h += a;
    }
    a = h;
    if (skip == Join::concat) {
      a.resize(x.rows(), h.cols() + x.cols());
      a << h, x;
    }
  }
  Doubles y = a * value("weight", layers).transpose();
  y.rowwise() += Eigen::RowVectorXd(value("bias", layers).row(0));
  return y;
}

double reference_loss(const Doubles& logits, const std::vector<std::int64_t>& targets) {
  double sum = 0.0;
  for (Index i = 0; i < logits.rows(); ++i) {
    const double top = logits.row(i).maxCoeff();
    sum += top + std::log((logits.row(i).array() - top).exp().sum()) -
           logits(i, targets[static_cast<std::size_t>(i)]);
  }
  return sum / static_cast<double>(logits.rows());
}

State doubled(const State& state) {
  State result;
  for (const auto& [name, value] : state.values) {
    result.set(name, Doubles(std::get<Matrix>(value).cast<double>()));
  }
  return result;
}

TEST(Network, forward_agrees_with_a_hand_computation) {
  // x = (1, -2); z = (1*1 + 0.5*-2 + 0.5, -1*1 + 1*-2 + 0) = (0.5, -3); h = (0.5, -0.03);
  // y = (2*0.5 + 1*-0.03 + 0, 0*0.5 + 10*-0.03 + 1, 1*0.5 - 1*-0.03 - 1) = (0.97, 0.7, -0.47).
  const auto net = nn_module().make_network(even_network(2, 2, 1, 3, Join::none, 0.5), Rng(1));
  State state;
  state.set("weight_0", Matrix{{1.0F, 0.5F}, {-1.0F, 1.0F}});
  state.set("bias_0", Matrix{{0.5F, 0.0F}});
  state.set("weight_1", Matrix{{2.0F, 1.0F}, {0.0F, 10.0F}, {1.0F, -1.0F}});
  state.set("bias_1", Matrix{{0.0F, 1.0F, -1.0F}});
  net->load(state);
  Matrix embedding;
  const Matrix logits = net->forward(Matrix{{1.0F, -2.0F}}, 1, &embedding);
  EXPECT_TRUE(logits.isApprox(Matrix{{0.97F, 0.7F, -0.47F}}, 1e-6F)) << logits;
  EXPECT_TRUE(embedding.isApprox(Matrix{{0.5F, -0.03F}}, 1e-6F)) << embedding;
}

TEST(Network, starts_uniform_within_the_inverse_root_of_the_fan_in) {
  const auto net = nn_module().make_network(even_network(400, 100, 1, 50, Join::none, 0.0), Rng(5));
  State state;
  net->save(state);
  const auto& weight = state.get<Matrix>("weight_0");
  EXPECT_LE(weight.cwiseAbs().maxCoeff(), 0.05F);  // 1 / sqrt(400)
  EXPECT_GT(weight.cwiseAbs().maxCoeff(), 0.0499F);
  EXPECT_NEAR(weight.cast<double>().array().square().mean(), 0.05 * 0.05 / 3.0, 1e-5);
  EXPECT_LE(state.get<Matrix>("bias_1").cwiseAbs().maxCoeff(), 0.1F);
  EXPECT_GT(state.get<Matrix>("bias_1").cwiseAbs().maxCoeff(), 0.05F);
}

class MlpFamily : public testing::TestWithParam<std::pair<Join, Index>> {};

TEST_P(MlpFamily, logits_and_gradient_agree_with_finite_differences_in_double) {
  const auto [skip, layers] = GetParam();
  const auto net = small_net(skip, layers);
  const Problem problem = random_problem(9, 6, 4, 3);
  State weights, gradients;
  net->save(weights);
  const double loss = net->gradient({problem.features, problem.targets}, {}, gradients);
  const Doubles x = problem.features.cast<double>();
  State exact = doubled(weights);
  const auto loss_at = [&] {
    return reference_loss(reference_logits(exact, skip, layers, x), problem.targets);
  };
  EXPECT_NEAR(loss, loss_at(), 1e-5);
  EXPECT_TRUE(net->forward(problem.features, 1, nullptr)
                  .cast<double>()
                  .isApprox(reference_logits(exact, skip, layers, x), 1e-5));
  ASSERT_EQ(gradients.values.size(), weights.values.size());
  for (auto& [name, value] : exact.values) {
    auto& parameter = std::get<Doubles>(value);
    const auto& gradient = gradients.get<Matrix>(name);
    for (Index i = 0; i < parameter.size(); ++i) {
      const double there = parameter.data()[i];
      parameter.data()[i] = there + 1e-6;
      const double above = loss_at();
      parameter.data()[i] = there - 1e-6;
      const double below = loss_at();
      parameter.data()[i] = there;
      ASSERT_NEAR(gradient.data()[i], (above - below) / 2e-6, 1e-5) << name << " entry " << i;
    }
  }
}

TEST_P(MlpFamily, pull_back_agrees_with_finite_differences_in_double) {
  const auto [skip, layers] = GetParam();
  const auto net = small_net(skip, layers);
  const Problem problem = random_problem(5, 6, 4, 4);
  const Matrix weight = random_problem(5, 4, 4, 5).features;
  const Matrix gradient = net->pull_back(problem.features, weight);
  State weights;
  net->save(weights);
  const State exact = doubled(weights);
  Doubles x = problem.features.cast<double>();
  const auto value_at = [&](Index row) {
    return reference_logits(exact, skip, layers, x).row(row).dot(weight.row(row).cast<double>());
  };
  ASSERT_EQ(gradient.rows(), 5);
  ASSERT_EQ(gradient.cols(), 6);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 6; ++j) {
      const double there = x(i, j);
      x(i, j) = there + 1e-6;
      const double above = value_at(i);
      x(i, j) = there - 1e-6;
      const double below = value_at(i);
      x(i, j) = there;
      ASSERT_NEAR(gradient(i, j), (above - below) / 2e-6, 1e-5) << i << ", " << j;
    }
  }
  EXPECT_EQ(net->pull_back(Matrix(0, 6), Matrix(0, 4)).rows(), 0);
}

TEST_P(MlpFamily, output_layer_turns_the_embedding_into_the_logits) {
  const auto [skip, layers] = GetParam();
  const auto net = small_net(skip, layers);
  Matrix embedding;
  const Matrix logits = net->forward(random_problem(5, 6, 4, 6).features, 1, &embedding);
  const OutputLayer layer = net->output_layer();
  Matrix again = embedding * layer.weight.transpose();
  again.rowwise() += layer.bias.row(0);
  EXPECT_TRUE(again.isApprox(logits, 1e-5F));
}

INSTANTIATE_TEST_SUITE_P(shapes, MlpFamily,
                         testing::Values(std::pair(Join::none, 1), std::pair(Join::none, 3),
                                         std::pair(Join::add, 1), std::pair(Join::add, 2),
                                         std::pair(Join::concat, 1), std::pair(Join::concat, 3)));

TEST(Network, a_training_step_without_dropout_is_adam_on_the_gradient) {
  // Adam's first step moves every weight by the learning rate against the gradient's sign.
  const auto net = small_net(Join::none, 2, 0.0);
  const Problem problem = random_problem(20, 6, 4, 8);
  State before, after, gradients;
  net->save(before);
  const double loss = net->gradient({problem.features, problem.targets}, {}, gradients);
  EXPECT_NEAR(train(*net, problem, by_adam(0.01, 20, 1), 1), loss, 1e-5);
  net->save(after);
  for (const auto& [name, value] : gradients.values) {
    const auto& gradient = std::get<Matrix>(value);
    const Matrix moved = after.get<Matrix>(name) - before.get<Matrix>(name);
    for (Index i = 0; i < moved.size(); ++i) {
      const float g = gradient.data()[i];
      ASSERT_NEAR(moved.data()[i], -0.01F * g / (std::abs(g) + 1e-8F), 2e-4F) << name;
    }
  }
}

TEST(Network, grows_without_touching_old_logits) {
  const auto net = small_net();
  const Problem problem = random_problem(50, 6, 4, 2);
  train(*net, problem, {}, 1);
  State before, after;
  net->save(before);
  const Matrix logits = net->forward(problem.features, 1, nullptr);
  net->grow(7, Rng(3));
  net->save(after);
  EXPECT_EQ(net->settings().outputs, 7);
  EXPECT_EQ(after.get<Matrix>("weight_1").topRows(4), before.get<Matrix>("weight_1"));
  EXPECT_EQ(after.get<Matrix>("bias_1").leftCols(4), before.get<Matrix>("bias_1"));
  EXPECT_EQ(after.get<Matrix>("weight_0"), before.get<Matrix>("weight_0"));
  EXPECT_EQ(net->forward(problem.features, 1, nullptr).leftCols(4), logits);
}

TEST(Network, replacing_outputs_keeps_the_hidden_layers_only) {
  const auto net = small_net();
  State before, after;
  net->save(before);
  net->replace_outputs(5, Rng(3));
  net->save(after);
  EXPECT_EQ(after.get<Matrix>("weight_0"), before.get<Matrix>("weight_0"));
  EXPECT_NE(after.get<Matrix>("weight_1").topRows(4), before.get<Matrix>("weight_1"));
}

TEST(Network, equal_seeds_give_equal_bytes_and_other_seeds_do_not) {
  const Problem problem = random_problem(333, 6, 4, 2);
  const auto trained = [&](std::uint64_t seed) {
    const auto net = small_net();
    train(*net, problem, by_adam(1e-3, 100, 3), seed);
    return bytes_of(*net);
  };
  EXPECT_EQ(trained(1), trained(1));
  EXPECT_NE(trained(1), trained(2));
}

TEST(Network, equal_seeds_give_equal_bytes_at_the_size_of_the_paper) {
  const Problem problem = random_problem(1500, 768, 719, 4);
  const auto trained = [&] {
    const auto net =
        nn_module().make_network(even_network(768, 768, 1, 719, Join::none, 0.5), Rng(1));
    train(*net, problem, {}, 9);
    return bytes_of(*net);
  };
  EXPECT_TRUE(trained() == trained());
}

TEST(Network, goes_on_after_load_as_if_it_had_never_stopped) {
  const Problem problem = random_problem(300, 6, 4, 2);
  const auto net = small_net();
  train(*net, problem, by_adam(1e-3, 64, 2), 1);
  net->grow(6, Rng(8));
  const auto copy = small_net();
  copy->load(from_archive(bytes_of(*net), "copy"));
  EXPECT_EQ(copy->settings().outputs, 6);
  EXPECT_EQ(copy->forward(problem.features, 1, nullptr),
            net->forward(problem.features, 1, nullptr));
  train(*net, problem, by_adam(1e-3, 64, 2), 5);
  train(*copy, problem, by_adam(1e-3, 64, 2), 5);
  EXPECT_EQ(bytes_of(*copy), bytes_of(*net));
}

TEST(Network, refuses_a_state_of_another_shape) {
  State state;
  nn_module().make_network(even_network(5, 6, 1, 4, Join::none, 0.0), Rng(1))->save(state);
  const auto net = small_net();
  const std::string before = bytes_of(*net);
  EXPECT_THROW(net->load(state), Error);
  EXPECT_EQ(bytes_of(*net), before);
}

TEST(Network, refuses_to_add_vectors_of_different_length) {
  EXPECT_THROW(nn_module().make_network(even_network(5, 6, 1, 4, Join::add, 0.0), Rng(1)), Error);
}

TEST(Network, learns_a_separable_problem) {
  // Four Gaussians of deviation 1 in 8 dimensions, centres 4 or more apart.
  const auto draw_set = [](std::uint64_t seed) {
    Problem problem = random_problem(1000, 8, 4, seed);
    for (Index i = 0; i < 1000; ++i) {
      problem.features(i, problem.targets[static_cast<std::size_t>(i)]) += 5.0F;
    }
    return problem;
  };
  const auto net = nn_module().make_network(even_network(8, 32, 1, 4, Join::none, 0.5), Rng(1));
  const Problem seen = draw_set(1), unseen = draw_set(2);
  const double first = train(*net, seen, by_adam(1e-2, 50, 1), 1);
  const double last = train(*net, seen, by_adam(1e-2, 50, 20), 2);
  EXPECT_LT(last, first);
  const Matrix logits = net->forward(unseen.features, 1, nullptr);
  Index right = 0;
  for (Index i = 0; i < logits.rows(); ++i) {
    Index best = 0;
    logits.row(i).maxCoeff(&best);
    right += best == unseen.targets[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  EXPECT_GT(right, 950);
}

TEST(Network, a_row_alone_answers_as_in_its_batch) {
  const auto net = nn_module().make_network(even_network(768, 768, 1, 50, Join::none, 0.5), Rng(1));
  const Problem problem = random_problem(200, 768, 50, 1);
  const Matrix batch = net->forward(problem.features, 1, nullptr);
  for (Index i = 0; i < 200; i += 13) {
    const Matrix alone = net->forward(problem.features.row(i), 1, nullptr);
    EXPECT_LT((alone - batch.row(i)).norm(), 1e-4F * batch.row(i).norm());
  }
}

TEST(Network, answers_several_threads_at_once) {
  const auto net = small_net();
  const Problem problem = random_problem(500, 6, 4, 1);
  const Matrix expected = net->forward(problem.features, 1, nullptr);
  std::vector<Matrix> answers(4);
  std::vector<std::thread> threads;
  for (Matrix& answer : answers) {
    threads.emplace_back([&] { answer = net->forward(problem.features, 1, nullptr); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const Matrix& answer : answers) {
    EXPECT_TRUE(answer.isApprox(expected, 1e-5F));
  }
}

TEST(Network, leaves_the_thread_count_alone) {
  const int threads = thread_count();
  set_thread_count(1);
  train(*small_net(), random_problem(100, 6, 4, 1), {}, 1);
  EXPECT_EQ(thread_count(), 1);
  set_thread_count(threads);
}

TEST(Network, says_when_the_loss_is_no_longer_finite) {
  Problem problem = random_problem(100, 6, 4, 1);
  problem.features = 3e38F * problem.features.array().sign().matrix();  // finite, but not for long
  try {
    train(*small_net(), problem, by_adam(10.0, 10, 5), 1);
    FAIL() << "trained";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_THAT(error.what(), testing::HasSubstr("learning_rate"));
  }
}

}  // namespace

}  // namespace tyto
