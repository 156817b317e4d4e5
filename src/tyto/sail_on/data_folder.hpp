// SPDX-License-Identifier: Apache-2.0
// Tests on disk in the public layout: DATA/PROTOCOL/domain/TEST_single_df.csv with the truth,
// TEST_metadata.json beside it, and test_ids.csv with the list of them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/sail_on/test_data.hpp"

namespace tyto::sail_on {

struct StoredTest {
  TestData test;
  std::vector<std::string> dealt;          // lines of the rounds as they go over the wire, in UTF-8
  std::set<std::string, std::less<>> ids;  // of all rows
};

// From any thread. Files are read when asked for and again once their time or size has changed.
// Names that are not plain (see names.hpp) name nothing here.
class DataFolder {
 public:
  explicit DataFolder(std::filesystem::path root);  // throws Error(io) if it is no folder
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  [[nodiscard]] bool has_domain(std::string_view protocol, std::string_view domain) const;

  // test_ids.csv as it is; none: there is no such file.
  [[nodiscard]] std::optional<std::string> id_list(std::string_view protocol,
                                                   std::string_view domain) const;
  // Ids of the list, or of all truths where there is no list, sorted.
  [[nodiscard]] std::vector<std::string> test_ids(std::string_view protocol,
                                                  std::string_view domain) const;

  // Null: there is no such test. Throws Error(data) where its truth cannot be read.
  [[nodiscard]] std::shared_ptr<const StoredTest> find(std::string_view protocol,
                                                       std::string_view domain,
                                                       std::string_view test) const;

 private:
  struct Cache;
  std::filesystem::path root_;
  std::unique_ptr<Cache> cache_;
};

// Ids of a list: one a line, without the blanks, quotes, commas and line ends around them.
std::vector<std::string> ids_of_list(std::string_view text);

// A test of the bytes of its truth, which are UTF-16 in some domains.
StoredTest read_test(std::string_view protocol, std::string_view domain, std::string_view id,
                     std::string_view truth, std::string metadata);

}  // namespace tyto::sail_on
