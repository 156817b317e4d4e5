// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/hdf5_store.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

namespace {

std::mutex& library_mutex() {  // Debian's HDF5 is not thread safe, not even across files
  static std::mutex mutex;
  return mutex;
}

class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle(hid_t id, Close close) : id_(id), close_(close) {}

  ~Handle() {
    if (id_ >= 0) {
      close_(id_);
    }
  }

  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  [[nodiscard]] hid_t get() const { return id_; }

  [[nodiscard]] bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  Close close_;
};

hid_t open_file(const std::filesystem::path& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // failures become our sentences
  return H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
}

// A cache that holds at least two chunks, or a packed chunk would be unpacked once per row.
hid_t open_dataset(hid_t file, const std::string& name) {
  constexpr std::size_t kCache = 32 << 20;
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  std::size_t cache = kCache;
  {
    const Handle plain(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!plain.is_open()) {
      return -1;
    }
    const Handle layout(H5Dget_create_plist(plain.get()), H5Pclose);
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    if (H5Pget_layout(layout.get()) == H5D_CHUNKED &&
        H5Pget_chunk(layout.get(), H5S_MAX_RANK, chunk.data()) == 2) {
      cache = std::max(cache, static_cast<std::size_t>(2 * chunk[0] * chunk[1]) * sizeof(double));
    }
  }
  H5Pset_chunk_cache(access.get(), 12289, cache, 1.0);
  return H5Dopen2(file, name.c_str(), access.get());
}

struct Collected {
  std::vector<std::string> names;
};

herr_t collect_name(hid_t, const char* name, const H5O_info_t* info, void* out) {
  if (info->type == H5O_TYPE_DATASET) {
    static_cast<Collected*>(out)->names.push_back(std::string("/") + name);
  }
  return 0;
}

std::vector<std::string> dataset_names(hid_t file) {
  Collected found;
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, collect_name, &found, H5O_INFO_BASIC);
  return found.names;
}

class Hdf5Store final : public FeatureStore {
 public:
  Hdf5Store(const std::filesystem::path& path, std::string dataset, std::string source,
            std::vector<std::string> columns)
      : path_(path.string()),
        dataset_(std::move(dataset)),
        source_(std::move(source)),
        columns_(std::move(columns)),
        bytes_(path),
        file_(open_file(path), H5Fclose),
        data_(file_.is_open() ? open_dataset(file_.get(), dataset_) : -1, H5Dclose) {
    if (!file_.is_open()) {
      throw Error(ErrorKind::data, fmt::format("{}: not an HDF5 file", path_));
    }
    if (!data_.is_open()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: no dataset \"{}\"; there are: {}", path_, dataset_,
                              fmt::join(dataset_names(file_.get()), ", ")));
    }
    const Handle type(H5Dget_type(data_.get()), H5Tclose);
    if (H5Tget_class(type.get()) != H5T_FLOAT && H5Tequal(type.get(), H5T_NATIVE_UINT8) <= 0) {
      throw Error(ErrorKind::data, fmt::format("{}: dataset \"{}\" holds neither floating-point "
                                               "numbers nor uint8",
                                               path_, dataset_));
    }
    const Handle space(H5Dget_space(data_.get()), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank != 2) {
      throw Error(ErrorKind::data, fmt::format("{}: dataset \"{}\" has {} dimensions, 2 are needed",
                                               path_, dataset_, rank));
    }
    std::array<hsize_t, 2> extents{};
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    rows_ = static_cast<Index>(extents[0]);
    width_ = static_cast<Index>(extents[1]);
    if (!columns_.empty() && static_cast<Index>(columns_.size()) != width_) {
      throw Error(ErrorKind::data, fmt::format("{}: {} column names for rows of {} values", path_,
                                               columns_.size(), width_));
    }
  }

  [[nodiscard]] Index rows() const override { return rows_; }

  [[nodiscard]] std::vector<std::string> sources() const override { return {source_}; }

  [[nodiscard]] std::vector<Index> shape(std::string_view source) const override {
    expect_source(source, source_);
    return {width_};
  }

  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const override {
    expect_source(source, source_);
    return columns_;
  }

  [[nodiscard]] std::string digest() const override {
    const std::string all =
        fmt::format("{} {} {}", source_, dataset_, sampled_digest(bytes_.bytes()));
    return tyto::digest(std::as_bytes(std::span(all)));
  }

  void gather(std::string_view source, Rows rows, MatrixRef out) const override {
    expect_source(source, source_);
    expect_rows(rows, rows_);
    TYTO_ASSERT(out.rows() == static_cast<Index>(rows.size()) && out.cols() == width_);
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
    const std::lock_guard lock(library_mutex());
    Matrix run;
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin + 1;
      while (end < order.size() && rows[order[end]] - rows[order[end - 1]] <= 1 &&
             rows[order[end]] - rows[order[begin]] < kRunRows) {
        ++end;
      }
      const Index first = rows[order[begin]];
      run.resize(rows[order[end - 1]] - first + 1, width_);
      read(first, run);
      for (std::size_t i = begin; i < end; ++i) {
        out.row(static_cast<Index>(order[i])) = run.row(rows[order[i]] - first);
      }
      begin = end;
    }
  }

 private:
  static constexpr Index kRunRows = 4096;

  void read(Index first, Matrix& run) const {
    if (run.size() == 0) {
      return;
    }
    const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0};
    const std::array<hsize_t, 2> count{static_cast<hsize_t>(run.rows()),
                                       static_cast<hsize_t>(width_)};
    const Handle file_space(H5Dget_space(data_.get()), H5Sclose);
    const Handle memory_space(H5Screate_simple(2, count.data(), nullptr), H5Sclose);
    H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                        nullptr);
    if (H5Dread(data_.get(), H5T_NATIVE_FLOAT, memory_space.get(), file_space.get(), H5P_DEFAULT,
                run.data()) < 0) {
      throw Error(ErrorKind::io, fmt::format("{}: rows {} to {} of dataset \"{}\" cannot be read",
                                             path_, first, first + run.rows() - 1, dataset_));
    }
  }

  std::string path_, dataset_, source_;
  std::vector<std::string> columns_;
  MappedFile bytes_;  // for the digest; no page of it is touched otherwise
  Handle file_, data_;
  Index rows_ = 0, width_ = 0;
};

}  // namespace

std::shared_ptr<const FeatureStore> open_hdf5(const std::filesystem::path& path,
                                              std::string_view dataset, std::string_view source,
                                              std::vector<std::string> columns) {
  const std::lock_guard lock(library_mutex());
  // Closing handles calls the library too, so the last owner takes the lock.
  return {new Hdf5Store(path, std::string(dataset), std::string(source), std::move(columns)),
          [](const FeatureStore* store) {
            const std::lock_guard closing(library_mutex());
            delete store;
          }};
}

}  // namespace tyto
