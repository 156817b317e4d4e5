// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/join.hpp"

#include "sample/store_helpers.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using Ids = std::vector<std::string>;

std::string join_refusal(const Ids& samples, const Ids& features, Lost lost = Lost::refuse) {
  return refusal([&] { (void)join_by_id(samples, features, "x3d.npy", lost); });
}

TEST(JoinById, finds_the_row_of_each_sample) {
  const IdJoin join = join_by_id(Ids{"a", "b", "c"}, Ids{"c", "a", "b"}, "x3d.npy");
  EXPECT_EQ(join.sample, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(join.feature, (std::vector<Index>{1, 2, 0}));
  EXPECT_EQ(join.note, "");
  EXPECT_TRUE(join_by_id(Ids{}, Ids{}, "x3d.npy").sample.empty());
}

TEST(JoinById, names_what_is_lost_in_both_directions) {
  const std::string sentence =
      join_refusal({"a", "b", "c", "d", "e", "f", "g", "h"}, {"x", "h", "a", "y"});
  EXPECT_THAT(sentence,
              HasSubstr("6 of 8 samples have no features in x3d.npy: b, c, d, e, f, ...; 2 rows of "
                        "x3d.npy belong to no sample: x, y; `lost: leave_out` goes on without"));
  EXPECT_THAT(join_refusal({"a"}, {"a", "b"}),
              testing::StartsWith("1 rows of x3d.npy belong to no sample: b;"));
}

TEST(JoinById, goes_on_without_the_lost_and_says_so) {
  const IdJoin join =
      join_by_id(Ids{"a", "b", "c"}, Ids{"x", "c", "a"}, "x3d.npy", Lost::leave_out);
  EXPECT_EQ(join.sample, (std::vector<Index>{0, 2}));
  EXPECT_EQ(join.feature, (std::vector<Index>{2, 1}));
  EXPECT_EQ(join.note,
            "1 of 3 samples have no features in x3d.npy: b; 1 rows of x3d.npy belong to no sample: "
            "x");
  EXPECT_THAT(join_refusal({"a"}, {"b"}, Lost::leave_out), HasSubstr("none is left"));
}

TEST(JoinById, refuses_an_id_that_stands_twice) {
  EXPECT_THAT(join_refusal({"a", "b"}, {"a", "b", "a"}, Lost::leave_out),
              HasSubstr("x3d.npy: the id \"a\" stands twice, at rows 1 and 3"));
  EXPECT_THAT(join_refusal({"a", "b", "b"}, {"a", "b"}, Lost::leave_out),
              HasSubstr("the table of samples: the id \"b\" stands twice, at rows 2 and 3"));
}

TEST(ReadIdList, takes_lines_or_a_column) {
  const TestFolder folder;
  write_file(folder / "ids.txt", "v_a\r\nv b\nv_c");
  EXPECT_EQ(read_id_list(folder / "ids.txt", ""), (Ids{"v_a", "v b", "v_c"}));
  write_file(folder / "one.csv", "video\nv_a\nv_b\n");
  EXPECT_EQ(read_id_list(folder / "one.csv", ""), (Ids{"v_a", "v_b"}));
  write_file(folder / "two.csv", "n,id,video\n1,a,v_a\n2,b,v_b\n");
  EXPECT_EQ(read_id_list(folder / "two.csv", ""), (Ids{"a", "b"}));
  EXPECT_EQ(read_id_list(folder / "two.csv", "video"), (Ids{"v_a", "v_b"}));
}

// Four videos with their own column x; features of three of them and of a stranger.
void write_clips(const TestFolder& folder, std::string_view feature) {
  write_file(folder / "clips.csv",
             "id,label,group,x,note\nv1,run,p,1,n1\nv2,walk,q,2,n2\nv3,run,p,3,n3\nv4,walk,q,4,"
             "n4\n");
  write_file(folder / "dataset.yaml",
             fmt::format("index: clips.csv\nfeatures:\n  - {{columns: [x]}}"
                         "\n  - {{source: x3d, {}}}\n",
                         feature));
  Matrix rows(4, 2);
  rows << 40, 41, 10, 11, 99, 99, 30, 31;
  write_npy(folder / "x3d.npy", rows);
  write_file(folder / "ids.txt", "v4\nv1\nw9\nv3\n");
  write_file(folder / "x3d.csv", "video,a,b\nv4,40,41\nv1,10,11\nw9,99,99\nv3,30,31\n");
}

Matrix source_rows(const FeatureStore& store, std::string_view source) {
  std::vector<Index> rows;
  for (Index i = 0; i < store.rows(); ++i) {
    rows.push_back(i);
  }
  Matrix out(store.rows(), store.shape(source).front());
  store.gather(source, rows, out);
  return out;
}

TEST(LoadDataset, joins_features_by_id_and_leaves_out_lost_videos_where_told_to) {
  for (const char* feature : {"file: x3d.npy, ids: ids.txt, lost: leave_out",
                              "file: x3d.csv, id: video, lost: leave_out"}) {
    const TestFolder folder;
    write_clips(folder, feature);
    const Dataset clips = load_dataset(folder.path());
    EXPECT_EQ(clips.table.id, (Ids{"v1", "v3", "v4"}));
    EXPECT_EQ(clips.table.label, (Ids{"run", "run", "walk"}));
    EXPECT_EQ(clips.table.group, (Ids{"p", "p", "q"}));
    EXPECT_EQ(clips.table.annotations.at("note"), (Ids{"n1", "n3", "n4"}));
    EXPECT_EQ(clips.files.lines, (std::vector<Index>{2, 4, 5}));
    EXPECT_EQ(source_rows(*clips.store, "x3d"),
              (Matrix(3, 2) << 10, 11, 30, 31, 40, 41).finished());
    EXPECT_EQ(source_rows(*clips.store, "features"), (Matrix(3, 1) << 1, 3, 4).finished());
    EXPECT_THAT(clips.about.at("left out"), HasSubstr("1 of 4 samples have no features in"));
    EXPECT_THAT(clips.about.at("left out"), HasSubstr("belong to no sample: w9"));
  }
}

TEST(LoadDataset, refuses_lost_videos_and_what_does_not_go_with_ids) {
  const auto sentence = [](std::string_view feature) {
    const TestFolder folder;
    write_clips(folder, feature);
    write_file(folder / "three.txt", "v4\nv1\nw9\n");
    return refusal([&] { load_dataset(folder.path()); });
  };
  EXPECT_THAT(sentence("file: x3d.npy, ids: ids.txt"), HasSubstr("x3d.npy: v2; 1 rows of"));
  EXPECT_THAT(sentence("file: x3d.npy, ids: three.txt"), HasSubstr("three.txt has 3 ids, but"));
  EXPECT_THAT(sentence("file: x3d.npy, lost: leave_out"),
              HasSubstr("`id` and `lost` are for features that come with ids"));
  EXPECT_THAT(sentence("file: x3d.csv, ids: ids.txt"), HasSubstr("holds its ids"));
}

TEST(LoadDataset, keeps_a_store_as_it_is_where_ids_follow_the_index) {
  const TestFolder folder;
  write_clips(folder, "file: x3d.npy, ids: ids.txt");
  const std::string plain = [&] {
    write_file(folder / "dataset.yaml", "index: clips.csv\nfeatures: [{file: x3d.npy}]\n");
    return load_dataset(folder.path()).store->digest();
  }();
  write_file(folder / "ids.txt", "v1\nv2\nv3\nv4\n");
  write_file(folder / "dataset.yaml",
             "index: clips.csv\nfeatures: [{file: x3d.npy, ids: ids.txt}]\n");
  EXPECT_EQ(load_dataset(folder.path()).store->digest(), plain);
}

}  // namespace
}  // namespace tyto
