// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/torch_file.hpp"

#include <map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/little_endian.hpp"
#include "tyto/nn/tensors/printable.hpp"
#include "tyto/nn/tensors/state_dictionary.hpp"
#include "tyto/nn/tensors/zip_records.hpp"

namespace tyto {

namespace {

using namespace std::string_view_literals;
using Kind = PickleValue::Kind;

// A pickle of the whole number 0x1950a86a20f9469cfc6c.
constexpr std::string_view kLegacyMagic =
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e"sv;
constexpr std::int64_t kLegacyProtocol = 1001;
constexpr std::string_view kPickleRecord = "/data.pkl";

Error bad_file(std::string_view name, std::string_view what) {
  return Error(ErrorKind::data, fmt::format("{}: {}", name, what));
}

// The folder in the zip that everything lies in, with its slash.
std::string root_folder(const ZipRecords& zip, std::string_view name) {
  std::string root;
  for (const auto& [record, entry] : zip.entries()) {
    if (record.ends_with("/constants.pkl") || record.find("/code/") != record.npos) {
      throw bad_file(name,
                     "this is TorchScript, a program with its weights; give it as a network "
                     "of the kind torchscript, or save the state dictionary alone");
    }
    if (record.ends_with(kPickleRecord)) {
      if (!root.empty()) {
        throw bad_file(name, fmt::format("it has two pickles, {}data.pkl and {}", printable(root),
                                         printable(record)));
      }
      root = record.substr(0, record.size() - kPickleRecord.size() + 1);
    }
  }
  if (root.empty()) {
    throw bad_file(name, "this zip was not written by PyTorch: it has no record data.pkl");
  }
  return root;
}

std::string in_pickle(std::string_view name, std::string_view which) {
  return fmt::format("{}: {}", name, which);
}

// Five pickles stand one behind the other.
class LegacyReader {
 public:
  LegacyReader(std::span<const std::byte> file, std::string_view name)
      : file_(file), name_(name), next_(kLegacyMagic.size()) {}

  std::vector<NamedTensor> read(bool may_be_bare) {
    if (const Pickle version = read_next("protocol version");
        version.top.kind != Kind::integer || version.top.integer != kLegacyProtocol) {
      throw bad_file(name_, fmt::format("its protocol is not {}", kLegacyProtocol));
    }
    expect_little_endian(read_next("system information"));
    const Pickle object = read_next("object");
    return state_dictionary(object, read_storages(object, read_next("list of storages")),
                            file_.size(), name_, may_be_bare);
  }

 private:
  Pickle read_next(std::string_view which) {
    Pickle pickle = read_pickle(file_.subspan(next_), in_pickle(name_, which));
    next_ += pickle.end;
    return pickle;
  }

  void expect_little_endian(const Pickle& system) const {
    const PickleValue* order =
        system.top.kind == Kind::dictionary ? system.find(system.top, "little_endian") : nullptr;
    if (order == nullptr || order->kind != Kind::boolean || order->integer != 1) {
      throw bad_file(name_, "its numbers are not little-endian");
    }
  }

  // In the order of the list, which is not that of the tensors.
  std::vector<std::span<const std::byte>> read_storages(const Pickle& object, const Pickle& list) {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < object.storages.size(); ++i) {
      places.emplace(object.storages[i].key, i);
    }
    std::vector<std::span<const std::byte>> storages(object.storages.size());
    if (list.top.kind != Kind::list) {
      throw bad_file(name_,
                     fmt::format("the list of its storages is {}", kind_name(list.top.kind)));
    }
    for (const PickleValue& item : list.items(list.top)) {
      const std::string_view key = item.kind == Kind::text ? list.text(item) : "";
      const auto place = places.find(key);
      if (place == places.end()) {
        throw bad_file(name_, fmt::format("the storage \"{}\" belongs to no tensor, or stands "
                                          "in the list twice",
                                          printable(key)));
      }
      storages[place->second] = read_storage(object.storages[place->second]);
      places.erase(place);
    }
    if (!places.empty()) {
      throw bad_file(name_, fmt::format("the storage {} of a tensor is not in the file",
                                        places.begin()->first));
    }
    if (next_ != file_.size()) {
      throw bad_file(name_, fmt::format("{} bytes follow the last storage", file_.size() - next_));
    }
    return storages;
  }

  std::span<const std::byte> read_storage(const PickledStorage& storage) {
    const auto bytes = bytes_of(storage);
    const std::size_t left = file_.size() - next_;
    if (!bytes || left < sizeof(std::int64_t) || *bytes > left - sizeof(std::int64_t)) {
      throw bad_file(name_, fmt::format("the storage {} is cut off: {} elements should follow, {} "
                                        "bytes are left",
                                        storage.key, storage.count, left));
    }
    if (const auto count = little_endian<std::int64_t>(file_, next_); count != storage.count) {
      throw bad_file(name_, fmt::format("the storage {} has {} elements, its tensors say {}",
                                        storage.key, count, storage.count));
    }
    const auto found = file_.subspan(next_ + sizeof(std::int64_t), *bytes);
    next_ += sizeof(std::int64_t) + *bytes;
    return found;
  }

  std::span<const std::byte> file_;
  std::string_view name_;
  std::size_t next_;
};

}  // namespace

bool is_legacy_torch(std::span<const std::byte> file) {
  return as_text(file).starts_with(kLegacyMagic);
}

std::vector<NamedTensor> read_torch_zip(std::span<const std::byte> file, std::string_view name,
                                        bool may_be_bare) {
  const ZipRecords zip(file, name);
  const std::string root = root_folder(zip, name);
  if (const auto order = zip.find(root + "byteorder"); order && as_text(*order) != "little") {
    throw bad_file(name, fmt::format("its numbers are {}-endian; only little is read",
                                     printable(as_text(*order))));
  }
  const Pickle pickle = read_pickle(zip.checked(root + "data.pkl"), in_pickle(name, "data.pkl"));
  std::vector<std::span<const std::byte>> storages;
  for (const PickledStorage& storage : pickle.storages) {
    const auto record = zip.find(fmt::format("{}data/{}", root, storage.key));
    if (!record) {
      throw bad_file(name,
                     fmt::format("has no record data/{} for the storage of a tensor", storage.key));
    }
    const auto bytes = bytes_of(storage);
    if (!bytes || *bytes > record->size()) {
      throw bad_file(name, fmt::format("the record data/{} is shorter than declared: {} bytes for "
                                       "{} elements",
                                       storage.key, record->size(), storage.count));
    }
    storages.push_back(*record);
  }
  return state_dictionary(pickle, storages, file.size(), name, may_be_bare);
}

std::vector<NamedTensor> read_legacy_torch(std::span<const std::byte> file, std::string_view name,
                                           bool may_be_bare) {
  return LegacyReader(file, name).read(may_be_bare);
}

}  // namespace tyto
