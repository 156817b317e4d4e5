// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/data_folder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include <fmt/format.h>
#include <sys/stat.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/sail_on/csv_rows.hpp"
#include "tyto/sail_on/dealt.hpp"
#include "tyto/sail_on/domains.hpp"
#include "tyto/sail_on/names.hpp"
#include "tyto/sail_on/posted_rows.hpp"
#include "tyto/sail_on/unicode.hpp"

namespace tyto::sail_on {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kTruthEnding = "_single_df.csv";

// Time, size and number of a file: other ones, other content. All zero: there is no file.
using FileMark = std::array<std::int64_t, 4>;

FileMark mark_of(const fs::path& path) {
  struct stat found {};

  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return {};
  }
  return {found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_size,
          static_cast<std::int64_t>(found.st_ino)};
}

// What the wire shows of a row: the id, or where texts are to be judged, what belongs to them.
std::string dealt_line(const Fields& row, bool texts) {
  if (!texts || row.size() < 6) {
    return row[0];
  }
  std::string quoted;
  for (const char c : row[1]) {
    quoted += c == '|' ? "||" : std::string(1, c);
  }
  return fmt::format("{},{},|{}|,{},{}", row[0], row[2], quoted, row[4], row[5]);
}

}  // namespace

StoredTest read_test(std::string_view protocol, std::string_view domain, std::string_view id,
                     std::string_view truth, std::string metadata) {
  StoredTest out;
  out.test.protocol = protocol;
  out.test.domain = domain;
  out.test.id = id;
  out.test.metadata = std::move(metadata);
  const Domain* known = find_domain(domain);
  const bool utf16 = (known != nullptr && known->utf16) || truth.starts_with("\xFF\xFE") ||
                     truth.starts_with("\xFE\xFF");
  const std::string text = utf16 ? utf8_of_utf16(truth) : std::string(truth);
  std::string_view body = text;
  if (body.starts_with("\xEF\xBB\xBF")) {
    body.remove_prefix(3);
  }
  bool header = true;
  for (auto& [line, row] : csv_rows(body, id, '|')) {
    if (header) {
      out.test.columns = stripped(std::move(row));
      header = false;
      continue;
    }
    if (is_dealt(row[0])) {
      out.dealt.push_back(dealt_line(row, known != nullptr && known->utf16));
    }
    out.test.rows.push_back(stripped(std::move(row)));
    out.ids.insert(out.test.rows.back().front());
  }
  return out;
}

std::vector<std::string> ids_of_list(std::string_view text) {
  constexpr std::string_view kAround = " \"',\r\t";
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const auto begin = line.find_first_not_of(kAround);
    if (begin != line.npos) {
      out.emplace_back(line.substr(begin, line.find_last_not_of(kAround) - begin + 1));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

struct DataFolder::Cache {
  struct Entry {
    FileMark truth{}, metadata{};
    std::shared_ptr<const StoredTest> test;
  };

  std::mutex mutex;
  std::map<std::string, Entry, std::less<>> tests;
};

DataFolder::DataFolder(fs::path root) : root_(std::move(root)), cache_(std::make_unique<Cache>()) {
  std::error_code problem;
  if (!fs::is_directory(root_, problem)) {
    throw Error(ErrorKind::io, fmt::format("{}: there is no such folder of tests", root_.string()));
  }
}

DataFolder::~DataFolder() = default;

bool DataFolder::has_domain(std::string_view protocol, std::string_view domain) const {
  std::error_code problem;
  return is_plain_name(protocol) && is_plain_name(domain) &&
         fs::is_directory(root_ / protocol / domain, problem);
}

std::optional<std::string> DataFolder::id_list(std::string_view protocol,
                                               std::string_view domain) const {
  if (!has_domain(protocol, domain)) {
    return {};
  }
  const fs::path path = root_ / protocol / domain / "test_ids.csv";
  return mark_of(path) == FileMark{} ? std::nullopt : std::optional(read_file(path));
}

std::vector<std::string> DataFolder::test_ids(std::string_view protocol,
                                              std::string_view domain) const {
  if (const auto list = id_list(protocol, domain)) {
    return ids_of_list(*list);
  }
  std::vector<std::string> out;
  if (has_domain(protocol, domain)) {
    for (const auto& entry : fs::directory_iterator(root_ / protocol / domain)) {
      std::string name = entry.path().filename().string();
      if (name.ends_with(kTruthEnding)) {
        out.push_back(name.substr(0, name.size() - kTruthEnding.size()));
      }
    }
    std::sort(out.begin(), out.end());
  }
  return out;
}

std::shared_ptr<const StoredTest> DataFolder::find(std::string_view protocol,
                                                   std::string_view domain,
                                                   std::string_view test) const {
  if (!is_plain_name(protocol) || !is_plain_name(domain) || !is_plain_name(test)) {
    return nullptr;
  }
  const fs::path folder = root_ / protocol / domain;
  const fs::path truth = folder / fmt::format("{}{}", test, kTruthEnding);
  const fs::path metadata = folder / fmt::format("{}_metadata.json", test);
  const FileMark truth_mark = mark_of(truth);
  const FileMark metadata_mark = mark_of(metadata);
  if (truth_mark == FileMark{}) {
    return nullptr;
  }
  const std::string key = truth.string();
  {
    const std::lock_guard guard(cache_->mutex);
    const auto found = cache_->tests.find(key);
    if (found != cache_->tests.end() && found->second.truth == truth_mark &&
        found->second.metadata == metadata_mark) {
      return found->second.test;
    }
  }
  auto read = std::make_shared<const StoredTest>(
      read_test(protocol, domain, test, read_file(truth),
                metadata_mark == FileMark{} ? "" : read_file(metadata)));
  const std::lock_guard guard(cache_->mutex);
  cache_->tests[key] = {truth_mark, metadata_mark, read};
  return read;
}

}  // namespace tyto::sail_on
