// SPDX-License-Identifier: Apache-2.0
// Which rows train, validate and test: by the dataset's own column, or drawn.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/core/random.hpp"
#include "tyto/data/dataset.hpp"

namespace tyto {

enum class Side : std::uint8_t { train, validate, test, none };

constexpr std::array<std::string_view, 3> kSideNames{"train", "validate", "test"};

// For datasets without a split column.
struct SplitOptions {
  std::string by = "ratio";
  double test = 0.3, validate = 0.0;
  Index folds = 5, fold = 0;

  void describe(OptionVisitor& visitor);
  void check(std::string_view path) const;  // what one key alone cannot tell
};

// The side of each row, classes balanced. With groups (else empty) each is on one side whole.
std::vector<Side> draw_sides(Rows classes, Rows groups, const SplitOptions& options,
                             const Rng& rng);

// The column `split` for table rows [begin, end), Side::none for ""; empty if none of them has one.
std::vector<Side> own_sides(const Dataset& dataset, Index begin, Index end);

// A number per distinct group name of table rows [begin, end); a row without a name is a group of
// its own. Empty if none has a name.
std::vector<Index> group_codes(const IndexTable& table, Index begin, Index end);

// 0 to count - 1 in a drawn order: neither that of a list nor that of a file shows in them.
std::vector<std::uint32_t> opaque_numbers(Index count, Rng rng);

}  // namespace tyto
