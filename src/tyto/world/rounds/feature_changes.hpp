// SPDX-License-Identifier: Apache-2.0
// Feature vectors altered on purpose. The easier a change is to notice, the stronger it is:
//
//                                                            easy   medium   hard
//   noise     normal, in deviations of each feature             2        1    0.5
//   exchange  share of features from a sample of another class  0.6    0.4    0.2
//   scale     factor of the way from the features' centre       3        2    1.5
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/world/rounds/test_material.hpp"

namespace tyto {

constexpr std::array<std::string_view, 3> kFeatureChanges{"noise", "exchange", "scale"};

struct FeatureChange {
  std::string_view what;        // of kFeatureChanges
  std::string_view difficulty;  // "easy", "medium", "hard"
};

// Throws Error(config) for samples of several frames and for pictures: vectors can be changed.
void expect_changeable(const Dataset& dataset, std::string_view source);

// Changes the features of table row `row`, which `values` (1 x d) holds. Exchanged features come
// from a row to learn from.
void change_features(const Dataset& dataset, const TestMaterial& material, Index row,
                     const FeatureChange& change, Rng rng, MatrixRef values);

}  // namespace tyto
