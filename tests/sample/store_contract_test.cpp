// SPDX-License-Identifier: Apache-2.0
// What every store promises, checked for every kind. A new one inherits these tests by its line in
// store_kinds().
#include <functional>
#include <numeric>
#include <ostream>
#include <set>
#include <thread>

#include "sample/hdf5_writer.hpp"
#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"
#include "tyto/sample/stores/hdf5_store.hpp"
#include "tyto/sample/stores/joined_store.hpp"
#include "tyto/sample/stores/npy_store.hpp"
#include "tyto/sample/stores/picked_store.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

using StorePtr = std::shared_ptr<const FeatureStore>;

// Rows of a source "features". Whole numbers from 0 to 255, which every type of number can hold.
struct StoreContent {
  Matrix values;
  std::vector<std::string> columns;
};

struct StoreKind {
  std::string name;
  bool cheap_rows;
  // Lays the content down in a folder that holds nothing yet.
  std::function<void(const StoreContent&, const TestFolder&)> lay;
  std::function<StorePtr(const StoreContent&, const TestFolder&)> open;
};

std::ostream& operator<<(std::ostream& out, const StoreKind& kind) {
  return out << kind.name;
}

StorePtr dense_store(const Matrix& values, std::vector<std::string> columns,
                     const std::string& source = "features") {
  std::vector<DenseStore::Source> sources;
  sources.push_back({source, values, std::move(columns)});
  return std::make_shared<const DenseStore>(std::move(sources));
}

std::string bytes_of(const Matrix& values) {
  return {reinterpret_cast<const char*>(values.data()),
          static_cast<std::size_t>(values.size()) * sizeof(float)};
}

std::string half_bytes(const Matrix& values) {
  const Dense<Eigen::half> halves = values.cast<Eigen::half>();
  return {reinterpret_cast<const char*>(halves.data()),
          static_cast<std::size_t>(halves.size()) * 2};
}

