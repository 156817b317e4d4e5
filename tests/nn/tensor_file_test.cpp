// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/tensor_file.hpp"

#include <cstdint>
#include <fstream>
#include <map>

#include "support/scratch.hpp"
#include "support/small_checkpoints.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using namespace testing_support;
using testing::HasSubstr;

const std::string kOneToFour = raw_floats({1, 2, 3, 4});

std::string refusal_of_tensors(const std::string& file) {
  try {
    read_tensors(bytes_of_text(file), "a file");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), testing::StartsWith("a file: "));
    return error.what();
  }
  return "was read";
}

std::vector<NamedTensor> tensors_in(const std::string& file) {
  return read_tensors(bytes_of_text(file), "a file").tensors;
}

std::string zip_of(const std::string& opcodes) {
  return small_torch_zip(py_pickle(opcodes), {kOneToFour});
}

TEST(Safetensors, come_back_as_they_were_written) {
  const Scratch scratch;
  TensorFile content;
  content.tensors = {{"b.weight", {2, 3}, {1, -2, 3.5F, 0, 1e-30F, 6}},
                     {"a\"quoted\" \xc3\xa4", {}, {7}},
                     {"none", {0, 3}, {}}};
  content.metadata = {{"network", "tiny"}};
  write_safetensors(content, scratch / "x.safetensors");
  EXPECT_EQ(scratch.entries(), 1);
  const TensorFile back = read_tensors(scratch / "x.safetensors");
  ASSERT_EQ(back.tensors.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.tensors[i].name, content.tensors[i].name);
    EXPECT_EQ(back.tensors[i].shape, content.tensors[i].shape);
    EXPECT_EQ(back.tensors[i].values, content.tensors[i].values);
  }
  const std::map<std::string, std::string> metadata{{"format", "pt"}, {"network", "tiny"}};
  EXPECT_EQ(back.metadata, metadata);
}

TEST(Safetensors, are_written_with_a_header_of_whole_eights) {
  const Scratch scratch;
  for (const auto* name : {"a", "ab", "abc", "abcd", "abcde"}) {
    write_safetensors({{{name, {1}, {1}}}, {}}, scratch / "x");
    std::ifstream stream(scratch / "x", std::ios::binary);
    const std::string file(std::istreambuf_iterator<char>(stream), {});
    EXPECT_EQ((file.size() - 4) % 8, 0U);
    EXPECT_EQ(file[8], '{');
  }
}

TEST(Safetensors, of_a_wrong_shape_or_a_name_that_stands_twice_are_not_written) {
  const Scratch scratch;
  EXPECT_THROW(write_safetensors({{{"a", {2}, {1}}}, {}}, scratch / "x"), Error);
  EXPECT_THROW(write_safetensors({{{"a", {1}, {1}}, {"a", {1}, {1}}}, {}}, scratch / "x"), Error);
  EXPECT_THROW(write_safetensors({{{"a\xff", {1}, {1}}}, {}}, scratch / "x"), Error);
  EXPECT_EQ(scratch.entries(), 0);
}

