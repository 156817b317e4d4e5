// SPDX-License-Identifier: Apache-2.0
// A temperature for every sample from its features: T(z) = floor + relu(w2 relu(W1 z + b1) + b2),
// two layers, written out with their gradients.
#pragma once

#include <span>
#include <vector>

#include "tyto/math/score_rows.hpp"

namespace tyto {

struct TemperatureNet {
  Index width = 0, hidden = 0;
  double floor = 1;     // the paper's 1 can only soften
  Eigen::VectorXd all;  // W1 (hidden x width, by rows), b1, w2, b2

  TemperatureNet() = default;

  TemperatureNet(Index features, Index units)
      : width(features),
        hidden(units),
        all(Eigen::VectorXd::Zero(units * features + 2 * units + 1)) {}

  using Table = Eigen::Map<Dense<double>>;
  using List = Eigen::Map<Eigen::VectorXd>;

  Table w1() { return {all.data(), hidden, width}; }

  List b1() { return {all.data() + hidden * width, hidden}; }

  List w2() { return {all.data() + hidden * (width + 1), hidden}; }

  double& b2() { return all[all.size() - 1]; }

  [[nodiscard]] Eigen::VectorXd temperatures(const Dense<double>& features) const;
};

// What is known of the samples at their temperatures.
struct NetPass {
  Eigen::VectorXd temperature, confidence;
  Eigen::VectorXd losses;    // -log softmax(logits / T)[truth]
  double loss = 0;           // their mean
  Eigen::VectorXd gradient;  // of the loss, as TemperatureNet::all; empty unless asked for
};

// Logits finite. Parallel; the same at any number of threads but for the rounding of BLAS.
NetPass pass(const TemperatureNet& net, const Scores& logits, std::span<const Index> truth,
             const Dense<double>& features, bool with_gradient);

// Adam (Kingma and Ba 2015), with the L2 penalty's gradient added to that of the loss.
class Adam {
 public:
  Adam(Index size, double rate, double decay)
      : rate_(rate),
        decay_(decay),
        first_(Eigen::VectorXd::Zero(size)),
        second_(Eigen::VectorXd::Zero(size)) {}

  void step(Eigen::VectorXd& x, const Eigen::VectorXd& gradient);

 private:
  double rate_, decay_;
  double power1_ = 1, power2_ = 1;
  Eigen::VectorXd first_, second_;
};

}  // namespace tyto
