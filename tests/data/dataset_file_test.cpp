// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/dataset_file.hpp"

#include <cmath>

#include "sample/hdf5_writer.hpp"
#include "sample/store_helpers.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view kToyCsv =
    "row,letter,split,who,x,y,z,note\n"
    "a,T,train,1,1,2,3,first\n"
    "b,I,val,2,4,5,6,\n"
    "c,,test,2,7,8,9,\"last, not least\"\n";

constexpr std::string_view kToyYaml =
    "name: toy\n"
    "summary: three samples\n"
    "about: {origin: made up, year: 2024}\n"
    "index: toy.csv\n"
    "columns: {id: row, label: letter, group: who}\n"
    "features:\n"
    "  - {source: features, columns: [x..z]}\n";

void write_toy(const TestFolder& folder, std::string_view yaml, std::string_view csv = kToyCsv) {
  write_file(folder / "toy.csv", csv);
  write_file(folder / "dataset.yaml", yaml);
}

std::string with(std::string_view text, std::string_view old, std::string_view replacement) {
  std::string out(text);
  const auto at = out.find(old);
  EXPECT_NE(at, out.npos) << old;
  return out.replace(at, old.size(), replacement);
}

std::string toy_refusal(std::string_view yaml, std::string_view csv = kToyCsv) {
  const TestFolder folder;
  write_toy(folder, yaml, csv);
  return refusal([&] { load_dataset(folder.path()); });
}

Matrix all_rows(const FeatureStore& store, std::string_view source) {
  std::vector<Index> rows;
  for (Index i = 0; i < store.rows(); ++i) {
    rows.push_back(i);
  }
  Index width = 1;
  for (const Index extent : store.shape(source)) {
    width *= extent;
  }
  Matrix out(store.rows(), width);
  store.gather(source, rows, out);
  return out;
}

