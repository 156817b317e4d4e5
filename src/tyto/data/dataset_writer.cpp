// SPDX-License-Identifier: Apache-2.0
// A dataset written as a folder: index, feature files and descriptor, whole or not at all.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/files/whole_folder.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {

namespace {

constexpr Index kWrittenValues = 4 << 20;  // 16 MiB held while writing

std::string number_text(double value) {
  return std::isnan(value) ? "" : fmt::format("{}", value);
}

// Columns of the written index, each a way to get the text of a row.
class IndexWriter {
 public:
  explicit IndexWriter(const IndexTable& table) : rows_(table.id.size()) {
    add("id", table.id);
    add("label", table.label);
    add("split", table.split);
    add("source", table.source);
    add("group", table.group);
    add("time", table.time);
    add("start", table.start);
    add("end", table.end);
    add("frames", table.frames);
    for (const auto& [name, values] : table.annotations) {
      if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
        throw Error(ErrorKind::data,
                    fmt::format("the annotation \"{}\" bears the name of a column of the index; "
                                "give it another",
                                name));
      }
      add(name, values);
    }
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    for (std::size_t j = 0; j < names_.size(); ++j) {
      out += j == 0 ? "" : ",";
      append_csv_field(out, names_[j]);
    }
    out += '\n';
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t j = 0; j < names_.size(); ++j) {
        out += j == 0 ? "" : ",";
        append_csv_field(out, cells_[j](row));
      }
      out += '\n';
    }
    return out;
  }

 private:
  template <class T>
  void add(const std::string& name, const std::vector<T>& values) {
    if (values.empty() && rows_ > 0) {
      return;
    }
    if (values.size() != rows_) {
      throw Error(ErrorKind::data, fmt::format("the column \"{}\" of the index has {} values for "
                                               "{} rows",
                                               name, values.size(), rows_));
    }
    names_.push_back(name);
    cells_.push_back([&values](std::size_t row) -> std::string {
      if constexpr (std::is_same_v<T, std::string>) {
        return values[row];
      } else if constexpr (std::is_same_v<T, double>) {
        return number_text(values[row]);
      } else {
        return std::to_string(values[row]);
      }
    });
  }

  std::size_t rows_;
  std::vector<std::string> names_;
  std::vector<std::function<std::string(std::size_t)>> cells_;
};

void write_source(const FeatureStore& store, const std::string& source,
                  const std::filesystem::path& path, StoredAs type) {
  const std::vector<Index> shape = store.shape(source);
  const Index width = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
  NpyWriter writer(path, store.rows(), shape, type);
  in_blocks(store.rows(), std::max<Index>(1, kWrittenValues / std::max<Index>(1, width)),
            [&](Index begin, Index count) {
              std::vector<Index> rows(static_cast<std::size_t>(count));
              std::iota(rows.begin(), rows.end(), begin);
              Matrix block(count, width);
              store.gather(source, rows, block);
              writer.append(block);
            });
  writer.finish();
}

ConfigNode word_node(std::string_view text) {
  ConfigNode node = ConfigNode::scalar(text);
  node.quoted = true;  // a column called 1 or null stays a word
  return node;
}

ConfigNode descriptor_of(const Dataset& dataset) {
  ConfigNode root = ConfigNode::empty_map();
  root.put("name", ConfigNode::scalar(dataset.name));
  root.put("summary", word_node(dataset.summary));
  ConfigNode about = ConfigNode::empty_map();
  for (const auto& [key, value] : dataset.about) {
    about.put(key, word_node(value));
  }
  root.put("about", std::move(about));
  root.put("index", ConfigNode::scalar("index.csv.gz"));
  ConfigNode features;
  features.kind = ConfigNode::Kind::list;
  for (const std::string& source : dataset.store->sources()) {
    ConfigNode entry = ConfigNode::empty_map();
    entry.put("source", word_node(source));
    entry.put("file", word_node(source + ".npy"));
    ConfigNode columns;
    columns.kind = ConfigNode::Kind::list;
    for (const std::string& column : dataset.store->column_names(source)) {
      columns.items.push_back(word_node(column));
    }
    if (!columns.items.empty()) {
      entry.put("columns", std::move(columns));
    }
    features.items.push_back(std::move(entry));
  }
  root.put("features", std::move(features));
  if (dataset.picture) {
    ConfigNode picture = ConfigNode::empty_map();
    picture.put("source", word_node(dataset.picture->source));
    picture.put("width", ConfigNode::scalar(fmt::format("{}", dataset.picture->width)));
    picture.put("height", ConfigNode::scalar(fmt::format("{}", dataset.picture->height)));
    picture.put("channels", ConfigNode::scalar(fmt::format("{}", dataset.picture->channels)));
    picture.put("low", ConfigNode::scalar(fmt::format("{}", dataset.picture->low)));
    picture.put("high", ConfigNode::scalar(fmt::format("{}", dataset.picture->high)));
    root.put("picture", std::move(picture));
  }
  return root;
}

void expect_file_name(const std::string& source) {
  if (source.empty() || source.find('/') != source.npos || source.front() == '.') {
    throw Error(
        ErrorKind::data,
        fmt::format("the source \"{}\" cannot be written: its name is no file name", source));
  }
}

}  // namespace

void save_dataset(const Dataset& dataset, const std::filesystem::path& given,
                  const SaveOptions& options) {
  const auto folder = std::filesystem::absolute(given / "").parent_path();
  if (std::filesystem::exists(std::filesystem::symlink_status(folder))) {
    throw Error(ErrorKind::io, fmt::format("{}: the folder exists already; remove it or choose "
                                           "another",
                                           folder.string()));
  }
  for (const std::string& source : dataset.store->sources()) {
    expect_file_name(source);
  }
  expect_rows_match(dataset, dataset.name);
  const std::string index = IndexWriter(dataset.table).text();
  write_whole_folder(folder, [&](const std::filesystem::path& beside) {
    write_gz(beside / "index.csv.gz", index);
    for (const std::string& source : dataset.store->sources()) {
      const auto type = options.types.find(source);
      write_source(*dataset.store, source, beside / (source + ".npy"),
                   type == options.types.end() ? options.type : type->second);
    }
    if (options.more) {
      options.more(beside);
    }
    write_file(beside / kDescriptorName, to_yaml(descriptor_of(dataset)));
  });
}

}  // namespace tyto
