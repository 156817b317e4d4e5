// SPDX-License-Identifier: Apache-2.0
// tyto report --by and --annotations: the groups that a page is to show.
#pragma once

#include <string>
#include <vector>

#include "tyto/report/page/source.hpp"

namespace tyto {

// `by` are columns, of the file or dataset `annotations` where it has them, else of the samples;
// COLUMN:3 cuts a number into thirds. Without `by` every column of `annotations` that has 2 to 40
// values, and thirds of those numbers that have more. `data` are folders of datasets. Throws
// Error(config) where annotations have no such column.
std::vector<WantedGroups> wanted_groups(const std::vector<std::string>& by,
                                        const std::string& annotations,
                                        const std::vector<std::string>& data);

}  // namespace tyto
