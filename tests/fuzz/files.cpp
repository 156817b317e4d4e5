// SPDX-License-Identifier: Apache-2.0
// Files that are read by their path: features in a .npy, run.json of a run, a state of NovelCraft.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "fuzz/entry_points.hpp"
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "tyto/core/error.hpp"
#include "tyto/data/novelcraft/state_file.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {

namespace {

// A file in memory with this content.
std::filesystem::path memory_file(const std::uint8_t* bytes, std::size_t size) {
  static const int file = ::memfd_create("fuzz", 0);
  if (file < 0 || ::ftruncate(file, 0) != 0 ||
      ::pwrite(file, bytes, size, 0) != static_cast<ssize_t>(size)) {
    std::abort();
  }
  return "/proc/self/fd/" + std::to_string(file);
}

template <class Act>
void read_or_refuse(const Act& act) {
  try {
    act();
  } catch (const Error&) {
    return;
  }
}

}  // namespace

int fuzz_files(const std::uint8_t* bytes, std::size_t size) {
  const std::filesystem::path path = memory_file(bytes, size);
  read_or_refuse([&] {
    const auto store = open_npy(path);
    const Index rows = store->rows();
    if (rows > static_cast<Index>(size)) {
      std::abort();
    }
  });
  read_or_refuse([&] { static_cast<void>(read_run_info(path)); });
  for (const StatePart part : {StatePart::all, StatePart::without_map}) {
    read_or_refuse([&] {
      const nlohmann::json state = read_state_file(path, part);
      static_cast<void>(unknown_state_keys(state));
      static_cast<void>(scene_of(state, "fuzz"));
    });
  }
  return 0;
}

}  // namespace tyto
