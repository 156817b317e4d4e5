// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/write_tests.hpp"

#include <map>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/files/whole_folder.hpp"
#include "tyto/sail_on/names.hpp"

namespace tyto::sail_on {

namespace {

namespace fs = std::filesystem;

void append_piped_field(std::string& out, const std::string& field) {
  if (field.find_first_of(",|") == field.npos) {
    out += field;
    return;
  }
  out += '|';
  for (const char c : field) {
    out += c == '|' ? "||" : std::string(1, c);
  }
  out += '|';
}

void append_truth_line(std::string& out, const TestData& test,
                       const std::vector<std::string>& fields) {
  if (fields.size() != test.columns.size()) {
    throw Error(ErrorKind::data, fmt::format("test \"{}\": a row has {} fields for {} columns",
                                             test.id, fields.size(), test.columns.size()));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].find_first_of("\r\n") != std::string::npos) {
      throw Error(ErrorKind::data,
                  fmt::format("test \"{}\": column \"{}\" has a line end in \"{}\"", test.id,
                              test.columns[i], fields[i]));
    }
    out += i == 0 ? "" : ",";
    append_piped_field(out, fields[i]);
  }
  out += '\n';
}

void expect_name(const std::string& name, std::string_view what) {
  if (!is_plain_name(name)) {
    throw Error(ErrorKind::data, fmt::format("the {} \"{}\" is no file name", what, name));
  }
}

void fill(const fs::path& folder, TestList tests) {
  std::map<fs::path, std::string> lists;
  for (const auto& test : tests) {
    const fs::path place = fs::path(test->protocol) / test->domain;
    lists[place] += test->id + "\n";
    make_folder(folder / place);
    write_file(folder / place / (test->id + "_single_df.csv"), truth_csv(*test));
    if (!test->metadata.empty()) {
      write_file(folder / place / (test->id + "_metadata.json"), test->metadata);
    }
  }
  for (const auto& [place, ids] : lists) {
    write_file(folder / place / "test_ids.csv", ids);
  }
}

bool may_replace(const fs::path& folder, const TestsFolder& how) {
  std::error_code ignored;
  return !how.replace_marked.empty() && fs::is_directory(fs::symlink_status(folder, ignored)) &&
         fs::is_regular_file(folder / how.replace_marked, ignored);
}

}  // namespace

std::string truth_csv(const TestData& test) {
  std::string out;
  append_truth_line(out, test, test.columns);
  for (const std::vector<std::string>& row : test.rows) {
    append_truth_line(out, test, row);
  }
  return out;
}

void expect_writable_tests(const fs::path& folder, const TestsFolder& how) {
  if (may_replace(folder, how)) {
    return;
  }
  try {
    expect_free_folder(folder);
  } catch (const Error& error) {
    throw Error(ErrorKind::io,
                how.replace_marked.empty()
                    ? std::string(error.what())
                    : fmt::format("{}: it has no {}, so it was not made here and is not replaced",
                                  error.what(), how.replace_marked));
  }
}

void write_tests(const fs::path& given, TestList tests, const TestsFolder& how) {
  std::set<std::string> seen;
  for (const auto& test : tests) {
    expect_name(test->protocol, "protocol");
    expect_name(test->domain, "domain");
    expect_name(test->id, "test id");
    if (!seen.insert(fmt::format("{}/{}/{}", test->protocol, test->domain, test->id)).second) {
      throw Error(ErrorKind::data, fmt::format("the test id \"{}\" stands twice", test->id));
    }
  }
  const fs::path folder = fs::absolute(given / "").parent_path();
  expect_writable_tests(folder, how);
  const auto write = [&] {
    write_whole_folder(folder, [&](const fs::path& beside) {
      fill(beside, tests);
      if (how.more) {
        how.more(beside);
      }
    });
  };
  if (!may_replace(folder, how)) {
    write();
    return;
  }
  const fs::path old = folder.string() + fmt::format(".{}.old", ::getpid());
  std::error_code problem;
  fs::rename(folder, old, problem);
  if (problem) {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot be replaced: {}", folder.string(), problem.message()));
  }
  try {
    write();
  } catch (...) {
    fs::rename(old, folder, problem);
    throw;
  }
  fs::remove_all(old, problem);
}

}  // namespace tyto::sail_on
