// SPDX-License-Identifier: Apache-2.0
// What all recognisers share: the pool of samples nobody could name, groups among them that keep
// their identity from batch to batch, the rule that promotes a group to a discovered class, and
// the names that feedback gives. A recogniser adds how to group and how to score membership.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

// How well rows fit the groups that were found.
struct GroupModel : Saved {
  // Rows of the pool and the group of each, in [0, groups); every group has a row.
  virtual void fit(const MatrixView& rows, std::span<const std::int32_t> group, Index groups) = 0;
  // Log score of each row for each group, and in the last column that of belonging to none.
  [[nodiscard]] virtual Matrix score(const MatrixView& rows) const = 0;
};

struct DiscoveryOptions {
  Index pool = 20000;       // samples kept, the oldest leave first
  Index guides = 3000;      // remembered samples that guide the grouping
  Index fewest = 5;         // promotion: size,
  Index rounds = 1;         // stability,
  double separation = 0.0;  // and distance to what is known

  void describe(OptionVisitor& v);
};

class Discovery : public Part, public Recogniser {
 public:
  Discovery(DiscoveryOptions options, std::unique_ptr<Clusterer> clusterer,
            std::unique_ptr<GroupModel> model);

  void discover(const Evidence& batch, const Experience& past, LabelSpace& space,
                Work& work) override;
  void revise(const Experience& experience, LabelSpace& space, Work& work) override;
  void recognise(Evidence& evidence) const override;
  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;
};

// Rows near the centre of a group are likely members: -|x - c|^2 / (2 s^2) with the mean squared
// deviation s^2 of all groups per dimension; none: the score at the reach of the widest group.
std::unique_ptr<GroupModel> centroid_model();

}  // namespace tyto
