// SPDX-License-Identifier: Apache-2.0
// What reading a file asks of memory, whatever the file claims to hold.
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "support/small_checkpoints.hpp"
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"

namespace {

std::atomic<bool> is_watching{false};
std::atomic<std::size_t> allocated{0};

}  // namespace

// All forms that libraries call with one another's memory: the address sanitiser has its own for
// those that are not here. Not inlined: the compiler would take new and free for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
  if (is_watching) {
    allocated += size;
  }
  return std::malloc(size == 0 ? 1 : size);
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) {
    return memory;
  }
  throw std::bad_alloc();
}

[[gnu::noinline]] void* operator new[](std::size_t size) {
  return operator new(size);
}

[[gnu::noinline]] void* operator new[](std::size_t size,
                                       const std::nothrow_t& /*unused*/) noexcept {
  return operator new(size, std::nothrow);
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

[[gnu::noinline]] void operator delete[](void* memory) noexcept {
  std::free(memory);
}

[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tyto {
namespace {

using namespace testing_support;

std::size_t allocated_for(const std::string& file) {
  allocated = 0;
  is_watching = true;
  bool is_read = true;
  try {
    read_tensors(bytes_of_text(file), "x");
  } catch (const Error&) {
    is_read = false;
  }
  is_watching = false;
  EXPECT_FALSE(is_read);
  return allocated;
}

TEST(TensorAllocations, of_files_that_claim_much_are_small) {
  const std::string most = "\x8a\x08" + raw(std::numeric_limits<std::int64_t>::max());
  const auto zip = [](const std::string& opcodes) {
    return small_torch_zip(py_pickle(opcodes), {raw_floats({1, 2, 3, 4})});
  };
  constexpr std::int32_t kMany = 1'000'000'000;
  const std::vector<std::string> files{
      zip(py_dictionary({{"w", py_tensor({.count = kMany, .sizes = py_tuple({kMany})})}})),
      zip(py_dictionary({{"w", py_tensor({.sizes = "(" + most + most + "t"})}})),
      zip("X\xff\xff\xff\x7f"), zip("Nr" + raw(std::uint32_t{999'999'999})),
      small_legacy(
          py_dictionary({{"w", py_tensor({.count = kMany, .sizes = py_tuple({kMany})}, true)}}),
          {{"0", raw(std::int64_t{kMany})}}),
      small_safetensors(
          R"({"w":{"dtype":"F32","shape":[1000000000],"data_offsets":[0,4000000000]}})", ""),
      raw(std::uint64_t{100'000'000}) + "{",
      // A directory of 65,535 records in a file of a few bytes.
      "PK\3\4PK\5\6" + std::string(4, '\0') + "\xff\xff\xff\xff" + std::string(10, '\0')};
  for (const auto& file : files) {
    EXPECT_LT(allocated_for(file), 20'000U) << file.size();
  }
}

}  // namespace
}  // namespace tyto
