// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/csv/csv_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "tyto/core/csv/separator.hpp"
#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr std::size_t kLongest = std::size_t{1} << 28;  // bytes of a record
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

}  // namespace

CsvStream::CsvStream(int file, std::string name)
    : CsvStream(
          [file, name](char* to, std::size_t most) {
            ssize_t got = 0;
            do {
              got = ::read(file, to, most);
            } while (got < 0 && errno == EINTR);
            if (got < 0) {
              throw Error(ErrorKind::io,
                          fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
            }
            return static_cast<std::size_t>(got);
          },
          name) {}

bool CsvStream::fill() {
  if (ended_) {
    return false;
  }
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() > kLongest) {
    throw Error(ErrorKind::data,
                fmt::format("{}: line {}: a record of more than {} MiB; is a quote never closed?",
                            name_, line_, kLongest >> 20));
  }
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kChunk);
  const std::size_t got = read_(buffer_.data() + size, kChunk);
  buffer_.resize(size + got);
  ended_ = got == 0;
  if (!started_ && (ended_ || buffer_.size() >= kUtf8Mark.size())) {
    started_ = true;
    if (buffer_.starts_with(kUtf8Mark)) {
      begin_ = scanned_ = kUtf8Mark.size();
    }
  }
  return !ended_;
}

bool CsvStream::find_end() {
  while (scanned_ < buffer_.size()) {
    const char c = buffer_[scanned_++];
    if (c == '"') {
      quoted_ = !quoted_;
    } else if (c == '\n' && !quoted_) {
      return true;
    }
  }
  return false;
}

CsvStream::Record CsvStream::parse(std::size_t end) {
  std::string_view text(buffer_.data() + begin_, end - begin_);
  Record record;
  record.line = line_;
  line_ += std::count(text.begin(), text.end(), '\n');
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  begin_ = end;
  if (text.empty()) {
    return record;
  }
  if (separator_ == '\0') {
    separator_ = separator_of(text);
  }
  const auto refuse = [&](std::string_view what) {
    throw Error(ErrorKind::data, fmt::format("{}: line {}, column {}: {}", name_, record.line,
                                             record.cells.size() + 1, what));
  };
  std::size_t at = 0;
  while (true) {
    std::string cell;
    if (at < text.size() && text[at] == '"') {
      ++at;
      while (true) {
        const std::size_t quote = text.find('"', at);
        if (quote == text.npos) {
          refuse("a quote that is never closed");
        }
        cell += text.substr(at, quote - at);
        at = quote + 1;
        if (at >= text.size() || text[at] != '"') {
          break;
        }
        cell += '"';
        ++at;
      }
      if (at < text.size() && text[at] != separator_) {
        refuse("text behind a closing quote");
      }
    } else {
      const std::size_t comma = std::min(text.find(separator_, at), text.size());
      cell = text.substr(at, comma - at);
      if (cell.find('"') != cell.npos) {
        refuse("a quote inside a field that does not begin with one");
      }
      if (separator_ != ',' && has_decimal_comma(cell)) {
        cell[cell.find(',')] = '.';
      }
      at = comma;
    }
    record.cells.push_back(std::move(cell));
    if (at >= text.size()) {
      return record;
    }
    ++at;  // the comma; one at the very end leaves an empty last field
  }
}

std::vector<CsvStream::Record> CsvStream::read(Index most, bool wait) {
  std::vector<Record> out;
  while (static_cast<Index>(out.size()) < most) {
    if (find_end()) {
      Record record = parse(scanned_);
      if (!record.cells.empty()) {
        out.push_back(std::move(record));
      }
      continue;
    }
    if (!wait && !out.empty()) {
      break;
    }
    if (!fill()) {
      if (begin_ < buffer_.size()) {  // the last record has no line end
        scanned_ = buffer_.size();
        Record record = parse(scanned_);
        if (!record.cells.empty()) {
          out.push_back(std::move(record));
        }
      }
      break;
    }
  }
  return out;
}

}  // namespace tyto
