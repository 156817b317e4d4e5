// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/made_data.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/files/whole_folder.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/video/module.hpp"
#include "tyto/video/planar.hpp"
#include "tyto/world/clips/clips.hpp"
#include "tyto/world/registry.hpp"
#include "tyto/world/tasks/run_cuts.hpp"
#include "tyto/world/tasks/task_samples.hpp"

namespace tyto {

namespace {

constexpr std::string_view kPictureSource = "rgb";

bool has_pictures(const Dataset& data) {
  const std::vector<std::string> sources = data.store->sources();
  return std::find(sources.begin(), sources.end(), kPictureSource) != sources.end() &&
         data.store->shape(kPictureSource).size() == 3;
}

std::string file_name_of(std::string id) {
  std::replace(id.begin(), id.end(), ' ', '_');
  return id;
}

std::string cell_of(const std::vector<std::string>& column, std::size_t row) {
  return csv_field(column.empty() ? "" : column[row]);
}

std::vector<Picture> pictures_of(const Dataset& data, Index begin, Index count) {
  const std::vector<Index> shape = data.store->shape(kPictureSource);
  std::vector<Index> rows(at(count));
  std::iota(rows.begin(), rows.end(), begin);
  Matrix values(count, shape[0] * shape[1] * shape[2]);
  data.store->gather(kPictureSource, rows, values);
  std::vector<Picture> pictures;
  for (Index f = 0; f < count; ++f) {
    pictures.push_back(picture_of_planes(&values(f, 0), shape[2], shape[1]));
  }
  return pictures;
}

// Without syncing each: the folder they are in appears when all is written.
void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::ssize(bytes));
  file.close();
  if (!file) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be written", path.string()));
  }
}

void write_frames(const Dataset& data, MadeAs as, const VideoModule& module,
                  const std::filesystem::path& folder, Progress& progress) {
  make_folder(folder);
  progress.begin(as == MadeAs::videos ? "videos" : "pictures",
                 static_cast<double>(data.table.size()));
  Index begin = 0;
  for (std::size_t i = 0; i < data.table.id.size(); ++i) {
    const std::string name = file_name_of(data.table.id[i]);
    const Index count = data.table.frames.empty() ? 1 : data.table.frames[i];
    const std::vector<Picture> frames = pictures_of(data, begin, count);
    begin += count;
    if (as == MadeAs::videos) {
      module.write_video(frames, kClipsPerSecond, folder / (name + ".mkv"));
    } else {
      make_folder(folder / name);
      for (std::size_t f = 0; f < frames.size(); ++f) {
        write_bytes(folder / name / fmt::format("{:06}.png", f + 1), module.as_png(frames[f]));
      }
    }
    progress.advance(1);
  }
  progress.end();
}

}  // namespace

Dataset make_data(const ConfigNode& options, std::string_view path, std::uint64_t seed) {
  Dataset data = simulate_world(options, path, seed);
  if (!data.table.split.empty()) {
    return data;
  }
  TaskOptions deal;
  deal.trim = "untrimmed";
  const ConfigNode resolved = resolve_world(options, path);
  if (const ConfigNode* split = resolved.find("split")) {
    deal.split = read_options<SplitOptions>(*split, fmt::format("{}.split", path));
  }
  if (const ConfigNode* groups = resolved.find("groups")) {
    deal.groups = groups->text;
  }
  const TaskSamples samples = plain_samples(data, deal, Rng(seed, "world").fork("samples"));
  for (const Side side : samples.side) {
    data.table.split.emplace_back(kSideNames[static_cast<std::size_t>(side)]);
  }
  return data;
}

void expect_pictures(const Dataset& data) {
  if (!has_pictures(data)) {
    throw Error(ErrorKind::config,
                fmt::format("the world \"{}\" makes numbers, no pictures (its sources are {}); "
                            "--as dataset writes these",
                            data.name, fmt::join(data.store->sources(), ", ")));
  }
}

std::string segments_csv(const Dataset& data) {
  const IndexTable& table = data.table;
  std::vector<RunCut> cuts = segment_cuts(data);
  if (cuts.empty()) {
    for (Index row = 0; row < table.size(); ++row) {
      cuts.push_back(whole_run(table, row));
    }
  }
  std::string out = "video,start,end,label,group,split,fps,frames\n";
  for (const RunCut& cut : cuts) {
    const std::size_t row = at(cut.row);
    out += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(file_name_of(table.id[row])),
                       static_cast<double>(cut.first) / kClipsPerSecond,
                       static_cast<double>(cut.end) / kClipsPerSecond, cell_of(table.label, row),
                       cell_of(table.group, row), cell_of(table.split, row), kClipsPerSecond,
                       table.frames[row]);
  }
  return out;
}

std::string labels_csv(const Dataset& data) {
  const IndexTable& table = data.table;
  std::string out = "video,label,group,split\n";
  for (std::size_t row = 0; row < table.id.size(); ++row) {
    out += fmt::format("{},{},{},{}\n", csv_field(file_name_of(table.id[row])),
                       cell_of(table.label, row), cell_of(table.group, row),
                       cell_of(table.split, row));
  }
  return out;
}

void write_made_data(const Dataset& data, MadeAs as, const std::filesystem::path& folder,
                     Progress& progress, const VideoModule* module) {
  const auto write_lists = [&](const std::filesystem::path& into) {
    if (!data.table.frames.empty()) {
      write_file(into / "segments.csv", segments_csv(data));
      write_file(into / "labels.csv", labels_csv(data));
    }
  };
  if (as == MadeAs::dataset) {
    SaveOptions options;
    if (has_pictures(data)) {
      options.types[std::string(kPictureSource)] = StoredAs::uint8;
    }
    options.more = write_lists;
    save_dataset(data, folder, options);
    return;
  }
  expect_pictures(data);
  const VideoModule& writer = module == nullptr ? video_module() : *module;
  write_whole_folder(folder, [&](const std::filesystem::path& beside) {
    write_lists(beside);
    write_frames(data, as, writer, beside / (as == MadeAs::videos ? "videos" : "pictures"),
                 progress);
  });
}

}  // namespace tyto
