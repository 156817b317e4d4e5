// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/row_log.hpp"

#include <fstream>

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {
namespace {

using testing_support::Scratch;

Matrix row_of(float value) {
  return Matrix::Constant(1, 3, value);
}

void put_unit(RowLog& log, Index sample, float value) {
  log.expect_sources({{"features", 3}});
  log.append(0, row_of(value));
  log.finish_unit({{sample, 1, "", 0}});
}

TEST(RowLog, goes_on_after_the_last_whole_unit) {
  const Scratch scratch;
  {
    RowLog log(scratch / "s", StoredAs::float32);
    put_unit(log, 0, 1.0F);
    put_unit(log, 4, 2.0F);
    log.append(0, row_of(9.0F));  // of a unit that never ends
  }
  std::ofstream(scratch / "s/journal.jsonl", std::ios::app) << R"({"samples":[{"sam)";
  {
    RowLog log(scratch / "s", StoredAs::float32);
    EXPECT_EQ(log.units(), 2);
    ASSERT_EQ(log.samples().size(), 2U);
    EXPECT_EQ(log.samples()[1].sample, 4);
    put_unit(log, 7, 3.0F);
    log.finish_unit({{8, 0, "is \"broken\"", 0}});
  }
  const FinishedLog done = read_row_log(scratch / "s");
  EXPECT_EQ(done.units, 4);
  EXPECT_EQ(done.rows, 3);
  EXPECT_EQ(done.samples[3].reason, "is \"broken\"");
  const auto store = open_raw(scratch / "s/features.bin", {3});
  ASSERT_EQ(store->rows(), 3);
  Matrix rows(3, 3);
  store->gather("features", std::vector<Index>{0, 1, 2}, rows);
  EXPECT_EQ(rows(0, 0), 1.0F);
  EXPECT_EQ(rows(1, 2), 2.0F);
  EXPECT_EQ(rows(2, 1), 3.0F);
}

TEST(RowLog, takes_rows_back) {
  const Scratch scratch;
  RowLog log(scratch / "s", StoredAs::float16);
  log.expect_sources({{"features", 3}});
  log.append(0, row_of(1.0F));
  log.append(0, row_of(2.0F));
  log.cut(1);
  log.append(0, row_of(5.0F));
  log.finish_unit({{0, 2, "", 0}});
  const auto store = open_raw(scratch / "s/features.bin", {3}, "features", {}, StoredAs::float16);
  ASSERT_EQ(store->rows(), 2);
  Matrix rows(2, 3);
  store->gather("features", std::vector<Index>{0, 1}, rows);
  EXPECT_EQ(rows(1, 0), 5.0F);
}

TEST(RowLog, refuses_another_width_and_rows_that_are_gone) {
  const Scratch scratch;
  {
    RowLog log(scratch / "s", StoredAs::float32);
    put_unit(log, 0, 1.0F);
    EXPECT_THROW(log.expect_sources({{"features", 4}}), Error);
  }
  std::filesystem::resize_file(scratch / "s/features.bin", 4);
  EXPECT_THROW(RowLog(scratch / "s", StoredAs::float32), Error);
}

}  // namespace
}  // namespace tyto
