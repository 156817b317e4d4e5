// SPDX-License-Identifier: Apache-2.0
// The baselines that the READMEs of the frame-level sets state: a row per sample, and the nearest
// class mean.
#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/places.hpp"

#include "tyto/data/dataset.hpp"

namespace tyto {

inline std::filesystem::path frame_data(std::string_view name) {
  return std::filesystem::path(testing_support::in_tree("/../shared/data")) / name;
}

inline std::size_t distinct(const std::vector<std::string>& words) {
  return std::set<std::string>(words.begin(), words.end()).size();
}

// Frames `begin` to `end` - 1 of the store.
inline Matrix frames_between(const Dataset& data, Index begin, Index end) {
  std::vector<Index> rows;
  for (Index row = begin; row < end; ++row) {
    rows.push_back(row);
  }
  Matrix out(end - begin, data.store->shape("features").front());
  data.store->gather("features", rows, out);
  return out;
}

// Which frames of a sample count: the whole run, or the segment in it.
enum class Counted { run, segment };

// Mean of the frames of each sample and, if asked, their standard deviation beside it.
inline Dense<double> frame_statistics(const Dataset& data, bool deviations = false,
                                      Counted counted = Counted::run) {
  const Index width = data.store->shape("features").front();
  Dense<double> out(data.table.size(), deviations ? 2 * width : width);
  Index begin = 0;
  for (Index i = 0; i < data.table.size(); ++i) {
    const Index frames = data.table.frames[at(i)];
    Index first = 0;
    Index end = frames;
    if (counted == Counted::segment) {
      first = std::stol(data.table.annotations.at("segment_first")[at(i)]);
      end = std::stol(data.table.annotations.at("segment_end")[at(i)]);
    }
    const Dense<double> rows = frames_between(data, begin + first, begin + end).cast<double>();
    out.row(i).head(width) = rows.colwise().mean();
    if (deviations) {
      out.row(i).tail(width) =
          (rows.rowwise() - rows.colwise().mean()).colwise().squaredNorm() / (end - first);
      out.row(i).tail(width) = out.row(i).tail(width).cwiseSqrt().eval();
    }
    begin += frames;
  }
  return out;
}

// Share of the rows outside the training whose nearest class mean is their own.
inline double nearest_class_mean(Dense<double> rows, const std::vector<std::string>& labels,
                                 const std::vector<bool>& trains, bool standardised) {
  std::vector<Index> fit;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (trains[at(i)]) {
      fit.push_back(i);
    }
  }
  if (standardised) {
    const Dense<double> seen = rows(fit, Eigen::all);
    const Eigen::RowVectorXd mean = seen.colwise().mean();
    Eigen::RowVectorXd spread =
        ((seen.rowwise() - mean).colwise().squaredNorm() / static_cast<double>(seen.rows()))
            .cwiseSqrt();
    spread = (spread.array() > 0).select(spread, 1.0);
    rows = ((rows.rowwise() - mean).array().rowwise() / spread.array()).matrix().eval();
  }
  std::map<std::string, std::pair<Eigen::RowVectorXd, double>> sums;
  for (const Index i : fit) {
    auto& [sum, count] =
        sums.try_emplace(labels[at(i)], Eigen::RowVectorXd::Zero(rows.cols()), 0.0).first->second;
    sum += rows.row(i);
    count += 1;
  }
  double right = 0;
  double all = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (trains[at(i)]) {
      continue;
    }
    std::string best;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [label, entry] : sums) {
      const double distance = (rows.row(i) - entry.first / entry.second).squaredNorm();
      if (distance < least) {
        least = distance;
        best = label;
      }
    }
    right += best == labels[at(i)] ? 1 : 0;
    all += 1;
  }
  return right / all;
}

// The same by the nearest row of the training.
inline double nearest_neighbour(const Dense<double>& rows, const std::vector<std::string>& labels,
                                const std::vector<bool>& trains) {
  double right = 0;
  double all = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (trains[at(i)]) {
      continue;
    }
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < rows.rows(); ++j) {
      const double distance = trains[at(j)] ? (rows.row(i) - rows.row(j)).squaredNorm() : least;
      if (distance < least) {
        least = distance;
        best = j;
      }
    }
    right += best >= 0 && labels[at(i)] == labels[at(best)] ? 1 : 0;
    all += 1;
  }
  return right / all;
}

inline std::vector<bool> in_train(const Dataset& data) {
  std::vector<bool> trains;
  for (const std::string& split : data.table.split) {
    trains.push_back(split == "train");
  }
  return trains;
}

// On the dataset's own split.
inline double nearest_class_mean(const Dataset& data, const Dense<double>& rows,
                                 bool standardised) {
  return nearest_class_mean(rows, data.table.label, in_train(data), standardised);
}

// Each group in turn is left out; the mean over groups.
inline double leaving_a_group_out(const Dataset& data, const Dense<double>& rows) {
  const std::set<std::string> groups(data.table.group.begin(), data.table.group.end());
  double sum = 0;
  for (const std::string& group : groups) {
    std::vector<bool> trains;
    for (const std::string& own : data.table.group) {
      trains.push_back(own != group);
    }
    sum += nearest_class_mean(rows, data.table.label, trains, true);
  }
  return sum / static_cast<double>(groups.size());
}

}  // namespace tyto
