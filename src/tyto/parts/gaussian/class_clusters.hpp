// SPDX-License-Identifier: Apache-2.0
// Into how many parts, and which, the rows of one class fall: the components of its mixture.
#pragma once

#include <memory>
#include <string>

#include "tyto/cluster/clusterer.hpp"

namespace tyto {

struct ClassClustersOptions {
  std::string clusterer = "finch";
  std::string level = "bic";
  Index components = 0;
  ConfigNode clustering;

  void describe(OptionVisitor& v);
};

// `path` is the dotted name of the options, for messages.
std::unique_ptr<Clusterer> make_clusterer(const ClassClustersOptions& options,
                                          std::string_view path);

class ClassClusters {
 public:
  ClassClusters(const ClassClustersOptions& options, std::string_view path);
  // With a clusterer made elsewhere.
  ClassClusters(std::unique_ptr<Clusterer> clusterer, std::string level);

  [[nodiscard]] Grouping of(const MatrixView& rows, Work& work) const;

 private:
  std::unique_ptr<Clusterer> clusterer_;
  std::string level_;
  Index components_ = 0;
};

// Log likelihood of spherical groups with one common variance, less half the number of their
// parameters times log n: higher is better. Minus infinity where every group is a point.
double spherical_bic(const MatrixView& rows, const Grouping& groups);

}  // namespace tyto
