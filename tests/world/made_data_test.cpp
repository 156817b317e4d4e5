// SPDX-License-Identifier: Apache-2.0
// Simulated worlds as files.
#include "tyto/world/made_data.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/video/module.hpp"
#include "tyto/video/planar.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

// Keeps what it is given, and leaves a file.
struct WatchedWriter final : VideoModule {
  [[nodiscard]] std::unique_ptr<VideoReader> open_video(const std::filesystem::path&,
                                                        Index) const override {
    return nullptr;
  }

  [[nodiscard]] Picture read_picture(const std::filesystem::path&) const override { return {}; }

  [[nodiscard]] std::string as_jpeg(const Picture&, int) const override { return {}; }

  [[nodiscard]] std::string as_png(const Picture& picture) const override {
    return std::string(picture.rgb.begin(), picture.rgb.end());
  }

  void write_video(std::span<const Picture> frames, double fps,
                   const std::filesystem::path& path) const override {
    if (path.filename() == broken) {
      throw Error(ErrorKind::io, "no space");
    }
    videos[path.filename()] = {frames.begin(), frames.end()};
    rate = fps;
    write_file(path, "video");
  }

  [[nodiscard]] std::unique_ptr<Backbone> open_onnx(const std::filesystem::path&, const Recipe&,
                                                    const OnnxOptions&) const override {
    return nullptr;
  }

  std::filesystem::path broken;
  mutable std::map<std::filesystem::path, std::vector<Picture>> videos;
  mutable double rate = 0;
};

Dataset few_clips(const std::string& more = "") {
  return make_data(
      parse_yaml("{kind: clips, classes: 4, videos: 5, width: 12, height: 8" + more + "}", "c"),
      "clips", 3);
}

std::filesystem::path fresh(const std::string& name) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "made_data" / name;
  std::filesystem::remove_all(folder);
  return folder;
}

TEST(MadeData, has_the_split_of_the_world_of_that_seed) {
  const Dataset data = few_clips();
  std::map<std::string, int> counts;
  for (const std::string& split : data.table.split) {
    ++counts[split];
  }
  EXPECT_EQ(counts["train"] + counts["test"], 20);
  EXPECT_GT(counts["test"], 0);
  const Dataset other = few_clips(", split: {test: 0.3, validate: 0.3}");
  EXPECT_THAT(other.table.split, testing::Contains("validate"));
}

TEST(MadeData, is_written_as_lossless_videos_with_segments_and_labels) {
  const Dataset data = few_clips();
  const auto folder = fresh("videos");
  WatchedWriter writer;
  Progress progress;
  write_made_data(data, MadeAs::videos, folder, progress, &writer);
  EXPECT_TRUE(std::filesystem::exists(folder / "videos" / "video_000019.mkv"));
  ASSERT_EQ(writer.videos.size(), 20U);
  EXPECT_EQ(writer.rate, 10);
  const std::vector<Picture>& second = writer.videos.at("video_000001.mkv");
  ASSERT_EQ(std::ssize(second), data.table.frames[1]);
  Matrix values(1, 3 * 12 * 8);
  const std::vector<Index> row{data.table.frames[0]};
  data.store->gather("rgb", row, values);
  EXPECT_EQ(second.front(), picture_of_planes(&values(0, 0), 12, 8));

  const CsvTable segments = CsvTable::load(folder / "segments.csv");
  ASSERT_EQ(segments.rows(), 20);
  EXPECT_EQ(segments.text(1, segments.column("video")), "video_000001");
  EXPECT_EQ(std::stod(std::string(segments.text(1, segments.column("end")))) * 10,
            std::stod(data.table.annotations.at("segment_end")[1]));
  const CsvTable labels = CsvTable::load(folder / "labels.csv");
  EXPECT_EQ(labels.text(7, labels.column("label")), data.table.label[7]);
  EXPECT_EQ(labels.text(7, labels.column("split")), data.table.split[7]);
}

TEST(MadeData, is_written_as_a_folder_of_pictures_a_video) {
  const Dataset data = few_clips();
  const auto folder = fresh("pictures");
  Progress progress;
  const WatchedWriter writer;
  write_made_data(data, MadeAs::pictures, folder, progress, &writer);
  Index files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "pictures/video_000002")) {
    static_cast<void>(entry);
    ++files;
  }
  EXPECT_EQ(files, data.table.frames[2]);
  EXPECT_EQ(read_file(folder / "pictures/video_000002/000001.png").size(), 3U * 12 * 8);
}

TEST(MadeData, is_written_as_a_dataset_of_bytes) {
  const Dataset data = few_clips();
  const auto folder = fresh("dataset");
  Progress progress;
  write_made_data(data, MadeAs::dataset, folder, progress);
  const auto frames = static_cast<std::uintmax_t>(data.store->rows());
  EXPECT_LT(std::filesystem::file_size(folder / "rgb.npy"), frames * 3 * 12 * 8 + 200);
  const Dataset again = load_dataset(folder);
  EXPECT_EQ(again.store->shape("rgb"), (std::vector<Index>{3, 8, 12}));
  EXPECT_EQ(again.table.annotations.at("segment_end"), data.table.annotations.at("segment_end"));
  const std::vector<Index> rows{0, 11};
  Matrix before(2, 3 * 12 * 8);
  Matrix after = before;
  data.store->gather("rgb", rows, before);
  again.store->gather("rgb", rows, after);
  EXPECT_EQ(before, after);
  EXPECT_TRUE(std::filesystem::exists(folder / "segments.csv"));
}

TEST(MadeData, without_segments_every_video_is_listed_whole) {
  Dataset data = few_clips();
  data.table.annotations.erase("segment_first");
  data.table.annotations.erase("segment_end");
  const CsvTable segments = CsvTable::parse(segments_csv(data), "segments.csv");
  ASSERT_EQ(segments.rows(), 20);
  for (Index row = 0; row < segments.rows(); ++row) {
    EXPECT_EQ(segments.text(row, segments.column("start")), "0");
    EXPECT_EQ(std::stod(std::string(segments.text(row, segments.column("end")))) * 10,
              static_cast<double>(data.table.frames[static_cast<std::size_t>(row)]));
  }
}

TEST(MadeData, is_whole_or_absent_and_refused_in_a_sentence) {
  WatchedWriter writer;
  writer.broken = "video_000003.mkv";
  Progress progress;
  const auto folder = fresh("broken");
  EXPECT_THROW(write_made_data(few_clips(), MadeAs::videos, folder, progress, &writer), Error);
  EXPECT_FALSE(std::filesystem::exists(folder));
  try {
    write_made_data(make_data(parse_yaml("{kind: gaussians}", "g"), "gaussians", 1), MadeAs::videos,
                    folder, progress, &writer);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the world \"gaussians\" makes numbers, no pictures"));
  }
}

}  // namespace
}  // namespace tyto
