// SPDX-License-Identifier: Apache-2.0
// The objectives of detectors against their formulas in double precision: variables of a state,
// classes as Gaussians, reconstruction; and thinned networks.
#include <cmath>

#include <gtest/gtest.h>

#include "tyto/nn/module.hpp"

namespace tyto {

namespace {

Matrix drawn_rows(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed, "rows");
  Matrix out(rows, columns);
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = static_cast<float>(rng.normal());
  }
  return out;
}

double objective_at(const Network& net, const Batch& batch, const Training& training) {
  State gradients;
  return net.gradient(batch, training, gradients);
}

TEST(Variables, are_squares_of_numbers_and_entropies_of_words) {
  const auto net = nn_module().make_network(even_network(3, 5, 1, 4), Rng(1, "net"));
  Batch batch;
  batch.rows = drawn_rows(2, 3, 1);
  batch.match = Matrix{{0.5, 0, 1, -1}, {2, 1, 0, 0}};
  Training training;
  training.objective.cross_entropy = 0.0;
  training.objective.variables = {2.0, {0, 3}, {{1, 2}}};
  const Eigen::MatrixXd out = net->forward(batch.rows, 1, nullptr).cast<double>();
  double expected = 0.0;
  for (Index i = 0; i < 2; ++i) {
    for (const Index c : {Index{0}, Index{3}}) {
      expected += std::pow(out(i, c) - batch.match(i, c), 2);
    }
    const double log_sum = std::log(std::exp(out(i, 1)) + std::exp(out(i, 2)));
    expected += log_sum - out(i, batch.match(i, 1) == 1 ? 1 : 2);
  }
  EXPECT_NEAR(objective_at(*net, batch, training), 2.0 * expected / 2.0, 1e-5);
}

TEST(Reconstruction, is_the_mean_square_of_what_is_missing) {
  const auto net = nn_module().make_network(even_network(3, 5, 1, 3), Rng(1, "net"));
  Batch batch;
  batch.rows = drawn_rows(4, 3, 1);
  Training training;
  training.objective.cross_entropy = 0.0;
  training.objective.reconstruction = {.weight = 1.0, .noise = 5.0};  // none without training
  const Matrix gap = net->forward(batch.rows, 1, nullptr) - batch.rows;
  EXPECT_NEAR(objective_at(*net, batch, training), gap.squaredNorm() / 12.0F, 1e-5);
}

// v an embedding of length 3, w and b the output layer, s = (sigma + delta)^2, m = w s.
TEST(ClassGaussians, are_the_formula_and_stop_where_it_says) {
  constexpr Index kWidth = 5, kRows = 4;
  NetworkSettings settings = even_network(3, kWidth, 1, 2);
  settings.radius = 3.0;
  settings.class_gaussians = true;
  const auto net = nn_module().make_network(settings, Rng(1, "net"));
  State state;
  net->save(state);
  EXPECT_EQ(state.get<Matrix>("sigma"), (Matrix{{1}}));
  EXPECT_EQ(state.get<Matrix>("delta"), Matrix(Matrix::Zero(1, kWidth)));
  const Matrix delta = 0.1F * drawn_rows(1, kWidth, 7);
  state.set("sigma", Matrix(Matrix::Constant(1, 1, 1.3F)));
  state.set("delta", delta);
  net->load(state);
  Batch batch;
  batch.rows = drawn_rows(kRows, 3, 1);
  batch.targets = {0, 1, 1, 0};
  Training training;
  Training plain;
  training.objective.class_gaussians = {0.2, 0.7};
  Matrix embedding;
  (void)net->forward(batch.rows, 1, &embedding);
  const Matrix weight = net->output_layer().weight;
  double distance = 0.0, logs = 0.0;
  Eigen::RowVectorXd by_delta = Eigen::RowVectorXd::Zero(kWidth);
  for (Index j = 0; j < kWidth; ++j) {
    const double root = 1.3 + static_cast<double>(delta(0, j)), s = root * root;
    logs += 0.5 * std::log(s);
    double slope = 0.7 * 0.5 / s;
    for (Index i = 0; i < kRows; ++i) {
      const double w = weight(batch.targets[static_cast<std::size_t>(i)], j);
      const double gap = embedding(i, j) - w * s;
      distance += gap * gap / s / (2.0 * kRows);
      slope += -gap * w / s / kRows;  // of the distances: through the mean alone
      slope += 0.7 * (-2.0 * gap * w / s - gap * gap / (s * s)) / (2.0 * kRows);
    }
    by_delta[j] = 0.2 * slope * 2.0 * root;
  }
  for (Index i = 0; i < kRows; ++i) {
    EXPECT_NEAR(embedding.row(i).norm(), 3.0F, 1e-5);
  }
  State gradients;
  const double loss = net->gradient(batch, training, gradients);
  EXPECT_NEAR(loss - objective_at(*net, batch, plain), 0.2 * (distance + 0.7 * (logs + distance)),
              1e-4);
  for (Index j = 0; j < kWidth; ++j) {
    EXPECT_NEAR(gradients.get<Matrix>("delta")(0, j), by_delta[j], 1e-4);
  }
  EXPECT_NEAR(gradients.get<Matrix>("sigma")(0, 0), by_delta.sum(), 1e-4);
}

