// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "sample/hdf5_writer.hpp"
#include "support/scratch.hpp"
#include "support/small_checkpoints.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/import.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Scratch;

namespace fs = std::filesystem;

// Four clips, the last of which has no times.
constexpr const char* kManifest =
    "id,label,increment,split,novelty,youtube_id,time_start,time_end,dataset\n"
    "a_000001_000011,run,0,train,known,a,1,11,k400\n"
    "b_000002_000012,walk,0,test,known,b,2,12,k400\n"
    "c_c_000003_000013,fly,1,train,novel,c_c,3,13,k600\n"
    "d,fly,1,test,novel,d,-1,-1,k600\n";

std::string dataset_refusal(const fs::path& folder, const std::string& options = "") {
  try {
    const Dataset data =
        import_dataset("kinetics_features", folder, "",
                       options.empty() ? ConfigNode{} : parse_yaml(options, "options"));
    for (const std::string& source : data.store->sources()) {  // files are read when asked for
      std::vector<Index> rows;
      for (Index i = 0; i < data.store->rows(); ++i) {
        rows.push_back(i);
      }
      Matrix out(data.store->rows(), data.store->shape(source).front());
      data.store->gather(source, rows, out);
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

Matrix all_rows_of(const Dataset& data, std::string_view source) {
  const std::vector<Index> shape = data.store->shape(source);
  std::vector<Index> rows;
  for (Index i = 0; i < data.store->rows(); ++i) {
    rows.push_back(i);
  }
  Matrix out(data.store->rows(), shape.front());
  data.store->gather(source, rows, out);
  return out;
}

Matrix counted_rows(Index rows, Index width, float first) {
  Matrix values(rows, width);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < width; ++j) {
      values(i, j) = first + static_cast<float>(10 * i + j);
    }
  }
  return values;
}

class FeatureFiles {
 public:
  FeatureFiles() { write_file(folder_ / "manifest.csv", kManifest); }

  // x3d: k400 with its rows the other way round and one clip too many, k600 in HDF5.
  void add_releases() const {
    write_npy(file("x3d_k400.npy"), counted_rows(3, 2, 100));
    write_file(file("x3d_k400_ids.txt"), "z_000001_000002\nb_000002_000012\na_000001_000011\n");
    write_hdf5(file("x3d_k600.h5"), {{"/features", counted_rows(2, 2, 200).cast<double>(), 0}});
    write_file(file("x3d_k600_ids.csv"), "id\nd_000004_000014\nc_c_000003_000013\n");
  }

  // tsf: a tree of single files, one a tensor of PyTorch.
  void add_tree() const {
    fs::create_directories(file("tsf/batch_0"));
    fs::create_directories(file("tsf/batch_1"));
    write_npy(file("tsf/batch_0/a_000001_000011_feat.npy"), counted_rows(1, 3, 1));
    write_npy(file("tsf/batch_1/b_000002_000012_feat.npy"), counted_rows(3, 1, 4));  // squeezed
    write_file(file("tsf/batch_1/c_c_000003_000013_feat.pt"), tensor({7, 8, 9}));
    write_npy(file("tsf/batch_1/d_000004_000014_feat.npy"), counted_rows(1, 3, 10));
  }

  static std::string tensor(const std::vector<float>& values) {
    using namespace testing_support;
    std::string bytes;
    for (const float value : values) {
      bytes += raw(value);
    }
    PyTensor tensor;
    tensor.count = static_cast<std::int32_t>(values.size());
    tensor.sizes = py_tuple({1, tensor.count});
    tensor.strides = py_tuple({tensor.count, 1});
    return small_torch_zip(py_pickle(py_tensor(tensor)), {bytes});
  }

  [[nodiscard]] fs::path file(std::string_view name) const { return folder_ / name; }

  [[nodiscard]] const fs::path& path() const { return folder_.path(); }

 private:
  Scratch folder_;
};

TEST(KineticsFeatures, joins_files_of_releases_and_a_tree_to_the_manifest) {
  const FeatureFiles files;
  files.add_releases();
  files.add_tree();
  const Dataset data = import_dataset("kinetics_features", files.path());
  EXPECT_THAT(data.table.id,
              ElementsAre("a_000001_000011", "b_000002_000012", "c_c_000003_000013", "d"));
  EXPECT_THAT(data.table.label, ElementsAre("run", "walk", "fly", "fly"));
  EXPECT_THAT(data.table.split, ElementsAre("train", "test", "train", "test"));
  EXPECT_THAT(data.table.annotations.at("increment"), ElementsAre("0", "0", "1", "1"));
  EXPECT_THAT(data.table.annotations.at("dataset"), ElementsAre("k400", "k400", "k600", "k600"));
  EXPECT_THAT(data.store->sources(), ElementsAre("tsf", "x3d"));
  const Matrix x3d = all_rows_of(data, "x3d");
  EXPECT_EQ(x3d(0, 0), 120);  // the third row of k400
  EXPECT_EQ(x3d(1, 1), 111);
  EXPECT_EQ(x3d(2, 0), 210);
  EXPECT_EQ(x3d(3, 0), 200);  // d, whose times only the features know
  const Matrix tsf = all_rows_of(data, "tsf");
  EXPECT_EQ(tsf(0, 2), 3);
  EXPECT_EQ(tsf(1, 1), 14);  // 4, 14, 24 of three rows of one
  EXPECT_EQ(tsf(2, 0), 7);
  EXPECT_THAT(data.about.at("not used"), HasSubstr("1 rows"));
  EXPECT_THAT(data.summary, AllOf(HasSubstr("4 clips"), HasSubstr("x3d (2)")));
  // As a dataset on disk it is read again.
  save_dataset(data, files.file("out"));
  const Dataset again = load_dataset(files.file("out"));
  EXPECT_EQ(all_rows_of(again, "x3d"), x3d);
  EXPECT_THAT(again.table.annotations.at("novelty"),
              ElementsAre("known", "known", "novel", "novel"));
}

TEST(KineticsFeatures, logits_in_a_tree_are_a_source_of_their_own) {
  const FeatureFiles files;
  files.add_tree();
  for (const char* id : {"a_000001_000011", "b_000002_000012", "c_c_000003_000013", "d"}) {
    write_npy(files.file(std::string("tsf/batch_0/") + id + "_logits.npy"), counted_rows(1, 5, 0));
  }
  const Dataset data = import_dataset("kinetics_features", files.path());
  EXPECT_THAT(data.store->sources(), ElementsAre("tsf", "tsf_logits"));
  const Dataset one = import_dataset("kinetics_features", files.path(), "",
                                     parse_yaml("sources: [tsf_logits]", "options"));
  EXPECT_THAT(one.store->sources(), ElementsAre("tsf_logits"));
  EXPECT_THAT(one.store->shape("tsf_logits"), ElementsAre(5));
}

TEST(KineticsFeatures, lost_clips_are_refused_listed_or_left_out) {
  const FeatureFiles files;
  files.add_releases();
  files.add_tree();
  fs::remove(files.file("tsf/batch_1/b_000002_000012_feat.npy"));
  const std::string list = files.file("lost.txt").string();
  EXPECT_THAT(dataset_refusal(files.path(), "lost_list: " + list),
              AllOf(HasSubstr("1 of 4 clips"), HasSubstr("manifest.csv"), HasSubstr("in tsf"),
                    HasSubstr("b_000002_000012"), HasSubstr("lost: leave_out")));
  EXPECT_EQ(read_file(list), "b_000002_000012\n");
  const Dataset data = import_dataset("kinetics_features", files.path(), "",
                                      parse_yaml("lost: leave_out", "options"));
  EXPECT_THAT(data.table.id, ElementsAre("a_000001_000011", "c_c_000003_000013", "d"));
  EXPECT_EQ(all_rows_of(data, "x3d")(1, 0), 210);
  EXPECT_EQ(all_rows_of(data, "tsf")(1, 0), 7);
  EXPECT_THAT(data.about.at("left out"), HasSubstr("b_000002_000012"));
  write_file(files.file("manifest.csv"),
             std::string(kManifest).substr(0, 72) + "q,run,0,train,known,q,-1,-1,k400\n");
  EXPECT_THAT(dataset_refusal(files.path(), "lost: leave_out"), HasSubstr("none is left"));
}

TEST(KineticsFeatures, names_the_file_that_is_wrong) {
  struct Case {
    std::string file, content;
    std::vector<std::string> said;
  };

  const FeatureFiles good;
  good.add_tree();
  const std::string row = read_file(good.file("tsf/batch_0/a_000001_000011_feat.npy"));
  const std::string a = "tsf/batch_0/a_000001_000011_feat.npy";
  const std::string b = "tsf/batch_1/b_000002_000012_feat.npy";
  const std::string pt = "tsf/batch_1/c_c_000003_000013_feat.pt";
  const std::string whole = FeatureFiles::tensor({7, 8, 9});
  for (const Case& bad : std::vector<Case>{
           {a, row.substr(0, row.size() - 4), {a}},  // cut off
           {b, row.substr(0, row.size() - 4), {b}},
           {b, "", {b}},
           {pt, whole.substr(0, whole.size() / 2), {pt}},
           {pt, FeatureFiles::tensor({7, 8}), {pt, "the shape is (2), but (3) in", a}},
           {pt, "no tensor", {pt, "holds no tensors"}},
           {"tsf/batch_2/a_000001_000011_feat.npy",
            row,
            {"batch_2", "has features of tsf already", a}},
           {"tsf/batch_2/d_000050_000060_feat.npy",
            row,
            {"manifest.csv: line 5", "\"d\" has no times", "2 clips", "d_000004_000014"}},
           {"x3d_k400.npy",
            row,
            {"x3d_k400.npy", "ids of its rows are missing", "x3d_k400_ids.txt"}},
       }) {
    const FeatureFiles files;
    files.add_tree();
    fs::create_directories(files.file("tsf/batch_2"));
    write_file(files.file(bad.file), bad.content);
    const std::string said = dataset_refusal(files.path());
    for (const std::string& words : bad.said) {
      EXPECT_THAT(said, HasSubstr(words)) << bad.file;
    }
  }
}

TEST(KineticsFeatures, refuses_ids_that_do_not_fit_and_releases_of_other_widths) {
  const FeatureFiles files;
  files.add_releases();
  write_file(files.file("x3d_k400_ids.txt"), "a_000001_000011\n");
  EXPECT_THAT(dataset_refusal(files.path()),
              AllOf(HasSubstr("x3d_k400_ids.txt has 1 ids"), HasSubstr("x3d_k400.npy has 3 rows")));
  files.add_releases();
  write_hdf5(files.file("x3d_k600.h5"), {{"/features", counted_rows(2, 3, 200).cast<double>(), 0}});
  EXPECT_THAT(dataset_refusal(files.path()), AllOf(HasSubstr("(2)"), HasSubstr("x3d_k400.npy"),
                                                   HasSubstr("(3)"), HasSubstr("x3d_k600.h5")));
  write_hdf5(files.file("x3d_k600.h5"), {{"/other", counted_rows(2, 2, 200).cast<double>(), 0}});
  EXPECT_THAT(dataset_refusal(files.path()), HasSubstr("no dataset \"/features\""));
  EXPECT_EQ(dataset_refusal(files.path(), "dataset: /other"), "accepted");
}

TEST(KineticsFeatures, refuses_an_empty_folder_an_unknown_source_and_another_table) {
  const FeatureFiles files;
  EXPECT_THAT(dataset_refusal(files.path()), HasSubstr("holds no features"));
  files.add_tree();
  EXPECT_THAT(dataset_refusal(files.path(), "sources: [tfs]"), HasSubstr("did you mean \"tsf\"?"));
  EXPECT_THAT(dataset_refusal(files.path(), "manifest: absent.csv"), HasSubstr("absent.csv"));
  write_file(files.file("manifest.csv"), "id,label\na,run\n");
  EXPECT_THAT(dataset_refusal(files.path()), HasSubstr("no column is called \"increment\""));
}

}  // namespace
}  // namespace tyto
