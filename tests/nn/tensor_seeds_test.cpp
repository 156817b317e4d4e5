// SPDX-License-Identifier: Apache-2.0
// The seeds of the fuzzer through its entry points, and cut at every byte: quick and every time,
// where tools/fuzz.sh is thorough.
#include "fuzz/tensor_seeds.hpp"

#include <string>
#include <vector>

#include "fuzz/entry_points.hpp"
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto {
namespace {

using TensorEntry = int (*)(const std::uint8_t*, std::size_t);

void feed_cut(TensorEntry entry, const std::vector<std::string>& seeds) {
  for (const std::string& seed : seeds) {
    for (std::size_t size = 0; size <= seed.size(); ++size) {
      const std::string cut = seed.substr(0, size);  // of its own, so that a step too far is seen
      EXPECT_EQ(entry(reinterpret_cast<const std::uint8_t*>(cut.data()), cut.size()), 0);
    }
  }
}

TEST(FuzzSeeds, of_files_of_tensors_break_nothing) {
  feed_cut(fuzz_tensors, testing_support::tensor_seeds());
}

TEST(FuzzSeeds, of_pickles_break_nothing) {
  feed_cut(fuzz_pickle, testing_support::pickle_seeds());
}

// A seed that is refused at once would teach the fuzzer nothing.
TEST(FuzzSeeds, of_tensors_are_good_but_for_those_meant_to_be_refused) {
  int read = 0;
  const auto try_reading = [&read](const std::string& file) {
    try {
      read_tensors(testing_support::bytes_of_text(file), "seed");
      ++read;
    } catch (const Error&) {
      return;
    }
  };
  for (const std::string& file : testing_support::tensor_seeds()) {
    try_reading(file);
  }
  EXPECT_EQ(read, 6);
  read = 0;
  for (const std::string& pickle : testing_support::pickle_seeds()) {
    const std::vector<std::string> storages(10, std::string(16, '\0'));
    try_reading(testing_support::small_torch_zip(pickle, storages));
  }
  EXPECT_EQ(read, 6);
}

}  // namespace
}  // namespace tyto