// Of views z by brute force: samples 0 and 2 are of one class, 1 has no label.
double contrast_of(const Eigen::MatrixXd& one, const Eigen::MatrixXd& two,
                   const std::vector<std::int64_t>& targets, const Contrast& how) {
  const Index n = one.rows();
  Eigen::MatrixXd z(2 * n, one.cols());
  z << one, two;
  z.rowwise().normalize();
  const auto term = [&](const std::vector<Index>& views, const auto& same) {
    double sum = 0.0;
    for (const Index v : views) {
      double others = 0.0, drawn = 0.0, companions = 0.0;
      for (const Index w : views) {
        const double product = z.row(v).dot(z.row(w)) / how.temperature;
        others += w == v ? 0.0 : std::exp(product);
        drawn += w != v && same(v, w) ? product : 0.0;
        companions += w != v && same(v, w) ? 1.0 : 0.0;
      }
      sum += std::log(others) - drawn / companions;
    }
    return sum / static_cast<double>(views.size());
  };
  std::vector<Index> all, known;
  for (Index v = 0; v < 2 * n; ++v) {
    all.push_back(v);
    if (targets[static_cast<std::size_t>(v % n)] >= 0) {
      known.push_back(v);
    }
  }
  const double views = term(all, [&](Index v, Index w) { return v % n == w % n; });
  const double labels = term(known, [&](Index v, Index w) {
    return targets[static_cast<std::size_t>(v % n)] == targets[static_cast<std::size_t>(w % n)];
  });
  return how.weight * ((1.0 - how.labelled) * views + how.labelled * labels);
}

TEST(Contrast, is_the_formula_and_its_gradient) {
  const auto net = nn_module().make_network(even_network(3, 5, 1, 4), Rng(1, "net"));
  Batch batch;
  batch.rows = drawn_rows(4, 3, 1);
  batch.second = drawn_rows(4, 3, 2);
  batch.targets = {7, -1, 7, 3};  // names of classes, not of outputs
  Training training;
  training.objective.cross_entropy = 0.0;
  training.objective.contrast = {2.0, 0.35, 0.5};
  const auto expected = [&] {
    return contrast_of(net->forward(batch.rows, 1, nullptr).cast<double>(),
                       net->forward(batch.second, 1, nullptr).cast<double>(), batch.targets,
                       training.objective.contrast);
  };
  State gradients;
  EXPECT_NEAR(net->gradient(batch, training, gradients), expected(), 1e-5);
  State state;
  net->save(state);
  for (const Index j : {0, 2}) {
    State moved = state;
    Matrix weight = state.get<Matrix>("weight_0");
    constexpr float kStep = 1e-2F;
    double slope = 0.0;
    for (const float sign : {1.0F, -1.0F}) {
      Matrix there = weight;
      there(1, j) += sign * kStep;
      moved.set("weight_0", there);
      net->load(moved);
      slope += static_cast<double>(sign) * expected() / (2.0 * static_cast<double>(kStep));
    }
    EXPECT_NEAR(gradients.get<Matrix>("weight_0")(1, j), slope, 2e-3) << j;
  }
}

