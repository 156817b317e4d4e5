// SPDX-License-Identifier: Apache-2.0
// The samples a detector was most wrong about: novel ones that seem normal, and the reverse.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tyto/report/page/detection/judged_arm.hpp"

namespace tyto {

enum class ExtremeKind { missed, false_alarm, found };

// Rows of the test phase, the most extreme first, ties to the earlier: novel ones of the lowest
// score, normal ones of the highest, novel ones of the highest. Of a group the most extreme alone,
// as frames of one episode are all alike.
std::vector<Index> extreme_rows(const JudgedArm& arm, const Truth& truth, ExtremeKind kind,
                                std::size_t most);

// The kinds of each arm with their pictures, which arms and kinds share evenly. What was found is
// shown of detectors that tell where they look, with what they say of it.
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
    ExtremeKind kind;
    std::vector<Item> items;
    std::vector<std::optional<Index>> media = {};
    std::vector<std::optional<PictureHeat>> heat = {};  // empty, or one of each item
  };

  void add_heat();
  void add_pictures();

  const PageSource& source_;
  std::vector<Shelf> shelves_;
};

}  // namespace tyto
