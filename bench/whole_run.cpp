// SPDX-License-Identifier: Apache-2.0
#include "whole_run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include <sys/resource.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/engine/arm/times.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double processor_seconds() {
  struct rusage use {};

  ::getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// Greatest anonymous memory of this process while it lives.
class PeakMemory {
 public:
  PeakMemory()
      : thread_([this] {
          while (!stop_) {
            peak_ = std::max(peak_.load(), memory_use().anonymous_mb);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
        }) {}

  ~PeakMemory() {
    stop_ = true;
    thread_.join();
  }

  PeakMemory(const PeakMemory&) = delete;
  PeakMemory& operator=(const PeakMemory&) = delete;

  [[nodiscard]] double megabytes() const { return peak_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<double> peak_ = 0;
  std::thread thread_;
};

double folder_mb(const fs::path& folder) {
  double bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    bytes += entry.is_regular_file() ? static_cast<double>(entry.file_size()) : 0;
  }
  return bytes / 1e6;
}

}  // namespace

RunCosts whole_run(const Experiment& experiment, const Catalog& catalog, const fs::path& out) {
  RunOptions options;
  options.folder = out;
  options.replace = true;
  RunCosts costs;
  {
    const PeakMemory peak;
    Progress quiet;
    const auto start = Clock::now();
    const double before = processor_seconds();
    (void)run_experiment(experiment, catalog, options, quiet);
    costs.wall = std::chrono::duration<double>(Clock::now() - start).count();
    costs.processor = processor_seconds() - before;
    costs.peak_mb = peak.megabytes();
  }
  const CsvTable times = CsvTable::load(out / "times.csv");
  const auto seconds = times.numbers(times.column("seconds"));
  const auto mapped = times.numbers(times.column("mapped_mb"));
  std::map<std::string, double*> sums{
      {"learn", &costs.learn}, {"predict", &costs.predict}, {"other", &costs.other}};
  for (auto& [column, sum] : sums) {
    for (const double value : times.numbers(times.column(column))) {
      *sum += value;
    }
  }
  for (Index row = 0; row < times.rows(); ++row) {
    const bool measuring = times.text(row, times.column("commit")) == "measure";
    costs.measure += measuring ? seconds[at(row)] : 0;
    costs.mapped_mb = std::max(costs.mapped_mb, mapped[at(row)]);
  }
  costs.record_mb = folder_mb(out / "record");
  costs.page_mb = static_cast<double>(fs::file_size(out / "report.html")) / 1e6;
  fs::remove_all(out);
  return costs;
}

}  // namespace tyto
