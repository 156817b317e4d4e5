// SPDX-License-Identifier: Apache-2.0
// The lists that join tests to a dataset: of tests that were just made, or from files beside them.
#pragma once

#include <filesystem>

#include "tyto/world/rounds/make_tests.hpp"
#include "tyto/world/rounds/round_samples.hpp"

namespace tyto {

struct JoinedTests {
  Dataset data;  // with the rows that were altered behind its own
  RoundLists lists;
};

JoinedTests join_made(Dataset data, const MadeTests& made);

// `folder` has train.csv (id, label, class: rows of the dataset to learn from, and the number of
// their class) and samples.csv (id, sample: of a test, of the dataset, if that has none of the
// first name). Without the first the dataset's train split is learned from, classes numbered by
// name; without the second samples have one name. An empty folder: neither is there. Where
// `classes` are named nothing is learned, and train.csv is not read. Throws Error(data) naming
// file, line and value.
JoinedTests join_listed(Dataset data, const std::filesystem::path& folder,
                        const std::vector<std::string>& classes = {});

// The known classes of train.csv in the order of their numbers.
std::vector<std::string> listed_classes(const std::filesystem::path& folder);

// All of the tests' samples from one dataset, and what is learned from another.
JoinedTests join_apart(Dataset train, Dataset tests);

}  // namespace tyto
