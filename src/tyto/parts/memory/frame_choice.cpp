// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/memory/frame_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tyto {

namespace {

Eigen::VectorXd squared_from(const MatrixView& frames, const Eigen::RowVectorXd& point) {
  Eigen::VectorXd out(frames.rows());
  for (Index i = 0; i < frames.rows(); ++i) {
    out[i] = (frames.row(i).cast<double>() - point).squaredNorm();
  }
  return out;
}

Eigen::RowVectorXd centre_of(const MatrixView& frames) {
  return frames.cast<double>().colwise().mean();
}

std::vector<FrameMean> in_time(std::vector<Index> places) {
  std::sort(places.begin(), places.end());
  std::vector<FrameMean> out;
  for (const Index place : places) {
    out.push_back({place, {1.0F}});
  }
  return out;
}

// The `count` with the least values, ties to the earlier.
std::vector<FrameMean> least(const Eigen::VectorXd& values, Index count) {
  std::vector<Index> order(at(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return values[a] < values[b]; });
  order.resize(at(count));
  return in_time(std::move(order));
}

}  // namespace

std::vector<FrameMean> uniform_frames(Index all, Index count) {
  std::vector<Index> places;
  for (Index k = 0; k < count; ++k) {
    places.push_back((2 * k + 1) * all / (2 * count));
  }
  return in_time(std::move(places));
}

std::vector<FrameMean> typical_frames(const MatrixView& frames, Index count) {
  return least(squared_from(frames, centre_of(frames)), count);
}

std::vector<FrameMean> k_centre_frames(const MatrixView& frames, Index count) {
  std::vector<Index> taken;
  Index next = 0;
  squared_from(frames, centre_of(frames)).minCoeff(&next);
  Eigen::VectorXd nearest =
      Eigen::VectorXd::Constant(frames.rows(), std::numeric_limits<double>::infinity());
  while (true) {
    taken.push_back(next);
    if (std::ssize(taken) == count) {
      return in_time(std::move(taken));
    }
    nearest = nearest.cwiseMin(squared_from(frames, frames.row(next).cast<double>()));
    nearest[next] = -1.0;  // not again, though another may be its twin
    next = 0;
    for (Index i = 1; i < nearest.size(); ++i) {
      next = nearest[i] > nearest[next] ? i : next;
    }
  }
}

std::vector<FrameMean> foreground_frames(const MatrixView& frames, Index count,
                                         const Eigen::RowVectorXd& own,
                                         const Eigen::RowVectorXd& everything) {
  const Eigen::VectorXd from_own = squared_from(frames, own);
  const Eigen::VectorXd from_all = squared_from(frames, everything);
  Eigen::VectorXd likeness(frames.rows());  // to the background
  for (Index i = 0; i < frames.rows(); ++i) {
    const double both = from_own[i] + from_all[i];
    likeness[i] = both > 0.0 ? from_own[i] / both : 0.5;  // in the order of the ratio, and finite
  }
  return least(likeness, count);
}

std::vector<FrameMean> condensed_frames(const MatrixView& frames, Index count,
                                        const Eigen::RowVectorXd& own) {
  const Eigen::VectorXd away = squared_from(frames, own);
  const double scale = away.mean();
  std::vector<FrameMean> out;
  for (Index k = 0; k < count; ++k) {
    const Index begin = k * frames.rows() / count;
    const Index length = (k + 1) * frames.rows() / count - begin;
    const double nearest = away.segment(begin, length).minCoeff();  // no weight underflows to none
    Eigen::VectorXd weight = Eigen::VectorXd::Ones(length);
    if (scale > 0.0) {
      for (Index i = 0; i < length; ++i) {
        weight[i] = std::exp((nearest - away[begin + i]) / scale);
      }
    }
    weight /= weight.sum();
    FrameMean mean{begin, {}};
    for (const double one : weight) {
      mean.weight.push_back(static_cast<float>(one));
    }
    out.push_back(std::move(mean));
  }
  return out;
}

Eigen::RowVectorXd mean_of(const MatrixView& frames, const std::vector<FrameMean>& kept) {
  if (kept.empty()) {
    return centre_of(frames);
  }
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(frames.cols());
  for (const FrameMean& one : kept) {
    for (std::size_t j = 0; j < one.weight.size(); ++j) {
      sum += static_cast<double>(one.weight[j]) *
             frames.row(one.first + static_cast<Index>(j)).cast<double>();
    }
  }
  return sum / static_cast<double>(kept.size());
}

void FrameChoice::start_again() {
  seen_ = ClassStatistics(Scatter::diagonal);
}

void FrameChoice::add(Label label, const MatrixView& frames) {
  seen_.add(frames, std::vector<std::int32_t>(at(frames.rows()), static_cast<std::int32_t>(label)));
}

// Of the statistics alone, so that what is loaded equals what was saved.
void FrameChoice::prepare() {
  means_.clear();
  if (seen_.classes() == 0) {
    return;
  }
  const Dense<double> means = seen_.means();
  const std::vector<std::int32_t> keys = seen_.keys();
  const std::vector<Index> counts = seen_.counts();
  everything_ = Eigen::RowVectorXd::Zero(means.cols());
  for (Index c = 0; c < means.rows(); ++c) {
    means_[static_cast<Label>(keys[at(c)])] = means.row(c);
    everything_ += static_cast<double>(counts[at(c)]) * means.row(c);
  }
  everything_ /= static_cast<double>(seen_.count());
}

std::vector<FrameMean> FrameChoice::pick(Label label, Role role, const MatrixView& frames,
                                         Index all, Index count) const {
  TYTO_ASSERT(count > 0 && count <= all);
  if (rule_ == "uniform" || role == Role::hold || frames.rows() == 0) {
    return uniform_frames(all, count);
  }
  const auto shown = frames.topRows(all);
  if (rule_ == "k_centre") {
    return k_centre_frames(shown, count);
  }
  if (rule_ == "typical") {
    return typical_frames(shown, count);
  }
  const auto own = means_.find(label);
  if (rule_ == "condensed") {  // where the class has no mean its own serves
    return condensed_frames(shown, count, own == means_.end() ? centre_of(shown) : own->second);
  }
  if (own == means_.end() || means_.size() < 2) {  // nothing to tell a background by
    return uniform_frames(all, count);
  }
  return foreground_frames(shown, count, own->second, everything_);
}

void FrameChoice::save(State& state) const {
  if (seen_.classes() > 0) {
    seen_.save(state);
  }
}

void FrameChoice::load(const State& state) {
  if (!state.values.empty()) {
    seen_.load(state);
  }
  prepare();
}

}  // namespace tyto
