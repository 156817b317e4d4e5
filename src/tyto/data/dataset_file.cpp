// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/dataset_file.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/options.hpp"
#include "tyto/data/described_table.hpp"
#include "tyto/data/join.hpp"
#include "tyto/sample/stores/hdf5_store.hpp"
#include "tyto/sample/stores/joined_store.hpp"
#include "tyto/sample/stores/npy_store.hpp"
#include "tyto/sample/stores/picked_store.hpp"
#include "tyto/sample/stores/raw_store.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 9> kTableColumns{"id",   "label", "split", "source", "group",
                                                        "time", "start", "end",   "frames"};

struct Descriptor {
  std::string name, summary, index;
  std::vector<std::string> ignore;
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
    v.field("ignore", ignore, {}, "columns of the index that are none of these, nor annotations");
    v.field("features", features, "one or more sources of features");
    v.field("picture", picture, "features that are grey values of a picture");
  }
};

constexpr std::string_view kLost[] = {"refuse", "leave_out"};

struct FeatureEntry {
  std::string source = "features", file, dataset, ids, id, lost = "refuse";
  std::vector<std::string> columns;
  Index width = 0;
  std::vector<double> shape;
  std::string type{to_word(StoredAs::float32)};

  void describe(OptionVisitor& v) {
    v.field("source", source, {}, "name of the source");
    v.field("columns", columns, {},
            "columns of the index, `a..b` for a run; with `file` their names");
    v.field("file", file, {}, ".npy, .h5, .hdf5, .bin, .bin.gz, .csv or .csv.gz");
    v.field("dataset", dataset, {}, "HDF5: path inside the file");
    v.field("width", width, {1, 1e9}, "raw: values per row");
    v.field("shape", shape, {1, 1e9}, "raw: extents of one row, instead of width");
    v.field("type", type, kStoredWords, "raw: of the values; bytes are read as 0 to 255");
    v.field("ids", ids, {},
            "ids of the rows of the file, .txt or .csv; none: in the order of the index");
    v.field("id", id, {}, "column of ids in a CSV; standard: id");
    v.field("lost", lost, kLost, "what to do with samples without features, and the reverse");
  }
};

struct PictureEntry {
  PictureLayout layout{"features", 0, 0, 0, 0, 0};
  std::string source;

