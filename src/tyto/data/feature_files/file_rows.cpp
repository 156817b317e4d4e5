// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/feature_files/file_rows.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/files/files.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"
#include "tyto/sample/stores/mapped_store.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

struct RowFile {
  std::vector<Index> shape;  // {1} for one number
  std::vector<float> values;
};

void squeeze(std::vector<Index>& shape) {
  std::erase(shape, 1);
  if (shape.empty()) {
    shape.push_back(1);
  }
}

RowFile read_npy_row(const fs::path& path) {
  const auto store = open_npy(path, "row");
  RowFile row;
  row.shape = store->shape("row");
  const Index width =
      std::accumulate(row.shape.begin(), row.shape.end(), Index{1}, std::multiplies<>());
  row.shape.insert(row.shape.begin(), store->rows());
  std::vector<Index> all(at(store->rows()));
  std::iota(all.begin(), all.end(), Index{0});
  Matrix values(store->rows(), width);
  store->gather("row", all, values);
  row.values.assign(values.data(), values.data() + values.size());
  return row;
}

RowFile read_row_file(const fs::path& path) {
  RowFile row;
  if (path.extension() == ".npy") {
    row = read_npy_row(path);
  } else {
    NamedTensor tensor = read_one_tensor(path);
    row = {std::move(tensor.shape), std::move(tensor.values)};
  }
  if (row.values.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: the shape ({}) holds no value", path.string(),
                                             fmt::join(row.shape, ", ")));
  }
  squeeze(row.shape);
  return row;
}

class FileRows final : public FeatureStore {
 public:
  FileRows(std::vector<fs::path> files, std::string_view source)
      : files_(std::move(files)), source_(source), shape_(read_row_file(files_.front()).shape) {}

  [[nodiscard]] Index rows() const override { return std::ssize(files_); }

  [[nodiscard]] std::vector<std::string> sources() const override { return {source_}; }

  [[nodiscard]] std::vector<Index> shape(std::string_view source) const override {
    expect_source(source, source_);
    return shape_;
  }

  void gather(std::string_view source, Rows rows, MatrixRef out) const override {
    expect_source(source, source_);
    expect_rows(rows, this->rows());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const fs::path& file = files_[at(rows[i])];
      const RowFile row = read_row_file(file);
      if (row.shape != shape_) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: the shape is ({}), but ({}) in {}; rows of one source have "
                                "one shape",
                                file.string(), fmt::join(row.shape, ", "), fmt::join(shape_, ", "),
                                files_.front().string()));
      }
      out.row(static_cast<Index>(i)) =
          Eigen::Map<const Eigen::RowVectorXf>(row.values.data(), std::ssize(row.values));
    }
  }

  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const override {
    expect_source(source, source_);
    return {};
  }

  // Of names and sizes, and the bytes of the first file: all would take as long as reading them.
  [[nodiscard]] std::string digest() const override {
    std::string all = source_ + read_file(files_.front());
    for (const fs::path& file : files_) {
      all += fmt::format(" {} {}", file.filename().string(), fs::file_size(file));
    }
    return tyto::digest(std::as_bytes(std::span(all)));
  }

 private:
  std::vector<fs::path> files_;
  std::string source_;
  std::vector<Index> shape_;
};

}  // namespace

bool is_row_file(const fs::path& path) {
  const fs::path suffix = path.extension();
  return suffix == ".npy" || suffix == ".pt" || suffix == ".pth";
}

std::shared_ptr<const FeatureStore> open_file_rows(std::vector<fs::path> files,
                                                   std::string_view source) {
  TYTO_ASSERT(!files.empty());
  return std::make_shared<FileRows>(std::move(files), source);
}

}  // namespace tyto
