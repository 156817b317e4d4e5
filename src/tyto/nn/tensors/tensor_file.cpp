// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/tensor_file.hpp"

#include <array>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/nn/tensors/little_endian.hpp"
#include "tyto/nn/tensors/printable.hpp"
#include "tyto/nn/tensors/safetensors.hpp"
#include "tyto/nn/tensors/torch_file.hpp"

namespace tyto {

namespace {

using namespace std::string_view_literals;

struct OtherKind {
  std::string_view start, hint;
};

constexpr std::array<OtherKind, 9> kOtherKinds{{
    {"\x80\x02\x7d"sv, "this is a plain pickle, as of the Caffe2 model zoo, and no PyTorch file"},
    {"\x80"sv, "this is a plain pickle and no PyTorch file"},
    {"\x89HDF\r\n\x1a\n"sv, "this is HDF5, as Keras writes it"},
    {"\x93NUMPY"sv, "this is an array of NumPy without names"},
    {"PK"sv, "this zip is empty or a part of a larger one"},
    {"\x1f\x8b"sv, "this is packed by gzip; unpack it first"},
    {"version https://git-lfs"sv, "this is a pointer to a file that Git LFS has not fetched yet"},
    {"<"sv, "this is a page of the web; was the file downloaded?"},
    {"\x08"sv, "this may be ONNX; give it as a network of the kind onnx"},
}};

[[noreturn]] void refuse_kind(std::string_view bytes, std::string_view name) {
  constexpr std::size_t kTarMark = 257;
  std::string_view hint =
      "first a length and {, or PK, or the number of an older PyTorch file is "
      "expected";
  if (bytes.size() > kTarMark && bytes.substr(kTarMark).starts_with("ustar")) {
    hint = "this is a tar, as PyTorch 0.1 wrote it; save it again with a newer PyTorch";
  } else {
    for (const auto& [start, told] : kOtherKinds) {
      if (bytes.starts_with(start)) {
        hint = told;
        break;
      }
    }
  }
  std::string seen;
  for (const char byte : bytes.substr(0, 8)) {
    seen += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: holds no tensors that can be read: {}{}{}", name, hint,
                          seen.empty() ? "; it is empty" : "; it begins with", seen));
}

// A length that fits, or the brace of a header behind one that does not.
bool looks_like_safetensors(std::span<const std::byte> file) {
  return file.size() > 8 &&
         (as_text(file)[8] == '{' || little_endian<std::uint64_t>(file, 0) <= file.size() - 8);
}

// What parallel training puts before every name.
void strip_wrapper(std::vector<NamedTensor>& tensors, std::string_view name) {
  constexpr std::string_view kWrapper = "module.";
  std::set<std::string_view> seen;
  for (NamedTensor& tensor : tensors) {
    while (tensor.name.starts_with(kWrapper) && tensor.name.size() > kWrapper.size()) {
      tensor.name.erase(0, kWrapper.size());
    }
  }
  for (const NamedTensor& tensor : tensors) {
    if (!seen.insert(tensor.name).second) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} stands there with and without \"{}\" before it", name,
                              printable(tensor.name), kWrapper));
    }
  }
}

TensorFile read_any(std::span<const std::byte> bytes, std::string_view name, bool may_be_bare) {
  TensorFile content;
  if (as_text(bytes).starts_with("PK\3\4")) {
    content.tensors = read_torch_zip(bytes, name, may_be_bare);
  } else if (is_legacy_torch(bytes)) {
    content.tensors = read_legacy_torch(bytes, name, may_be_bare);
  } else if (looks_like_safetensors(bytes)) {
    content = read_safetensors(bytes, name);
  } else {
    refuse_kind(as_text(bytes), name);
  }
  strip_wrapper(content.tensors, name);
  return content;
}

}  // namespace

TensorFile read_tensors(std::span<const std::byte> bytes, std::string_view name) {
  return read_any(bytes, name, false);
}

NamedTensor read_one_tensor(const std::filesystem::path& path) {
  const MappedFile file(path);
  TensorFile content = read_any(file.bytes(), path.string(), true);
  if (content.tensors.size() != 1) {
    throw Error(ErrorKind::data, fmt::format("{}: holds {} tensors where one is needed",
                                             path.string(), content.tensors.size()));
  }
  return std::move(content.tensors.front());
}

TensorFile read_tensors(const std::filesystem::path& path) {
  const MappedFile file(path);
  return read_tensors(file.bytes(), path.string());
}

void write_safetensors(const TensorFile& content, const std::filesystem::path& path) {
  write_file(path, to_safetensors(content));
}

}  // namespace tyto