TEST(Contrast, does_without_labels_and_with_nothing_else) {
  const auto net = nn_module().make_network(even_network(3, 5, 1, 4), Rng(1, "net"));
  Batch batch;
  batch.rows = drawn_rows(3, 3, 1);
  batch.second = drawn_rows(3, 3, 2);
  Training training;
  training.objective.cross_entropy = 0.0;
  training.objective.contrast = {1.0, 0.0, 0.5};
  batch.targets = {0, 0, 1};
  const double views = objective_at(*net, batch, training);
  training.objective.contrast.labelled = 0.35;
  batch.targets = {-1, -1, -1};
  EXPECT_NEAR(objective_at(*net, batch, training), 0.65 * views, 1e-6);
}

TEST(OwnRates, are_those_of_the_weights_so_called) {
  const auto make = [] {
    return nn_module().make_network(even_network(3, 4, 1, 2), Rng(1, "net"));
  };
  const Matrix rows = drawn_rows(6, 3, 2);
  const auto draw = [&](Rows, const Rng&, Batch& batch) {
    batch.clear();
    batch.rows = rows;
    batch.targets = {0, 1, 0, 1, 1, 0};
  };
  const auto moved_by = [&](const Optimiser& optimiser, const std::string& name) {
    const auto net = make();
    State before, after;
    net->save(before);
    Training training;
    training.optimiser = optimiser;
    training.batch = 6;
    Progress silent;
    Work work{Rng(1, "work"), silent};
    net->fit(6, draw, training, work);
    net->save(after);
    return Matrix(after.get<Matrix>(name) - before.get<Matrix>(name));
  };
  Optimiser all;
  all.kind = OptimiserKind::sgd;
  all.learning_rate = 0.1;
  Optimiser own = all;
  own.own = {{"weight_1", 0.3, 0.0}};
  EXPECT_EQ(moved_by(own, "weight_0"), moved_by(all, "weight_0"));
  EXPECT_TRUE(moved_by(own, "weight_1").isApprox(3.0F * moved_by(all, "weight_1"), 1e-4F));
  Optimiser dropped = all;
  dropped.drops = {0.0};  // from the first step on
  EXPECT_TRUE(moved_by(dropped, "weight_0").isApprox(0.1F * moved_by(all, "weight_0"), 1e-3F));
}

TEST(Thinned, networks_silence_the_same_units_for_all_rows) {
  const auto net =
      nn_module().make_network(even_network(3, 40, 1, 2, Join::none, 0.5), Rng(1, "net"));
  const Matrix rows = drawn_rows(5, 3, 2);
  const Matrix all = net->forward_thinned(rows, 1, Rng(4, "masks"));
  const Matrix one = net->forward_thinned(rows.middleRows(3, 1), 1, Rng(4, "masks"));
  EXPECT_LT((all.row(3) - one.row(0)).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_GT((all - net->forward_thinned(rows, 1, Rng(5, "masks"))).cwiseAbs().maxCoeff(), 1e-3);
  // The mean over many is about the whole network: its output layer is linear in what is silent.
  Matrix mean = Matrix::Zero(5, 2);
  for (std::uint64_t pass = 0; pass < 2000; ++pass) {
    mean += net->forward_thinned(rows, 1, Rng(6, "masks", pass)) / 2000.0F;
  }
  EXPECT_LT((mean - net->forward(rows, 1, nullptr)).cwiseAbs().maxCoeff(), 0.1);
}

}  // namespace

}  // namespace tyto
