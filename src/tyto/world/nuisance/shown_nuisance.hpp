// SPDX-License-Identifier: Apache-2.0
// Samples of a world that are also, or from some increment on only, seen under a nuisance.
//
//   nuisance_tests: [blur, noise]                          # by name, options as they stand
//   nuisance_tests: {blur: {sigma_most: 4}, jitter: }      # with options
//   nuisance_tests: {blur: features_blur}                  # a source that the data have
//   nuisance_later: {from: 3, by: noise}                   # everything, from increment 3 on
//
// What a name does hangs on what is altered: pictures (a source of 3 x height x width values)
// suffer visual nuisance, vectors feature nuisance. That is the first source of pictures, else
// `features`; the option `source` names another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/data/dataset.hpp"

namespace tyto {

struct ShownNuisance {
  ConfigNode tests;  // null: none
  Index later_from = 1;
  ConfigNode later_by;  // null: nothing ever changes

  void describe(OptionVisitor& visitor);

  [[nodiscard]] bool any() const { return !tests.is_null() || !later_by.is_null(); }
};

// Rows of the data, then all of them again under each nuisance, as one store: samples of all kinds
// can then be joined and remembered together. It has the source that is altered alone.
struct NuisanceRows {
  std::shared_ptr<const FeatureStore> store;
  Index rows = 0;                  // of the data
  std::vector<std::string> tests;  // the j-th begins at row (j + 1) x rows
  Index later_from = -1;           // the rows after those of all tests; -1: nothing changes

  [[nodiscard]] Index test_offset(std::size_t j) const {
    return (static_cast<Index>(j) + 1) * rows;
  }

  // Of rows that are shown at this step.
  [[nodiscard]] Index offset_at(Index step) const {
    return later_from >= 0 && step >= later_from ? test_offset(tests.size()) : 0;
  }
};

// Parameters are drawn by the samples' ids. `path` is the dotted name of the world, for messages.
// Throws Error(config) for a name, option or source that does not exist, or nuisances that act on
// several sources.
NuisanceRows make_nuisance_rows(const Dataset& data, const ShownNuisance& shown,
                                std::string_view path, std::uint64_t seed);

// For people: what is shown again, and what changes when.
std::vector<std::string> nuisance_notes(const NuisanceRows& rows);

}  // namespace tyto
