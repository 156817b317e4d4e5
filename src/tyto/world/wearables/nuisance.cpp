// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/wearables/nuisance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr double kShareRounding = 1e-9;  // 0.29 x 100 is 29

}  // namespace

std::string_view alteration_name(Alteration alteration) {
  return alteration == Alteration::none
             ? "none"
             : kAlterationKinds[static_cast<std::size_t>(alteration) - 1];
}

Alteration named_alteration(std::string_view word) {
  const auto found = std::find(kAlterationKinds.begin(), kAlterationKinds.end(), word);
  return static_cast<Alteration>(found - kAlterationKinds.begin() + 1);
}

void NuisanceOptions::describe(OptionVisitor& visitor) {
  visitor.field("share", share, {0, 1}, "of each increment's and split's samples, rounded down");
  visitor.field("kinds", kinds, kAlterationKinds, "dealt in turn");
  visitor.field("from", from, {0, 1e6}, "first increment with altered samples; the start is 0");
  visitor.field("splits", splits, kSideNames, "with altered samples");
  visitor.field("angle", angle, {0, 180}, "rotated: degrees about a drawn axis");
  visitor.field("gain", gain, {0, 5},
                "gain: drift of each channel's, of the logarithm, up or down");
  visitor.field("noise", noise, {0, 100}, "noise: its standard deviation, g and rad/s");
}

void NuisanceOptions::check(std::string_view path) const {
  if (share > 0 && kinds.empty()) {
    throw Error(
        ErrorKind::config,
        fmt::format("{}.kinds: a share of {} is to be altered, but no kind is named", path, share));
  }
  if (share > 0 && splits.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}.splits: a share of {} is to be altered, but no split is named",
                            path, share));
  }
}

std::vector<Alteration> draw_alterations(const Schedule& schedule, Index rows,
                                         const NuisanceOptions& options, const Rng& rng) {
  std::vector<Alteration> drawn(static_cast<std::size_t>(rows), Alteration::none);
  for (Index t = options.from; t < schedule.size(); ++t) {
    for (std::size_t side = 0; side < kSideNames.size(); ++side) {
      if (std::find(options.splits.begin(), options.splits.end(), kSideNames[side]) ==
          options.splits.end()) {
        continue;
      }
      const ScheduledSplit& split = schedule.increments[static_cast<std::size_t>(t)].splits[side];
      const auto count = static_cast<std::size_t>(
          std::floor(options.share * static_cast<double>(split.size()) + kShareRounding));
      Rng stream = rng.fork("samples", 3 * static_cast<std::uint64_t>(t) + side);
      const std::vector<Index> order = stream.permutation(split.size());
      for (std::size_t i = 0; i < count; ++i) {
        const Index row = split.row[static_cast<std::size_t>(order[i])];
        drawn[static_cast<std::size_t>(row)] =
            named_alteration(options.kinds[i % options.kinds.size()]);
      }
    }
  }
  return drawn;
}

void alter(Alteration alteration, const NuisanceOptions& options, Rng rng, Signal& signal) {
  switch (alteration) {
    case Alteration::none: return;
    case Alteration::rotated: rotate(turned(options.angle, rng), signal); return;
    case Alteration::gain:
      for (Index c = 0; c < signal.rows(); ++c) {
        const double drift = rng.uniform() < 0.5 ? options.gain : -options.gain;
        for (Index t = 0; t < signal.cols(); ++t) {
          signal(c, t) *=
              std::exp(drift * static_cast<double>(t + 1) / static_cast<double>(signal.cols()));
        }
      }
      return;
    case Alteration::noise:
      for (Index c = 0; c < signal.rows(); ++c) {
        for (Index t = 0; t < signal.cols(); ++t) {
          signal(c, t) += options.noise * rng.normal();
        }
      }
      return;
  }
}

}  // namespace tyto
