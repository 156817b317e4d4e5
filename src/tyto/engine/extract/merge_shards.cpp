// SPDX-License-Identifier: Apache-2.0
// Folders of features extracted by several machines, put together in the order of the list.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/engine/extract/extract.hpp"
#include "tyto/engine/extract/recipe_options.hpp"
#include "tyto/engine/extract/row_log.hpp"
#include "tyto/engine/extract/shard_folder.hpp"
#include "tyto/sample/stores/joined_store.hpp"
#include "tyto/sample/stores/picked_store.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

struct ShardRows {
  fs::path folder;
  FinishedLog log;
};

// How many shards there are, by the folders' names.
Index count_shards(const fs::path& work) {
  Index shards = 0;
  if (fs::is_directory(work)) {
    for (const auto& entry : fs::directory_iterator(work)) {
      const std::string name = entry.path().filename().string();
      const auto of = name.find("_of_");
      if (name.starts_with("shard_") && of != name.npos) {
        Index n = 0;
        std::from_chars(name.data() + of + 4, name.data() + name.size(), n);
        if (shards != 0 && n != shards) {
          throw Error(ErrorKind::state, fmt::format("{}: there are shards of {} and of {}; remove "
                                                    "those that do not belong",
                                                    work.string(), shards, n));
        }
        shards = n;
      }
    }
  }
  if (shards == 0) {
    throw Error(ErrorKind::state, fmt::format("{}: there is nothing to merge", work.string()));
  }
  return shards;
}

std::vector<ShardRows> whole_shards(const fs::path& out, Index shards, const MediaList& media) {
  std::vector<ShardRows> all;
  const fs::path first = shard_folder(out, 0, shards);
  for (Index i = 0; i < shards; ++i) {
    const fs::path folder = shard_folder(out, i, shards);
    if (!fs::exists(folder / "samples.csv")) {
      throw Error(ErrorKind::state, fmt::format("shard {} of {} is missing: {} is not there", i,
                                                shards, folder.string()));
    }
    for (const char* file : {"samples.csv", "settings.json"}) {
      if (read_file(folder / file) != read_file(first / file)) {
        throw Error(ErrorKind::state,
                    fmt::format("{} and {} differ in {}: the shards are not of one extraction",
                                folder.string(), first.string(), file));
      }
    }
    FinishedLog log = read_row_log(folder);
    const auto units = static_cast<Index>(units_of_shard(media, i, shards).size());
    if (log.units < units) {
      throw Error(ErrorKind::state, fmt::format("shard {} of {} is not at its end: {} of {} parts "
                                                "are done",
                                                i, shards, log.units, units));
    }
    all.push_back({folder, std::move(log)});
  }
  return all;
}

// Of pictures the size that the recipe cuts out.
std::vector<Index> shape_of(const RowSource& source, const ShardSettings& settings) {
  if (!settings.pixels) {
    return {source.width};
  }
  const Recipe recipe = read_recipe(parse_yaml(settings.recipe, "recipe"), Recipe(), "recipe");
  const Index height = recipe.crop_height;
  return height > 0 && source.width % (3 * height) == 0
             ? std::vector<Index>{3, height, source.width / (3 * height)}
             : std::vector<Index>{source.width};
}

std::shared_ptr<const FeatureStore> store_of(const ShardRows& shard,
                                             const std::vector<RowSource>& sources,
                                             const ShardSettings& settings) {
  std::vector<StorePiece> pieces;
  for (const RowSource& source : sources) {
    const bool scores = source.name.starts_with("logits");
    const bool named = scores && static_cast<Index>(settings.classes.size()) == source.width;
    pieces.push_back(
        {source.name,
         open_raw(shard.folder / (source.name + ".bin"), shape_of(source, settings), source.name,
                  named ? settings.classes : std::vector<std::string>(), settings.type)});
  }
  return std::make_shared<CombinedStore>(std::move(pieces));
}

struct PlacedSample {
  const LoggedSample* logged = nullptr;
  Index first_row = 0;  // among all shards' rows
  Index shard = 0;
};

class DatasetOfShards {
 public:
  DatasetOfShards(fs::path out, Index shards)
      : out_(std::move(out)),
        settings_(shard_settings(shard_folder(out_, 0, shards))),
        media_(media_from_csv(shard_folder(out_, 0, shards) / "samples.csv")),
        shards_(whole_shards(out_, shards, media_)) {}

  MergedShards save() {
    place();
    Dataset dataset;
    dataset.name = fs::absolute(out_ / "").parent_path().filename().string();
    dataset.summary = fmt::format("features of {}", settings_.network);
    dataset.about = {{"network", settings_.network},
                     {"network_digest", settings_.digest},
                     {"recipe", settings_.recipe},
                     {"rows", settings_.per_clip ? "a row per clip" : "the mean over clips"},
                     {"batch", fmt::to_string(settings_.batch)}};
    fill_table(dataset.table);
    if (dataset.table.id.empty()) {
      throw Error(
          ErrorKind::data,
          fmt::format(
              "none of {} samples could be read; the first: {}", merged_.problems.size(),
              merged_.problems.empty() ? "there is none" : merged_.problems.front().reason));
    }
    dataset.store = std::make_shared<PickedStore>(joined(), rows_);
    SaveOptions options;
    options.type = settings_.type;
    options.more = [&](const fs::path& folder) { write_more(folder); };
    save_dataset(dataset, out_, options);
    merged_.samples = dataset.table.size();
    merged_.rows = static_cast<Index>(rows_.size());
    return merged_;
  }

