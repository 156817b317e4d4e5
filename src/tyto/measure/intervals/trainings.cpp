// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/intervals/trainings.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tyto/math/student_t.hpp"

namespace tyto {

namespace {

struct Training {
  double value = 0;
  std::vector<double> drawn;  // those that are numbers, less their mean
};

// With the divisor n - `less`.
double variance(const std::vector<double>& values, double less) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
  }
  for (const double value : values) {
    const double off = value - sum / static_cast<double>(values.size());
    squares += off * off;
  }
  return values.empty() ? 0.0 : squares / (static_cast<double>(values.size()) - less);
}

// None: on too many resamples of one of them the measure is not defined.
std::optional<std::vector<Training>> defined(std::span<const TrainingDraws> trainings) {
  std::vector<Training> kept;
  for (const TrainingDraws& training : trainings) {
    if (!training.value) {
      continue;
    }
    Training& one = kept.emplace_back(Training{*training.value, {}});
    std::copy_if(training.drawn.begin(), training.drawn.end(), std::back_inserter(one.drawn),
                 [](double value) { return !std::isnan(value); });
    if (2 * one.drawn.size() < training.drawn.size()) {
      return {};
    }
    const double mean = std::accumulate(one.drawn.begin(), one.drawn.end(), 0.0) /
                        static_cast<double>(std::max<std::size_t>(one.drawn.size(), 1));
    for (double& value : one.drawn) {
      value -= mean;
    }
  }
  return kept;
}

std::optional<double> plain_mean(std::span<const TrainingDraws> trainings) {
  double sum = 0;
  Index count = 0;
  for (const TrainingDraws& training : trainings) {
    sum += training.value.value_or(0.0);
    count += training.value ? 1 : 0;
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

// Trainings that do not differ at all say nothing on how far others would, unless there is no
// difference either.
void judge(TrainingDifference& out, double deviation, double degrees, double level) {
  if (deviation > 0.0) {
    const double reach = student_quantile(level, degrees) * deviation;
    out.interval = {*out.difference - reach, *out.difference + reach};
    out.p = student_two_sided(*out.difference / deviation, degrees);
  } else if (*out.difference == 0.0) {
    out.interval = {0.0, 0.0};
    out.p = 1.0;
  }
}

}  // namespace

TrainingMean training_mean(std::span<const TrainingDraws> trainings, Index replicates, Rng rng) {
  const auto kept = defined(trainings);
  TrainingMean out;
  out.mean = plain_mean(trainings);
  out.trainings = kept ? std::ssize(*kept) : 0;
  if (!kept || out.trainings < 2) {
    return out;
  }
  const auto n = static_cast<double>(out.trainings);
  std::vector<double> values;
  double within = 0;
  for (const Training& one : *kept) {
    values.push_back(one.value);
    within += variance(one.drawn, 0) / n;
  }
  // Values of trainings lie apart by their samples too, which are drawn below: counted once.
  const double apart = variance(values, 1);
  const double scale = apart > within ? std::sqrt((apart - within) / apart * n / (n - 1.0)) : 0.0;
  std::vector<double> means;
  for (Index replicate = 0; replicate < replicates; ++replicate) {
    double sum = 0;
    for (Index i = 0; i < out.trainings; ++i) {
      const Training& one = (*kept)[static_cast<std::size_t>(rng.below(out.trainings))];
      sum += scale * (one.value - *out.mean);
      if (!one.drawn.empty()) {
        sum += one.drawn[static_cast<std::size_t>(rng.below(std::ssize(one.drawn)))];
      }
    }
    means.push_back(sum / n);
  }
  out.deviation = std::sqrt(variance(means, 0));
  return out;
}

TrainingDifference paired_difference(std::span<const TrainingDraws> first,
                                     std::span<const TrainingDraws> second,
                                     std::span<const TrainingDraws> differences,
                                     const BootstrapOptions& options) {
  const TrainingMean mean =
      training_mean(differences, options.replicates, Rng(options.seed, "trainings"));
  TrainingDifference out{plain_mean(first), plain_mean(second), mean.mean, {}, {}};
  if (mean.deviation) {
    judge(out, *mean.deviation, static_cast<double>(mean.trainings - 1), options.level);
  }
  return out;
}

TrainingDifference unpaired_difference(std::span<const TrainingDraws> first,
                                       std::span<const TrainingDraws> second,
                                       const BootstrapOptions& options) {
  const Rng rng(options.seed, "trainings");
  const TrainingMean a = training_mean(first, options.replicates, rng.fork("first"));
  const TrainingMean b = training_mean(second, options.replicates, rng.fork("second"));
  TrainingDifference out{a.mean, b.mean, {}, {}, {}};
  if (a.mean && b.mean) {
    out.difference = *b.mean - *a.mean;
  }
  if (a.deviation && b.deviation) {
    const double va = *a.deviation * *a.deviation;
    const double vb = *b.deviation * *b.deviation;
    const double together = va + vb;
    // Welch and Satterthwaite: as many degrees as the wider side allows.
    const double degrees = together > 0.0 ? together * together /
                                                (va * va / static_cast<double>(a.trainings - 1) +
                                                 vb * vb / static_cast<double>(b.trainings - 1))
                                          : 1.0;
    judge(out, std::sqrt(together), degrees, options.level);
  }
  return out;
}

double resolvable_difference(Index trainings, double level) {
  return student_quantile(level, static_cast<double>(trainings - 1)) /
         std::sqrt(static_cast<double>(trainings));
}

}  // namespace tyto