std::vector<Index> every_row(const Matrix& values) {
  std::vector<Index> rows(static_cast<std::size_t>(values.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

// The first third of the rows of one store, then the rest from another.
StorePtr joined_halves(const StoreContent& content, const StorePtr& all) {
  const Index third = content.values.rows() / 3;
  std::vector<Index> top = every_row(content.values);
  const std::vector<Index> rest(top.begin() + third, top.end());
  top.resize(static_cast<std::size_t>(third));
  return std::make_shared<const JoinedStore>(
      std::vector<StorePiece>{{"top", std::make_shared<const PickedStore>(all, top)},
                              {"rest", std::make_shared<const PickedStore>(all, rest)}});
}

// All rows of a store that holds them the other way round.
StorePtr picked_back(const StoreContent& content, const std::function<StorePtr(Matrix)>& store) {
  std::vector<Index> rows = every_row(content.values);
  std::reverse(rows.begin(), rows.end());
  return std::make_shared<const PickedStore>(store(content.values.colwise().reverse()), rows);
}

std::vector<StoreKind> store_kinds() {
  const auto nothing = [](const StoreContent&, const TestFolder&) {};
  const auto lay_hdf5 = [](Index chunk) {
    return [=](const StoreContent& content, const TestFolder& folder) {
      write_hdf5(folder / "f.h5", {{"/features", content.values.cast<double>(), chunk}});
    };
  };
  const auto from_hdf5 = [](const StoreContent& content, const TestFolder& folder) {
    return open_hdf5(folder / "f.h5", "/features", "features", content.columns);
  };
  return {
      {"dense", true, nothing,
       [](const auto& content, const auto&) {
         return dense_store(content.values, content.columns);
       }},
      {"npy", true,
       [](const auto& content, const auto& folder) { write_npy(folder / "f.npy", content.values); },
       [](const auto& content, const auto& folder) {
         return open_npy(folder / "f.npy", "features", content.columns);
       }},
      {"raw", true,
       [](const auto& content, const auto& folder) {
         write_file(folder / "f.bin", bytes_of(content.values));
       },
       [](const auto& content, const auto& folder) {
         return open_raw(folder / "f.bin", {content.values.cols()}, "features", content.columns);
       }},
      {"raw_packed", true,
       [](const auto& content, const auto& folder) {
         write_gz(folder / "f.bin.gz", bytes_of(content.values));
       },
       [](const auto& content, const auto& folder) {
         return open_raw(folder / "f.bin.gz", {content.values.cols()}, "features", content.columns);
       }},
      {"raw_uint8", true,
       [](const auto& content, const auto& folder) {
         const Dense<std::uint8_t> values = content.values.template cast<std::uint8_t>();
         write_file(folder / "f.bin", {reinterpret_cast<const char*>(values.data()),
                                       static_cast<std::size_t>(values.size())});
       },
       [](const auto& content, const auto& folder) {
         return open_raw(folder / "f.bin", {content.values.cols()}, "features", content.columns,
                         StoredAs::uint8);
       }},
      {"raw_float16", true,
       [](const auto& content, const auto& folder) {
         write_file(folder / "f.bin", half_bytes(content.values));
       },
       [](const auto& content, const auto& folder) {
         return open_raw(folder / "f.bin", {content.values.cols()}, "features", content.columns,
                         StoredAs::float16);
       }},
      {"raw_float16_packed", true,
       [](const auto& content, const auto& folder) {
         write_gz(folder / "f.bin.gz", half_bytes(content.values));
       },
       [](const auto& content, const auto& folder) {
         return open_raw(folder / "f.bin.gz", {content.values.cols()}, "features", content.columns,
                         StoredAs::float16);
       }},
      {"hdf5_uint8", false,
       [](const auto& content, const auto& folder) {
         write_hdf5(folder / "f.h5",
                    {{"/features", content.values.template cast<double>(), 0, true}});
       },
       from_hdf5},
      {"hdf5", false, lay_hdf5(0), from_hdf5},
      {"hdf5_packed", false, lay_hdf5(4), from_hdf5},
      {"joined", true, nothing,
       [](const auto& content, const auto&) {
         return joined_halves(content, dense_store(content.values, content.columns));
       }},
      {"joined_hdf5", false, lay_hdf5(0),
       [=](const auto& content, const auto& folder) {
         return joined_halves(content, from_hdf5(content, folder));
       }},
      {"combined", true, nothing,
       [](const auto& content, const auto&) -> StorePtr {
         const Matrix other = Matrix::Ones(content.values.rows(), 2);
         return std::make_shared<const CombinedStore>(
             std::vector<StorePiece>{{"a", dense_store(other, {}, "logits")},
                                     {"b", dense_store(content.values, content.columns)}});
       }},
      {"combined_hdf5", false, lay_hdf5(0),
       [=](const auto& content, const auto& folder) -> StorePtr {
         const Matrix other = Matrix::Ones(content.values.rows(), 2);
         return std::make_shared<const CombinedStore>(std::vector<StorePiece>{
             {"a", dense_store(other, {}, "logits")}, {"b", from_hdf5(content, folder)}});
       }},
      {"picked", true, nothing,
       [](const auto& content, const auto&) {
         return picked_back(content,
                            [&](const Matrix& rows) { return dense_store(rows, content.columns); });
       }},
      {"picked_hdf5", false,
       [](const auto& content, const auto& folder) {
         write_hdf5(folder / "f.h5",
                    {{"/features", content.values.colwise().reverse().template cast<double>(), 0}});
       },
       [=](const auto& content, const auto& folder) {
         return picked_back(content, [&](const Matrix&) { return from_hdf5(content, folder); });
       }},
  };
}

StoreContent counting_content(Index rows, Index width = 5) {
  StoreContent content{Matrix(rows, width), {}};
  for (Index i = 0; i < content.values.size(); ++i) {
    content.values.data()[i] = static_cast<float>(i * 37 % 251);
  }
  for (Index j = 0; j < width; ++j) {
    content.columns.push_back("column " + std::to_string(j));
  }
  return content;
}

class StoreContract : public testing::TestWithParam<StoreKind> {
 protected:
  static StorePtr stored(const StoreContent& content, const TestFolder& folder) {
    GetParam().lay(content, folder);
    return GetParam().open(content, folder);
  }

  static std::string digest_of_content(const StoreContent& content) {
    const TestFolder folder;
    return stored(content, folder)->digest();
  }

  static bool gives(const FeatureStore& store, const Matrix& values, Rows rows) {
    Matrix out(static_cast<Index>(rows.size()), values.cols());
    store.gather("features", rows, out);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (out.row(static_cast<Index>(i)) != values.row(rows[i])) {
        return false;
      }
    }
    return true;
  }

  static std::vector<Index> random_row_numbers(Index count, Index rows, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<Index> out;
    for (Index i = 0; i < count; ++i) {
      out.push_back(rng.below(rows));
    }
    return out;
  }
};

TEST_P(StoreContract, gathers_any_rows_in_any_order_and_as_often_as_asked) {
  const TestFolder folder;
  const StoreContent content = counting_content(40);
  const auto store = stored(content, folder);
  for (Index row = 0; row < 40; ++row) {
    const std::vector<Index> one{row};
    EXPECT_TRUE(gives(*store, content.values, one)) << row;
  }
  EXPECT_TRUE(gives(*store, content.values, every_row(content.values)));
  EXPECT_TRUE(gives(*store, content.values, std::vector<Index>{39, 0, 39, 13, 12, 14, 0, 39}));
  // Enough for the copies that are made in parallel.
  EXPECT_TRUE(gives(*store, content.values, random_row_numbers(20000, 40, 1)));
}

TEST_P(StoreContract, writes_the_asked_rows_and_nothing_beside_them) {
  const TestFolder folder;
  const StoreContent content = counting_content(10);
  const auto store = stored(content, folder);
  Matrix wide = Matrix::Constant(4, 9, -1.0F);
  const std::vector<Index> rows{7, 2};
  store->gather("features", rows, wide.block(1, 2, 2, 5));
  Matrix expected = Matrix::Constant(4, 9, -1.0F);
  expected.block(1, 2, 1, 5) = content.values.row(7);
  expected.block(2, 2, 1, 5) = content.values.row(2);
  EXPECT_EQ(wide, expected);
}

TEST_P(StoreContract, gathers_nothing_where_nothing_is_asked) {
  const TestFolder folder;
  const auto store = stored(counting_content(6), folder);
  Matrix none(0, 5);
  store->gather("features", {}, none);
  EXPECT_EQ(none.rows(), 0);
}

TEST_P(StoreContract, refuses_rows_it_does_not_have) {
  const TestFolder folder;
  const auto store = stored(counting_content(6), folder);
  Matrix out(2, 5);
  for (const Index beyond : {Index{-1}, Index{6}, Index{1} << 40}) {
    const std::vector<Index> rows{0, beyond};
    EXPECT_THAT(refusal([&] { store->gather("features", rows, out); }),
                HasSubstr("row " + std::to_string(beyond)));
  }
}

TEST_P(StoreContract, refuses_a_source_it_does_not_have) {
  const TestFolder folder;
  const auto store = stored(counting_content(6), folder);
  Matrix out(1, 5);
  const std::vector<Index> rows{0};
  for (const std::string& sentence : {refusal([&] { store->gather("rgb", rows, out); }),
                                      refusal([&] { (void)store->shape("rgb"); }),
                                      refusal([&] { (void)store->column_names("rgb"); })}) {
    EXPECT_THAT(sentence, testing::AllOf(HasSubstr("no source \"rgb\""), HasSubstr("features")));
  }
}

TEST_P(StoreContract, tells_rows_sources_shape_and_columns) {
  const TestFolder folder;
  const StoreContent content = counting_content(6);
  const auto store = stored(content, folder);
  EXPECT_EQ(store->rows(), 6);
  EXPECT_EQ(store->column_names("features"), content.columns);
  const std::vector<std::string> sources = store->sources();
  EXPECT_THAT(sources, testing::Contains("features"));
  EXPECT_EQ(std::set<std::string>(sources.begin(), sources.end()).size(), sources.size());
  for (const std::string& source : sources) {
    Index width = 1;
    for (const Index extent : store->shape(source)) {
      width *= extent;
    }
    EXPECT_EQ(width, source == "features" ? 5 : 2);
    const auto names = std::ssize(store->column_names(source));
    EXPECT_TRUE(names == 0 || names == width) << names;
    const std::vector<Index> last{5};
    Matrix out(1, width);
    store->gather(source, last, out);  // every source it names can be read
  }
}

TEST_P(StoreContract, columns_may_have_no_names) {
  const TestFolder folder;
  StoreContent content = counting_content(6);
  content.columns.clear();
  EXPECT_TRUE(stored(content, folder)->column_names("features").empty());
}

TEST_P(StoreContract, may_be_read_from_two_threads_at_once) {
  const TestFolder folder;
  const StoreContent content = counting_content(40);
  const auto store = stored(content, folder);
  std::array<bool, 2> right{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      right[t] = true;
      for (std::uint64_t round = 0; round < 20; ++round) {
        const auto rows = random_row_numbers(200, 40, 2 * round + t);
        right[t] = right[t] && gives(*store, content.values, rows);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(right[0] && right[1]);
}

TEST_P(StoreContract, digest_is_that_of_the_content) {
  const StoreContent content = counting_content(12);
  const TestFolder folder;
  const std::string digest = stored(content, folder)->digest();
  EXPECT_FALSE(digest.empty());
  EXPECT_EQ(GetParam().open(content, folder)->digest(), digest) << "opened again";

  for (const auto& [row, column] : {std::pair{0, 0}, {5, 2}, {11, 4}}) {
    StoreContent other = content;
    other.values(row, column) += 1.0F;
    EXPECT_NE(digest_of_content(other), digest) << "one value of row " << row;
  }
  StoreContent swapped = content;
  swapped.values.row(3).swap(swapped.values.row(4));
  EXPECT_NE(digest_of_content(swapped), digest) << "another order of the rows";
  EXPECT_NE(digest_of_content(counting_content(11)), digest) << "a row less";
}

TEST_P(StoreContract, is_honest_about_what_single_rows_cost) {
  const TestFolder folder;
  EXPECT_EQ(stored(counting_content(6), folder)->has_cheap_rows(), GetParam().cheap_rows);
}

INSTANTIATE_TEST_SUITE_P(, StoreContract, testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace tyto
