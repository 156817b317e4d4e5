// SPDX-License-Identifier: Apache-2.0
// Whole extractions, of videos written here, with a network whose answers are known.
#include "tyto/engine/extract/extract.hpp"

#include <algorithm>
#include <fstream>

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/engine/extract/pixels.hpp"
#include "tyto/engine/extract/shard_folder.hpp"
#include "tyto/video/module.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Scratch;

// The mean of red, green and blue of a clip, in 0 to 255, and the number of inputs so far: nothing
// of a sample must depend on that.
class MeanColour final : public Backbone {
 public:
  explicit MeanColour(const std::string& sampling = "all", Index clips = 1)
      : Backbone({.name = "mean_colour", .digest = "mean_colour", .classes = {"red", "no"}}) {
    Recipe& recipe = facts_.recipe;
    recipe.resizer = Resizer::none;
    recipe.crop_height = recipe.crop_width = 0;
    recipe.mean = {0, 0, 0};
    recipe.deviation.fill(1.0F / 255.0F);
    recipe.sampling = sampling;
    recipe.clips = clips;
  }

  [[nodiscard]] BackboneAnswer run(std::span<const float> inputs, Index batch,
                                   const ClipShape& shape) const override {
    if (shape.width > 60) {
      throw Error(ErrorKind::data, "the picture is too wide for this network");
    }
    if (runs_before_stop == 0) {
      throw Cancelled();
    }
    --runs_before_stop;
    BackboneAnswer answer{Matrix(batch, 3), Matrix(batch, 2)};
    const Index plane = shape.frames * shape.height * shape.width;
    for (Index i = 0; i < batch; ++i) {
      for (Index c = 0; c < 3; ++c) {
        double sum = 0;
        for (Index k = 0; k < plane; ++k) {
          sum += inputs[at((i * 3 + c) * plane + k)];
        }
        answer.features(i, c) = static_cast<float>(sum / static_cast<double>(plane));
      }
      answer.logits.row(i) << answer.features(i, 0), -1;
    }
    return answer;
  }

  mutable Index runs_before_stop = -1;
};

Picture grey(int value, Index width = 16, Index height = 12) {
  Picture picture(width, height);
  std::fill(picture.rgb.begin(), picture.rgb.end(), static_cast<std::uint8_t>(value));
  return picture;
}

// Frame k of video v is of the grey value 20 v + k.
void write_grey_video(const std::filesystem::path& path, int v, Index frames) {
  std::vector<Picture> pictures;
  for (Index k = 0; k < frames; ++k) {
    pictures.push_back(grey(20 * v + static_cast<int>(k)));
  }
  make_folder(path.parent_path());
  video_module().write_video(pictures, 10, path);
}

MediaList five_videos(const Scratch& scratch) {
  for (int v = 0; v < 5; ++v) {
    const std::string name = "media/c" + std::to_string(v % 2) + "/v" + std::to_string(v) + ".mkv";
    write_grey_video(scratch / name, v, 4 + v);
  }
  return find_media({scratch / "media"});
}

Matrix features_of(const Dataset& dataset, const std::string& source = "features") {
  std::vector<Index> rows;
  for (Index i = 0; i < dataset.store->rows(); ++i) {
    rows.push_back(i);
  }
  Matrix out(dataset.store->rows(), dataset.store->shape(source)[0]);
  dataset.store->gather(source, rows, out);
  return out;
}

ExtractOptions to(const std::filesystem::path& out) {
  ExtractOptions options;
  options.out = out;
  options.batch = 3;
  return options;
}

std::string all_bytes(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::string out;
  for (const auto& file : files) {
    out += file.lexically_relative(folder).string() + "\n" + read_file(file);
  }
  return out;
}

TEST(Extract, gives_the_mean_over_the_clips_of_each_video) {
  const Scratch scratch;
  const MediaList media = five_videos(scratch);
  Progress silent;
  const MeanColour network;
  extract_shard(network, media, to(scratch / "out"), silent);
  const MergedShards merged = merge_shards(scratch / "out");
  EXPECT_EQ(merged.samples, 5);
  EXPECT_FALSE(std::filesystem::exists(work_folder(scratch / "out")));
  const Dataset dataset = load_dataset(scratch / "out");
  EXPECT_THAT(dataset.table.id, ElementsAre("c0/v0", "c0/v2", "c0/v4", "c1/v1", "c1/v3"));
  EXPECT_THAT(dataset.table.label, ElementsAre("c0", "c0", "c0", "c1", "c1"));
  const Matrix rows = features_of(dataset);
  ASSERT_EQ(rows.rows(), 5);
  EXPECT_NEAR(rows(0, 0), 1.5, 0.6);       // frames 0 to 3
  EXPECT_NEAR(rows(2, 1), 80 + 3.5, 0.6);  // frames 0 to 7
  EXPECT_EQ(dataset.about.at("network"), "mean_colour");
  EXPECT_EQ(dataset.table.annotations.at("thumbnail_frames")[0], "4");
  EXPECT_TRUE(
      std::filesystem::exists(scratch / "out" / dataset.table.annotations.at("thumbnail")[0]));
}

