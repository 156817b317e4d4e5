// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/archive.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include <nlohmann/json.hpp>
#include <zlib.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/files/stream_file.hpp"

namespace tyto {

namespace {

static_assert(std::endian::native == std::endian::little, "archives are little-endian");

using Json = nlohmann::ordered_json;

constexpr std::string_view kTree = "tree.json";  // scalars, texts and the list of arrays
constexpr int kVersion = 1;
constexpr std::uint32_t kLocal = 0x04034B50;    // zip: local file header
constexpr std::uint32_t kCentral = 0x02014B50;  // zip: entry of the central directory
constexpr std::uint32_t kEnd = 0x06054B50;      // zip: end of the central directory
constexpr std::uint16_t kDate = 0x0021;         // 1980-01-01, the earliest zip can say

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
constexpr std::string_view kDescr = "";
template <>
constexpr std::string_view kDescr<float> = "<f4";
template <>
constexpr std::string_view kDescr<double> = "<f8";
template <>
constexpr std::string_view kDescr<std::int32_t> = "<i4";
template <>
constexpr std::string_view kDescr<std::int64_t> = "<i8";
template <>
constexpr std::string_view kDescr<std::uint8_t> = "|u1";

// A file of an array in two pieces, so that the numbers are not copied.
struct NpyPieces {
  std::string head;
  std::string_view data;
};

template <class T>
NpyPieces npy(const T* data, std::string_view shape, std::size_t count) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", kDescr<T>, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  put(out, static_cast<std::uint16_t>(header.size()));
  out += header;
  return {std::move(out), {reinterpret_cast<const char*>(data), count * sizeof(T)}};
}

constexpr Index kMostRows = Index{1} << 40;  // a larger number would be no size

struct Npy {
  std::string descr;
  std::vector<Index> shape;
  std::string_view data;
};

Npy parse_npy(std::string_view bytes, std::string_view name) {
  const auto bad = [&] { return Error(ErrorKind::state, fmt::format("{}: damaged array", name)); };
  if (bytes.size() < 10 || !bytes.starts_with(std::string_view("\x93NUMPY\x01", 7))) {
    throw bad();
  }
  std::uint16_t length = 0;
  std::memcpy(&length, bytes.data() + 8, 2);
  if (bytes.size() < 10U + length) {
    throw bad();
  }
  const std::string_view header = bytes.substr(10, length);
  Npy out;
  out.data = bytes.substr(10U + length);
  const auto descr = header.find("'descr': '");
  const auto open = header.find('(');
  const auto close = header.find(')');
  if (descr == header.npos || open == header.npos || close == header.npos) {
    throw bad();
  }
  out.descr = header.substr(descr + 10, 3);
  Index number = -1;
  for (const char c : header.substr(open + 1, close - open)) {
    if (c >= '0' && c <= '9') {
      number = (number < 0 ? 0 : number) * 10 + (c - '0');
      if (number > kMostRows) {
        throw bad();
      }
    } else if (number >= 0) {
      out.shape.push_back(number);
      number = -1;
    }
  }
  return out;
}

class ZipWriter {
 public:
  explicit ZipWriter(const PutBytes& to) : to_(to) {}

  void add(std::string_view name, std::string_view content, std::string_view more = {}) {
    const std::size_t size = content.size() + more.size();
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    if (!more.empty()) {
      crc = crc32_z(crc, reinterpret_cast<const Bytef*>(more.data()), more.size());
    }
    if (written_ + size > UINT32_MAX) {
      throw Error(ErrorKind::state, "a state of more than 4 GB cannot be saved");
    }
    const auto offset = static_cast<std::uint32_t>(written_);
    std::string head;
    put(head, kLocal);
    entry(head, name, static_cast<std::uint32_t>(crc), size);
    put(head, std::uint16_t{0});
    head += name;
    put_out(head);
    put_out(content);
    put_out(more);
    put(directory_, kCentral);
    put(directory_, std::uint16_t{20});
    entry(directory_, name, static_cast<std::uint32_t>(crc), size);
    put(directory_, std::uint16_t{0});
    directory_.append(10, '\0');  // comment, disk, attributes
    put(directory_, offset);
    directory_ += name;
    ++count_;
  }

