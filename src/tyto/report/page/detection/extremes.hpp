// SPDX-License-Identifier: Apache-2.0
// The samples a detector was most wrong about: novel ones that seem normal, and the reverse.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tyto/report/page/detection/judged_arm.hpp"

namespace tyto {

// Rows of the test phase, the most extreme first, ties to the earlier: novel ones of the lowest
// score, or normal ones of the highest. Of a group the most extreme alone, as frames of one episode
// are all alike.
std::vector<Index> extreme_rows(const JudgedArm& arm, const Truth& truth, bool novel,
                                std::size_t most);

// Both kinds of each arm with their pictures, which arms and kinds share evenly.
class ExtremeGallery {
 public:
  explicit ExtremeGallery(const PageSource& source) : source_(source) {}

  void add(const PageArm& arm, const JudgedArm& judged);

  [[nodiscard]] nlohmann::ordered_json json();

 private:
  struct Item {
    SampleId sample{};
    std::string said;
    double score = 0;
  };

  struct Shelf {
    const PageArm* arm;
    bool novel;
    std::vector<Item> items;
    std::vector<std::optional<Index>> media = {};
  };

  void add_pictures();

  const PageSource& source_;
  std::vector<Shelf> shelves_;
};

}  // namespace tyto