 private:
  void place() {
    placed_.resize(media_.samples.size());
    Index row = 0;
    for (std::size_t s = 0; s < shards_.size(); ++s) {
      for (const LoggedSample& logged : shards_[s].log.samples) {
        placed_[at(logged.sample)] = {&logged, row, static_cast<Index>(s)};
        row += logged.rows;
      }
    }
  }

  [[nodiscard]] std::shared_ptr<const FeatureStore> joined() const {
    std::vector<StorePiece> pieces;
    for (const ShardRows& shard : shards_) {
      if (shard.log.rows > 0) {
        pieces.push_back({shard.folder.string(), store_of(shard, shard.log.sources, settings_)});
      }
    }
    return std::make_shared<JoinedStore>(std::move(pieces));
  }

  void fill_table(IndexTable& table) {
    const bool runs = settings_.per_clip;
    const auto any = [&](auto&& has) {
      return std::any_of(media_.samples.begin(), media_.samples.end(), has);
    };
    const bool splits = any([](const MediaSample& s) { return !s.split.empty(); });
    const bool groups = any([](const MediaSample& s) { return !s.group.empty(); });
    const bool times = any([](const MediaSample& s) { return !std::isnan(s.time); });
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const MediaSample& sample = media_.samples[i];
      const PlacedSample& place = placed_[i];
      if (place.logged->rows == 0) {
        merged_.problems.push_back({sample.id, place.logged->reason});
        continue;
      }
      table.id.push_back(sample.id);
      table.label.push_back(sample.label);
      if (splits) {
        table.split.push_back(sample.split);
      }
      if (groups) {
        table.group.push_back(sample.group);
      }
      if (times) {
        table.time.push_back(sample.time);
      }
      if (runs) {
        table.frames.push_back(place.logged->rows);
      }
      for (Index r = 0; r < place.logged->rows; ++r) {
        rows_.push_back(place.first_row + r);
      }
      kept_.push_back(i);
    }
    annotate(table);
  }

  void annotate(IndexTable& table) {
    for (const MediaSample& sample : media_.samples) {
      for (const auto& [name, value] : sample.annotations) {
        table.annotations[name];
      }
    }
    bool thumbnails = false;
    for (const std::size_t i : kept_) {
      for (auto& [name, values] : table.annotations) {
        const auto it = media_.samples[i].annotations.find(name);
        values.push_back(it == media_.samples[i].annotations.end() ? "" : it->second);
      }
      thumbnails = thumbnails || placed_[i].logged->thumbnail_frames > 0;
    }
    if (!thumbnails) {
      return;
    }
    auto& paths = table.annotations["thumbnail"];
    auto& frames = table.annotations["thumbnail_frames"];
    for (const std::size_t i : kept_) {
      const Index count = placed_[i].logged->thumbnail_frames;
      paths.push_back(count > 0 ? thumbnail_file("", static_cast<Index>(i)).string() : "");
      frames.push_back(count > 0 ? fmt::to_string(count) : "");
    }
  }

  void write_more(const fs::path& folder) const {
    for (const std::size_t i : kept_) {
      const PlacedSample& place = placed_[i];
      if (place.logged->thumbnail_frames > 0) {
        make_folder(folder / "thumbnails");
        const auto number = static_cast<Index>(i);
        fs::copy_file(thumbnail_file(shards_[at(place.shard)].folder, number),
                      thumbnail_file(folder, number));
      }
    }
    if (!merged_.problems.empty()) {
      std::string text = "sample,reason\n";
      for (const MediaProblem& problem : merged_.problems) {
        text += csv_field(problem.id) + "," + csv_field(problem.reason) + "\n";
      }
      write_file(folder / "problems.csv", text);
    }
  }

  fs::path out_;
  ShardSettings settings_;
  MediaList media_;
  std::vector<ShardRows> shards_;
  std::vector<PlacedSample> placed_;
  std::vector<Index> rows_;
  std::vector<std::size_t> kept_;
  MergedShards merged_;
};

}  // namespace

MergedShards merge_shards(const fs::path& out) {
  const fs::path work = work_folder(out);
  const Index shards = count_shards(work);
  if (!fs::exists(shard_folder(out, 0, shards) / "samples.csv")) {
    throw Error(ErrorKind::state, fmt::format("shard 0 of {} is missing: {} is not there", shards,
                                              shard_folder(out, 0, shards).string()));
  }
  const MergedShards merged = DatasetOfShards(out, shards).save();
  fs::remove_all(work);
  return merged;
}

}  // namespace tyto
