// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/dataset_file.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/options.hpp"
#include "tyto/sample/stores/hdf5_store.hpp"
#include "tyto/sample/stores/joined_store.hpp"
#include "tyto/sample/stores/npy_store.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 9> kTableColumns{"id",   "label", "split", "source", "group",
                                                        "time", "start", "end",   "frames"};

struct Descriptor {
  std::string name, summary, index;
  ConfigNode about, features, picture;
  std::map<std::string, std::string> columns;

  void describe(OptionVisitor& v) {
    v.field("name", name, {}, "name of the dataset; standard: that of its folder");
    v.field("summary", summary, {}, "one line");
    v.field("about", about, "origin, licence, citation: any keys");
    v.field("index", index, {}, "CSV with a row per sample");
    v.section(
        "columns",
        [this](OptionVisitor& w) {
          for (const std::string_view column : kTableColumns) {
            w.field(column, columns[std::string(column)], {}, "column of the index CSV");
          }
        },
        "columns of the index that the CSV calls otherwise");
    v.field("features", features, "one or more sources of features");
    v.field("picture", picture, "features that are grey values of a picture");
  }
};

constexpr std::string_view kTypes[] = {"float32", "uint8"};

struct FeatureEntry {
  std::string source = "features", file, dataset;
  std::vector<std::string> columns;
  Index width = 0;
  std::vector<double> shape;
  std::string type = "float32";

  void describe(OptionVisitor& v) {
    v.field("source", source, {}, "name of the source");
    v.field("columns", columns, {},
            "columns of the index, `a..b` for a run; with `file` their names");
    v.field("file", file, {}, ".npy, .h5, .hdf5, .bin or .bin.gz");
    v.field("dataset", dataset, {}, "HDF5: path inside the file");
    v.field("width", width, {1, 1e9}, "raw: values per row");
    v.field("shape", shape, {1, 1e9}, "raw: extents of one row, instead of width");
    v.field("type", type, kTypes, "raw: of the values; bytes are read as 0 to 255");
  }
};

struct PictureEntry {
  PictureLayout layout{"features", 0, 0, 0, 0};

  void describe(OptionVisitor& v) {
    v.field("columns", layout.source, {}, "source of the features");
    v.field("width", layout.width, {1, 4096}, "pixels in a row");
    v.field("height", layout.height, {1, 4096}, "rows");
    v.field("low", layout.low, {-1e30, 1e30}, "value that is black");
    v.field("high", layout.high, {-1e30, 1e30},
            "value that is white; standard: least and greatest of each picture");
  }
};

std::vector<Index> picked_columns(const CsvTable& csv, const std::vector<std::string>& names) {
  std::vector<Index> picked;
  for (const std::string& name : names) {
    const auto dots = name.find("..");
    if (csv.find(name) || dots == name.npos) {
      picked.push_back(csv.column(name));
      continue;
    }
    const Index first = csv.column(name.substr(0, dots));
    const Index last = csv.column(name.substr(dots + 2));
    if (last < first) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the run \"{}\" is empty: the second column stands before the "
                              "first",
                              csv.name(), name));
    }
    for (Index column = first; column <= last; ++column) {
      picked.push_back(column);
    }
  }
  return picked;
}

std::shared_ptr<const FeatureStore> open_columns(const FeatureEntry& entry, const CsvTable& csv,
                                                 std::vector<Index>& taken,
                                                 std::vector<Breach>* breaches) {
  const auto columns = picked_columns(csv, entry.columns);
  taken.insert(taken.end(), columns.begin(), columns.end());
  std::vector<DenseStore::Source> sources(1);
  sources.front().name = entry.source;
  if (breaches == nullptr) {
    sources.front().values = csv.matrix(columns);
  } else {
    std::vector<CsvTable::BadCell> bad;
    sources.front().values = csv.matrix(columns, bad);
    for (CsvTable::BadCell& cell : bad) {
      breaches->push_back({"no_number", std::move(cell.text), cell.row});
    }
  }
  for (const Index column : columns) {
    sources.front().columns.push_back(csv.columns()[static_cast<std::size_t>(column)]);
  }
  return std::make_shared<DenseStore>(std::move(sources));
}

[[noreturn]] void refuse(const ConfigNode& at, std::string_view what) {
  throw Error(ErrorKind::config, fmt::format("{}: {}", at.place(), what));
}

std::shared_ptr<const FeatureStore> open_file(const FeatureEntry& entry, const ConfigNode& node,
                                              const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / entry.file;
  const std::string name = path.filename().string();
  const bool hdf5 = name.ends_with(".h5") || name.ends_with(".hdf5");
  const bool raw = name.ends_with(".bin") || name.ends_with(".bin.gz");
  if (!raw && (entry.width > 0 || !entry.shape.empty() || entry.type != kTypes[0])) {
    refuse(node, fmt::format("`width`, `shape` and `type` are for raw .bin files; \"{}\" tells its "
                             "own",
                             entry.file));
  }
  if (!hdf5 && !entry.dataset.empty()) {
    refuse(node, fmt::format("`dataset` is for HDF5 files, not for \"{}\"", entry.file));
  }
  if (name.ends_with(".npy")) {
    return open_npy(path, entry.source, entry.columns);
  }
  if (hdf5) {
    if (entry.dataset.empty()) {
      refuse(node, fmt::format("\"{}\" needs `dataset`, the path inside the file", entry.file));
    }
    return open_hdf5(path, entry.dataset, entry.source, entry.columns);
  }
  if (raw) {
    std::vector<Index> shape(entry.shape.begin(), entry.shape.end());
    if (shape.empty() == (entry.width == 0)) {
      refuse(node, fmt::format("\"{}\" needs `width` or `shape`, one of them", entry.file));
    }
    if (shape.empty()) {
      shape.push_back(entry.width);
    }
    return open_raw(path, shape, entry.source, entry.columns,
                    entry.type == "uint8" ? StoredAs::uint8 : StoredAs::float32);
  }
  refuse(node, fmt::format("\"{}\" is none of .npy, .h5, .hdf5, .bin, .bin.gz", entry.file));
}

