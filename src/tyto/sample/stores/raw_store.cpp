// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/raw_store.hpp"

#include <cstring>

#include <fmt/format.h>

#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

namespace {

Index whole_rows(const std::filesystem::path& path, std::size_t bytes, Index width) {
  const std::size_t row = static_cast<std::size_t>(width) * sizeof(float);
  if (row == 0 || bytes % row != 0) {
    throw Error(ErrorKind::data,
                fmt::format("{}: {} bytes of values are no whole number of rows of {} float32 "
                            "values ({} bytes each)",
                            path.string(), bytes, width, row));
  }
  return static_cast<Index>(bytes / row);
}

}  // namespace

std::shared_ptr<const FeatureStore> open_raw(const std::filesystem::path& path,
                                             const std::vector<Index>& shape,
                                             std::string_view source,
                                             std::vector<std::string> columns) {
  Index width = 1;
  for (const Index extent : shape) {
    width *= extent;
  }
  if (path.extension() != ".gz") {
    MappedLayout layout;
    layout.source = source;
    layout.rows = whole_rows(path, MappedFile(path).bytes().size(), width);
    layout.shape = shape;
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
  Matrix values(whole_rows(path, bytes.size(), width), width);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  if (!columns.empty() && static_cast<Index>(columns.size()) != width) {
    throw Error(ErrorKind::data, fmt::format("{}: {} column names for rows of {} values",
                                             path.string(), columns.size(), width));
  }
  std::vector<DenseStore::Source> sources;
  sources.push_back({std::string(source), std::move(values), std::move(columns)});
  return std::make_shared<DenseStore>(std::move(sources));
}

}  // namespace tyto
