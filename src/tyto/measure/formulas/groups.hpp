// SPDX-License-Identifier: Apache-2.0
// Samples parted by what is noted of them: a word, or a number cut into parts of equal count.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/record/record.hpp"

namespace tyto {

constexpr std::string_view kNotAnnotated = "N/A";

struct Groups {
  std::vector<std::string> names;  // by number if all are numbers, else by word; N/A last
  std::vector<std::int32_t> of;    // by SampleId: a place in `names`
  std::string note;                // where the cuts are, if there are any
};

// Values by SampleId, "" or "N/A" where there is none. `label` is the class, if no annotation is
// called so. Throws Error(config) naming the columns there are and the likeliest spelling.
std::vector<std::string> annotation_values(const Truth& truth, std::string_view column);

// Values of another table, joined by the name of the sample, else by its video if it is a clip
// (<video>_<start>_<end>, six digits each); "" for a sample it does not have. Throws Error(data) if
// it has none of them.
std::vector<std::string> joined_values(const Truth& truth, std::span<const std::string> ids,
                                       std::span<const std::string> values, std::string_view table);

// A group for each value. With `parts`, which needs numbers, "1 of 3" to "3 of 3": equal counts of
// the samples that are `measured` (by SampleId), each name once; equal values may fall apart.
Groups make_groups(const Truth& truth, std::span<const std::string> values,
                   std::span<const std::uint8_t> measured, std::string_view column,
                   std::optional<Index> parts = {});

}  // namespace tyto
