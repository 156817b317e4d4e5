// SPDX-License-Identifier: Apache-2.0
// Some episodes of a page, frame by frame, with the scores of every arm of their run.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tyto/report/page/detection/episode_moments.hpp"

namespace tyto {

// Gathers what arms pick, run by run, then tells of it. Records are read again for that, one at a
// time, so that no arm's samples are held meanwhile.
class Timelines {
 public:
  explicit Timelines(const PageSource& source) : source_(source) {}

  void add(const PageArm& arm, const JudgedArm& judged, double threshold);

  [[nodiscard]] nlohmann::ordered_json json(Progress& progress) const;

 private:
  struct OfArm {
    const PageArm* arm;
    std::vector<PickedEpisode> picked;
  };

  using Chosen = std::vector<std::pair<std::string, std::vector<std::pair<std::string, Index>>>>;

  // Ids with the reasons and the arms that have them: the first of every arm before any second.
  [[nodiscard]] static Chosen chosen(const std::vector<OfArm>& arms, std::size_t most);

  const PageSource& source_;
  std::map<Index, std::vector<OfArm>> runs_;  // by number
};

}  // namespace tyto