TEST(LoadDataset, reads_table_features_and_annotations) {
  const TestFolder folder;
  write_toy(folder, kToyYaml);
  const Dataset toy = load_dataset(folder.path());
  EXPECT_EQ(toy.name, "toy");
  EXPECT_EQ(toy.summary, "three samples");
  EXPECT_EQ(toy.about.at("year"), "2024");
  EXPECT_EQ(toy.table.id, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(toy.table.label, (std::vector<std::string>{"T", "I", ""}));
  EXPECT_EQ(toy.table.split, (std::vector<std::string>{"train", "validate", "test"}));
  EXPECT_EQ(toy.table.group, (std::vector<std::string>{"1", "2", "2"}));
  EXPECT_TRUE(toy.table.time.empty());
  ASSERT_EQ(toy.table.annotations.size(), 1U);
  EXPECT_EQ(toy.table.annotations.at("note").back(), "last, not least");
  EXPECT_EQ(all_rows(*toy.store, "features"),
            (Matrix(3, 3) << 1, 2, 3, 4, 5, 6, 7, 8, 9).finished());
  EXPECT_EQ(toy.store->column_names("features"), (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(load_dataset(folder / "dataset.yaml").name, "toy");
}

TEST(LoadDataset, takes_row_numbers_as_ids_and_the_folder_as_name_where_none_are_given) {
  const TestFolder folder;
  write_toy(folder, "index: toy.csv\ncolumns: {label: letter}\nfeatures: [{columns: [x, z]}]\n");
  const Dataset toy = load_dataset(folder.path());
  EXPECT_EQ(toy.name, folder.path().filename());
  EXPECT_EQ(toy.table.id, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(all_rows(*toy.store, "features"), (Matrix(3, 2) << 1, 3, 4, 6, 7, 9).finished());
}

TEST(LoadDataset, keeps_a_column_whose_name_the_mapping_gave_away) {
  const TestFolder folder;
  write_toy(folder, "index: toy.csv\ncolumns: {label: name}\nfeatures: [{columns: [x]}]\n",
            "label,name,x\n0,cat,1\n1,dog,2\n");
  const Dataset toy = load_dataset(folder.path());
  EXPECT_EQ(toy.table.label, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(toy.table.annotations.at("original_label"), (std::vector<std::string>{"0", "1"}));
}

TEST(LoadDataset, reads_raw_bytes_as_0_to_255_where_the_type_says_so) {
  const TestFolder folder;
  write_toy(folder, std::string(kToyYaml) +
                        "  - {source: rgb, file: rgb.bin, shape: [1, 2], type: uint8}\n");
  write_file(folder / "rgb.bin", std::string("\x01\x02\x03\x04\xfe\xff", 6));
  const Dataset toy = load_dataset(folder.path());
  EXPECT_EQ(all_rows(*toy.store, "rgb"), (Matrix(3, 2) << 1, 2, 3, 4, 254, 255).finished());
  EXPECT_THAT(toy_refusal(std::string(kToyYaml) + "  - {source: a, file: a.npy, type: uint8}\n"),
              HasSubstr("`type` are for raw .bin files; \"a.npy\" tells its own"));
}

TEST(LoadDataset, reads_half_precision_where_the_type_says_so) {
  const TestFolder folder;
  write_toy(folder, std::string(kToyYaml) +
                        "  - {source: a, file: a.bin, width: 1, type: float16}\n"
                        "  - {source: b, file: b.bin.gz, width: 1, type: float16}\n");
  const std::string halves("\x00\x3c\x00\xc0\x01\x00", 6);
  write_file(folder / "a.bin", halves);
  write_gz(folder / "b.bin.gz", halves);
  const Dataset toy = load_dataset(folder.path());
  const Matrix expected = (Matrix(3, 1) << 1, -2, 0x1p-24F).finished();
  EXPECT_EQ(all_rows(*toy.store, "a"), expected);
  EXPECT_EQ(all_rows(*toy.store, "b"), expected);
  EXPECT_THAT(
      toy_refusal(std::string(kToyYaml) + "  - {source: a, file: a.bin, width: 1, type: float8}\n"),
      HasSubstr("float32, float16, uint8"));
}

TEST(LoadDataset, joins_sources_of_all_kinds_of_files) {
  const TestFolder folder;
  write_toy(folder, std::string(kToyYaml) +
                        "  - {source: logits, file: logits.npy, columns: [T, I]}\n"
                        "  - {source: pose, file: pose.h5, dataset: /deep/pose}\n"
                        "  - {source: rgb, file: rgb.bin, shape: [2, 2]}\n"
                        "  - {source: sound, file: sound.bin.gz, width: 1}\n");
  const Matrix logits = Matrix::Constant(3, 2, 0.25F);
  write_npy(folder / "logits.npy", logits);
  write_hdf5(folder / "pose.h5", {{"/deep/pose", Dense<double>::Constant(3, 5, 2.0), 0}});
  write_file(folder / "rgb.bin", std::string(3 * 4 * 4, '\0'));
  write_gz(folder / "sound.bin.gz", std::string(3 * 4, '\0'));
  const Dataset toy = load_dataset(folder.path());
  EXPECT_EQ(toy.store->sources(),
            (std::vector<std::string>{"features", "logits", "pose", "rgb", "sound"}));
  EXPECT_EQ(toy.store->column_names("logits"), (std::vector<std::string>{"T", "I"}));
  EXPECT_EQ(all_rows(*toy.store, "logits"), logits);
  EXPECT_EQ(all_rows(*toy.store, "pose"), Matrix::Constant(3, 5, 2.0F));
  EXPECT_EQ(toy.store->shape("rgb"), (std::vector<Index>{2, 2}));
}

TEST(LoadDataset, counts_frames) {
  const TestFolder folder;
  write_toy(folder, "index: toy.csv\nfeatures: [{file: f.npy}]\n",
            "id,label,frames,time\nv,run,2,0.5\nw,walk,1,\n");
  write_npy(folder / "f.npy", Matrix::Zero(3, 2));
  const Dataset toy = load_dataset(folder.path());
  EXPECT_EQ(toy.table.frames, (std::vector<Index>{2, 1}));
  EXPECT_EQ(toy.table.time.front(), 0.5);
  EXPECT_TRUE(std::isnan(toy.table.time.back()));
  write_npy(folder / "f.npy", Matrix::Zero(2, 2));
  EXPECT_THAT(refusal([&] { load_dataset(folder.path()); }),
              HasSubstr("toy.csv: the index has 3 frames in all, but the features have 2 rows"));
}

TEST(LoadDataset, refuses_what_is_wrong_in_the_index) {
  EXPECT_THAT(toy_refusal(kToyYaml, with(kToyCsv, "\nb,", "\na,")),
              HasSubstr("line 3, column \"row\": the id \"a\" stands already in line 2"));
  EXPECT_THAT(toy_refusal(kToyYaml, with(kToyCsv, "\nb,", "\n,")), HasSubstr("the id is empty"));
  EXPECT_THAT(toy_refusal(kToyYaml, with(kToyCsv, ",T,", ",unknown,")),
              AllOf(HasSubstr("line 2, column \"letter\""), HasSubstr("\"unknown\""),
                    HasSubstr("reserved")));
  EXPECT_THAT(toy_refusal(kToyYaml, with(kToyCsv, ",T,", ",discovered_3,")), HasSubstr("reserved"));
  EXPECT_THAT(toy_refusal(kToyYaml, with(kToyCsv, ",val,", ",dev,")),
              HasSubstr("line 3, column \"split\": the split \"dev\" is not one of train, "
                        "validate, test or empty"));
  EXPECT_THAT(toy_refusal(kToyYaml, with(kToyCsv, ",5,", ",five,")),
              HasSubstr("line 3, column \"y\": \"five\" is not a number"));
  EXPECT_THAT(
      toy_refusal("index: toy.csv\nfeatures: [{columns: [x]}]\n", "id,x,frames\na,1,1\nb,2,0\n"),
      HasSubstr("line 3, column \"frames\": a sample needs at least one frame"));
}

TEST(LoadDataset, refuses_what_is_wrong_in_the_descriptor) {
  EXPECT_THAT(toy_refusal(with(kToyYaml, "summary", "sumary")),
              HasSubstr("dataset.yaml:2:9: sumary: unknown key; did you mean \"summary\"?"));
  EXPECT_THAT(toy_refusal(with(kToyYaml, "group: who", "groop: who")),
              HasSubstr("columns.groop: unknown key; did you mean \"group\"?"));
  EXPECT_THAT(toy_refusal(with(kToyYaml, "label: letter", "label: leter")),
              HasSubstr("no column is called \"leter\" (did you mean \"letter\"?)"));
  EXPECT_THAT(toy_refusal(with(kToyYaml, "index: toy.csv\n", "")), HasSubstr("`index`"));
  EXPECT_THAT(toy_refusal(with(kToyYaml, "toy.csv", "other.csv")), HasSubstr("other.csv"));
  EXPECT_THAT(toy_refusal(with(kToyYaml, "x..z", "x..q")), HasSubstr("no column is called \"q\""));
  EXPECT_THAT(toy_refusal(with(kToyYaml, "x..z", "z..x")), HasSubstr("the run \"z..x\" is empty"));
  EXPECT_THAT(toy_refusal(with(kToyYaml, ", columns: [x..z]", "")),
              HasSubstr("dataset.yaml:7:5: a source needs `file` or `columns`"));
  EXPECT_THAT(toy_refusal("index: toy.csv\nfeatures: []\n"), HasSubstr("`features` must be"));
  EXPECT_THAT(toy_refusal("index: toy.csv\n"), HasSubstr("`features` must be"));
  const auto entry = [](std::string_view text) {
    return toy_refusal(fmt::format("index: toy.csv\nfeatures:\n  - {{{}}}\n", text));
  };
  EXPECT_THAT(entry("file: f.txt"), HasSubstr("\"f.txt\" is none of .npy"));
  EXPECT_THAT(entry("file: f.h5"), HasSubstr("\"f.h5\" needs `dataset`"));
  EXPECT_THAT(entry("file: f.bin"), HasSubstr("\"f.bin\" needs `width` or `shape`"));
  EXPECT_THAT(entry("file: f.npy, width: 3"), HasSubstr("`width`, `shape` and `type` are for raw"));
  EXPECT_THAT(entry("file: f.npy, dataset: /x"), HasSubstr("`dataset` is for HDF5"));
  EXPECT_THAT(entry("file: none.npy"), HasSubstr("none.npy: cannot open"));
  EXPECT_THAT(entry("fle: f.npy"), HasSubstr("features.0.fle: unknown key; did you mean \"file\""));
}

TEST(LoadDataset, names_both_row_counts_when_files_disagree) {
  const TestFolder folder;
  write_toy(folder, "index: toy.csv\nfeatures: [{file: f.npy}]\n");
  write_npy(folder / "f.npy", Matrix::Zero(4, 2));
  EXPECT_THAT(refusal([&] { load_dataset(folder.path()); }),
              HasSubstr("toy.csv: the index has 3 rows, but the features have 4 rows"));
  write_toy(folder, std::string(kToyYaml) + "  - {source: logits, file: f.npy}\n");
  EXPECT_THAT(refusal([&] { load_dataset(folder.path()); }),
              AllOf(HasSubstr("f.npy has 4 rows"), HasSubstr("toy.csv has 3")));
}

TEST(SaveDataset, writes_what_load_reads_back) {
  const TestFolder folder;
  write_toy(folder, std::string(kToyYaml) + "  - {source: rgb, file: rgb.bin, shape: [2, 2]}\n");
  write_file(folder / "rgb.bin", std::string(3 * 4 * 4, '\0'));
  Dataset toy = load_dataset(folder.path());
  toy.table.time = {0.1, 1e-7, std::nan("")};
  toy.table.label.front() = "T, \"quoted\"\nin two lines";
  toy.about["note"] = "colons: and #hashes";
  save_dataset(toy, folder / "out/deep");
  const Dataset again = load_dataset(folder / "out/deep");
  EXPECT_EQ(again.name, toy.name);
  EXPECT_EQ(again.summary, toy.summary);
  EXPECT_EQ(again.about, toy.about);
  EXPECT_EQ(again.table.id, toy.table.id);
  EXPECT_EQ(again.table.label, toy.table.label);
  EXPECT_EQ(again.table.split, toy.table.split);
  EXPECT_EQ(again.table.group, toy.table.group);
  EXPECT_EQ(again.table.time[1], 1e-7);
  EXPECT_TRUE(std::isnan(again.table.time[2]));
  EXPECT_EQ(again.table.annotations, toy.table.annotations);
  EXPECT_EQ(again.store->sources(), toy.store->sources());
  EXPECT_EQ(again.store->column_names("features"), toy.store->column_names("features"));
  EXPECT_EQ(again.store->shape("rgb"), (std::vector<Index>{2, 2}));
  EXPECT_EQ(all_rows(*again.store, "features"), all_rows(*toy.store, "features"));
}

TEST(SaveDataset, refuses_an_existing_folder_and_leaves_nothing_after_a_failure) {
  const TestFolder folder;
  write_toy(folder, kToyYaml);
  Dataset toy = load_dataset(folder.path());
  std::filesystem::create_directory(folder / "there");
  EXPECT_THAT(refusal([&] { save_dataset(toy, folder / "there"); }), HasSubstr("exists already"));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "there"));
  toy.table.annotations["label"] = {"1", "2", "3"};
  EXPECT_THAT(refusal([&] { save_dataset(toy, folder / "out"); }),
              HasSubstr("the annotation \"label\""));
  toy.table.annotations.erase("label");
  toy.table.annotations["note"].pop_back();
  EXPECT_THAT(refusal([&] { save_dataset(toy, folder / "out"); }),
              HasSubstr("\"note\" of the index has 2 values for 3 rows"));
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 3U);  // toy.csv, dataset.yaml, there
}

TEST(LoadDataset, knows_features_that_are_a_picture_and_keeps_that_when_saved) {
  const TestFolder folder;
  write_toy(folder, std::string(kToyYaml) + "picture: {width: 3, height: 1, low: 1, high: 9}\n");
  const Dataset dataset = load_dataset(folder.path());
  ASSERT_TRUE(dataset.picture.has_value());
  EXPECT_EQ(dataset.picture->source, "features");
  EXPECT_EQ(dataset.picture->width, 3);
  save_dataset(dataset, folder / "copy");
  const Dataset copy = load_dataset(folder / "copy");
  ASSERT_TRUE(copy.picture.has_value());
  EXPECT_EQ(copy.picture->source, "features");
  EXPECT_EQ(copy.picture->width, 3);
  EXPECT_EQ(copy.picture->height, 1);
  EXPECT_EQ(copy.picture->low, 1.0);
  EXPECT_EQ(copy.picture->high, 9.0);
  const auto refused = [](std::string_view picture) {
    return toy_refusal(std::string(kToyYaml) + "picture: " + std::string(picture) + "\n");
  };
  EXPECT_THAT(refused("{width: 2, height: 2}"),
              HasSubstr("a picture of 2 x 2 has 4 pixels, but \"features\" has 3 values"));
  EXPECT_THAT(refused("{columns: rgb, width: 3, height: 1}"),
              HasSubstr("there is no source \"rgb\", but features"));
  EXPECT_THAT(refused("{width: 3, height: 1, low: 2, high: 1}"), HasSubstr("picture.high is 1"));
  EXPECT_THAT(refused("{wide: 3}"), HasSubstr("unknown key"));
  EXPECT_THAT(refused("{low: 0, high: 1}"), HasSubstr("the shape of \"features\" does not tell"));
  EXPECT_THAT(refused("{width: 3, height: 1, channels: 2}"), HasSubstr("picture.channels is 2"));
  EXPECT_THAT(refused("{width: 3, height: 1, channels: 3}"),
              HasSubstr("a picture of 3 x 1 in colour has 9 values, but \"features\" has 3"));
  EXPECT_THAT(refused("{source: features, columns: features, width: 3, height: 1}"),
              HasSubstr("are the same"));
}

TEST(LoadDataset, reads_the_size_of_a_colour_picture_off_the_shape_of_its_source) {
  const TestFolder folder;
  write_file(folder / "toy.csv", "id,label\na,x\nb,y\n");
  write_file(folder / "rgb.bin", std::string(std::size_t{2 * 3 * 2 * 4}, '\x07'));
  write_file(folder / "dataset.yaml",
             "index: toy.csv\nfeatures:\n"
             "  - {source: rgb, file: rgb.bin, shape: [3, 2, 4], type: uint8}\n"
             "picture: {source: rgb}\n");
  const Dataset dataset = load_dataset(folder.path());
  save_dataset(dataset, folder / "copy");
  for (const Dataset& one : {dataset, load_dataset(folder / "copy")}) {
    ASSERT_TRUE(one.picture.has_value());
    EXPECT_EQ(one.picture->source, "rgb");
    EXPECT_EQ(one.picture->width, 4);
    EXPECT_EQ(one.picture->height, 2);
    EXPECT_EQ(one.picture->channels, 3);
    EXPECT_EQ(one.picture->low, 0.0);
    EXPECT_EQ(one.picture->high, 255.0);
  }
}

}  // namespace
}  // namespace tyto
