// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/feature_changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/world/nuisance/feature_nuisance.hpp"

namespace tyto {

namespace {

using Strengths = std::array<double, 3>;  // easy, medium, hard

constexpr Strengths kNoise{2, 1, 0.5};
constexpr Strengths kExchanged{0.6, 0.4, 0.2};
constexpr Strengths kFactor{3, 2, 1.5};

double strength_in(const Strengths& strengths, std::string_view difficulty) {
  return difficulty == "easy" ? strengths[0] : difficulty == "medium" ? strengths[1] : strengths[2];
}

Index row_of_another_class(const TestMaterial& material, Index row, Rng& rng) {
  const Index own = material.map.of_row[at(row)];
  Index other = row;
  do {  // ends: two classes or more can be learned
    other = material.train[at(rng.below(std::ssize(material.train)))];
  } while (material.map.of_row[at(other)] == own);
  return other;
}

void exchange_features(const Dataset& dataset, const TestMaterial& material, Index row,
                       double share, Rng& rng, MatrixRef values) {
  Matrix other(1, values.cols());
  const Index from = row_of_another_class(material, row, rng);
  dataset.store->gather(material.map.source, Rows(&from, 1), other);
  take_columns(other, share, rng, values);
}

}  // namespace

void expect_changeable(const Dataset& dataset, std::string_view source) {
  const std::vector<Index> shape = dataset.store->shape(source);
  if (!dataset.table.frames.empty() || shape.size() != 1) {
    throw Error(ErrorKind::config,
                fmt::format("novelty: samples of \"{}\" {}, which cannot be altered; only new "
                            "classes can be made of them",
                            dataset.name,
                            shape.size() == 1 ? std::string("have several frames")
                                              : fmt::format("have {} values in the source \"{}\"",
                                                            fmt::join(shape, " x "), source)));
  }
}

void change_features(const Dataset& dataset, const TestMaterial& material, Index row,
                     const FeatureChange& change, Rng rng, MatrixRef values) {
  if (change.what == "noise") {
    add_feature_noise(material.map.deviation, strength_in(kNoise, change.difficulty), rng, values);
  } else if (change.what == "exchange") {
    exchange_features(dataset, material, row, strength_in(kExchanged, change.difficulty), rng,
                      values);
  } else {
    scale_about_centre(material.map.centre, strength_in(kFactor, change.difficulty), values);
  }
}

}  // namespace tyto
