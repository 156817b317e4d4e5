// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/change_records.hpp"

#include <cstring>
#include <optional>

namespace tyto {

namespace {

constexpr std::uint64_t kJournalMark = 0x315F6F7479746A6CULL;

std::uint64_t sum_of(std::string_view bytes) {
  std::uint64_t sum = 14695981039346656037ULL;
  for (const char c : bytes) {
    sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return sum;
}

void put_number(std::string& out, std::uint64_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (bytes_.size() < sizeof value) {
      broken_ = true;
      bytes_ = {};
      return 0;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }

  std::string_view text(std::uint64_t size) {
    if (bytes_.size() < size) {
      broken_ = true;
      bytes_ = {};
      return {};
    }
    const std::string_view out = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return out;
  }

  std::string text() { return std::string(text(number())); }

  [[nodiscard]] bool broken() const { return broken_; }

 private:
  std::string_view bytes_;
  bool broken_ = false;
};

std::optional<std::vector<FileChange>> changes_of(std::string_view payload) {
  RecordReader reader(payload);
  std::vector<FileChange> out;
  for (std::uint64_t left = reader.number(); left > 0 && !reader.broken(); --left) {
    FileChange change;
    change.kind = static_cast<FileChange::Kind>(reader.number() % 3);
    change.path = reader.text();
    change.text = reader.text();
    change.offset = reader.number();
    change.before = reader.text();
    out.push_back(std::move(change));
  }
  return reader.broken() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

std::string record_bytes(std::uint64_t number, const std::vector<FileChange>& changes) {
  std::string payload;
  put_number(payload, changes.size());
  for (const auto& change : changes) {
    put_number(payload, static_cast<std::uint64_t>(change.kind));
    put_text(payload, change.path);
    put_text(payload, change.text);
    put_number(payload, change.offset);
    put_text(payload, change.before);
  }
  std::string out;
  put_number(out, kJournalMark);
  put_number(out, number);
  put_number(out, sum_of(payload) ^ number);
  put_text(out, payload);
  return out;
}

std::vector<ChangeRecord> change_records(std::string_view bytes) {
  std::vector<ChangeRecord> out;
  RecordReader reader(bytes);
  while (true) {
    const std::uint64_t mark = reader.number();
    const std::uint64_t number = reader.number();
    const std::uint64_t sum = reader.number();
    const std::string_view payload = reader.text(reader.number());
    if (reader.broken() || mark != kJournalMark || (sum ^ number) != sum_of(payload) ||
        (!out.empty() && number != out.back().number + 1)) {
      return out;
    }
    auto changes = changes_of(payload);
    if (!changes) {
      return out;
    }
    out.push_back({number, std::move(*changes)});
  }
}

}  // namespace tyto