  void finish() {
    const auto start = static_cast<std::uint32_t>(written_);
    const auto size = static_cast<std::uint32_t>(directory_.size());
    put(directory_, kEnd);
    put(directory_, std::uint32_t{0});
    put(directory_, count_);
    put(directory_, count_);
    put(directory_, size);
    put(directory_, start);
    put(directory_, std::uint16_t{0});
    put_out(directory_);
  }

 private:
  static void entry(std::string& out, std::string_view name, std::uint32_t crc, std::size_t size) {
    put(out, std::uint16_t{20});
    put(out, std::uint32_t{0});  // flags, method: stored
    put(out, std::uint16_t{0});
    put(out, kDate);
    put(out, crc);
    put(out, static_cast<std::uint32_t>(size));
    put(out, static_cast<std::uint32_t>(size));
    put(out, static_cast<std::uint16_t>(name.size()));
  }

  void put_out(std::string_view bytes) {
    to_(bytes);
    written_ += bytes.size();
  }

  const PutBytes& to_;
  std::uint64_t written_ = 0;
  std::string directory_;
  std::uint16_t count_ = 0;
};

class ZipReader {
 public:
  ZipReader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {
    if (bytes.size() < 22 || get<std::uint32_t>(bytes.size() - 22) != kEnd) {
      throw Error(ErrorKind::state, fmt::format("{}: truncated or not a Tyto archive", name));
    }
    auto at = static_cast<std::size_t>(get<std::uint32_t>(bytes.size() - 6));
    for (int left = get<std::uint16_t>(bytes.size() - 12); left > 0; --left) {
      if (get<std::uint32_t>(at) != kCentral) {
        damaged("directory");
      }
      const auto crc = get<std::uint32_t>(at + 16);
      const auto size = get<std::uint32_t>(at + 24);
      const auto length = get<std::uint16_t>(at + 28);
      const auto offset = get<std::uint32_t>(at + 42);
      const std::string member(slice(at + 46, length));
      const auto extra = get<std::uint16_t>(offset + 28);
      const std::string_view content = slice(offset + 30U + length + extra, size);
      if (crc != crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size())) {
        damaged(member);
      }
      members_.emplace(member, content);
      at += 46U + length;
    }
  }

  [[nodiscard]] std::string_view member(std::string_view name) const {
    const auto found = members_.find(name);
    if (found == members_.end()) {
      damaged(name);
    }
    return found->second;
  }

 private:
  [[noreturn]] void damaged(std::string_view member) const {
    throw Error(ErrorKind::state, fmt::format("{}: damaged archive (at \"{}\")", name_, member));
  }

  [[nodiscard]] std::string_view slice(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) {
      damaged("end of file");
    }
    return bytes_.substr(at, size);
  }

  template <class T>
  [[nodiscard]] T get(std::size_t at) const {
    T value;
    std::memcpy(&value, slice(at, sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view bytes_, name_;
  std::map<std::string, std::string_view, std::less<>> members_;
};

void write_tree(const State& state, const std::string& prefix, Json& tree, ZipWriter& zip) {
  for (const auto& [key, value] : state.values) {
    const std::string member = prefix + key + ".npy";
    std::visit(
        [&, &called = key](const auto& v) {
          using T = std::decay_t<decltype(v)>;
          if constexpr (std::is_same_v<T, double>) {
            tree[called] = {{"double", fmt::format("{:a}", v)}};  // exact, also nan and inf
          } else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::string> ||
                               std::is_same_v<T, std::vector<std::string>>) {
            tree[called] = v;
          } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
            tree[called] = {{"array", "<i8"}};
            const NpyPieces array = npy(v.data(), fmt::format("({},)", v.size()), v.size());
            zip.add(member, array.head, array.data);
          } else {
            tree[called] = {{"array", kDescr<typename T::Scalar>}};
            const NpyPieces array = npy(v.data(), fmt::format("({}, {})", v.rows(), v.cols()),
                                        static_cast<std::size_t>(v.size()));
            zip.add(member, array.head, array.data);
          }
        },
        value);
  }
  for (const auto& [key, child] : state.children) {
    Json& inner = tree[key] = {{"part", Json::object()}};
    write_tree(child, prefix + key + "/", inner["part"], zip);
  }
}

