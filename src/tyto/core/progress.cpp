// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/progress.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>

#include <fmt/format.h>
#include <unistd.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

std::atomic<int> interrupted{0};  // the signal; set by its handler, read by every pulse

extern "C" void on_interrupt(int signal) {
  interrupted = signal;
}

void catch_signal(int signal, int flags) {
  struct sigaction action {};

  if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) {
    return;  // as nohup asks
  }
  action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART | flags;
  ::sigaction(signal, &action, nullptr);
}

using Seconds = std::chrono::duration<double>;

std::string span_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  if (s < 60) {
    return fmt::format("{} s", s);
  }
  return s < 3600 ? fmt::format("{}:{:02} min", s / 60, s % 60)
                  : fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

}  // namespace

Progress::Progress(std::FILE* stream) : stream_(stream) {
  terminal_ = stream_ != nullptr && ::isatty(::fileno(stream_)) == 1;
}

Progress::~Progress() {
  if (total_ > 0 && shown_ && terminal_) {
    std::fputc('\n', stream_);
  }
}

void Progress::catch_interrupts() {
  catch_signal(SIGINT, SA_RESETHAND);
  catch_signal(SIGTERM, SA_RESETHAND);
  catch_signal(SIGHUP, 0);  // a closing terminal may send two
}

int Progress::interrupt() {
  return interrupted;
}

void Progress::begin(std::string_view title, double total) {
  title_ = title;
  note_.clear();
  total_ = total;
  done_ = 0;
  shown_ = false;
  start_ = drawn_ = std::chrono::steady_clock::now();
}

void Progress::note(std::string_view what) {
  note_ = what;
  pulse();
}

void Progress::advance(double amount) {
  done_ += amount;
  pulse();
}

void Progress::pulse() {
  if (interrupted != 0) {
    throw Cancelled();
  }
  if (stream_ == nullptr || total_ <= 0) {
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const double wait = !shown_ ? 2.0 : terminal_ ? 0.1 : 5.0;  // short work shows nothing
  if (Seconds(now - drawn_).count() >= wait) {
    drawn_ = now;
    shown_ = true;
    draw(false);
  }
}

void Progress::end() {
  if (shown_) {
    done_ = total_;
    draw(true);
  }
  total_ = 0;
}

void Progress::draw(bool last) {
  const double part = std::clamp(done_ / total_, 0.0, 1.0);
  const double spent = Seconds(std::chrono::steady_clock::now() - start_).count();
  std::string time = span_text(spent);
  if (!last && part > 0.005) {
    time += fmt::format(", {} left", span_text(spent / part - spent));
  }
  if (terminal_) {
    const int filled = static_cast<int>(part * 30);
    const auto line = fmt::format("{} [{:=<{}}{: <{}}] {:3.0f} %  {}  {}", title_, "", filled, "",
                                  30 - filled, part * 100, time, last ? "" : note_);
    std::fputs(fmt::format("\r{:.118}\x1b[K{}", line, last ? "\n" : "").c_str(), stream_);
  } else {
    std::fputs(fmt::format("{}: {:.0f} %, {}{}{}\n", title_, part * 100, time,
                           note_.empty() || last ? "" : ", ", last ? "" : note_)
                   .c_str(),
               stream_);
  }
  std::fflush(stream_);
}

}  // namespace tyto
