// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/write_tests.hpp"

#include <cstdlib>

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto::sail_on {
namespace {

using testing::HasSubstr;
using testing_support::Scratch;

std::shared_ptr<TestData> small_test(const std::string& id) {
  auto test = std::make_shared<TestData>();
  test->protocol = "OND";
  test->domain = "activity_recognition";
  test->id = id;
  test->metadata = "{\"round_size\": 2}\n";
  test->columns = {"id", "novel", "name"};
  test->rows = {{"a", "0", "walk"}, {"b", "1", "run, fast"}, {"c", "1", "left|right"}};
  return test;
}

template <class Call>
std::string refusal(const Call& call, ErrorKind kind) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(WriteTests, writes_the_public_layout) {
  const Scratch scratch;
  auto other = small_test("CONDDA.1.1.7");
  other->protocol = "CONDDA";
  other->metadata = "";
  const std::vector<std::shared_ptr<const TestData>> tests{small_test("OND.1.2.7"),
                                                           small_test("OND.1.1.7"), other};
  write_tests(scratch / "data", tests);
  const auto folder = scratch / "data/OND/activity_recognition";
  EXPECT_EQ(read_file(folder / "test_ids.csv"), "OND.1.2.7\nOND.1.1.7\n");  // in their order
  EXPECT_EQ(read_file(folder / "OND.1.1.7_metadata.json"), "{\"round_size\": 2}\n");
  EXPECT_EQ(read_file(folder / "OND.1.1.7_single_df.csv"),
            "id,novel,name\na,0,walk\nb,1,|run, fast|\nc,1,|left||right|\n");
  const auto condda = scratch / "data/CONDDA/activity_recognition";
  EXPECT_TRUE(std::filesystem::exists(condda / "CONDDA.1.1.7_single_df.csv"));
  EXPECT_FALSE(std::filesystem::exists(condda / "CONDDA.1.1.7_metadata.json"));
}

TEST(WriteTests, is_read_by_python_as_the_public_server_reads_it) {
  const Scratch scratch;
  const std::vector<std::shared_ptr<const TestData>> tests{small_test("T")};
  write_tests(scratch / "data", tests);
  write_file(scratch / "read.py",
             "import csv, sys\n"
             "rows = list(csv.reader(open(sys.argv[1]), delimiter=',', quotechar='|'))\n"
             "assert rows[1:] == [['a', '0', 'walk'], ['b', '1', 'run, fast'],\n"
             "                    ['c', '1', 'left|right']], rows\n");
  const std::string command = "python3 " + (scratch / "read.py").string() + " " +
                              (scratch / "data/OND/activity_recognition/T_single_df.csv").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(WriteTests, refuses_what_the_layout_cannot_hold) {
  const Scratch scratch;
  const auto refused = [&](const auto& change) {
    auto test = small_test("T");
    change(*test);
    const std::vector<std::shared_ptr<const TestData>> tests{test};
    return refusal([&] { write_tests(scratch / "data", tests); }, ErrorKind::data);
  };
  EXPECT_THAT(refused([](TestData& t) { t.rows[1][2] = "a\nb"; }), HasSubstr("column \"name\""));
  EXPECT_THAT(refused([](TestData& t) { t.rows[2].pop_back(); }),
              HasSubstr("2 fields for 3 columns"));
  EXPECT_THAT(refused([](TestData& t) { t.id = "../T"; }), HasSubstr("is no file name"));
  EXPECT_THAT(refused([](TestData& t) { t.id = ""; }), HasSubstr("is no file name"));
  EXPECT_THAT(refused([](TestData& t) { t.domain = "a/b"; }), HasSubstr("is no file name"));
  const std::vector<std::shared_ptr<const TestData>> twice{small_test("T"), small_test("T")};
  EXPECT_THAT(refusal([&] { write_tests(scratch / "data", twice); }, ErrorKind::data),
              HasSubstr("stands twice"));
  EXPECT_EQ(scratch.entries(), 0);
}

TEST(WriteTests, leaves_the_old_folder_where_replacing_fails) {
  const Scratch scratch;
  const std::vector<std::shared_ptr<const TestData>> tests{small_test("T")};
  TestsFolder how;
  how.more = [](const std::filesystem::path& folder) { write_file(folder / "mark", "old"); };
  how.replace_marked = "mark";
  write_tests(scratch / "data", tests, how);
  how.more = [](const std::filesystem::path&) { throw Error(ErrorKind::io, "full"); };
  EXPECT_EQ(refusal([&] { write_tests(scratch / "data", tests, how); }, ErrorKind::io), "full");
  EXPECT_EQ(read_file(scratch / "data/mark"), "old");
  EXPECT_EQ(scratch.entries(), 1);
  how.more = [](const std::filesystem::path& folder) { write_file(folder / "mark", "new"); };
  write_tests(scratch / "data/", tests, how);
  EXPECT_EQ(read_file(scratch / "data/mark"), "new");
  EXPECT_EQ(scratch.entries(), 1);
  how.replace_marked = "";
  EXPECT_THAT(refusal([&] { write_tests(scratch / "data", tests, how); }, ErrorKind::io),
              HasSubstr("the folder is not empty"));
}

}  // namespace
}  // namespace tyto::sail_on
