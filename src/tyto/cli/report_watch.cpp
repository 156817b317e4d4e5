// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/report_watch.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/engine/run/run_stamp.hpp"
#include "tyto/report/page/page.hpp"
#include "tyto/server/page_server.hpp"

namespace tyto {

namespace {

using namespace std::chrono_literals;

constexpr int kFailuresToTell = 3;
constexpr int kLooksBetween = 5;  // times 200 ms between two looks at the folders

class Watch {
 public:
  Watch(const std::vector<RunReference>& runs, const Catalog& catalog,
        const std::vector<WantedGroups>& groups, Progress& progress)
      : runs_(runs), catalog_(catalog), groups_(groups), progress_(progress) {}

  void serve(std::uint16_t port) {
    wait_for_first_commit();
    PageServer server(page_html(data_), data_, port);
    say(fmt::format("watching {} at {} (Ctrl-C ends it)", names(), server.url()));
    for (bool told = false;;) {
      if (done_ && !told) {
        say(fmt::format("{} done; the page is served on until Ctrl-C",
                        runs_.size() == 1 ? names() + " is" : names() + " are"));
        told = true;
      }
      pause();
      if (look()) {
        server.publish(page_html(data_), data_);
      }
    }
  }

 private:
  static void say(const std::string& line) { std::cout << line << std::endl; }

  [[nodiscard]] std::string names() const {
    std::string out;
    for (const RunReference& run : runs_) {
      out += (out.empty() ? "" : ", ") + run.folder.string();
    }
    return out;
  }

  [[nodiscard]] std::string stamp() const {
    std::string out;
    for (const RunReference& run : runs_) {
      out += run_stamp(run.folder) + "\n";
    }
    return out;
  }

  void pause() {
    for (int i = 0; i < kLooksBetween; ++i) {
      progress_.pulse();
      std::this_thread::sleep_for(200ms);
    }
  }

  [[nodiscard]] bool all_begun() const {
    return std::all_of(runs_.begin(), runs_.end(),
                       [](const RunReference& run) { return !run_stamp(run.folder).empty(); });
  }

  // A run that has only just begun has nothing to show, or not all of its files.
  void wait_for_first_commit() {
    for (bool told = false;; pause()) {
      stamp_ = stamp();
      try {
        make();
        return;
      } catch (const Error& problem) {
        if (problem.kind() == ErrorKind::config || !all_begun() || is_done()) {
          throw;
        }
        if (!told) {
          say(fmt::format("{}; waiting for it", problem.what()));
          told = true;
        }
      }
    }
  }

  [[nodiscard]] bool is_done() const {
    return std::all_of(runs_.begin(), runs_.end(), [](const RunReference& run) {
      return read_run_info(run.folder / "run.json").done;
    });
  }

  void make() {
    PageSource source = read_page_source(runs_, catalog_);
    source.live = true;
    source.wanted_groups = groups_;
    data_ = page_data(source, progress_);
    done_ = std::all_of(source.runs.begin(), source.runs.end(),
                        [](const PageRun& run) { return run.done; });
  }

  // Whether there are newer data. A file that is replaced while it is read costs one look; what
  // goes on failing is told once, since the page stays as it was.
  bool look() {
    const std::string now = stamp();
    if (now == stamp_) {
      return false;
    }
    try {
      make();
      stamp_ = now;
      failures_ = 0;
      return true;
    } catch (const Error& problem) {
      if (++failures_ == kFailuresToTell) {
        say(fmt::format("the page is not up to date: {}", problem.what()));
      }
      return false;
    }
  }

  const std::vector<RunReference>& runs_;
  const Catalog& catalog_;
  const std::vector<WantedGroups>& groups_;
  Progress& progress_;
  std::string stamp_, data_;
  bool done_ = false;
  int failures_ = 0;  // of looks in a row
};

}  // namespace

void watch_report(const std::vector<RunReference>& runs, const Catalog& catalog, std::uint16_t port,
                  const std::vector<WantedGroups>& groups, Progress& progress) {
  try {
    Watch(runs, catalog, groups, progress).serve(port);
  } catch (const Cancelled&) {
    std::cout << "stopped watching" << std::endl;
  }
}

}  // namespace tyto
