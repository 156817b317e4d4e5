// SPDX-License-Identifier: Apache-2.0
// Networks that give back what they are shown: their shapes, what they learn, and that a training
// may be cut.
#include "tyto/nn/graph/autoencoder.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/nn/graph/chain.hpp"
#include "tyto/nn/kernels.hpp"
#include "tyto/nn/module.hpp"

namespace tyto {
namespace {

constexpr Index kToySide = 8;

GraphNetworkSettings toy_autoencoder() {
  return {autoencoder_graph({.side = kToySide, .width = 4, .hidden = 16, .code = 4}), kToySide,
          kToySide};
}

// Pictures of stripes: one of four phases, upright.
Matrix stripes(Index count, bool lying = false) {
  Matrix rows(count, 3 * kToySide * kToySide);
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < rows.cols(); ++k) {
      const Index x = k % kToySide, y = k / kToySide % kToySide;
      rows(i, k) = ((lying ? y : x) + i) % 4 < 2 ? 0.9F : 0.1F;
    }
  }
  return rows;
}

DrawBatch draw_pictures(const Matrix& rows) {
  return [&rows](Rows which, const Rng&, Batch& batch) {
    batch.clear();
    batch.rows.resize(std::ssize(which), rows.cols());
    for (std::size_t i = 0; i < which.size(); ++i) {
      batch.rows.row(static_cast<Index>(i)) = rows.row(which[i]);
    }
  };
}

Training reconstruct(Index epochs, double noise) {
  Training training;
  training.objective.cross_entropy = 0.0;
  training.objective.reconstruction = {.weight = 1.0, .noise = noise, .within_unit = true};
  training.optimiser.learning_rate = 3e-3;
  training.batch = 8;
  training.epochs = epochs;
  return training;
}

double fitted(GraphNetwork& net, const Matrix& rows, const Training& training) {
  Progress silent;
  Work work{Rng(5, "training"), silent};
  return net.fit(rows.rows(), draw_pictures(rows), training, work);
}

std::string graph_bytes(const GraphNetwork& net) {
  State state;
  net.save(state);
  return to_archive(state);
}

