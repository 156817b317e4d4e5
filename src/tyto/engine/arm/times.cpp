// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/times.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

// "RssAnon:     1234 kB" in /proc/self/status, in MB; 0 where the system does not tell.
double field_mb(const std::string& status, std::string_view name) {
  const auto at = status.find(name);
  return at == status.npos ? 0.0
                           : std::strtod(status.c_str() + at + name.size() + 1, nullptr) / 1024.0;
}

std::string read_status() {
  std::string text;
  if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
    char buffer[4096];
    std::size_t got = 0;
    while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0) {
      text.append(buffer, got);
    }
    std::fclose(file);
  }
  return text;
}

}  // namespace

MemoryUse memory_use() {
  const std::string status = read_status();
  return {field_mb(status, "RssAnon"), field_mb(status, "RssFile")};
}

std::string measuring_line(std::string_view arm, double seconds) {
  const MemoryUse memory = memory_use();
  return fmt::format("{},measure,all,{:.4f},0,0,0,{:.1f},{:.1f}\n", arm, seconds,
                     memory.anonymous_mb, memory.mapped_mb);
}

Times::Times(std::filesystem::path file) : file_(std::move(file)) {
  if (std::filesystem::exists(file_)) {
    text_ = read_file(file_);
  }
}

void Times::add(std::string_view arm, Index commit, Index step, double seconds,
                const PredictorSeconds& predictor) {
  const MemoryUse memory = memory_use();
  text_ += fmt::format("{},{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.1f},{:.1f}\n", arm, commit, step,
                       seconds, predictor.learn, predictor.predict, predictor.other,
                       memory.anonymous_mb, memory.mapped_mb);
}

void Times::write() const {
  write_file(file_, text_);
}

}  // namespace tyto
