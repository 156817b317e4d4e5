// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/npy_store.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

// As NumPy writes the types that are read.
constexpr std::array<std::pair<std::string_view, StoredAs>, 3> kNpyTypes{
    {{"<f4", StoredAs::float32}, {"<f2", StoredAs::float16}, {"|u1", StoredAs::uint8}}};

struct NpyHeader {
  std::string descr;
  bool fortran = false;
  std::vector<Index> shape;
  std::size_t size = 0;  // bytes before the first value
};

// Reads the Python dictionary that heads the file; `name` stands in the messages.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  [[nodiscard]] std::string word(std::string_view key) const {
    const std::string_view rest = after(key);
    if (!rest.starts_with('\'') && !rest.starts_with('"')) {
      refuse(key);
    }
    const auto end = rest.find(rest.front(), 1);
    if (end == rest.npos) {
      refuse(key);
    }
    return std::string(rest.substr(1, end - 1));
  }

  [[nodiscard]] bool truth(std::string_view key) const {
    const std::string_view rest = after(key);
    if (!rest.starts_with("True") && !rest.starts_with("False")) {
      refuse(key);
    }
    return rest.starts_with("True");
  }

  [[nodiscard]] std::vector<Index> tuple(std::string_view key) const {
    std::string_view rest = after(key);
    const auto end = rest.find(')');
    if (!rest.starts_with('(') || end == rest.npos) {
      refuse(key);
    }
    rest = rest.substr(1, end - 1);
    std::vector<Index> extents;
    while (true) {
      const auto begin = rest.find_first_not_of(" ,");
      if (begin == rest.npos) {
        return extents;
      }
      rest = rest.substr(begin);
      Index extent = 0;
      const auto [stop, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
      if (problem != std::errc() || extent < 0) {
        refuse(key);
      }
      extents.push_back(extent);
      rest = rest.substr(static_cast<std::size_t>(stop - rest.data()));
    }
  }

 private:
  [[noreturn]] void refuse(std::string_view key) const {
    throw Error(ErrorKind::data, fmt::format("{}: the .npy header has no readable \"{}\": {}",
                                             name_, key, text_.substr(0, 200)));
  }

  [[nodiscard]] std::string_view after(std::string_view key) const {
    auto at = text_.find(fmt::format("'{}'", key));
    if (at == text_.npos) {
      at = text_.find(fmt::format("\"{}\"", key));
    }
    const auto colon = at == text_.npos ? at : text_.find(':', at);
    const auto begin = colon == text_.npos ? colon : text_.find_first_not_of(" ", colon + 1);
    if (begin == text_.npos) {
      refuse(key);
    }
    return text_.substr(begin);
  }

  std::string_view text_, name_;
};

NpyHeader read_header(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic) || text.size() < 10) {
    throw Error(ErrorKind::data, fmt::format("{}: not a .npy file: it does not begin with "
                                             "\\x93NUMPY",
                                             name));
  }
  const int version = static_cast<unsigned char>(text[6]);
  std::uint32_t length = 0;
  std::size_t start = 10;
  if (version == 1) {
    std::uint16_t small = 0;
    std::memcpy(&small, text.data() + 8, 2);
    length = small;
  } else if (version <= 3 && text.size() >= 12) {
    std::memcpy(&length, text.data() + 8, 4);
    start = 12;
  } else {
    throw Error(ErrorKind::data,
                fmt::format("{}: .npy version {} is not one of 1, 2, 3", name, version));
  }
  if (text.size() < start + length) {
    throw Error(ErrorKind::data, fmt::format("{}: the .npy header says {} bytes, the file ends "
                                             "after {}",
                                             name, length, text.size() - start));
  }
  const HeaderReader reader(text.substr(start, length), name);
  return {reader.word("descr"), reader.truth("fortran_order"), reader.tuple("shape"),
          start + length};
}

StoredAs type_of_values(const NpyHeader& header, const std::string& name) {
  for (const auto& [descr, type] : kNpyTypes) {
    if (header.descr == descr) {
      return type;
    }
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: the values are of type \"{}\", but float32 (\"<f4\"), float16 "
                          "(\"<f2\") or uint8 (\"|u1\") is needed; "
                          "in NumPy: np.save(path, np.load(path).astype('<f4'))",
                          name, header.descr));
}

