// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/temperature_net.hpp"

#include <cmath>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

struct Layers {
  Dense<double> hidden;  // after its relu
  Eigen::VectorXd out;   // before its relu
};

Layers forward(const TemperatureNet& net, const Dense<double>& features) {
  TYTO_ASSERT(features.cols() == net.width);
  const double* at = net.all.data();
  const Eigen::Map<const Dense<double>> w1(at, net.hidden, net.width);
  const Eigen::Map<const Eigen::VectorXd> b1(at + net.hidden * net.width, net.hidden);
  const Eigen::Map<const Eigen::VectorXd> w2(at + net.hidden * (net.width + 1), net.hidden);
  Layers layers;
  layers.hidden.resize(features.rows(), net.hidden);
  layers.hidden.noalias() = features * w1.transpose();
  layers.hidden.rowwise() += b1.transpose();
  layers.hidden = layers.hidden.cwiseMax(0.0);
  layers.out = layers.hidden * w2;
  layers.out.array() += net.all[net.all.size() - 1];
  return layers;
}

}  // namespace

Eigen::VectorXd TemperatureNet::temperatures(const Dense<double>& features) const {
  return forward(*this, features).out.cwiseMax(0.0).array() + floor;
}

NetPass pass(const TemperatureNet& net, const Scores& logits, std::span<const Index> truth,
             const Dense<double>& features, bool with_gradient) {
  const Index n = logits.rows();
  const Layers layers = forward(net, features);
  NetPass result;
  result.temperature = layers.out.cwiseMax(0.0).array() + net.floor;
  result.confidence.resize(n);
  result.losses.resize(n);
  Eigen::VectorXd slopes(n);  // of the mean loss by the last layer's output
  share_loop(n, 8 * logits.cols(), [&](Index i) {
    const double t = result.temperature[i];
    const Index right = truth[static_cast<std::size_t>(i)];
    const auto row = logits.row(i).array();
    const double highest = row.maxCoeff();
    const auto below = (row - highest).eval();
    const auto weight = (below / t).exp().eval();
    const double sum = weight.sum();
    result.confidence[i] = 1.0 / sum;
    result.losses[i] = std::log(sum) - below[right] / t;
    const double by_t = (below[right] - (weight * below).sum() / sum) / (t * t);
    slopes[i] = layers.out[i] > 0.0 ? by_t / static_cast<double>(n) : 0.0;
  });
  double total = 0.0;
  for (const double loss : result.losses) {
    total += loss;
  }
  result.loss = total / static_cast<double>(n);
  if (with_gradient) {
    TemperatureNet by(net.width, net.hidden);
    const Eigen::Map<const Eigen::VectorXd> w2(net.all.data() + net.hidden * (net.width + 1),
                                               net.hidden);
    by.w2().noalias() = layers.hidden.transpose() * slopes;
    by.b2() = slopes.sum();
    Dense<double> by_hidden = slopes * w2.transpose();
    by_hidden = (layers.hidden.array() > 0.0).select(by_hidden, 0.0);
    by.w1().noalias() = by_hidden.transpose() * features;
    by.b1() = by_hidden.colwise().sum().transpose();
    result.gradient = std::move(by.all);
  }
  return result;
}

void Adam::step(Eigen::VectorXd& x, const Eigen::VectorXd& gradient) {
  constexpr double kFirst = 0.9;
  constexpr double kSecond = 0.999;
  constexpr double kLeast = 1e-8;
  const Eigen::VectorXd slope = gradient + decay_ * x;
  power1_ *= kFirst;
  power2_ *= kSecond;
  first_ = kFirst * first_ + (1.0 - kFirst) * slope;
  second_ = kSecond * second_ + (1.0 - kSecond) * slope.cwiseAbs2();
  x.array() -= rate_ / (1.0 - power1_) * first_.array() /
               ((second_ / (1.0 - power2_)).cwiseSqrt().array() + kLeast);
}

}  // namespace tyto
