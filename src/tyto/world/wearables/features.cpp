// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/wearables/features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unsupported/Eigen/FFT>

namespace tyto {

namespace {

constexpr double kNothing = 1e-6;  // deviations below are rounding: float holds seven digits
constexpr std::array<double, 2> kBandEdges{1.2, 3.5};
constexpr std::array<std::string_view, 6> kAxisNames{"acc_x", "acc_y", "acc_z",
                                                     "gyr_x", "gyr_y", "gyr_z"};
constexpr std::array<std::string_view, 2> kSensorNames{"acc", "gyr"};
constexpr std::array<std::pair<Index, Index>, 9> kPairs{
    {{0, 1}, {0, 2}, {1, 2}, {3, 4}, {3, 5}, {4, 5}, {0, 4}, {1, 5}, {2, 3}}};

// One channel, without its mean, and its one-sided power spectrum.
struct Channel {
  double mean = 0, deviation = 0;
  Eigen::ArrayXd centred;
  Eigen::ArrayXd power;  // at k rate / length, k = 1, 2, ...; sums to the variance

  [[nodiscard]] bool still() const { return deviation < kNothing; }
};

Channel analyse(const Eigen::ArrayXd& values, Eigen::FFT<double>& fft) {
  Channel channel;
  channel.mean = values.mean();
  channel.centred = values - channel.mean;
  channel.deviation = std::sqrt(channel.centred.square().mean());
  const Index n = values.size();
  const Eigen::VectorXd input = channel.centred.matrix();
  Eigen::VectorXcd spectrum;
  fft.fwd(spectrum, input);
  channel.power.resize(n / 2);
  for (Index k = 1; k <= n / 2; ++k) {
    const double sides = 2 * k == n ? 1 : 2;
    channel.power(k - 1) = sides * std::norm(spectrum(k)) / static_cast<double>(n * n);
  }
  return channel;
}

double crossings(const Channel& channel, double rate) {
  Index count = 0;
  if (!channel.still()) {
    for (Index t = 1; t < channel.centred.size(); ++t) {
      count += (channel.centred(t - 1) < 0) != (channel.centred(t) < 0) ? 1 : 0;
    }
  }
  return static_cast<double>(count) * rate / static_cast<double>(channel.centred.size());
}

double peak_hz(const Channel& channel, double rate) {
  if (channel.still()) {
    return 0;
  }
  Index at = 0;
  channel.power.maxCoeff(&at);
  return static_cast<double>(at + 1) * rate / static_cast<double>(channel.centred.size());
}

double entropy(const Channel& channel) {
  double sum = 0;
  for (const double power : channel.power) {
    const double share = channel.still() ? 0 : power / channel.power.sum();
    sum -= share > 0 ? share * std::log(share) : 0;
  }
  return sum / std::log(static_cast<double>(channel.power.size()));
}

std::array<double, 3> bands(const Channel& channel, double rate) {
  std::array<double, 3> energy{};
  for (Index k = 0; k < channel.power.size(); ++k) {
    const double hz =
        static_cast<double>(k + 1) * rate / static_cast<double>(channel.centred.size());
    const auto band = std::upper_bound(kBandEdges.begin(), kBandEdges.end(), hz);
    energy[static_cast<std::size_t>(band - kBandEdges.begin())] += channel.power(k);
  }
  for (double& value : energy) {
    value = std::sqrt(value);
  }
  return energy;
}

double correlation(const Channel& a, const Channel& b) {
  return a.still() || b.still() ? 0 : (a.centred * b.centred).mean() / (a.deviation * b.deviation);
}

// Features as they are made, with their names; the names alone where nobody asks for values.
class Sink {
 public:
  explicit Sink(Vector* values, std::vector<std::string>* names) : values_(values), names_(names) {}

  void add(std::string_view of, std::string_view what, double value) {
    if (names_ != nullptr) {
      names_->push_back(fmt::format("{}_{}", of, what));
    }
    if (values_ != nullptr) {
      (*values_)(next_++) = static_cast<float>(value);
    }
  }

 private:
  Vector* values_;
  std::vector<std::string>* names_;
  Index next_ = 0;
};

void describe_axis(std::string_view name, const Channel& channel, double rate, Sink& sink) {
  const Index n = channel.centred.size();
  sink.add(name, "mean", channel.mean);
  sink.add(name, "std", channel.deviation);
  sink.add(name, "min", channel.mean + channel.centred.minCoeff());
  sink.add(name, "max", channel.mean + channel.centred.maxCoeff());
  sink.add(name, "slope",
           (channel.centred.tail(n - 1) - channel.centred.head(n - 1)).abs().mean() * rate);
  sink.add(name, "crossings", crossings(channel, rate));
  sink.add(name, "peak_hz", peak_hz(channel, rate));
  const std::array<double, 3> band = bands(channel, rate);
  sink.add(name, "low", band[0]);
  sink.add(name, "mid", band[1]);
  sink.add(name, "high", band[2]);
}

void describe_norm(std::string_view sensor, const Channel& channel, double rate, Sink& sink) {
  const std::string name = fmt::format("{}_norm", sensor);
  std::vector<double> sorted(channel.centred.begin(), channel.centred.end());
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double share) {
    return channel.mean +
           sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  sink.add(name, "mean", channel.mean);
  sink.add(name, "std", channel.deviation);
  sink.add(name, "q10", quantile(0.1));
  sink.add(name, "q90", quantile(0.9));
  sink.add(name, "crossings", crossings(channel, rate));
  sink.add(name, "peak_hz", peak_hz(channel, rate));
  sink.add(name, "entropy", entropy(channel));
}

void describe_window(const MatrixView& signal, double rate, Sink& sink) {
  Eigen::FFT<double> fft;
  const Eigen::ArrayXXd readings = signal.transpose().cast<double>().array();
  std::vector<Channel> axes;
  for (Index c = 0; c < readings.cols(); ++c) {
    axes.push_back(analyse(readings.col(c), fft));
    describe_axis(kAxisNames[static_cast<std::size_t>(c)], axes.back(), rate, sink);
  }
  for (std::size_t sensor = 0; sensor < kSensorNames.size(); ++sensor) {
    const auto first = static_cast<Index>(3 * sensor);
    const Eigen::ArrayXd norm = readings.middleCols(first, 3).matrix().rowwise().norm();
    describe_norm(kSensorNames[sensor], analyse(norm, fft), rate, sink);
    double energy = 0;
    for (std::size_t axis = 3 * sensor; axis < 3 * sensor + 3; ++axis) {
      energy += axes[axis].deviation * axes[axis].deviation;
    }
    sink.add(kSensorNames[sensor], "energy", energy);
  }
  for (const auto& [a, b] : kPairs) {
    sink.add(kAxisNames[static_cast<std::size_t>(a)],
             fmt::format("with_{}", kAxisNames[static_cast<std::size_t>(b)]),
             correlation(axes[static_cast<std::size_t>(a)], axes[static_cast<std::size_t>(b)]));
  }
}

}  // namespace

std::vector<std::string> window_feature_names() {
  std::vector<std::string> names;
  Sink sink(nullptr, &names);
  describe_window(Matrix::Zero(6, 8), 1, sink);
  return names;
}

Vector window_features(const MatrixView& signal, double rate) {
  static const auto kCount = static_cast<Index>(window_feature_names().size());
  Vector values(kCount);
  Sink sink(&values, nullptr);
  describe_window(signal, rate, sink);
  return values;
}

}  // namespace tyto