  void describe(OptionVisitor& v) {
    v.field("source", source, {}, "of the pixels; standard: features");
    v.field("columns", layout.source, {}, "the same, as older files say it");
    v.field("width", layout.width, {1, 4096}, "pixels in a row; standard: as the source is shaped");
    v.field("height", layout.height, {1, 4096}, "rows");
    v.field("channels", layout.channels, {1, 3},
            "1: grey; 3: all of red, then of green, then of blue");
    v.field("low", layout.low, {-1e30, 1e30}, "value that is black");
    v.field("high", layout.high, {-1e30, 1e30},
            "value that is white; standard: least and greatest of each grey picture, 0 and 255 "
            "of colours");
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

bool is_csv(std::string_view name) {
  return name.ends_with(".csv") || name.ends_with(".csv.gz");
}

// One source as it was found: its rows follow the index, or their own ids.
struct OpenedFeatures {
  StorePiece piece;
  std::optional<std::vector<std::string>> ids = {};
  Lost lost = Lost::refuse;
};

// A table of features with an id in each row.
OpenedFeatures open_feature_table(const FeatureEntry& entry, const std::filesystem::path& path) {
  const CsvTable csv = CsvTable::load(path);
  const Index id = csv.column(entry.id.empty() ? "id" : entry.id);
  std::vector<Index> columns = picked_columns(csv, entry.columns);
  if (entry.columns.empty()) {
    for (Index c = 0; c < std::ssize(csv.columns()); ++c) {
      if (c != id) {
        columns.push_back(c);
      }
    }
  }
  DenseStore::Source source{entry.source, csv.matrix(columns), {}};
  for (const Index column : columns) {
    source.columns.push_back(csv.columns()[at(column)]);
  }
  std::vector<DenseStore::Source> sources;
  sources.push_back(std::move(source));
  return {{path.string(), std::make_shared<DenseStore>(std::move(sources))}, csv.texts(id)};
}

std::shared_ptr<const FeatureStore> open_file(const FeatureEntry& entry, const ConfigNode& node,
                                              const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / entry.file;
  const std::string name = path.filename().string();
  const bool hdf5 = name.ends_with(".h5") || name.ends_with(".hdf5");
  const bool raw = name.ends_with(".bin") || name.ends_with(".bin.gz");
  if (!raw &&
      (entry.width > 0 || !entry.shape.empty() || entry.type != to_word(StoredAs::float32))) {
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
    return open_raw(path, shape, entry.source, entry.columns, stored_as(entry.type));
  }
  refuse(node, fmt::format("\"{}\" is none of .npy, .h5, .hdf5, .bin, .bin.gz, .csv, .csv.gz",
                           entry.file));
}

OpenedFeatures open_by_id(const FeatureEntry& entry, const ConfigNode& node,
                          const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / entry.file;
  if (is_csv(entry.file)) {
    if (!entry.ids.empty() || !entry.dataset.empty() || entry.width > 0 || !entry.shape.empty()) {
      refuse(node, fmt::format("\"{}\" holds its ids and tells its width: `id` names the column, "
                               "`columns` those of the features",
                               entry.file));
    }
    return open_feature_table(entry, file);
  }
  OpenedFeatures opened{{file.string(), open_file(entry, node, folder)}};
  if (entry.ids.empty()) {
    return opened;
  }
  opened.ids = read_id_list(folder / entry.ids, entry.id);
  if (std::ssize(*opened.ids) != opened.piece.store->rows()) {
    throw Error(ErrorKind::data,
                fmt::format("{} has {} ids, but {} has {} rows", (folder / entry.ids).string(),
                            opened.ids->size(), opened.piece.name, opened.piece.store->rows()));
  }
  return opened;
}

std::vector<OpenedFeatures> open_features(const ConfigNode& list, const CsvTable& csv,
                                          DatasetFiles& files, std::vector<Index>& taken,
                                          std::vector<Breach>* breaches) {
  std::vector<OpenedFeatures> all;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const ConfigNode& node = list.items[i];
    const auto entry = read_options<FeatureEntry>(node, fmt::format("features.{}", i));
    if (!entry.file.empty()) {
      all.push_back(open_by_id(entry, node, files.folder));
      for (const std::string& name : {entry.file, entry.ids}) {
        if (!name.empty() &&
            std::find(files.names.begin(), files.names.end(), name) == files.names.end()) {
          files.names.push_back(name);
        }
      }
    } else if (!entry.columns.empty()) {
      all.push_back({{csv.name(), open_columns(entry, csv, taken, breaches)}});
    } else {
      refuse(node, "a source needs `file` or `columns`");
    }
    all.back().lost = entry.lost == "leave_out" ? Lost::leave_out : Lost::refuse;
    if (!all.back().ids && (!entry.id.empty() || entry.lost != kLost[0])) {
      refuse(node, "`id` and `lost` are for features that come with ids");
    }
  }
  return all;
}

// Puts the sources under the samples of the table, which loses those that a source lacks.
void join_features(std::vector<OpenedFeatures> all, Dataset& dataset, const CsvTable& csv) {
  IndexTable& table = dataset.table;
  const bool by_id = std::any_of(all.begin(), all.end(),
                                 [](const OpenedFeatures& f) { return f.ids.has_value(); });
  if (by_id && !table.frames.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: features with ids have a row per sample, but the index has a "
                            "column frames",
                            csv.name()));
  }
  std::vector<std::vector<Index>> row_of;  // by source, then sample; -1: it has none
  std::vector<bool> has_all(at(table.size()), true);
  std::vector<std::string> notes;
  for (const OpenedFeatures& one : by_id ? std::span(all) : std::span<OpenedFeatures>()) {
    row_of.emplace_back(at(table.size()), -1);
    if (!one.ids) {
      if (one.piece.store->rows() != table.size()) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: the index has {} rows, but {} has {}", csv.name(),
                                table.size(), one.piece.name, one.piece.store->rows()));
      }
      std::iota(row_of.back().begin(), row_of.back().end(), Index{0});
      continue;
    }
    const IdJoin join = join_by_id(table.id, *one.ids, one.piece.name, one.lost);
    for (std::size_t i = 0; i < join.sample.size(); ++i) {
      row_of.back()[at(join.sample[i])] = join.feature[i];
    }
    for (std::size_t i = 0; i < has_all.size(); ++i) {
      has_all[i] = has_all[i] && row_of.back()[i] >= 0;
    }
    if (!join.note.empty()) {
      notes.push_back(join.note);
    }
  }
  std::vector<Index> kept;
  for (Index i = 0; i < table.size(); ++i) {
    if (has_all[at(i)]) {
      kept.push_back(i);
    }
  }
  std::vector<StorePiece> pieces;
  for (std::size_t s = 0; s < all.size(); ++s) {
    pieces.push_back(std::move(all[s].piece));
    std::vector<Index> rows;
    for (const Index i : by_id ? kept : std::vector<Index>{}) {
      rows.push_back(row_of[s][at(i)]);
    }
    std::vector<Index> plain(at(pieces.back().store->rows()));
    std::iota(plain.begin(), plain.end(), Index{0});
    if (by_id && rows != plain) {
      pieces.back().store =
          std::make_shared<const PickedStore>(pieces.back().store, std::move(rows));
    }
  }
  if (std::ssize(kept) < table.size()) {
    table = picked_rows(table, kept);
    std::vector<Index> lines;
    for (const Index i : kept) {
      lines.push_back(dataset.files.lines[at(i)]);
    }
    dataset.files.lines = std::move(lines);
  }
  if (!notes.empty()) {
    dataset.about["left out"] = fmt::format("{}", fmt::join(notes, "; "));
  }
  dataset.store = pieces.size() == 1 ? pieces.front().store
                                     : std::make_shared<CombinedStore>(std::move(pieces));
}

