// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/row_log.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

using LogJson = nlohmann::ordered_json;

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
  throw Error(ErrorKind::io, fmt::format("{}: cannot write: {}", path.string(), strerror(errno)));
}

std::filesystem::path journal_of(const std::filesystem::path& folder) {
  return folder / "journal.jsonl";
}

// Whole lines, and how many bytes of the file they are.
struct WholeLines {
  FinishedLog log;
  std::uintmax_t bytes = 0;
};

WholeLines read_lines(const std::filesystem::path& folder) {
  WholeLines out;
  const auto path = journal_of(folder);
  if (!std::filesystem::exists(path)) {
    return out;
  }
  const std::string text = read_file(path);
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find('\n', begin);
    if (end == text.npos) {
      return out;  // a line cut short counts for nothing
    }
    const auto line = LogJson::parse(text.substr(begin, end - begin), nullptr, false);
    if (line.is_discarded()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: byte {}: the line is damaged", path.string(), begin));
    }
    if (line.contains("sources")) {
      out.log.sources.clear();
      for (const auto& source : line["sources"]) {
        out.log.sources.push_back({source["name"], source["width"]});
      }
    } else {
      for (const auto& sample : line["samples"]) {
        LoggedSample logged;
        logged.sample = sample["sample"];
        logged.rows = sample.value("rows", Index{0});
        logged.reason = sample.value("reason", "");
        logged.thumbnail_frames = sample.value("thumbnail_frames", Index{0});
        out.log.samples.push_back(std::move(logged));
      }
      out.log.rows = line["rows"];
      ++out.log.units;
    }
    begin = end + 1;
    out.bytes = begin;
  }
}

}  // namespace

RowLog::RowLog(std::filesystem::path folder, StoredAs type)
    : folder_(std::move(folder)), type_(type) {
  make_folder(folder_);
  WholeLines lines = read_lines(folder_);
  sources_ = std::move(lines.log.sources);
  samples_ = std::move(lines.log.samples);
  units_ = lines.log.units;
  rows_ = lines.log.rows;
  const auto path = journal_of(folder_);
  journal_ = std::fopen(path.c_str(), "ab");
  if (journal_ == nullptr || ::truncate(path.c_str(), static_cast<off_t>(lines.bytes)) != 0) {
    cannot_write(path);
  }
  open_files();
}

RowLog::~RowLog() {
  for (std::FILE* file : files_) {
    std::fclose(file);
  }
  if (journal_ != nullptr) {
    std::fclose(journal_);
  }
}

std::filesystem::path RowLog::file_of(const std::string& source) const {
  return folder_ / (source + ".bin");
}

void RowLog::open_files() {
  for (const RowSource& source : sources_) {
    const auto path = file_of(source.name);
    std::FILE* file = std::fopen(path.c_str(), "ab");
    if (file == nullptr) {
      cannot_write(path);
    }
    files_.push_back(file);
  }
  cut(0);
}

void RowLog::expect_sources(const std::vector<RowSource>& sources) {
  if (!sources_.empty()) {
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if (sources[s].width != sources_[s].width) {
        throw Error(ErrorKind::data,
                    fmt::format("the network gives {} {} for this input and {} for those before; "
                                "a recipe with a crop or a fixed size makes inputs alike",
                                sources[s].width, sources[s].name, sources_[s].width));
      }
    }
    return;
  }
  sources_ = sources;
  LogJson line;
  for (const RowSource& source : sources) {
    line["sources"].push_back({{"name", source.name}, {"width", source.width}});
  }
  write_line(line.dump());
  open_files();
}

void RowLog::append(std::size_t source, const MatrixView& rows) {
  std::FILE* file = files_[source];
  for (Index i = 0; i < rows.rows(); ++i) {
    const Eigen::RowVectorXf row = rows.row(i);
    bool done = false;
    if (type_ == StoredAs::uint8) {
      const Eigen::Matrix<std::uint8_t, 1, Eigen::Dynamic> bytes = row.cast<std::uint8_t>();
      done = std::fwrite(bytes.data(), 1, at(row.size()), file) == at(row.size());
    } else if (type_ == StoredAs::float16) {
      const Eigen::Matrix<Eigen::half, 1, Eigen::Dynamic> halves = row.cast<Eigen::half>();
      done =
          std::fwrite(halves.data(), sizeof(Eigen::half), at(row.size()), file) == at(row.size());
    } else {
      done = std::fwrite(row.data(), sizeof(float), at(row.size()), file) == at(row.size());
    }
    if (!done) {
      cannot_write(file_of(sources_[source].name));
    }
  }
}

void RowLog::cut(Index keep) {
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const auto path = file_of(sources_[s].name);
    const auto bytes = at(rows_ + keep) * at(sources_[s].width) * bytes_of(type_);
    if (std::fflush(files_[s]) != 0) {
      cannot_write(path);
    }
    if (std::filesystem::file_size(path) < bytes) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} rows are missing at its end; remove the folder to begin anew",
                              path.string(), rows_ + keep));
    }
    if (::truncate(path.c_str(), static_cast<off_t>(bytes)) != 0) {
      cannot_write(path);
    }
  }
}

void RowLog::finish_unit(const std::vector<LoggedSample>& samples) {
  LogJson line;
  line["samples"] = LogJson::array();
  for (const LoggedSample& sample : samples) {
    LogJson entry{{"sample", sample.sample}};
    if (sample.rows > 0) {
      entry["rows"] = sample.rows;
    } else {
      entry["reason"] = sample.reason;
    }
    if (sample.thumbnail_frames > 0) {
      entry["thumbnail_frames"] = sample.thumbnail_frames;
    }
    line["samples"].push_back(std::move(entry));
    rows_ += sample.rows;
    samples_.push_back(sample);
  }
  line["rows"] = rows_;
  for (std::size_t s = 0; s < files_.size(); ++s) {
    if (std::fflush(files_[s]) != 0) {
      cannot_write(file_of(sources_[s].name));
    }
  }
  write_line(line.dump(-1, ' ', false, LogJson::error_handler_t::replace));
  ++units_;
}

void RowLog::write_line(const std::string& line) {
  if (std::fwrite((line + "\n").data(), 1, line.size() + 1, journal_) != line.size() + 1 ||
      std::fflush(journal_) != 0) {
    cannot_write(journal_of(folder_));
  }
}

FinishedLog read_row_log(const std::filesystem::path& folder) {
  return read_lines(folder).log;
}

}  // namespace tyto
