// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/raw_store.hpp"

#include <fmt/format.h>

namespace tyto {

namespace {

Index whole_rows(const std::filesystem::path& path, std::size_t bytes, Index width, StoredAs type) {
  const std::size_t row = at(width) * bytes_of(type);
  if (row == 0 || bytes % row != 0) {
    throw Error(ErrorKind::data,
                fmt::format("{}: {} bytes of values are no whole number of rows of {} {} "
                            "values ({} bytes each)",
                            path.string(), bytes, width, to_word(type), row));
  }
  return static_cast<Index>(bytes / row);
}

}  // namespace

std::shared_ptr<const FeatureStore> open_raw(const std::filesystem::path& path,
                                             const std::vector<Index>& shape,
                                             std::string_view source,
                                             std::vector<std::string> columns, StoredAs type) {
  Index width = 1;
  for (const Index extent : shape) {
    width *= extent;
  }
  if (path.extension() != ".gz") {
    MappedLayout layout;
    layout.source = source;
    layout.rows = whole_rows(path, MappedFile(path).bytes().size(), width, type);
    layout.shape = shape;
    layout.type = type;
    layout.columns = std::move(columns);
    return std::make_shared<MappedStore>(path, std::move(layout));
  }
  if (shape.size() != 1) {
    throw Error(ErrorKind::data,
                fmt::format("{}: a packed file holds rows of one extent, {} were stated; unpack it "
                            "to use it with a shape",
                            path.string(), shape.size()));
  }
  const std::string bytes = read_maybe_gz(path);
  Matrix values(whole_rows(path, bytes.size(), width, type), width);
  read_values(std::as_bytes(std::span(bytes)).data(), type, values.size(), values.data());
  if (!columns.empty() && static_cast<Index>(columns.size()) != width) {
    throw Error(ErrorKind::data, fmt::format("{}: {} column names for rows of {} values",
                                             path.string(), columns.size(), width));
  }
  std::vector<DenseStore::Source> sources;
  sources.push_back({std::string(source), std::move(values), std::move(columns)});
  return std::make_shared<DenseStore>(std::move(sources));
}

}  // namespace tyto
