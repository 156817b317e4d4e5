// SPDX-License-Identifier: Apache-2.0
// The 28 files whose answers are known: seven that hold tensors filled by a rule, and 21 that must
// be refused for what they are.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "support/places.hpp"
#include "support/small_checkpoints.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/element_type.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto {
namespace {

const std::filesystem::path kCheckpoints =
    testing_support::in_tree("/../shared/data/backbone/checkpoints");

// The rule of the data's README: splitmix64 seeded by FNV-1a of the name.
std::vector<float> filled(std::string_view name, const std::vector<Index>& shape) {
  std::uint64_t seed = 0xcbf29ce484222325U;
  for (const char letter : name) {
    seed = (seed ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  const auto count = static_cast<std::size_t>(element_count(shape).value());
  const std::string_view last = name.substr(name.rfind('.') + 1);
  std::vector<float> values;
  for (std::size_t k = 0; k < count; ++k) {
    std::uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    const double r = static_cast<double>(z >> 40U) * std::ldexp(1.0, -23) - 1.0;
    const double fan_in = static_cast<double>(count) / static_cast<double>(shape[0]);
    double value = 0.1 * r;  // bias, running_mean
    if (last == "running_var") {
      value = 1 + 0.5 * r;
    } else if (last == "weight") {
      value = shape.size() == 1 ? 1 + 0.25 * r : r * std::sqrt(3 / fan_in);
    }
    values.push_back(static_cast<float>(value));
  }
  return values;
}

std::map<std::string, NamedTensor> by_name(const TensorFile& file) {
  std::map<std::string, NamedTensor> found;
  for (const auto& tensor : file.tensors) {
    found.emplace(tensor.name, tensor);
  }
  return found;
}

const std::vector<std::pair<std::string, std::vector<Index>>> kSeven{{"stem.weight", {4, 3, 3, 3}},
                                                                     {"bn.weight", {4}},
                                                                     {"bn.bias", {4}},
                                                                     {"bn.running_mean", {4}},
                                                                     {"bn.running_var", {4}},
                                                                     {"fc.weight", {2, 4}},
                                                                     {"fc.bias", {2}}};

void expect_seven(const std::string& name, bool plus_one) {
  const TensorFile file = read_tensors(kCheckpoints / name);
  std::vector<std::string> names, expected;
  for (const auto& tensor : file.tensors) {
    names.push_back(tensor.name);
  }
  for (const auto& [key, shape] : kSeven) {
    if (key == "fc.weight" && plus_one) {
      expected.emplace_back("bn.num_batches_tracked");
    }
    expected.push_back(key);
  }
  ASSERT_EQ(names, expected) << name;
  const auto found = by_name(file);
  for (const auto& [key, shape] : kSeven) {
    EXPECT_EQ(found.at(key).shape, shape) << name << " " << key;
    EXPECT_EQ(found.at(key).values, filled(key, shape)) << name << " " << key;
  }
  if (plus_one) {
    EXPECT_EQ(found.at("bn.num_batches_tracked").shape, std::vector<Index>{});
    EXPECT_EQ(found.at("bn.num_batches_tracked").values, std::vector<float>{7});
  }
}

class PublishedCheckpoints : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(kCheckpoints)) {
      GTEST_SKIP() << "the shared checkpoints are not at " << kCheckpoints;
    }
  }
};

TEST_F(PublishedCheckpoints, of_all_containers_hold_the_same_tensors) {
  expect_seven("plain.safetensors", false);
  for (const auto* name : {"plain_zip.pth", "plain_legacy.pth", "new_layout.pth"}) {
    expect_seven(name, true);
  }
}

TEST_F(PublishedCheckpoints, of_training_give_their_network_without_the_prefix) {
  for (const auto* name : {"wrapped_zip.pth", "wrapped_legacy.pth"}) {
    expect_seven(name, true);
  }
}

TEST_F(PublishedCheckpoints, with_views_are_laid_out_row_by_row) {
  const auto found = by_name(read_tensors(kCheckpoints / "strided_zip.pth"));
  ASSERT_EQ(found.size(), 11U);
  const auto s = filled("stem.weight", {4, 3, 3, 3});
  const auto b = filled("fc.weight", {8, 16});
  std::vector<float> view, transposed, same;
  for (std::size_t n = 1; n < 3; ++n) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t y = 0; y < 3; y += 2) {
        for (std::size_t x = 0; x < 3; ++x) {
          view.push_back(s[n * 27 + c * 9 + y * 3 + x]);
        }
      }
    }
  }
  for (std::size_t column = 0; column < 16; ++column) {
    for (std::size_t row = 0; row < 8; ++row) {
      transposed.push_back(b[row * 16 + column]);
    }
  }
  for (std::size_t row = 2; row < 5; ++row) {
    same.insert(same.end(), {b[row * 16 + 4], b[row * 16 + 5]});
  }
  const std::vector<Index> view_shape{2, 3, 2, 3}, transposed_shape{16, 8}, same_shape{3, 2};
  EXPECT_EQ(found.at("view").shape, view_shape);
  EXPECT_EQ(found.at("view").values, view);
  EXPECT_EQ(found.at("transposed").shape, transposed_shape);
  EXPECT_EQ(found.at("transposed").values, transposed);
  EXPECT_EQ(found.at("same_storage").shape, same_shape);
  EXPECT_EQ(found.at("same_storage").values, same);
}

