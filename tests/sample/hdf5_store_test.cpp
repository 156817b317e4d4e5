// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/hdf5_store.hpp"

#include <thread>

#include "sample/hdf5_writer.hpp"
#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

Dense<double> hdf5_values(Index rows, Index cols) {
  Dense<double> out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = 0.5 * static_cast<double>(i);  // exact in float32
  }
  return out;
}

void expect_any_rows(const FeatureStore& store, const Dense<double>& values, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Index> rows;
  for (int i = 0; i < 300; ++i) {
    rows.push_back(rng.below(values.rows()));
  }
  for (Index i = 10; i < 60; ++i) {  // a run, and rows asked for twice
    rows.push_back(i);
  }
  Matrix out(static_cast<Index>(rows.size()), values.cols());
  store.gather("features", rows, out);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(out.row(static_cast<Index>(i)), values.row(rows[i]).cast<float>()) << rows[i];
  }
}

TEST(Hdf5Store, reads_any_rows_of_plain_and_packed_datasets) {
  const TestFolder folder;
  const auto values = hdf5_values(500, 7);
  write_hdf5(folder / "f.h5", {{"/plain", values, 0}, {"/deep/packed", values, 64}});
  for (const char* name : {"/plain", "/deep/packed"}) {
    const auto store = open_hdf5(folder / "f.h5", name);
    EXPECT_EQ(store->rows(), 500);
    EXPECT_EQ(store->shape("features"), std::vector<Index>{7});
    expect_any_rows(*store, values, 6);
  }
}

TEST(Hdf5Store, reads_bytes_as_the_numbers_they_are) {
  const TestFolder folder;
  Dense<double> values(2, 2);
  values << 0, 127, 128, 255;
  write_hdf5(folder / "f.h5", {{"/rgb", values, 0, true}});
  const std::vector<Index> rows{0, 1};
  Matrix out(2, 2);
  open_hdf5(folder / "f.h5", "/rgb", "rgb")->gather("rgb", rows, out);
  EXPECT_EQ(out, values.cast<float>());
}

TEST(Hdf5Store, may_be_read_from_several_threads) {
  const TestFolder folder;
  const auto values = hdf5_values(500, 7);
  write_hdf5(folder / "f.h5", {{"/features", values, 50}});
  const auto store = open_hdf5(folder / "f.h5", "/features");
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] { expect_any_rows(*store, values, seed); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(Hdf5Store, refuses_what_it_cannot_read_with_a_sentence) {
  const TestFolder folder;
  write_hdf5(folder / "f.h5", {{"/features", hdf5_values(2, 3), 0}});
  write_file(folder / "text.h5", "not hdf5 at all");
  EXPECT_THAT(refusal([&] { open_hdf5(folder / "none.h5", "/x"); }),
              HasSubstr("none.h5: cannot open"));
  EXPECT_THAT(refusal([&] { open_hdf5(folder / "text.h5", "/x"); }),
              HasSubstr("text.h5: not an HDF5 file"));
  EXPECT_THAT(refusal([&] { open_hdf5(folder / "f.h5", "/logits"); }),
              HasSubstr("f.h5: no dataset \"/logits\"; there are: /features"));
  EXPECT_THAT(refusal([&] { open_hdf5(folder / "f.h5", "/features", "features", {"x"}); }),
              HasSubstr("1 column names for rows of 3 values"));
}

}  // namespace
}  // namespace tyto
