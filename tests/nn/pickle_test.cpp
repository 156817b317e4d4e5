// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/pickle.hpp"

#include <limits>

#include "support/small_checkpoints.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/pickle_words.hpp"

namespace tyto {
namespace {

using namespace testing_support;
using testing::HasSubstr;
using Kind = PickleValue::Kind;

std::string refusal_of_pickle(const std::string& opcodes) {
  try {
    read_pickle(bytes_of_text(opcodes), "x");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "was read";
}

PickleValue value_of(const std::string& opcodes) {
  return read_pickle(bytes_of_text(opcodes), "x").top;
}

TEST(Pickle, of_plain_values) {
  EXPECT_EQ(value_of("N.").kind, Kind::none);
  EXPECT_EQ(value_of("\x88.").integer, 1);
  EXPECT_EQ(value_of("\x89.").integer, 0);
  EXPECT_EQ(value_of("K\xff.").integer, 255);
  EXPECT_EQ(value_of("M\x01\x02.").integer, 513);
  EXPECT_EQ(value_of(py_integer(-5) + ".").integer, -5);
  EXPECT_EQ(value_of(py_float(-0.1) + ".").number, -0.1);
  EXPECT_EQ(value_of(std::string("\x8a\0.", 3)).integer, 0);
  EXPECT_EQ(value_of("\x8a\x01\xff.").integer, -1);
  EXPECT_EQ(value_of(std::string("\x8a\x02\xff\0.", 5)).integer, 255);
  EXPECT_EQ(value_of(std::string("\x8a\x06\0\0\0\0\0\x01.", 9)).integer, std::int64_t{1} << 40U);
  EXPECT_EQ(value_of(std::string("\x8a\x08\0\0\0\0\0\0\0\x80.", 11)).integer,
            std::numeric_limits<std::int64_t>::min());
}

TEST(Pickle, of_texts_also_those_of_python_2) {
  for (const std::string& opcodes :
       {py_text("ab") + ".", std::string("U\2ab."), "T" + raw(std::int32_t{2}) + "ab."}) {
    const Pickle pickle = read_pickle(bytes_of_text(opcodes), "x");
    EXPECT_EQ(pickle.text(pickle.top), "ab");
  }
  EXPECT_THAT(refusal_of_pickle("T" + raw(std::int32_t{-2}) + "ab."), HasSubstr("-2 bytes"));
}

TEST(Pickle, of_nested_things_ends_behind_its_stop) {
  // {"a": [1, (2,)], 7: ("b", None)}, with the text "a" taken from the memo again.
  const std::string opcodes = "}(" + py_text("a") +
                              "q\1](K\1K\2\x85"
                              "eK\7" +
                              py_text("b") + "N\x86uq\2.left";
  const Pickle pickle = read_pickle(bytes_of_text(opcodes), "x");
  EXPECT_EQ(pickle.end, opcodes.size() - 4);
  ASSERT_EQ(pickle.top.kind, Kind::dictionary);
  const PickleValue* list = pickle.find(pickle.top, "a");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(pickle.items(*list).size(), 2U);
  EXPECT_EQ(pickle.items(*list)[0].integer, 1);
  EXPECT_EQ(pickle.items(pickle.items(*list)[1])[0].integer, 2);
  EXPECT_EQ(pickle.find(pickle.top, "b"), nullptr);
  EXPECT_EQ(pickle.items(pickle.top)[2].integer, 7);
}

TEST(Pickle, of_a_key_that_stands_twice_finds_the_last) {
  const std::string opcodes = py_dictionary({{"a", "K\1"}, {"a", "K\2"}}) + ".";
  const Pickle pickle = read_pickle(bytes_of_text(opcodes), "x");
  EXPECT_EQ(pickle.find(pickle.top, "a")->integer, 2);
}

TEST(Pickle, that_names_what_would_be_run_is_refused_before_any_call) {
  // posix.system("true"); and the name alone, never called.
  EXPECT_THAT(refusal_of_pickle(py_pickle("cposix\nsystem\n" + py_text("true") + "\x85R")),
              HasSubstr("byte 2 of the pickle: holds posix.system, which this reader does not run; "
                        "save the state dictionary alone"));
  for (const auto* global :
       {"cbuiltins\neval\n", "cnumpy.core.multiarray\nscalar\n", "cargparse\nNamespace\n",
        "ccollections\ndefaultdict\n", "ctorch._utils\n_rebuild_tensor_v3\n", "ctorch\nload\n",
        "ctorch\n_rebuild_tensor_v2\n", "ccollections\nFloatStorage\n", "c\n\n"}) {
    EXPECT_THAT(refusal_of_pickle(py_pickle(global)), HasSubstr("does not run")) << global;
  }
  EXPECT_THAT(refusal_of_pickle("ca\x1b[31m\nb\n."), HasSubstr("a\\x1b[31m.b"));
}

TEST(Pickle, may_use_thirty_three_opcodes_and_no_other) {
  int known = 0;
  for (int code = 0; code < 256; ++code) {
    const std::string refusal =
        refusal_of_pickle(std::string(1, static_cast<char>(code)) + std::string(16, '\0'));
    const std::string_view name = opcode_name(static_cast<std::uint8_t>(code));
    const bool is_refused = refusal.find("is no opcode") != refusal.npos ||
                            refusal.find("is not among") != refusal.npos;
    if (refusal.starts_with("x: byte 0 ") && is_refused) {
      EXPECT_THAT(refusal,
                  HasSubstr(name.empty() ? "is no opcode" : "the opcode " + std::string(name)));
    } else {
      EXPECT_FALSE(name.empty()) << code;
      ++known;
    }
  }
  EXPECT_EQ(known, 33);
  EXPECT_THAT(refusal_of_pickle("\x80\x02\x93."), HasSubstr("the opcode STACK_GLOBAL"));
  EXPECT_THAT(refusal_of_pickle("\x80\x04N."), HasSubstr("protocol 4"));
}

TEST(Pickle, that_takes_what_is_not_there_is_refused) {
  for (const auto* opcodes :
       {".",    "(.",   "\x85.", "N\x86.", "N(N\x86.", "R.",      "N(R.", "s.",
        "NNs.", "(Ns.", "u.",    "a.",     "]a.",      "](a.",    "e.",   "b.",
        "Q.",   "q\1.", "(q\1.", "t.",     "h\1.",     "Nq\1h\2."}) {
    EXPECT_THAT(refusal_of_pickle(opcodes), HasSubstr("x: byte")) << opcodes;
  }
}

TEST(Pickle, that_does_the_wrong_thing_to_a_value_is_refused) {
  EXPECT_THAT(refusal_of_pickle("]NNs."), HasSubstr("an item is set on a list"));
  EXPECT_THAT(refusal_of_pickle("}(Nu."), HasSubstr("a key has no value"));
  EXPECT_THAT(refusal_of_pickle("}NNs."), HasSubstr("None is the key of a dictionary"));
  EXPECT_THAT(refusal_of_pickle("})Ns."), HasSubstr("a tuple is the key of a dictionary"));
  EXPECT_THAT(refusal_of_pickle("}Na."), HasSubstr("appended to a dictionary"));
  EXPECT_THAT(refusal_of_pickle("N)R."), HasSubstr("None is called"));
  EXPECT_THAT(refusal_of_pickle("ctorch\nFloatStorage\n)R."), HasSubstr("no function"));
  EXPECT_THAT(refusal_of_pickle("ccollections\nOrderedDict\nNR."), HasSubstr("not a tuple"));
  EXPECT_THAT(refusal_of_pickle("ccollections\nOrderedDict\nN\x85R."), HasSubstr("list of pairs"));
  EXPECT_THAT(refusal_of_pickle("}}b."), HasSubstr("only an OrderedDict"));
  EXPECT_THAT(refusal_of_pickle("ccollections\nOrderedDict\n)RNb."), HasSubstr("only an"));
  EXPECT_THAT(refusal_of_pickle("NQ."), HasSubstr("told by None"));
  EXPECT_THAT(refusal_of_pickle("(" + py_text("module") + "NNNNtQ."), HasSubstr("no storage"));
}

TEST(Pickle, of_an_ordered_dictionary_of_pairs_drops_its_metadata) {
  const std::string opcodes = "ccollections\nOrderedDict\n](" + py_text("a") + "K\1\x86" + "](" +
                              py_text("b") +
                              "K\2e"
                              "e\x85R}" +
                              py_text("_metadata") + "}sb.";
  const Pickle pickle = read_pickle(bytes_of_text(opcodes), "x");
  EXPECT_EQ(pickle.items(pickle.top).size(), 4U);
  EXPECT_EQ(pickle.find(pickle.top, "b")->integer, 2);
}

TEST(PickledTensor, of_all_forms) {
  const std::string parameter = py_global("torch._utils", "_rebuild_parameter") + "(" +
                                py_tensor({}) +
                                "\x88"
                                "NtR.";
  EXPECT_EQ(value_of(parameter).kind, Kind::tensor);
  const std::string old = py_global("torch._utils", "_rebuild_tensor") + "(" + py_storage({}) +
                          "K\1" + py_global("torch", "Size") + py_tuple({3}) + "\x85R" +
                          py_tuple({1}) + "tR.";
  const Pickle pickle = read_pickle(bytes_of_text(old), "x");
  ASSERT_EQ(pickle.tensors.size(), 1U);
  EXPECT_EQ(pickle.tensors[0].offset, 1);
  EXPECT_EQ(pickle.tensors[0].sizes, std::vector<Index>{3});
  EXPECT_EQ(pickle.storages.at(0).count, 4);
}

TEST(PickledTensor, outside_its_storage_is_refused) {
  const auto refused = [](const PyTensor& tensor) {
    return refusal_of_pickle(py_tensor(tensor) + ".");
  };
  EXPECT_EQ(refused({.offset = 0}), "was read");
  EXPECT_THAT(refused({.offset = 1}), HasSubstr("reaches element 4 (from 0)"));
  EXPECT_THAT(refused({.offset = -1}), HasSubstr("negative offset -1"));
  EXPECT_EQ(refused({.sizes = py_tuple({2, 2}), .strides = py_tuple({1, 2})}), "was read");
  EXPECT_THAT(refused({.sizes = py_tuple({2, 2}), .strides = py_tuple({1, 3})}),
              HasSubstr("reaches element 4"));
  EXPECT_THAT(refused({.sizes = py_tuple({5}), .strides = py_tuple({0})}),
              HasSubstr("more elements than the 4"));
  EXPECT_THAT(refused({.sizes = py_tuple({2}), .strides = py_tuple({-1})}),
              HasSubstr("negative stride -1"));
  EXPECT_THAT(refused({.sizes = py_tuple({2}), .strides = py_tuple({1, 1})}),
              HasSubstr("1 sizes and 2 strides"));
  EXPECT_THAT(refused({.sizes = py_tuple({1, 1, 1, 1, 1, 1, 1, 1, 1})}), HasSubstr("9 axes"));
  EXPECT_THAT(refused({.sizes = "(NtN\x85"}), HasSubstr("not a whole number"));
  const std::string most = "\x8a\x08" + raw(std::numeric_limits<std::int64_t>::max());
  EXPECT_THAT(refused({.sizes = "(" + most + most + "t", .strides = py_tuple({1, 1})}),
              HasSubstr("more elements"));
  EXPECT_THAT(refused({.sizes = py_tuple({2, 2}), .strides = "(" + most + most + "t"}),
              HasSubstr("reaches far out"));
  EXPECT_EQ(refused({.count = 0, .sizes = py_tuple({0, 3}), .strides = py_tuple({3, 1})}),
            "was read");
}

TEST(PickledTensor, of_a_storage_that_is_told_in_two_ways_is_refused) {
  EXPECT_THAT(refusal_of_pickle("(" + py_tensor({}) + py_tensor({.count = 5}) + "t."),
              HasSubstr("the storage 0 is told twice, with 4 and 5 elements"));
  EXPECT_THAT(refusal_of_pickle("(" + py_tensor({}) + py_tensor({.storage = "IntStorage"}) + "t."),
              HasSubstr("of two types"));
  for (const auto* key : {"", "1/2", "-1", "123456789012345678901"}) {
    EXPECT_THAT(refusal_of_pickle(py_tensor({.key = key}) + "."), HasSubstr("is not a number"));
  }
}

TEST(PickleLimits, hold_for_depth_stack_and_memo) {
  std::string deep;
  for (int i = 0; i < 100; ++i) {
    deep += "]";
  }
  EXPECT_EQ(refusal_of_pickle(deep + std::string(99, 'a') + "."), "was read");
  EXPECT_THAT(refusal_of_pickle("]" + deep + std::string(100, 'a') + "."),
              HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(refusal_of_pickle("N" + std::string(1000, '\x85') + "."), HasSubstr("100 deep"));
  EXPECT_THAT(refusal_of_pickle(std::string(1'000'001, 'N')), HasSubstr("more than 1000000"));
  EXPECT_THAT(refusal_of_pickle("Nr" + raw(std::uint32_t{999'999}) + "."),
              HasSubstr("the memo entry 999999 is too far out"));
  EXPECT_THAT(refusal_of_pickle("\x8a\x09" + std::string(9, '\1') + "."),
              HasSubstr("has 9 bytes; 8 are read"));
  // One list of many pairs made into dictionaries again and again.
  std::string pairs = "](";
  for (int i = 0; i < 100'000; ++i) {
    pairs += "K\1K\1\x86";
  }
  pairs += "e\x85q\1";
  std::string again;
  for (int i = 0; i < 100; ++i) {
    again += "ccollections\nOrderedDict\nh\1R";
  }
  EXPECT_THAT(refusal_of_pickle("(" + pairs + again + "t."), HasSubstr("more than 4000000 items"));
}

TEST(PickleLimits, a_list_within_itself_ends) {
  EXPECT_EQ(refusal_of_pickle("]q\1h\1a."), "was read");
}

}  // namespace
}  // namespace tyto
