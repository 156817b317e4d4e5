// SPDX-License-Identifier: Apache-2.0
// How far a long call has come: a bar on a terminal, lines in a log, and the place where Ctrl-C and
// its like end it. One thread at a time.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

class Progress : public Interface {
 public:
  // Silent unless given a stream.
  explicit Progress(std::FILE* stream = nullptr);
  ~Progress() override;

  void begin(std::string_view title, double total);
  void note(std::string_view what);  // what is being done now
  void advance(double amount);       // in the units of `total`; also a pulse
  void pulse();                      // throws Cancelled after Ctrl-C
  void end();

  // Ctrl-C (SIGINT), SIGTERM and SIGHUP make the next pulse of any Progress throw; a second one of
  // the first two ends the program. One that is ignored stays so.
  static void catch_interrupts();
  static int interrupt();  // the signal that was caught; 0: none

 private:
  void draw(bool last);

  std::FILE* stream_;
  bool terminal_ = false;
  bool shown_ = false;  // since begin
  std::string title_, note_;
  double total_ = 0.0, done_ = 0.0;
  std::chrono::steady_clock::time_point start_, drawn_;
};

struct Work {  // what a long call gets besides its data
  Rng rng;
  Progress& progress;

  // The same progress with a random stream of its own.
  [[nodiscard]] Work fork(std::string_view name) const { return {rng.fork(name), progress}; }
};

}  // namespace tyto

// Example:
//
//   Progress progress(stderr);
//   const Work work{Rng(1), progress};  // what learning calls ask for
//   progress.begin("counting", 3);
//   for (int i = 0; i < 3; ++i) {
//     progress.advance(1);
//   }
//   progress.end();
