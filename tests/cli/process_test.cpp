// SPDX-License-Identifier: Apache-2.0
// The program as the system sees it.
#include <chrono>
#include <filesystem>
#include <thread>

#include "support/places.hpp"
#include "support/program.hpp"
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing_support::Scratch;
using testing_support::slurp;

// A child that settles the libraries it needs by starting again, and then waits at a pipe.
class WaitingChild {
 public:
  explicit WaitingChild(const Scratch& scratch) : pipe_((scratch / "pipe").string()) {
    const std::string rows = (scratch / "rows.csv").string();
    write_file(rows, "0,0\n1,0\n20,0\n21,0\n");
    if (::mkfifo(pipe_.c_str(), 0600) != 0) {
      throw std::runtime_error("no pipe");
    }
    child_ = ::fork();
    if (child_ == 0) {
      ::unsetenv("GOMP_SPINCOUNT");  // which it then sets
      ::unsetenv("OMP_WAIT_POLICY");
      ::dup2(::open("/dev/null", O_WRONLY), 1);
      ::execl(testing_support::built_program(), "tyto", "cluster", rows.c_str(), "--out",
              pipe_.c_str(), nullptr);
      ::_exit(127);
    }
  }

  ~WaitingChild() {
    // It waits for a reader; where it has ended already, opening must not wait for it.
    const int reader = ::open(pipe_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ::waitpid(child_, nullptr, 0);
    ::close(reader);
  }

  WaitingChild(const WaitingChild&) = delete;
  WaitingChild& operator=(const WaitingChild&) = delete;

  [[nodiscard]] std::string about(const std::string& what) const {
    return slurp("/proc/" + std::to_string(child_) + "/" + what);
  }

  // False: it ended before. Until it is the program, it has the environment of this test.
  [[nodiscard]] bool starts_again() const {
    const auto is_program = [this] {
      std::error_code gone;
      const auto link = "/proc/" + std::to_string(child_) + "/exe";
      return std::filesystem::read_symlink(link, gone).filename() == "tyto";
    };
    while (!is_program() || about("environ").find("GOMP_SPINCOUNT") == std::string::npos) {
      siginfo_t ended{};
      if (::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
          ended.si_pid != 0) {
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  std::string pipe_;
  pid_t child_ = -1;
};

TEST(Process, is_called_tyto_after_it_has_started_again) {
  const Scratch scratch;
  const WaitingChild child(scratch);
  ASSERT_TRUE(child.starts_again());
  EXPECT_EQ(child.about("comm"), "tyto\n");
  EXPECT_EQ(child.about("cmdline").substr(0, 5), std::string("tyto\0", 5));
}

}  // namespace
}  // namespace tyto
