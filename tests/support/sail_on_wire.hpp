// SPDX-License-Identifier: Apache-2.0
// The recorded answers of the public evaluation server, where they are at hand.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "support/places.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/sail_on/csv_rows.hpp"
#include "tyto/sail_on/test_data.hpp"

namespace tyto::testing_support {

inline std::filesystem::path sail_on_wire() {
  return in_tree("/../shared/data/sail_on_wire");
}

inline bool has_sail_on_wire() {
  return std::filesystem::exists(sail_on_wire() / "evaluations");
}

inline std::string wire_text(const std::filesystem::path& file) {
  std::ifstream stream(sail_on_wire() / file, std::ios::binary);
  EXPECT_TRUE(stream.good()) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Not for nlt, whose files are UTF-16.
inline sail_on::TestData wire_test(const std::string& domain, const std::string& id) {
  sail_on::TestData test;
  test.protocol = id.substr(0, id.find('.'));
  test.domain = domain;
  test.id = id;
  const std::filesystem::path folder = std::filesystem::path("data") / test.protocol / domain;
  if (std::filesystem::exists(sail_on_wire() / folder / (id + "_metadata.json"))) {
    test.metadata = wire_text(folder / (id + "_metadata.json"));
  }
  for (sail_on::CsvRow& row :
       sail_on::csv_rows(wire_text(folder / (id + "_single_df.csv")), id, '|')) {
    for (std::string& field : row.fields) {
      const auto begin = field.find_first_not_of(" \"'");
      field = begin == field.npos ? ""
                                  : field.substr(begin, field.find_last_not_of(" \"'") - begin + 1);
    }
    (test.columns.empty() ? test.columns : test.rows.emplace_back()) = std::move(row.fields);
  }
  return test;
}

// What a session of a case left behind of a test.
struct WirePosts {
  std::string domain;
  std::map<std::string, std::string> text;  // by type
};

inline WirePosts wire_posts(const std::string& wire_case, const std::string& session,
                            const std::string& test) {
  WirePosts posts;
  const auto root = sail_on_wire() / "state" / wire_case;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    const std::string prefix = session + "." + test + "_";
    if (name.starts_with(prefix) && entry.path().extension() == ".csv") {
      posts.domain = entry.path().parent_path().filename().string();
      posts.text[name.substr(prefix.size(), name.size() - prefix.size() - 4)] =
          wire_text(std::filesystem::relative(entry.path(), sail_on_wire()));
    }
  }
  return posts;
}

}  // namespace tyto::testing_support
