// SPDX-License-Identifier: Apache-2.0
// Feature vectors altered on purpose, what is done staying the same: the counterparts of visual
// nuisance where there are no pictures, by name:
//
//   dropout   a share of the features fails: each is at its centre
//   exchange  a share of the features is that of another sample
//   gain      each feature's way from its centre times exp(g) or exp(-g)
//   noise     normal, in deviations of each feature, new in every frame
//   scale     one factor of the way from the features' centre
//
// What is drawn is drawn once a sample, from a stream of its own; noise alone once a frame.
#pragma once

#include <span>
#include <string_view>

#include <Eigen/Core>

#include "tyto/core/described.hpp"
#include "tyto/core/random.hpp"
#include "tyto/sample/feature_store.hpp"

namespace tyto {

// Of the features that are altered.
struct FeatureFacts {
  Eigen::VectorXd centre, deviation;  // a constant feature has deviation 0
  const FeatureStore* store = nullptr;
  std::string source;
};

struct FeatureNuisance : Interface {
  // `values` is 1 x d, `stream` that of the sample, `frame` the number of the row in it.
  virtual void change(const FeatureFacts& facts, const Rng& stream, Index frame,
                      MatrixRef values) const = 0;
};

struct FeatureNuisanceSpec : Described<FeatureNuisance> {};

std::span<const FeatureNuisanceSpec> feature_nuisance_specs();  // by name

// Of all rows of a source, block by block. Throws Error(data) for values that are not finite.
FeatureFacts feature_facts(const FeatureStore& store, std::string_view source);

// The arithmetic, which tests in rounds use too.
void add_feature_noise(const Eigen::VectorXd& deviation, double strength, Rng& rng,
                       MatrixRef values);
void scale_about_centre(const Eigen::VectorXd& centre, double factor, MatrixRef values);
// Columns that are drawn, a share of all but at least one, come from `other`.
void take_columns(const MatrixView& other, double share, Rng& rng, MatrixRef values);

}  // namespace tyto
