// SPDX-License-Identifier: Apache-2.0
// What an extraction has done so far, on disk: files of rows that only grow, and a journal with a
// line per whole unit. A program that was killed goes on after the last whole line.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

struct RowSource {
  std::string name;  // "features", "logits", "features_blur"
  Index width = 0;
};

struct LoggedSample {
  Index sample = 0;
  Index rows = 0;      // 0: it failed
  std::string reason;  // why it failed
  Index thumbnail_frames = 0;
};

class RowLog {
 public:
  // Opens or begins the log in `folder`; rows and lines of a unit that was not finished are cut
  // off.
  RowLog(std::filesystem::path folder, StoredAs type);
  ~RowLog();
  RowLog(const RowLog&) = delete;
  RowLog& operator=(const RowLog&) = delete;

  // Of all whole units, in the order they were done.
  [[nodiscard]] const std::vector<LoggedSample>& samples() const { return samples_; }

  [[nodiscard]] Index units() const { return units_; }

  [[nodiscard]] const std::vector<RowSource>& sources() const { return sources_; }

  [[nodiscard]] Index rows() const { return rows_; }  // of the whole units

  // Known once the first batch has come; the same ever after. Throws Error(data) else.
  void expect_sources(const std::vector<RowSource>& sources);

  void append(std::size_t source, const MatrixView& rows);
  // Takes rows back that were appended to each source since the last unit, but for the first
  // `keep`.
  void cut(Index keep);
  void finish_unit(const std::vector<LoggedSample>& samples);

  [[nodiscard]] std::filesystem::path file_of(const std::string& source) const;

 private:
  void open_files();
  void read_journal();
  void write_line(const std::string& line);

  std::filesystem::path folder_;
  StoredAs type_;
  std::vector<RowSource> sources_;
  std::vector<std::FILE*> files_;
  std::FILE* journal_ = nullptr;
  std::vector<LoggedSample> samples_;
  Index units_ = 0, rows_ = 0;
};

// A journal that nobody writes to any more.
struct FinishedLog {
  std::vector<RowSource> sources;
  std::vector<LoggedSample> samples;
  Index units = 0, rows = 0;
};

FinishedLog read_row_log(const std::filesystem::path& folder);

}  // namespace tyto
