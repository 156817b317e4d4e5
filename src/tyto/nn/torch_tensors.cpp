// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_tensors.hpp"

#include <mutex>

#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

// Below this many multiply-adds waking the other threads costs more than they save, and on a busy
// machine waiting for them costs a hundred times more.
constexpr Index kWorthThreads = Index{1} << 23;

}  // namespace

void keep_thread_count() {
  thread_local int told = 0;
  const int threads = thread_count();
  if (told != threads) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    at::set_num_threads(threads);
    told = at::get_num_threads();
  }
}

FewThreads::FewThreads(Index multiply_adds) : before_(thread_count()) {
  if (multiply_adds < kWorthThreads) {
    omp_set_num_threads(1);
  }
}

FewThreads::~FewThreads() {
  omp_set_num_threads(before_);
}

}  // namespace tyto
