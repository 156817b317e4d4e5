// SPDX-License-Identifier: Apache-2.0
// What Tyto itself has saved: models, records, checkpoints. The first line is the tree, the rest
// the one array `a` in it; a checksum keeps changed bytes of a whole file from ever being looked
// at.
#include "tyto/core/files/archive.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "fuzz/entry_points.hpp"
#include "support/small_checkpoints.hpp"

#include "tyto/core/error.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {

namespace {

void open_archive(const std::string& file) {
  State state;
  try {
    state = from_archive(file, "fuzz");
  } catch (const Error&) {
    return;
  }
  std::string again;
  try {
    again = to_archive(state);
  } catch (const Error&) {
    return;  // a text that is not UTF-8
  }
  if (to_archive(from_archive(again, "written")) != again) {
    std::abort();
  }
  try {
    const Phase phase = phase_from_state(state);
    static_cast<void>(phase_to_state(phase));
  } catch (const Error&) {
    static_cast<void>(0);
  }
  try {
    static_cast<void>(truth_from_state(state));
  } catch (const Error&) {
    return;
  }
}

}  // namespace

int fuzz_archive(const std::uint8_t* bytes, std::size_t size) {
  const std::string all(reinterpret_cast<const char*>(bytes), size);
  open_archive(all);
  const std::size_t end = std::min(all.find('\n'), all.size());
  const std::string array = all.substr(std::min(end + 1, all.size()));
  open_archive(testing_support::small_zip(
      {{"tree.json", R"({"tyto_state": 1, "tree": )" + all.substr(0, end) + "}"},
       {"a.npy", array},
       {"space/a.npy", array},
       {"sample.npy", array},
       {"top.npy", array}}));
  return 0;
}

}  // namespace tyto