TEST(Safetensors, of_every_type_become_floats) {
  const std::string data = raw(1.5) + raw(std::int64_t{-3}) + raw(std::uint64_t{1} << 40U) +
                           raw(2.5F) + raw(std::int32_t{-7}) + raw(std::uint32_t{4'000'000'000U}) +
                           raw(std::uint16_t{0x3e00}) + raw(std::uint16_t{0x3fc0}) +
                           raw(std::int16_t{-300}) + raw(std::uint16_t{60'000}) +
                           raw(std::int8_t{-5}) + raw(std::uint8_t{200}) + raw(std::uint8_t{9});
  const std::vector<std::pair<std::string, std::size_t>> types{
      {"F64", 8},  {"I64", 8}, {"U64", 8}, {"F32", 4}, {"I32", 4}, {"U32", 4}, {"F16", 2},
      {"BF16", 2}, {"I16", 2}, {"U16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}};
  std::string header = "{";
  std::size_t at = 0;
  for (const auto& [type, size] : types) {
    header += (at == 0 ? "\"" : ",\"") + type + "\":{\"dtype\":\"" + type +
              "\",\"shape\":[],\"data_offsets\":[" + std::to_string(at) + "," +
              std::to_string(at + size) + "]}";
    at += size;
  }
  std::vector<float> values;
  for (const auto& tensor : tensors_in(small_safetensors(header + "}", data))) {
    values.push_back(tensor.values.at(0));
  }
  EXPECT_EQ(values, (std::vector<float>{1.5F, -3, 1099511627776.0F, 2.5F, -7, 4e9F, 1.5F, 1.5F,
                                        -300, 60'000, -5, 200, 1}));
}

TEST(Safetensors, that_break_a_rule_are_refused_by_name) {
  const auto refused = [](const std::string& header, std::size_t data = 4) {
    return refusal_of_tensors(small_safetensors(header, std::string(data, '\0')));
  };
  EXPECT_THAT(refused(R"({"w":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}})"),
              HasSubstr("the tensor w is of type F8_E4M3, which is not read"));
  EXPECT_THAT(refused(R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})"),
              HasSubstr("a negative number"));
  EXPECT_THAT(refused(R"({"w":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})"),
              HasSubstr("not whole"));
  EXPECT_THAT(refused(R"({"w":{"dtype":"F32","shape":[1]}})"), HasSubstr("w lacks one of"));
  EXPECT_THAT(refused(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})"),
              HasSubstr("not a begin and an end"));
  EXPECT_THAT(refused(R"({"w":{"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]}})"),
              HasSubstr("\"shape\" is a duplicate"));
  EXPECT_THAT(refused(R"({"w":{"dtype":"F32","kind":{"a":[1]},"data_offsets":[0,4]}})"),
              HasSubstr("has the key \"kind\""));
  EXPECT_THAT(refused(R"({"__metadata__":{"a":1}})", 0), HasSubstr("a number"));
  EXPECT_THAT(refused(R"({"w":[[[[[[1]]]]]]})"), HasSubstr("a list"));
  EXPECT_THAT(refused(R"({"w":)"), HasSubstr("no JSON"));
  EXPECT_THAT(refused(R"({"w":{"dtype":"F32","shape":[0,9223372036854775808],)"
                      R"("data_offsets":[0,0]}})",
                      0),
              HasSubstr("overflow"));
}

TEST(TorchZip, is_read_with_or_without_zip64) {
  const std::string pickle = py_pickle(py_dictionary({{"w", py_tensor({})}}));
  for (const bool is_wide : {false, true}) {
    const auto tensors = tensors_in(small_torch_zip(pickle, {kOneToFour}, is_wide));
    ASSERT_EQ(tensors.size(), 1U);
    EXPECT_EQ(tensors[0].name, "w");
    EXPECT_EQ(tensors[0].values, (std::vector<float>{1, 2, 3, 4}));
  }
}

TEST(TorchZip, that_is_another_thing_is_told_apart) {
  EXPECT_THAT(refusal_of_tensors(small_zip({{"a/data.pkl", ""}, {"a/code/__torch__.py", ""}})),
              HasSubstr("TorchScript"));
  EXPECT_THAT(refusal_of_tensors(small_zip({{"a/data.pkl", ""}, {"a/constants.pkl", ""}})),
              HasSubstr("TorchScript"));
  EXPECT_THAT(refusal_of_tensors(small_zip({{"a.npy", ""}})), HasSubstr("no record data.pkl"));
  EXPECT_THAT(refusal_of_tensors(small_zip({{"a/data.pkl", "."}, {"b/data.pkl", "."}})),
              HasSubstr("two pickles"));
  EXPECT_THAT(refusal_of_tensors(small_zip({{"a/data.pkl", "."}, {"a/data.pkl", "."}})),
              HasSubstr("two records are called a/data.pkl"));
  EXPECT_THAT(refusal_of_tensors(small_zip({{"a/data.pkl", "."}, {"a/byteorder", "big"}})),
              HasSubstr("big-endian"));
  EXPECT_THAT(refusal_of_tensors(small_zip({{"a/data.pkl", ".", 8}})), HasSubstr("compressed"));
}

TEST(TorchZip, with_a_damaged_pickle_is_refused) {
  std::string file = zip_of(py_dictionary({{"weight", py_tensor({})}}));
  ASSERT_EQ(tensors_in(file).size(), 1U);
  file[file.find("weight")] = 'W';
  EXPECT_THAT(refusal_of_tensors(file), HasSubstr("net/data.pkl is damaged"));
}

TEST(TorchZip, without_the_record_of_a_storage_is_refused) {
  EXPECT_THAT(refusal_of_tensors(small_torch_zip(
                  py_pickle(py_dictionary({{"w", py_tensor({.key = "7"})}})), {kOneToFour})),
              HasSubstr("no record data/7"));
}

TEST(TorchFile, gives_the_dictionary_of_tensors_wherever_it_is_kept) {
  for (const auto* wrapper :
       {"state_dict", "model_state", "model_state_dict", "model", "teacher", "net"}) {
    const auto tensors = tensors_in(
        zip_of(py_dictionary({{"epoch", py_integer(3)},
                              {"best", py_tensor({})},
                              {wrapper, py_dictionary({{"module.w", py_tensor({})},
                                                       {"module.steps", py_float(2.5)}})}})));
    ASSERT_EQ(tensors.size(), 1U) << wrapper;
    EXPECT_EQ(tensors[0].name, "w");
  }
  // A tensor of that name is no wrapper, and neither is a dictionary without tensors.
  const auto tensors = tensors_in(zip_of(py_dictionary({{"net", py_tensor({})}, {"model", "}"}})));
  ASSERT_EQ(tensors.size(), 1U);
  EXPECT_EQ(tensors[0].name, "net");
}

TEST(TorchFile, without_a_dictionary_of_tensors_says_what_it_holds) {
  EXPECT_THAT(refusal_of_tensors(zip_of(py_dictionary({{"epoch", "K\1"}, {"cfg", "N"}}))),
              HasSubstr("holds no state dictionary; its keys are: epoch, cfg"));
  EXPECT_THAT(refusal_of_tensors(zip_of(py_tensor({}))), HasSubstr("holds a tensor"));
  EXPECT_THAT(refusal_of_tensors(zip_of("]")), HasSubstr("holds a list"));
}

TEST(TorchFile, with_one_name_for_two_tensors_is_refused) {
  EXPECT_THAT(
      refusal_of_tensors(zip_of(py_dictionary({{"w", py_tensor({})}, {"w", py_tensor({})}}))),
      HasSubstr("two tensors are called w"));
  EXPECT_THAT(refusal_of_tensors(
                  zip_of(py_dictionary({{"w", py_tensor({})}, {"module.w", py_tensor({})}}))),
              HasSubstr("w stands there with and without \"module.\""));
}

// 1,000 tensors that share a storage of 4 MB would be 4 GB.
TEST(TorchFile, that_would_inflate_is_refused) {
  constexpr std::int32_t kMany = 1'000'000;
  std::vector<std::pair<std::string, std::string>> items;
  for (int i = 0; i < 1000; ++i) {
    items.emplace_back(std::to_string(i), py_tensor({.count = kMany, .sizes = py_tuple({kMany})}));
  }
  const std::string storage(4 * std::size_t{kMany}, '\0');
  EXPECT_THAT(refusal_of_tensors(small_torch_zip(py_pickle(py_dictionary(items)), {storage})),
              HasSubstr("more than 4 times"));
  items.resize(4);  // tied weights
  EXPECT_EQ(tensors_in(small_torch_zip(py_pickle(py_dictionary(items)), {storage})).size(), 4U);
}

std::string legacy_of(const std::vector<std::pair<std::string, std::string>>& storages) {
  return small_legacy(
      py_dictionary({{"w", py_tensor({.key = "11"}, true)},
                     {"v", py_tensor({.key = "9", .count = 2, .sizes = py_tuple({2})}, true)}}),
      storages);
}

const std::string kFour = raw(std::int64_t{4}) + kOneToFour;
const std::string kTwo = raw(std::int64_t{2}) + raw_floats({5, 6});

TEST(LegacyTorch, takes_storages_in_the_order_of_their_list) {
  const auto tensors = tensors_in(legacy_of({{"9", kTwo}, {"11", kFour}}));
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].name, "w");
  EXPECT_EQ(tensors[0].values, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(tensors[1].values, (std::vector<float>{5, 6}));
}

TEST(LegacyTorch, whose_storages_do_not_fit_is_refused) {
  EXPECT_THAT(refusal_of_tensors(legacy_of({{"9", kTwo}})),
              HasSubstr("the storage 11 of a tensor is not in the file"));
  EXPECT_THAT(refusal_of_tensors(legacy_of({{"9", kTwo}, {"11", kFour}, {"12", kTwo}})),
              HasSubstr("the storage \"12\" belongs to no tensor"));
  EXPECT_THAT(refusal_of_tensors(legacy_of({{"9", kTwo}, {"11", kFour + "x"}})),
              HasSubstr("1 bytes follow the last storage"));
  EXPECT_THAT(
      refusal_of_tensors(legacy_of({{"11", raw(std::int64_t{3}) + kOneToFour}, {"9", kTwo}})),
      HasSubstr("the storage 11 has 3 elements, its tensors say 4"));
  EXPECT_THAT(refusal_of_tensors(legacy_of({{"9", kTwo}, {"11", kFour.substr(0, 20)}})),
              HasSubstr("the storage 11 is cut off"));
}

TEST(OneTensor, is_read_without_a_dictionary_around_it) {
  const Scratch scratch;
  PyTensor square;
  square.sizes = py_tuple({2, 2});
  square.strides = py_tuple({1, 2});  // transposed
  write_file(scratch / "zip.pt", zip_of(py_tensor(square)));
  const NamedTensor tensor = read_one_tensor(scratch / "zip.pt");
  EXPECT_EQ(tensor.name, "");
  EXPECT_EQ(tensor.shape, (std::vector<Index>{2, 2}));
  EXPECT_EQ(tensor.values, (std::vector<float>{1, 3, 2, 4}));
  write_file(scratch / "legacy.pt",
             small_legacy(py_tensor({}, true), {{"0", raw(std::int64_t{4}) + kOneToFour}}));
  EXPECT_EQ(read_one_tensor(scratch / "legacy.pt").values, (std::vector<float>{1, 2, 3, 4}));
  write_file(scratch / "named.pt", zip_of(py_dictionary({{"x", py_tensor({})}})));
  EXPECT_EQ(read_one_tensor(scratch / "named.pt").name, "x");
  // Weights must have names.
  EXPECT_THAT(refusal_of_tensors(zip_of(py_tensor(square))),
              HasSubstr("not a dictionary of tensors"));
  write_file(scratch / "two.pt",
             zip_of(py_dictionary({{"x", py_tensor({})}, {"y", py_tensor({})}})));
  try {
    read_one_tensor(scratch / "two.pt");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("two.pt: holds 2 tensors where one is needed"));
  }
}

TEST(TensorFile, of_another_kind_is_told_by_its_first_bytes) {
  EXPECT_THAT(refusal_of_tensors(""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal_of_tensors("\x80\x02}q"), HasSubstr("plain pickle, as of the Caffe2"));
  EXPECT_THAT(refusal_of_tensors("\x89HDF\r\n\x1a\n and more"), HasSubstr("HDF5"));
  EXPECT_THAT(refusal_of_tensors("\x08\x07\x12\x07pytorch1.13"), HasSubstr("ONNX"));
  EXPECT_THAT(refusal_of_tensors(std::string(257, 'x') + "ustar"), HasSubstr("PyTorch 0.1"));
  EXPECT_THAT(refusal_of_tensors("<!DOCTYPE html>"), HasSubstr("a page of the web"));
  EXPECT_THAT(refusal_of_tensors("hello, world"), HasSubstr("begins with 68 65 6c 6c"));
  EXPECT_THROW(read_tensors("no/such/file.pth"), Error);
}

}  // namespace
}  // namespace tyto
