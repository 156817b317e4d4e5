// SPDX-License-Identifier: Apache-2.0
// Tests on disk as the public evaluation server keeps them:
//
//   <folder>/<PROTOCOL>/<domain>/test_ids.csv                 one id per line
//                                <test_id>_metadata.json
//                                <test_id>_single_df.csv      truth, a header first
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "tyto/sail_on/test_data.hpp"

namespace tyto::sail_on {

using TestList = std::span<const std::shared_ptr<const TestData>>;

// The truth with a header. A field that has a comma or `|` stands between `|`, inside of which `|`
// is doubled. Throws Error(data) for a field with a line end, and a row as wide as no header.
std::string truth_csv(const TestData& test);

struct TestsFolder {
  // Writes what else belongs into the folder.
  std::function<void(const std::filesystem::path&)> more = {};
  // A folder that is there is replaced if it holds a file of this name; "": none is.
  std::string replace_marked = {};
};

// Throws Error(io), before any work, unless `folder` is free or may be replaced.
void expect_writable_tests(const std::filesystem::path& folder, const TestsFolder& how = {});

// The folder appears whole or not at all; one that is replaced stays where that fails. Throws
// Error(data) for an id that is no file name or stands twice.
void write_tests(const std::filesystem::path& folder, TestList tests, const TestsFolder& how = {});

}  // namespace tyto::sail_on
