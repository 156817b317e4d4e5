// SPDX-License-Identifier: Apache-2.0
// What all recognisers share: the pool of samples nobody could name, groups among them that keep
// their identity from batch to batch, the rule that promotes a group to a discovered class, and
// the names that feedback gives. A recogniser adds how to group and how to score membership.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/parts/recogniser/group_model.hpp"
#include "tyto/parts/recogniser/group_pool.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

struct DiscoveryOptions {
  Index pool = 20000;
  Index guides = 3000;
  std::vector<std::string> promote{"size", "consistency"};
  Index fewest = 5;
  Index rounds = 2;
  Index sure = 50;
  double separation = 1.0;
  bool known = false;
  ConfigNode cluster;

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

  [[nodiscard]] Holding holding() const override { return holding_of(pool_.rows()); }

  void save(State& state) const override;
  void load(const State& state, const Shelf& shelf) override;

 private:
  struct Group {
    Label label = Label::unknown;  // as long as it is a candidate
    Index rounds = 1;              // batches in a row in which it was found
    std::string origin;            // what is known of its beginning
  };

  struct Guides {
    Matrix rows;
    std::vector<std::int32_t> labels;
  };

  void take_in(const Evidence& batch);
  [[nodiscard]] Guides pick_guides(const Experience& past, Work& work) const;
  // Groups of the pool's rows by a new grouping of pool and guides.
  [[nodiscard]] std::vector<std::int32_t> regroup(const Guides& guides, Work& work) const;
  // `had`: members of the former groups before this batch.
  void follow(std::vector<std::int32_t> found, const std::vector<Index>& had, LabelSpace& space);
  [[nodiscard]] bool is_consistent(const Group& group, Index members) const;
  void promote(const Guides& guides, LabelSpace& space);
  void refit(const Guides& guides);  // these are scored too where known classes are

  DiscoveryOptions options_;
  std::unique_ptr<Clusterer> clusterer_;
  std::unique_ptr<GroupModel> model_;
  GroupPool pool_;
  std::vector<Group> groups_;
  std::vector<Label> scored_;  // labels of the model's columns
};

// A recogniser that groups by the clusterer of that name.
PartSpec discovery_spec(std::string name, std::string clusterer, std::string summary,
                        std::string cost, std::string paper,
                        std::function<std::unique_ptr<GroupModel>()> model);

}  // namespace tyto
