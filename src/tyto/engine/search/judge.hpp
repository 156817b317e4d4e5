// SPDX-License-Identifier: Apache-2.0
// What a trial of a search is worth: a measure of its phases, of the whole run, or the share of the
// new samples it finds at a stated precision or rate of false alarms.
#pragma once

#include <optional>
#include <vector>

#include "tyto/engine/search/search.hpp"
#include "tyto/record/record.hpp"

namespace tyto {

// Throws Error(config) where no trial could have a value: an unknown measure, a view it has no
// meaning in, a phase the protocol has not got, two things to judge by.
void check_judge(const SearchOptions& search, const std::vector<std::string>& phases,
                 std::string_view protocol);

// Missing where the record does not tell it.
std::optional<double> judged(const RunRecord& record, const SearchOptions& search);

bool higher_is_better(const SearchOptions& search);

}  // namespace tyto
