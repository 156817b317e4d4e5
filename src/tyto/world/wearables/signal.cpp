// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/wearables/signal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace tyto {

namespace {

constexpr double kCycle = 2 * std::numbers::pi;
constexpr double kMemory_s = 0.5;      // over which the tempo of a cycle wanders
constexpr double kEventSpread = 0.25;  // of the logarithm of strength and distance
constexpr double kTextureRate = 50;    // at which Activity::Texture::colour is meant

// Phases at which the channels of each harmonic start; common to all activities, so that alike
// amplitudes make alike signals.
constexpr double kStart[2][kChannels] = {{0.0, 1.2, 2.1, 1.6, 0.4, 2.7},
                                         {0.7, 2.0, 0.2, 2.4, 1.1, 0.5}};

std::vector<double> phases(const Activity& activity, double hz, const Sampling& sampling, Rng rng) {
  const double keep = std::exp(-1 / (kMemory_s * sampling.rate));
  const double fresh = std::sqrt(1 - keep * keep);
  double wander = rng.normal();
  std::vector<double> phase{kCycle * rng.uniform()};
  while (static_cast<Index>(phase.size()) < sampling.length) {
    phase.push_back(phase.back() +
                    kCycle * hz / sampling.rate * (1 + activity.rhythm.jitter * wander));
    wander = keep * wander + fresh * rng.normal();
  }
  return phase;
}

void add_rhythm(const Activity& activity, const Motion& motion, const std::vector<double>& phase,
                Signal& signal) {
  for (std::size_t h = 0; h < 2; ++h) {
    Eigen::ArrayXd wave_sin(signal.cols());
    Eigen::ArrayXd wave_cos(signal.cols());
    for (Index t = 0; t < signal.cols(); ++t) {
      const double angle = static_cast<double>(h + 1) * phase[static_cast<std::size_t>(t)];
      wave_sin(t) = std::sin(angle);
      wave_cos(t) = std::cos(angle);
    }
    for (std::size_t c = 0; c < kChannels; ++c) {
      const double amplitude = (c < 3 ? activity.push[h][c] : activity.spin[h][c - 3]) *
                               motion.vigour * std::exp(motion.style[h][c]);
      const double start = kStart[h][c] + motion.shift[h][c];
      signal.row(static_cast<Index>(c)).array() +=
          amplitude * (std::cos(start) * wave_sin + std::sin(start) * wave_cos).transpose();
    }
  }
}

std::vector<double> event_times(const Activity::Event& event, double tempo,
                                const std::vector<double>& phase, const Sampling& sampling,
                                Rng& rng) {
  std::vector<double> times;
  if (event.per_cycle > 0) {
    for (std::size_t t = 1; t < phase.size(); ++t) {
      const double before = phase[t - 1] * event.per_cycle / kCycle;
      const double now = phase[t] * event.per_cycle / kCycle;
      if (std::floor(now) > std::floor(before)) {
        const double part = (std::floor(now) - before) / (now - before);
        times.push_back((static_cast<double>(t - 1) + part) / sampling.rate);
      }
    }
  }
  if (event.per_s > 0) {
    const double gap = 1 / (event.per_s * tempo);
    const double end = static_cast<double>(sampling.length) / sampling.rate;
    for (double time = gap * rng.uniform(); time < end;
         time += gap * std::exp(kEventSpread * rng.normal())) {
      times.push_back(time);
    }
  }
  return times;
}

void add_event(const Activity::Event& event, double time, double strength, const Sampling& sampling,
               Signal& signal) {
  constexpr double kReach = 4;  // widths, beyond which the shape is nothing
  const double reach = kReach * event.width_s;
  const auto first = static_cast<Index>(std::ceil((time - reach) * sampling.rate));
  const auto last = static_cast<Index>(std::floor((time + reach) * sampling.rate));
  for (Index t = std::max<Index>(first, 0); t <= std::min(last, signal.cols() - 1); ++t) {
    const double x = (static_cast<double>(t) / sampling.rate - time) / event.width_s;
    const double there = std::exp(-x * x / 2);
    const double there_and_back = -x * std::exp((1 - x * x) / 2);  // its slope, with peak 1
    for (Index axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      signal(axis, t) += strength * event.push[a] * there;
      signal(3 + axis, t) += strength * event.spin[a] * there_and_back;
    }
  }
}

void add_texture(const Activity::Texture& texture, double vigour, const Sampling& sampling, Rng rng,
                 Signal& signal) {
  const double keep = std::pow(texture.colour, kTextureRate / sampling.rate);
  const double fresh = std::sqrt(1 - keep * keep);
  for (Index c = 0; c < kChannels; ++c) {
    const double deviation = vigour * (c < 3 ? texture.push : texture.spin);
    double value = rng.normal();
    for (Index t = 0; t < signal.cols(); ++t) {
      signal(c, t) += deviation * value;
      value = keep * value + fresh * rng.normal();
    }
  }
}

// A mirror turns the axis across it; a turning speed keeps that axis and changes the other two.
void mirror(Signal& signal) {
  for (const Index c : {1, 3, 5}) {
    signal.row(c) *= -1;
  }
}

}  // namespace

Signal synthesise(const Activity& activity, const Motion& motion, const Sampling& sampling,
                  const Rng& rng) {
  Signal signal = Signal::Zero(kChannels, sampling.length);
  const Eigen::Vector3d rest =
      Eigen::Vector3d(activity.posture[0], activity.posture[1], activity.posture[2]).normalized();
  signal.topRows<3>().colwise() += rest;
  const std::vector<double> phase =
      phases(activity, activity.rhythm.hz * motion.tempo, sampling, rng.fork("phase"));
  add_rhythm(activity, motion, phase, signal);
  Rng events = rng.fork("events");
  for (const double time : event_times(activity.event, motion.tempo, phase, sampling, events)) {
    const double strength = motion.vigour * std::exp(kEventSpread * events.normal());
    add_event(activity.event, time, strength, sampling, signal);
  }
  add_texture(activity.texture, motion.vigour, sampling, rng.fork("texture"), signal);
  if (motion.left) {
    mirror(signal);
  }
  rotate(motion.pose, signal);
  Rng noise = rng.fork("noise");
  for (Index t = 0; t < signal.cols(); ++t) {
    for (Index c = 0; c < kChannels; ++c) {
      signal(c, t) += sampling.noise * noise.normal();
    }
  }
  return signal;
}

void rotate(const Rotation& rotation, Signal& signal) {
  for (Index t = 0; t < signal.cols(); ++t) {
    signal.block<3, 1>(0, t) = (rotation * signal.block<3, 1>(0, t)).eval();
    signal.block<3, 1>(3, t) = (rotation * signal.block<3, 1>(3, t)).eval();
  }
}

}  // namespace tyto