TEST(Extract, gives_runs_of_clips_and_logits_where_asked) {
  const Scratch scratch;
  const MediaList media = five_videos(scratch);
  ExtractOptions options = to(scratch / "out");
  options.per_clip = options.logits = true;
  options.type = StoredAs::float16;
  options.thumbnails = 0;
  Progress silent;
  extract_shard(MeanColour(), media, options, silent);
  merge_shards(scratch / "out");
  const Dataset dataset = load_dataset(scratch / "out");
  EXPECT_THAT(dataset.table.frames, ElementsAre(4, 6, 8, 5, 7));
  const Matrix rows = features_of(dataset);
  ASSERT_EQ(rows.rows(), 30);
  EXPECT_NEAR(rows(4 + 5, 0), 45, 0.6);  // video 2, frame 5
  EXPECT_EQ(features_of(dataset, "logits")(9, 0), rows(9, 0));
  EXPECT_THAT(dataset.store->column_names("logits"), ElementsAre("red", "no"));
  EXPECT_FALSE(dataset.table.annotations.contains("thumbnail"));
}

TEST(Extract, is_the_same_bytes_for_any_number_of_shards) {
  const Scratch scratch;
  const MediaList media = five_videos(scratch);
  Progress silent;
  const MeanColour network;
  extract_shard(network, media, to(scratch / "one/set"), silent);
  merge_shards(scratch / "one/set");
  ExtractOptions options = to(scratch / "three/set");
  options.shards = 3;
  for (const Index shard : {2, 0, 1}) {
    options.shard = shard;
    EXPECT_THROW(merge_shards(options.out), Error);
    extract_shard(network, media, options, silent);
  }
  merge_shards(options.out);
  EXPECT_EQ(all_bytes(scratch / "one/set"), all_bytes(scratch / "three/set"));
}

TEST(Extract, goes_on_where_it_was_cut_short) {
  const Scratch scratch;
  const MediaList media = five_videos(scratch);
  Progress silent;
  const MeanColour network;
  extract_shard(network, media, to(scratch / "whole/set"), silent);
  merge_shards(scratch / "whole/set");
  const ExtractOptions options = to(scratch / "cut/set");
  for (Index runs = 0;; ++runs) {
    const MeanColour mortal;
    mortal.runs_before_stop = 3;
    try {
      const ExtractOutcome outcome = extract_shard(mortal, media, options, silent);
      EXPECT_GT(outcome.found_done, 0);
      EXPECT_GT(runs, 1);
      break;
    } catch (const Cancelled&) {
      EXPECT_THROW(merge_shards(options.out), Error);
      ASSERT_LT(runs, 10);
    }
  }
  merge_shards(options.out);
  EXPECT_EQ(all_bytes(scratch / "whole/set"), all_bytes(scratch / "cut/set"));
}

TEST(Extract, refuses_to_go_on_with_another_network) {
  const Scratch scratch;
  const MediaList media = five_videos(scratch);
  Progress silent;
  const MeanColour mortal;
  mortal.runs_before_stop = 3;
  EXPECT_THROW(extract_shard(mortal, media, to(scratch / "out"), silent), Cancelled);
  const MeanColour other("uniform", 2);
  try {
    extract_shard(other, media, to(scratch / "out"), silent);
    FAIL() << "another recipe";
  } catch (const Error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("another recipe"));
  }
}

TEST(Extract, lists_what_is_broken_and_goes_on) {
  const Scratch scratch;
  five_videos(scratch);
  write_file(scratch / "media/c0/broken.mp4", "this is no video");
  write_file(scratch / "media/c0/empty.avi", "");
  write_file(scratch / "media/c1/picture.png", video_module().as_png(grey(99)));
  write_file(scratch / "media/c1/wide.png", video_module().as_png(grey(50, 64)));
  const std::string png = video_module().as_png(grey(7));
  write_file(scratch / "media/c1/half.png", png.substr(0, png.size() / 2));
  const MediaList media = find_media({scratch / "media"});
  std::filesystem::remove(scratch / "media/c0/v2.mkv");  // gone while we look at the others
  for (const bool per_clip : {false, true}) {
    ExtractOptions options = to(scratch / (per_clip ? "clips" : "videos"));
    options.per_clip = per_clip;
    Progress silent;
    const ExtractOutcome outcome = extract_shard(MeanColour(), media, options, silent);
    EXPECT_EQ(outcome.samples, 10);
    const MergedShards merged = merge_shards(options.out);
    std::vector<std::string> ids;
    for (const MediaProblem& problem : merged.problems) {
      ids.push_back(problem.id);
    }
    EXPECT_THAT(ids, ElementsAre("c0/broken", "c0/empty", "c0/v2", "c1/half", "c1/wide"));
    EXPECT_THAT(merged.problems[0].reason, HasSubstr("broken.mp4"));
    EXPECT_THAT(merged.problems[4].reason, HasSubstr("too wide"));
    const Dataset dataset = load_dataset(options.out);
    EXPECT_THAT(dataset.table.id, ElementsAre("c0/v0", "c0/v4", "c1/picture", "c1/v1", "c1/v3"));
    EXPECT_NEAR(features_of(dataset)(per_clip ? 12 : 2, 0), 99, 0.01);
    EXPECT_THAT(read_file(options.out / "problems.csv"), HasSubstr("c0/broken,"));
  }
}