std::shared_ptr<const FeatureStore> open_features(const ConfigNode& list, const CsvTable& csv,
                                                  DatasetFiles& files, std::vector<Index>& taken,
                                                  std::vector<Breach>* breaches) {
  std::vector<StorePiece> pieces;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const ConfigNode& node = list.items[i];
    const auto entry = read_options<FeatureEntry>(node, fmt::format("features.{}", i));
    if (!entry.file.empty()) {
      pieces.push_back(
          {(files.folder / entry.file).string(), open_file(entry, node, files.folder)});
      if (std::find(files.names.begin(), files.names.end(), entry.file) == files.names.end()) {
        files.names.push_back(entry.file);
      }
    } else if (!entry.columns.empty()) {
      pieces.push_back({csv.name(), open_columns(entry, csv, taken, breaches)});
    } else {
      refuse(node, "a source needs `file` or `columns`");
    }
  }
  return pieces.size() == 1 ? pieces.front().store
                            : std::make_shared<CombinedStore>(std::move(pieces));
}

PictureLayout read_picture(const ConfigNode& node, const FeatureStore& store) {
  const PictureLayout layout = read_options<PictureEntry>(node, "picture").layout;
  const auto sources = store.sources();
  if (std::find(sources.begin(), sources.end(), layout.source) == sources.end()) {
    refuse(node, fmt::format("picture.columns: there is no source \"{}\", but {}", layout.source,
                             fmt::join(sources, ", ")));
  }
  const auto shape = store.shape(layout.source);
  const Index values =
      std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<Index>());
  if (layout.width * layout.height != values) {
    refuse(node,
           fmt::format("a picture of {} x {} has {} pixels, but \"{}\" has {} values", layout.width,
                       layout.height, layout.width * layout.height, layout.source, values));
  }
  if (layout.high < layout.low) {
    refuse(node, fmt::format("picture.high is {}, below picture.low, {}", layout.high, layout.low));
  }
  return layout;
}

}  // namespace

Dataset load_dataset(const std::filesystem::path& path, std::vector<Breach>* breaches) {
  const bool is_folder = std::filesystem::is_directory(path);
  const std::filesystem::path file = is_folder ? path / kDescriptorName : path;
  return load_described(file, file.parent_path(), breaches);
}

Dataset load_described(const std::filesystem::path& file, const std::filesystem::path& folder,
                       std::vector<Breach>* breaches) {
  const ConfigNode root = load_yaml(file);
  const auto descriptor = read_options<Descriptor>(root, "");
  if (descriptor.index.empty()) {
    refuse(root, "`index`, the CSV with a row per sample, is missing");
  }
  if (descriptor.features.kind != ConfigNode::Kind::list || descriptor.features.items.empty()) {
    refuse(root, "`features` must be a list of one or more sources");
  }
  Dataset dataset;
  dataset.name = descriptor.name.empty()
                     ? std::filesystem::absolute(file).parent_path().filename().string()
                     : descriptor.name;
  dataset.summary = descriptor.summary;
  for (const auto& [key, value] : descriptor.about.pairs) {
    dataset.about.emplace(key, value.text);
  }
  const CsvTable csv = CsvTable::load(folder / descriptor.index);
  dataset.files = {folder, {}, {}};
  if (file.parent_path() == folder) {
    dataset.files.names.push_back(file.filename().string());
  }
  dataset.files.names.push_back(descriptor.index);
  for (Index row = 0; row < csv.rows(); ++row) {
    dataset.files.lines.push_back(csv.line(row));
  }
  std::vector<Index> taken;
  dataset.store = open_features(descriptor.features, csv, dataset.files, taken, breaches);
  dataset.table = read_index(csv, descriptor.columns, taken, breaches);
  expect_rows_match(dataset, csv.name());
  if (!descriptor.picture.is_null()) {
    dataset.picture = read_picture(descriptor.picture, *dataset.store);
  }
  return dataset;
}

void expect_rows_match(const Dataset& dataset, std::string_view index_name) {
  const auto& frames = dataset.table.frames;
  const Index needed = frames.empty() ? dataset.table.size()
                                      : std::accumulate(frames.begin(), frames.end(), Index{0});
  if (needed != dataset.store->rows()) {
    throw Error(
        ErrorKind::data,
        fmt::format("{}: the index has {} {}, but the features have {} rows", index_name, needed,
                    frames.empty() ? "rows" : "frames in all", dataset.store->rows()));
  }
}

}  // namespace tyto
