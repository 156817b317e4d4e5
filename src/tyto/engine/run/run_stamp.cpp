// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/run_stamp.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tyto/record/run_folder.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

// Files come and go while a run goes on: what is gone when looked at is left out.
void add_file(const fs::path& file, std::vector<std::string>& lines) {
  std::error_code problem;
  const auto size = fs::file_size(file, problem);
  const auto time = fs::last_write_time(file, problem);
  if (!problem) {
    lines.push_back(fmt::format("{} {} {}", file.string(), size, time.time_since_epoch().count()));
  }
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    out.push_back(at->path());
  }
  return out;
}

void add_run(const fs::path& folder, std::vector<std::string>& lines) {
  add_file(folder / "run.json", lines);
  for (const fs::path& file : entries(folder / "checkpoints")) {
    add_file(file, lines);
  }
}

}  // namespace

std::string run_stamp(const fs::path& folder) {
  std::vector<std::string> lines;
  add_run(folder, lines);
  for (const RunFolder& seed : RunFolder(folder).seeds()) {
    add_run(seed.path(), lines);
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace tyto
