// SPDX-License-Identifier: Apache-2.0
// Files of tensors, and the pickles in them, from which the fuzzer starts.
#pragma once

#include <string>
#include <vector>

#include "support/small_checkpoints.hpp"

namespace tyto::testing_support {

// Between them they use all 33 opcodes and all fifteen names.
inline std::vector<std::string> pickle_seeds() {
  std::string types = "}(";
  int key = 0;
  for (const auto* type :
       {"Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool"}) {
    types += py_text(type) + py_tensor({.storage = std::string(type) + "Storage",
                                        .key = std::to_string(key++),
                                        .count = 2,
                                        .sizes = py_tuple({2})});
  }
  const std::string ordered = py_global("collections", "OrderedDict");
  return {
      py_pickle(py_dictionary({{"w", py_tensor({})}})),
      py_pickle(types + "u"),
      py_pickle(py_dictionary(
          {{"a", py_tensor({})},
           {"b", py_tensor({.sizes = py_tuple({2, 2}), .strides = py_tuple({1, 2})})},
           {"c", py_tensor({.offset = 1, .sizes = py_tuple({}), .strides = py_tuple({})})}})),
      // A training file: counters, texts of both Pythons, numbers, an optimiser's integer keys.
      py_pickle(
          py_dictionary({{"epoch", "K\x1d"},
                         {"arch", "U\4tiny"},
                         {"long", "T" + raw(std::int32_t{3}) + "abc"},
                         {"steps", std::string("\x8a\x06\0\0\0\0\0\1", 8)},
                         {"rate", py_float(0.1)},
                         {"flags", "\x88\x89N\x87"},
                         {"size", "M\1\2" + std::string("\x85")},
                         {"list", "]K\1a(K\2K\3e"},
                         {"optimizer", "}K\1}s"},
                         {"state_dict", ordered + ")Rq\1(" + py_text("module.w") + py_tensor({}) +
                                            "u}" + py_text("_metadata") + "h\1sb"}})),
      py_pickle(ordered + "](" + py_text("w") + py_tensor({}) + "\x86" + py_text("v") +
                py_tensor({.key = "1", .count = 2, .sizes = py_tuple({2})}) + "\x86" + "e\x85R"),
      py_pickle(py_dictionary({{"w", py_global("torch._utils", "_rebuild_parameter") + "(" +
                                         py_tensor({}) + "\x88" + ordered + ")RtR"},
                               {"v", py_global("torch._utils", "_rebuild_tensor") + "(" +
                                         py_storage({}) + "K\1" + py_global("torch", "Size") +
                                         py_tuple({3}) + "\x85R" + py_tuple({1}) + "tR"}})),
      py_pickle("Nr" + raw(std::uint32_t{2}) + "j" + raw(std::uint32_t{2}) + "\x86"),
      py_pickle("cposix\nsystem\n" + py_text("true") + "\x85R"),
  };
}

inline std::vector<std::string> tensor_seeds() {
  const std::string four = raw_floats({1, 2, 3, 4});
  const std::string plain = py_pickle(py_dictionary({{"w", py_tensor({})}}));
  return {
      small_torch_zip(plain, {four}),
      small_torch_zip(plain, {four}, true),
      small_zip({{"a/data.pkl", plain}, {"a/byteorder", "little"}, {"a/data/0", four}}),
      small_zip({{"a/data.pkl", "."}, {"a/constants.pkl", ""}}),
      small_legacy(py_dictionary({{"w", py_tensor({}, true)}}),
                   {{"0", raw(std::int64_t{4}) + four}}),
      small_safetensors(R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2,2],)"
                        R"("data_offsets":[0,16]}})",
                        four),
      small_safetensors(R"({"a":{"dtype":"BF16","shape":[],"data_offsets":[4,6]},"b":{"dtype":)"
                        R"("BOOL","shape":[4],"data_offsets":[0,4]},"c":{"dtype":"F64",)"
                        R"("shape":[0,3],"data_offsets":[6,6]}}  )",
                        "abcdef"),
  };
}

}  // namespace tyto::testing_support
