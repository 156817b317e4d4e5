// SPDX-License-Identifier: Apache-2.0
// The pickle of a PyTorch file, in both containers: a checksum keeps changed bytes of a whole file
// from ever reaching the machine.
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/entry_points.hpp"
#include "support/small_checkpoints.hpp"

namespace tyto {

int fuzz_pickle(const std::uint8_t* bytes, std::size_t size) {
  using namespace testing_support;
  const std::string pickle(reinterpret_cast<const char*>(bytes), size);
  const std::string four = raw_floats({1, 2, 3, 4});
  const auto feed = [](const std::string& file) {
    fuzz_tensors(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  };
  feed(small_torch_zip(pickle, std::vector<std::string>(10, four)));
  std::string_view object = pickle;  // small_legacy puts the first and last opcode around it
  object.remove_prefix(object.starts_with("\x80\x02") ? 2 : 0);
  object.remove_suffix(object.ends_with('.') ? 1 : 0);
  feed(small_legacy(std::string(object), {{"0", raw(std::int64_t{4}) + four}}));
  return 0;
}

}  // namespace tyto