double mean_value(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(Autoencoder, has_the_parameters_of_the_published_one) {
  const Graph graph = autoencoder_graph({});
  EXPECT_EQ(parameter_count(graph), 4'720'356);
  Index encoder = 0;
  for (const GraphTensor& tensor : graph.tensors) {
    if (tensor.name.starts_with("encoder.") && !tensor.statistics) {
      encoder +=
          std::accumulate(tensor.shape.begin(), tensor.shape.end(), Index{1}, std::multiplies<>());
    }
  }
  EXPECT_EQ(encoder, 2'301'380);
  EXPECT_EQ(parameter_count(graph) - encoder, 2'418'976);
  EXPECT_EQ(mark_names(graph), (std::vector<std::string>{"code", "output"}));
}

TEST(Autoencoder, gives_pictures_as_large_as_it_takes) {
  for (const Index side : {Index{4}, Index{8}, Index{16}, Index{32}}) {
    const auto net = nn_module().make_graph_network(
        {autoencoder_graph({.side = side, .width = 2, .hidden = 4, .code = 2}), side, side},
        Rng(1, "net"));
    const Matrix out = net->forward(Matrix::Constant(2, 3 * side * side, 0.5F));
    EXPECT_EQ(out.cols(), 3 * side * side);
    EXPECT_TRUE(out.allFinite());
  }
  EXPECT_THROW(autoencoder_graph({.side = 24}), Error);
}

TEST(Autoencoder, learns_what_it_is_shown_and_nothing_else) {
  const Matrix rows = stripes(32);
  const auto net = nn_module().make_graph_network(toy_autoencoder(), Rng(1, "net"));
  const double before = mean_value(net->errors(rows));
  fitted(*net, rows, reconstruct(60, 0.025));
  const double after = mean_value(net->errors(rows));
  EXPECT_LT(after, 0.1 * before);
  EXPECT_GT(mean_value(net->errors(stripes(32, true))), 10.0 * after);
}

TEST(Autoencoder, errs_by_the_mean_square_of_what_it_gives) {
  const Matrix rows = stripes(5);
  const auto net = nn_module().make_graph_network(toy_autoencoder(), Rng(1, "net"));
  const std::vector<float> errors = net->errors(rows);
  const Matrix gap = net->forward(rows) - rows;
  for (Index i = 0; i < rows.rows(); ++i) {
    EXPECT_NEAR(errors[static_cast<std::size_t>(i)],
                gap.row(i).squaredNorm() / static_cast<float>(rows.cols()), 1e-5);
  }
}

// Noise is drawn by step alone.
TEST(Autoencoder, cut_at_an_epoch_ends_with_the_same_bytes) {
  const Matrix rows = stripes(20);
  const Training whole = reconstruct(4, 0.1);
  const auto net = nn_module().make_graph_network(toy_autoencoder(), Rng(1, "net"));
  fitted(*net, rows, whole);
  auto cut = nn_module().make_graph_network(toy_autoencoder(), Rng(1, "net"));
  State moments;
  Training part = whole;
  part.moments = &moments;
  part.end_epoch = 1;
  fitted(*cut, rows, part);
  State saved;
  cut->save(saved);
  cut = nn_module().make_graph_network(toy_autoencoder(), Rng(9, "another"));
  cut->load(saved);
  part.first_epoch = 1;
  part.end_epoch = 4;
  fitted(*cut, rows, part);
  EXPECT_EQ(graph_bytes(*cut), graph_bytes(*net));
  const auto clean = nn_module().make_graph_network(toy_autoencoder(), Rng(1, "net"));
  fitted(*clean, rows, reconstruct(4, 0.0));
  EXPECT_NE(graph_bytes(*clean), graph_bytes(*net));
}

TEST(Autoencoder, refuses_the_tensors_of_another) {
  const auto net = nn_module().make_graph_network(toy_autoencoder(), Rng(1, "net"));
  State state;
  net->save(state);
  state.set("encoder.conv.weight", Matrix(Matrix::Zero(1, 2)));
  EXPECT_THROW(net->load(state), Error);
}

// A transposed convolution of one channel with a kernel of ones: every position spreads its value
// over kernel x kernel outputs, those two apart overlap.
TEST(Transposed, spreads_what_it_sees) {
  Chain chain({.width = 1});
  chain.transposed("up", 1, {.kernel = 3, .stride = 2, .pad = 1, .more = 1}).mark("output");
  Graph graph = std::move(chain).graph(2, "");
  graph.channels = 1;
  const auto net = nn_module().make_graph_network({graph, 2, 2}, Rng(1, "net"));
  State state;
  state.set("up.weight", Matrix(Matrix::Ones(1, 9)));
  net->load(state);
  Matrix row(1, 4);
  row << 1, 2, 3, 4;
  EXPECT_EQ(net->forward(row), (Matrix{{1, 3, 2, 2, 4, 10, 6, 6, 3, 7, 4, 4, 3, 7, 4, 4}}));
}

TEST(Noise, is_normal_and_depends_on_key_and_place_alone) {
  std::vector<float> noise(100'000);
  draw_noise(0.5, 7, noise);
  const double mean = mean_value(noise);
  double square = 0.0, beyond = 0.0;
  for (const float value : noise) {
    square += static_cast<double>(value) * value;
    beyond += std::abs(value) > 0.98 ? 1.0 : 0.0;  // 1.96 deviations
  }
  EXPECT_NEAR(mean, 0.0, 0.01);
  EXPECT_NEAR(std::sqrt(square / 1e5), 0.5, 0.005);
  EXPECT_NEAR(beyond / 1e5, 0.05, 0.005);
  std::vector<float> shorter(9000);
  draw_noise(0.5, 7, shorter);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), noise.begin()));
  draw_noise(0.5, 8, shorter);
  EXPECT_FALSE(std::equal(shorter.begin(), shorter.end(), noise.begin()));
}

}  // namespace
}  // namespace tyto