TEST(Extract, says_so_where_nothing_could_be_read) {
  const Scratch scratch;
  make_folder(scratch / "media");
  write_file(scratch / "media/a.mp4", "no video");
  Progress silent;
  extract_shard(MeanColour(), find_media({scratch / "media"}), to(scratch / "out"), silent);
  EXPECT_THROW(merge_shards(scratch / "out"), Error);
  EXPECT_FALSE(std::filesystem::exists(scratch / "out"));
}

TEST(Extract, cuts_segments_out_of_videos) {
  const Scratch scratch;
  const MediaList media = five_videos(scratch);
  write_file(scratch / "t.csv",
             "video,start,end,label,split,frames\nv4,0.2,0.5,wave,train,8\n"
             "v4,0,0.2,run,test,8\nv3,0.9,2,run,test,7\n");
  const MediaList rows = media_segments(scratch / "t.csv", media, false);
  Progress silent;
  extract_shard(MeanColour(), rows, to(scratch / "out"), silent);
  const MergedShards merged = merge_shards(scratch / "out");
  const Dataset dataset = load_dataset(scratch / "out");
  EXPECT_THAT(dataset.table.id, ElementsAre("c0/v4@0-0.2", "c0/v4@0.2-0.5"));
  EXPECT_THAT(dataset.table.split, ElementsAre("test", "train"));
  EXPECT_THAT(dataset.table.annotations.at("original_frames"), ElementsAre("8", "8"));
  EXPECT_THAT(dataset.table.group, ElementsAre("c0/v4", "c0/v4"));
  const Matrix features = features_of(dataset);
  EXPECT_NEAR(features(0, 0), 80.5, 0.6);  // frames 0 and 1
  EXPECT_NEAR(features(1, 0), 83, 0.6);    // frames 2 to 4
  ASSERT_EQ(merged.problems.size(), 1U);   // v3 has 7 frames
  EXPECT_THAT(merged.problems[0].reason, HasSubstr("no frame from 9 to 7"));
}

TEST(Extract, gives_a_source_for_every_change) {
  const Scratch scratch;
  const MediaList media = five_videos(scratch);
  ExtractOptions options = to(scratch / "out");
  options.changes.push_back({"inverted", [](const MediaSample&) {
                               return [](const Picture& picture, Index) {
                                 Picture out = picture;
                                 for (auto& value : out.rgb) {
                                   value = static_cast<std::uint8_t>(255 - value);
                                 }
                                 return out;
                               };
                             }});
  Progress silent;
  extract_shard(MeanColour(), media, options, silent);
  merge_shards(scratch / "out");
  const Dataset dataset = load_dataset(scratch / "out");
  const Matrix plain = features_of(dataset), inverted = features_of(dataset, "features_inverted");
  EXPECT_LT((plain + inverted - Matrix::Constant(5, 3, 255)).cwiseAbs().maxCoeff(), 0.01);
}

TEST(Extract, keeps_pixels_to_train_with) {
  const Scratch scratch;
  const MediaList media = five_videos(scratch);
  ExtractOptions options = to(scratch / "out");
  options.pixels = options.per_clip = true;
  options.type = StoredAs::uint8;
  Progress silent;
  extract_shard(*pixel_backbone(8, ConfigNode::empty_map()), media, options, silent);
  merge_shards(scratch / "out");
  const Dataset dataset = load_dataset(scratch / "out");
  EXPECT_THAT(dataset.store->shape("rgb"), ElementsAre(3, 8, 8));
  Matrix row(1, 192);
  dataset.store->gather("rgb", std::vector<Index>{9}, row);
  EXPECT_NEAR(row(0, 100), 45, 1);  // video 2, frame 5
  EXPECT_EQ(row(0, 100), std::round(row(0, 100)));
}

}  // namespace
}  // namespace tyto
