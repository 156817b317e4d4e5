// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/feature_store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

DenseStore::DenseStore(Matrix features) {
  sources_.push_back({"features", std::move(features), {}});
}

DenseStore::DenseStore(std::vector<Source> sources) : sources_(std::move(sources)) {
  for (const Source& source : sources_) {
    if (source.values.rows() != sources_.front().values.rows()) {
      throw Error(ErrorKind::data,
                  fmt::format("source \"{}\" has {} rows, \"{}\" has {}", source.name,
                              source.values.rows(), sources_.front().name, rows()));
    }
  }
}

Index DenseStore::rows() const {
  return sources_.empty() ? 0 : sources_.front().values.rows();
}

std::vector<std::string> DenseStore::sources() const {
  std::vector<std::string> names;
  for (const Source& source : sources_) {
    names.push_back(source.name);
  }
  return names;
}

const DenseStore::Source& DenseStore::source(std::string_view name) const {
  for (const Source& source : sources_) {
    if (source.name == name) {
      return source;
    }
  }
  throw Error(ErrorKind::data, fmt::format("the data have no source \"{}\"; there are: {}", name,
                                           fmt::join(sources(), ", ")));
}

std::vector<Index> DenseStore::shape(std::string_view name) const {
  return {source(name).values.cols()};
}

void DenseStore::gather(std::string_view name, Rows rows, MatrixRef out) const {
  const Matrix& values = source(name).values;
  expect_rows(rows, values.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.row(static_cast<Index>(i)) = values.row(rows[i]);
  }
}

std::vector<std::string> DenseStore::column_names(std::string_view name) const {
  return source(name).columns;
}

std::string DenseStore::digest() const {
  std::string all;
  const auto add = [&all](std::string_view name) {  // its length: no two lists of names read alike
    all += fmt::format("{}:{} ", name.size(), name);
  };
  for (const Source& source : sources_) {
    add(source.name);
    all += fmt::format("{} x {} ", source.values.rows(), source.values.cols());
    for (const std::string& column : source.columns) {
      add(column);
    }
    all += tyto::digest(std::as_bytes(
        std::span(source.values.data(), static_cast<std::size_t>(source.values.size()))));
  }
  return tyto::digest(std::as_bytes(std::span(all)));
}

void DenseStore::overwrite(float value) {
  for (Source& source : sources_) {
    source.values.setConstant(value);
  }
}

}  // namespace tyto