// What the entry leaves out is read off a shape of rows and columns, or of channels before them.
void fill_from_shape(PictureLayout& layout, const std::vector<Index>& shape) {
  if (layout.width == 0 && layout.height == 0 && (shape.size() == 2 || shape.size() == 3)) {
    layout.width = shape.back();
    layout.height = shape[shape.size() - 2];
    if (layout.channels == 0 && shape.size() == 3) {
      layout.channels = shape.front();
    }
  }
  if (layout.channels == 0) {
    layout.channels = 1;
  }
}

PictureLayout read_picture(const ConfigNode& node, const FeatureStore& store) {
  const auto entry = read_options<PictureEntry>(node, "picture");
  PictureLayout layout = entry.layout;
  if (node.find("source") != nullptr && node.find("columns") != nullptr) {
    refuse(node, "picture.source and picture.columns are the same: say one of them");
  }
  if (!entry.source.empty()) {
    layout.source = entry.source;
  }
  const auto sources = store.sources();
  if (std::find(sources.begin(), sources.end(), layout.source) == sources.end()) {
    refuse(node, fmt::format("picture.source: there is no source \"{}\", but {}", layout.source,
                             fmt::join(sources, ", ")));
  }
  const auto shape = store.shape(layout.source);
  const Index values =
      std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<Index>());
  fill_from_shape(layout, shape);
  if (layout.width == 0 || layout.height == 0) {
    refuse(node, fmt::format("picture.width and picture.height are missing, and the shape of "
                             "\"{}\" does not tell them",
                             layout.source));
  }
  if (layout.channels != 1 && layout.channels != 3) {
    refuse(node, fmt::format("picture.channels is {}: a picture has 1 (grey) or 3 (red, green, "
                             "blue)",
                             layout.channels));
  }
  if (layout.width * layout.height * layout.channels != values) {
    refuse(node, fmt::format("a picture of {} x {}{} has {} {}, but \"{}\" has {} values",
                             layout.width, layout.height, layout.channels == 3 ? " in colour" : "",
                             layout.width * layout.height * layout.channels,
                             layout.channels == 3 ? "values" : "pixels", layout.source, values));
  }
  if (layout.high < layout.low) {
    refuse(node, fmt::format("picture.high is {}, below picture.low, {}", layout.high, layout.low));
  }
  if (layout.channels == 3 && layout.low == layout.high) {
    layout.low = 0;
    layout.high = 255;
  }
  return layout;
}

// What a descriptor says, wherever it was read.
Dataset load_from(const ConfigNode& root, const std::filesystem::path& file,
                  const std::filesystem::path& folder, std::vector<Breach>* breaches) {
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
  if (file.parent_path() == folder && !is_table(file)) {
    dataset.files.names.push_back(file.filename().string());
  }
  dataset.files.names.push_back(descriptor.index);
  for (Index row = 0; row < csv.rows(); ++row) {
    dataset.files.lines.push_back(csv.line(row));
  }
  std::vector<Index> taken;
  for (const std::string& name : descriptor.ignore) {
    taken.push_back(csv.column(name));
  }
  auto features = open_features(descriptor.features, csv, dataset.files, taken, breaches);
  dataset.table = read_index(csv, descriptor.columns, taken, breaches);
  join_features(std::move(features), dataset, csv);
  expect_rows_match(dataset, csv.name());
  if (!descriptor.picture.is_null()) {
    dataset.picture = read_picture(descriptor.picture, *dataset.store);
  }
  return dataset;
}

}  // namespace

Dataset load_dataset(const std::filesystem::path& path, std::vector<Breach>* breaches) {
  if (is_table(path)) {
    const std::filesystem::path beside = descriptor_of(path);
    return beside.empty() ? load_from(parse_yaml(plain_descriptor(path), path.string()), path,
                                      path.parent_path(), breaches)
                          : load_dataset(beside, breaches);
  }
  const bool is_folder = std::filesystem::is_directory(path);
  const std::filesystem::path file = is_folder ? path / kDescriptorName : path;
  return load_described(file, file.parent_path(), breaches);
}

Dataset load_described(const std::filesystem::path& file, const std::filesystem::path& folder,
                       std::vector<Breach>* breaches) {
  return load_from(load_yaml(file), file, folder, breaches);
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