TEST_F(PublishedCheckpoints, of_all_types_become_floats) {
  const auto found = by_name(read_tensors(kCheckpoints / "strided_zip.pth"));
  const auto b = filled("fc.bias", {6});
  EXPECT_EQ(found.at("f64").values, b);
  for (std::size_t i = 0; i < b.size(); ++i) {  // 11 and 8 bits of a number below 0.1
    EXPECT_NEAR(found.at("half").values[i], b[i], std::ldexp(0.125, -11));
    EXPECT_NEAR(found.at("bf16").values[i], b[i], std::ldexp(0.125, -8));
    EXPECT_NE(found.at("half").values[i], found.at("bf16").values[i]);
  }
  EXPECT_EQ(found.at("u8").values, (std::vector<float>{0, 1, 2, 3, 4}));
  EXPECT_EQ(found.at("bool").values, (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(found.at("scalar").values, std::vector<float>{2.5F});
  EXPECT_EQ(found.at("scalar").shape, std::vector<Index>{});
  EXPECT_EQ(found.at("empty").values, std::vector<float>{});
  EXPECT_EQ(found.at("empty").shape, (std::vector<Index>{0, 3}));
  EXPECT_EQ(found.at("param").values, filled("fc.bias", {2}));
}

struct Refused {
  const char *file, *reason;
};

TEST_F(PublishedCheckpoints, that_are_bad_are_refused_for_what_they_are) {
  const std::vector<Refused> all{
      {"bad_global.pth", "holds posix.system, which this reader does not run; save the state"},
      {"bad_builtin_eval.pth", "holds __builtin__.eval, which this reader does not run"},
      {"bad_storage_short.pth", "data/0 is shorter than declared: 16 bytes for 1000000 elements"},
      {"bad_stride_out_of_range.pth", "reaches element 5 (from 0) of its storage 0, which has 4"},
      {"bad_negative_size.pth", "negative size -2"},
      {"bad_key_path.pth", "the key \"../../data.pkl\" of a storage is not a number"},
      {"bad_setitem_on_tensor.pth", "an item is set on a tensor"},
      {"bad_stack_underflow.pth", "no MARK on the stack"},
      {"bad_memo.pth", "the memo entry 5 was never stored"},
      {"bad_no_stop.pth", "ends without STOP"},
      {"bad_string_length.pth", "2147483647 bytes should follow"},
      {"bad_truncated.pth", "this zip is truncated"},
      {"bad_legacy_truncated.pth", "is cut off"},
      {"bad_header_length.safetensors", "a header of 1152921504606846976 bytes"},
      {"bad_leading_space.safetensors", "the header begins with \" \""},
      {"bad_duplicate.safetensors", "the key \"w\" is a duplicate"},
      {"bad_overlap.safetensors", "b lies in [8, 24), but the tensor before it ends at 16"},
      {"bad_hole.safetensors", "b lies in [16, 24), but the tensor before it ends at 8: a hole"},
      {"bad_trailing.safetensors", "the tensors end at 16 of the 21 bytes"},
      {"bad_shape.safetensors", "comes to 20 bytes, its data_offsets [0, 16) to 16"},
      {"bad_overflow.safetensors", "overflow"},
  };
  EXPECT_EQ(all.size() + 7, static_cast<std::size_t>(std::distance(
                                std::filesystem::directory_iterator(kCheckpoints), {})));
  for (const auto& [file, reason] : all) {
    try {
      read_tensors(kCheckpoints / file);
      ADD_FAILURE() << file << " was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data) << file;
      EXPECT_THAT(error.what(), testing::HasSubstr(file));
      EXPECT_THAT(error.what(), testing::HasSubstr(reason)) << file;
    }
  }
}

// Bytes of a file that is whole, cut short or with one of its bits turned: an answer or a sentence.
TEST_F(PublishedCheckpoints, cut_or_damaged_anywhere_are_answered) {
  for (const auto& entry : std::filesystem::directory_iterator(kCheckpoints)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(stream), {});
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string turned = whole;
      turned[at] = static_cast<char>(turned[at] ^ (1 << (at % 8)));
      for (const auto& bytes : {whole.substr(0, at), turned}) {
        try {
          read_tensors(testing_support::bytes_of_text(bytes), "damaged");
        } catch (const Error& error) {
          EXPECT_THAT(error.what(), testing::HasSubstr("damaged"));
        }
      }
    }
  }
}

}  // namespace
}  // namespace tyto