template <class T>
Dense<T> dense(const Npy& array, std::string_view name) {
  const auto count = static_cast<double>(array.data.size()) / sizeof(T);
  if (array.shape.size() != 2 ||
      count != static_cast<double>(array.shape[0]) * static_cast<double>(array.shape[1])) {
    throw Error(ErrorKind::state, fmt::format("{}: array of another shape than it says", name));
  }
  Dense<T> out(array.shape[0], array.shape[1]);
  if (out.size() > 0) {
    std::memcpy(out.data(), array.data.data(), array.data.size());
  }
  return out;
}

State::Value read_array(const ZipReader& zip, const std::string& member) {
  const Npy array = parse_npy(zip.member(member), member);
  if (array.descr == "<i8") {
    std::vector<std::int64_t> out(array.data.size() / 8);
    if (!out.empty()) {
      std::memcpy(out.data(), array.data.data(), out.size() * 8);
    }
    return out;
  }
  if (array.descr == "<f4") {
    return dense<float>(array, member);
  }
  if (array.descr == "<f8") {
    return dense<double>(array, member);
  }
  return array.descr == "<i4" ? State::Value(dense<std::int32_t>(array, member))
                              : State::Value(dense<std::uint8_t>(array, member));
}

State read_tree(const Json& tree, const std::string& prefix, const ZipReader& zip) {
  State state;
  for (const auto& [key, value] : tree.items()) {
    if (value.is_number_integer()) {
      state.set(key, value.get<std::int64_t>());
    } else if (value.is_string()) {
      state.set(key, value.get<std::string>());
    } else if (value.is_array()) {
      state.set(key, value.get<std::vector<std::string>>());
    } else if (value.contains("double")) {
      state.set(key, std::strtod(value["double"].get_ref<const std::string&>().c_str(), nullptr));
    } else if (value.contains("array")) {
      state.values.insert_or_assign(key, read_array(zip, prefix + key + ".npy"));
    } else {
      state.children.emplace(key, read_tree(value.at("part"), prefix + key + "/", zip));
    }
  }
  return state;
}

}  // namespace

namespace {

void put_archive(const State& state, const PutBytes& put) {
  ZipWriter zip(put);
  Json tree = Json::object();
  write_tree(state, "", tree, zip);
  try {
    zip.add(kTree, Json{{"tyto_state", kVersion}, {"tree", tree}}.dump(1));
  } catch (const Json::exception& problem) {
    throw Error(ErrorKind::data, fmt::format("a text cannot be saved: {}", problem.what()));
  }
  zip.finish();
}

}  // namespace

std::string to_archive(const State& state) {
  std::string out;
  put_archive(state, [&](std::string_view bytes) { out += bytes; });
  return out;
}

State from_archive(std::string_view bytes, std::string_view name) {
  const ZipReader zip(bytes, name);
  try {
    const Json root = Json::parse(zip.member(kTree));
    if (const int version = root.at("tyto_state").get<int>(); version != kVersion) {
      throw Error(ErrorKind::state, fmt::format("{}: version {} of the format; this program reads "
                                                "version {}",
                                                name, version, kVersion));
    }
    return read_tree(root.at("tree"), "", zip);
  } catch (const Json::exception& problem) {
    throw Error(ErrorKind::state, fmt::format("{}: damaged archive ({})", name, problem.what()));
  }
}

void write_archive(const std::filesystem::path& path, const State& state) {
  write_file(path, [&](const PutBytes& put) { put_archive(state, put); });
}

State read_archive(const std::filesystem::path& path) {
  return from_archive(read_file(path), path.string());
}

}  // namespace tyto
