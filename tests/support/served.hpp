// SPDX-License-Identifier: Apache-2.0
// `tyto serve` as a process of its own, which may be killed and started again at the same port.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "support/places.hpp"
#include "support/program.hpp"
#include <gtest/gtest.h>

namespace tyto::testing_support {

class Served {
 public:
  Served(std::filesystem::path data, std::filesystem::path results)
      : data_(std::move(data)), results_(std::move(results)) {
    start("127.0.0.1:0");
  }

  ~Served() { end(SIGKILL); }

  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }

  [[nodiscard]] const std::filesystem::path& results() const { return results_; }

  void kill_and_start_again() {
    end(SIGKILL);
    start(url_.substr(std::string("http://").size()));
  }

 private:
  void start(const std::string& listen) {
    const std::string out = (scratch_ / "out").string();
    std::filesystem::remove(out);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
      ::execl(built_program(), "tyto", "serve", "--listen", listen.c_str(), "--data", data_.c_str(),
              "--results", results_.c_str(), nullptr);
      ::_exit(127);
    }
    // It tells its address once it can be reached.
    for (std::string said = slurp(out);; said = slurp(out)) {
      if (const auto end = said.find(" (Ctrl-C"); end != said.npos) {
        const auto begin = said.find("http://");
        url_ = said.substr(begin, end - begin);
        while (url_.ends_with('/')) {
          url_.pop_back();
        }
        return;
      }
      ASSERT_EQ(::waitpid(child_, nullptr, WNOHANG), 0) << "the server ended: " << said;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  void end(int signal) {
    if (child_ > 0) {
      ::kill(child_, signal);
      ::waitpid(child_, nullptr, 0);
      child_ = -1;
    }
  }

  Scratch scratch_;
  std::filesystem::path data_, results_;
  std::string url_;
  pid_t child_ = -1;
};

}  // namespace tyto::testing_support