void expect_table(const NpyHeader& header, const std::string& name) {
  if (header.fortran && header.shape.size() > 1) {
    throw Error(ErrorKind::data,
                fmt::format("{}: the values are in Fortran order, but C order is needed; in NumPy: "
                            "np.save(path, np.ascontiguousarray(np.load(path)))",
                            name));
  }
  double values = 1;
  for (const Index extent : header.shape) {
    values *= static_cast<double>(extent);
  }
  if (header.shape.empty() || values > 1e15) {
    throw Error(ErrorKind::data, fmt::format("{}: the shape ({}) is not that of a table of rows",
                                             name, fmt::join(header.shape, ", ")));
  }
}

}  // namespace

std::shared_ptr<const FeatureStore> open_npy(const std::filesystem::path& path,
                                             std::string_view source,
                                             std::vector<std::string> columns) {
  const NpyHeader header = read_header(MappedFile(path).bytes(), path.string());
  MappedLayout layout;
  layout.source = source;
  layout.type = type_of_values(header, path.string());
  expect_table(header, path.string());
  layout.offset = header.size;
  layout.rows = header.shape.front();
  layout.shape.assign(header.shape.begin() + 1, header.shape.end());
  if (layout.shape.empty()) {
    layout.shape.push_back(1);
  }
  layout.columns = std::move(columns);
  return std::make_shared<MappedStore>(path, std::move(layout));
}

NpyWriter::NpyWriter(std::filesystem::path path, Index rows, const std::vector<Index>& shape,
                     StoredAs type)
    : path_(std::move(path)), left_(rows), type_(type) {
  beside_ = path_.string() + fmt::format(".{}.part", ::getpid());
  std::string extents = fmt::format("{},", rows);
  for (const Index extent : shape) {
    extents += fmt::format(" {},", extent);
    width_ *= extent;
  }
  if (!shape.empty()) {
    extents.pop_back();  // only a 1-tuple ends in a comma
  }
  const std::string_view word = type == StoredAs::float32   ? "<f4"
                                : type == StoredAs::float16 ? "<f2"
                                                            : "|u1";
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", word, extents);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  file_ = std::fopen(beside_.c_str(), "wb");
  if (file_ == nullptr) {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot create: {}", path_.string(), std::strerror(errno)));
  }
  put("\x93NUMPY\x01\x00", 8);
  put(&length, sizeof length);
  put(header.data(), header.size());
}

NpyWriter::~NpyWriter() {
  if (file_ != nullptr) {
    std::fclose(file_);
    ::unlink(beside_.c_str());
  }
}

void NpyWriter::put(const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, file_) != bytes) {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot write: {}", path_.string(), std::strerror(errno)));
  }
}

void NpyWriter::append(const MatrixView& block) {
  TYTO_ASSERT(block.cols() == width_ && block.rows() <= left_);
  for (Index i = 0; i < block.rows(); ++i) {
    const auto row =
        Eigen::Map<const Eigen::RowVectorXf>(block.data() + i * block.outerStride(), width_);
    if (type_ == StoredAs::float32) {
      put(row.data(), at(width_) * sizeof(float));
    } else if (type_ == StoredAs::float16) {
      const Eigen::Matrix<Eigen::half, 1, Eigen::Dynamic> halves = row.cast<Eigen::half>();
      put(halves.data(), at(width_) * sizeof(Eigen::half));
    } else {
      const Eigen::Matrix<std::uint8_t, 1, Eigen::Dynamic> bytes = row.cast<std::uint8_t>();
      put(bytes.data(), at(width_));
    }
  }
  left_ -= block.rows();
}

void NpyWriter::finish() {
  TYTO_ASSERT(left_ == 0);
  const bool written = std::fflush(file_) == 0 && ::fsync(::fileno(file_)) == 0 &&
                       ::rename(beside_.c_str(), path_.c_str()) == 0;
  if (!written) {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot write: {}", path_.string(), std::strerror(errno)));
  }
  std::fclose(file_);
  file_ = nullptr;
}

void write_npy(const std::filesystem::path& path, const MatrixView& values) {
  NpyWriter writer(path, values.rows(), {values.cols()});
  writer.append(values);
  writer.finish();
}

}  // namespace tyto
