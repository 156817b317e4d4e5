// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/calibration/by_epoch.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/core/error.hpp"
#include "tyto/math/reliability_bins.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {

namespace {

constexpr Index kEpochBins = 10;  // of equal width, as in the paper

template <class Confidence>
double ece_of(std::span<const std::int8_t> right, const Confidence& confidence) {
  ReliabilityBins bins(kEpochBins);
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (right[i] >= 0) {
      bins.add(std::min(1.0, static_cast<double>(confidence(i))), right[i] != 0);
    }
  }
  return bins.ece();
}

}  // namespace

EpochErrors errors_by_epoch(const ByEpoch& given, std::span<const std::int8_t> right) {
  EpochErrors out;
  out.samples = std::count_if(right.begin(), right.end(), [](std::int8_t is) { return is >= 0; });
  if (given.epoch.empty() || out.samples == 0) {
    return {};
  }
  TYTO_ASSERT(given.confidence.rows() == std::ssize(right) && given.native.size() == right.size());
  out.epoch = given.epoch;
  for (Index e = 0; e < given.confidence.cols(); ++e) {
    out.ece.push_back(
        ece_of(right, [&](std::size_t i) { return given.confidence(static_cast<Index>(i), e); }));
  }
  out.native = ece_of(right, [&](std::size_t i) { return given.native[i]; });
  return out;
}

EpochErrors errors_by_epoch(const PhaseView& view) {
  const GivenKnown& given = view.given_known;
  std::vector<std::int8_t> right;
  for (std::size_t i = 0; i < given.best.size(); ++i) {
    const bool is_known = !std::isnan(given.log_true[i]);
    right.push_back(!is_known ? std::int8_t{-1} : given.best[i] == view.actual[i] ? 1 : 0);
  }
  return errors_by_epoch(given.by_epoch, right);
}

std::vector<EpochRow> epoch_rows(const RunRecord& record) {
  const Truth& truth = truth_of(record);
  std::vector<EpochRow> rows;
  for (const PhaseKey& key : record.phases()) {
    const Phase phase = record.phase(key);
    if (phase.given_known.by_epoch.epoch.empty()) {
      continue;
    }
    rows.push_back({key.step, key.phase, key.split, errors_by_epoch(view_phase(phase, truth))});
  }
  return rows;
}

}  // namespace tyto
