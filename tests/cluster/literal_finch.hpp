// SPDX-License-Identifier: Apache-2.0
// FINCH as the paper defines it, all pairs and A A^T spelled out, to compare with.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "tyto/cluster/group_means.hpp"
#include "tyto/cluster/methods/finch.hpp"

namespace tyto {

struct LiteralLinks {
  Dense<double> distance, weight;
};

template <class T>
LiteralLinks literal_links(const RowDistance<T>& measured, const std::vector<std::int32_t>& first,
                           LinkWeight kind) {
  const Index n = measured.rows();
  Dense<double> a = Dense<double>::Identity(n, n);
  for (Index i = 0; i < n; ++i) {
    a(i, first[static_cast<std::size_t>(i)]) = 1.0;
  }
  LiteralLinks out{Dense<double>::Zero(n, n), a * a.transpose()};
  out.weight.diagonal().setZero();
  if (kind == LinkWeight::binary) {
    out.weight = out.weight.cwiseMin(1.0).eval();
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      out.distance(i, j) = i == j ? 0.0 : measured(i, j);
    }
  }
  return out;
}

inline Grouping literal_components(const LiteralLinks& links, double cut) {
  const Index n = links.weight.rows();
  std::vector<std::int32_t> label(static_cast<std::size_t>(n));
  std::iota(label.begin(), label.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        std::int32_t& mine = label[static_cast<std::size_t>(i)];
        const std::int32_t other = label[static_cast<std::size_t>(j)];
        if (links.weight(i, j) > 0 && links.weight(i, j) * links.distance(i, j) <= cut &&
            other < mine) {
          mine = other;
          changed = true;
        }
      }
    }
  }
  return numbered(label);
}

template <class T>
std::vector<std::int32_t> literal_first(const RowDistance<T>& measured) {
  std::vector<std::int32_t> out;
  for (Index i = 0; i < measured.rows(); ++i) {
    Index best = i == 0 ? 1 : 0;
    for (Index j = 0; j < measured.rows(); ++j) {
      best = j != i && measured(i, j) < measured(i, best) ? j : best;
    }
    out.push_back(static_cast<std::int32_t>(best));
  }
  return out;
}

inline std::vector<Grouping> literal_finch(const Matrix& rows, const FinchSettings& settings) {
  double cut = std::numeric_limits<double>::infinity();
  std::vector<Grouping> levels;
  {
    const RowDistance<float> measured(rows, settings.metric);
    const LiteralLinks links = literal_links(measured, literal_first(measured), settings.weight);
    levels.push_back(literal_components(links, cut));
    if (settings.early_exit && rows.rows() > 2) {
      cut = links.weight.cwiseProduct(links.distance).maxCoeff();
    }
  }
  for (Index before = group_count(levels.back()); before > 1;) {
    const Dense<double> means = group_means(rows, levels.back());
    const RowDistance<double> measured(means, settings.metric);
    const Grouping next =
        literal_components(literal_links(measured, literal_first(measured), settings.weight), cut);
    const Index count = group_count(next);
    if (count == 1 || count >= before) {
      break;
    }
    Grouping level;
    for (const std::int32_t group : levels.back()) {
      level.push_back(next[static_cast<std::size_t>(group)]);
    }
    levels.push_back(level);
    if (before - count == 1) {
      break;
    }
    before = count;
  }
  return levels;
}

// The closest pair of means merged again and again, all pairs measured each time.
inline Grouping literal_merge(const Matrix& rows, Grouping groups, Index count, Metric metric) {
  for (Index k = group_count(groups); k > count; --k) {
    const Dense<double> means = group_means(rows, groups);
    const RowDistance<double> measured(means, metric);
    Index low = 0;
    Index high = 1;
    for (Index i = 0; i < k; ++i) {
      for (Index j = i + 1; j < k; ++j) {
        if (measured(i, j) < measured(low, high)) {
          low = i;
          high = j;
        }
      }
    }
    for (std::int32_t& group : groups) {
      group = group == high ? static_cast<std::int32_t>(low) : group;
    }
    groups = numbered(groups);
  }
  return groups;
}

}  // namespace tyto
