// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/change_journal.hpp"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/server/change_records.hpp"
#include "tyto/server/file_replacer.hpp"

namespace tyto {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kFullJournal = 32U << 20U;  // then the other file goes on
constexpr std::uint64_t kJournalStep = 1U << 20U;   // zeros written ahead: syncing them costs less

Error disk_error(std::string_view what, const fs::path& path) {
  return {ErrorKind::io, fmt::format("{}: cannot {}: {}", path.string(), what, strerror(errno))};
}

std::uint64_t size_of(const fs::path& path) {
  struct stat found {};

  return ::stat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

}  // namespace

namespace journal_detail {  // a member's type may not be of an unnamed namespace

class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags)
      : path_(path), file_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (file_ < 0) {
      throw disk_error("open it", path);
    }
  }

  ~OpenFile() { ::close(file_); }

  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  void write_at(std::string_view bytes, std::uint64_t offset) const {
    while (!bytes.empty()) {
      const ssize_t done = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (done < 0 && errno != EINTR) {
        throw disk_error("write", path_);
      }
      bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(done, 0)));
      offset += static_cast<std::uint64_t>(std::max<ssize_t>(done, 0));
    }
  }

  void cut(std::uint64_t size) const {
    struct stat now {};

    const bool longer = ::fstat(file_, &now) == 0 && static_cast<std::uint64_t>(now.st_size) > size;
    if (longer && ::ftruncate(file_, static_cast<off_t>(size)) != 0) {
      throw disk_error("shorten", path_);
    }
  }

  [[nodiscard]] bool sync_data() const { return ::fdatasync(file_) == 0; }

  void sync_file_system() const { ::syncfs(file_); }

 private:
  fs::path path_;
  int file_;
};

}  // namespace journal_detail

using journal_detail::OpenFile;

std::string content_digest(const fs::path& path) {
  if (::access(path.c_str(), F_OK) != 0) {
    return "";
  }
  const std::string content = read_file(path);
  return digest(std::as_bytes(std::span(content)));
}

class ChangeJournal::Impl {
 public:
  explicit Impl(fs::path folder)
      : folder_(std::move(folder)),
        own_(folder_ / ".tyto"),
        lock_(make_own_folder()),
        replacer_(own_) {
    finish_begun();
    start_file(0);
    keeper_ = std::thread([this] { keep(); });
  }

  ~Impl() {
    {
      const std::lock_guard guard(mutex_);
      ending_ = true;
    }
    turn_.notify_all();
    keeper_.join();
    if (file_) {
      file_->sync_file_system();
    }
    remove_own_files();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void apply(const std::vector<FileChange>& changes, bool lasting) {
    const std::uint64_t mine = write_record(changes);
    const Working until_done{*this};
    if (lasting) {
      wait_for_disk(mine);
    }
    for (const auto& change : changes) {
      carry_out(change);
    }
  }

 private:
  const fs::path& make_own_folder() {
    make_folder(own_);
    return own_;
  }

  [[nodiscard]] fs::path journal_path(int which) const {
    return own_ / fmt::format("journal-{}", which);
  }

  void start_file(int which) {
    which_ = which;
    file_ = std::make_unique<OpenFile>(journal_path(which), O_RDWR | O_CREAT);
    end_ = ahead_ = 0;
    write_ahead(kJournalStep);
  }

  void write_ahead(std::uint64_t size) {
    if (ahead_ < size) {
      const std::uint64_t step = (size - ahead_ + kJournalStep - 1) / kJournalStep * kJournalStep;
      file_->write_at(std::string(step, '\0'), ahead_);
      ahead_ += step;
    }
  }

  struct Working {  // from the record until its changes are carried out
    Impl& journal;

    ~Working() {
      const std::lock_guard guard(journal.mutex_);
      --journal.working_;
      if (journal.switching_ || journal.end_ > kFullJournal) {
        journal.turn_.notify_all();
      }
    }
  };

  std::uint64_t write_record(const std::vector<FileChange>& changes) {
    std::unique_lock guard(mutex_);
    turn_.wait(guard, [&] { return !switching_; });
    const std::string bytes = record_bytes(next_, changes);
    write_ahead(end_ + bytes.size() + 64);
    file_->write_at(bytes, end_);
    end_ += bytes.size();
    ++working_;
    return next_++;
  }

  // Whoever comes while the disk is busy shares its next turn.
  void wait_for_disk(std::uint64_t mine) {
    std::unique_lock guard(mutex_);
    while (synced_ < mine) {
      if (syncing_) {
        turn_.wait(guard);
        continue;
      }
      syncing_ = true;
      const std::uint64_t written = next_ - 1;
      guard.unlock();
      const bool lasts = file_->sync_data();
      guard.lock();
      syncing_ = false;
      synced_ = lasts ? std::max(synced_, written) : synced_;
      turn_.notify_all();
      if (!lasts) {
        throw Error(ErrorKind::io, fmt::format("{}: cannot sync the journal", own_.string()));
      }
    }
  }

  // Once the journal is long: the files it speaks of go to the disk, and another one begins.
  void keep() {
    std::unique_lock guard(mutex_);
    while (true) {
      turn_.wait(guard, [&] { return ending_ || end_ > kFullJournal; });
      if (ending_) {
        return;
      }
      switching_ = true;
      turn_.wait(guard, [&] { return working_ == 0 && !syncing_; });
      const auto full = std::move(file_);
      const int old = which_;
      start_file(1 - which_);
      switching_ = false;
      turn_.notify_all();
      guard.unlock();
      full->sync_file_system();
      std::error_code ignored;
      fs::remove(journal_path(old), ignored);
      guard.lock();
    }
  }

  static void append(const fs::path& path, const FileChange& change) {
    if (change.offset == 0) {
      std::error_code ignored;
      fs::create_directories(path.parent_path(), ignored);
    }
    const OpenFile file(path, O_WRONLY | O_CREAT);
    file.write_at(change.text, change.offset);
    file.cut(change.offset + change.text.size());
  }

  void carry_out(const FileChange& change) {
    const fs::path path = folder_ / change.path;
    switch (change.kind) {
      case FileChange::Kind::append: append(path, change); break;
      case FileChange::Kind::replace: replacer_.replace(path, change.text); break;
      case FileChange::Kind::remove: ::unlink(path.c_str()); break;
    }
  }

  void finish_begun() {
    std::vector<ChangeRecord> records;
    for (int which = 0; which < 2; ++which) {
      if (size_of(journal_path(which)) > 0) {
        auto more = change_records(read_file(journal_path(which)));
        std::move(more.begin(), more.end(), std::back_inserter(records));
      }
    }
    std::stable_sort(records.begin(), records.end(),
                     [](const auto& a, const auto& b) { return a.number < b.number; });
    for (const auto& record : records) {
      finish(record.changes);
      next_ = record.number + 1;
    }
    synced_ = next_ - 1;
    if (!records.empty()) {
      OpenFile(own_, O_RDONLY | O_DIRECTORY).sync_file_system();
    }
    remove_own_files();
  }

  void remove_own_files() const {  // all but the lock
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(own_, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("new-") || name.starts_with("journal-")) {
        fs::remove(entry.path(), ignored);
      }
    }
  }

  // A change is carried out again where the file it replaces is still as it was, or was left in
  // pieces; where somebody has gone on from it since, it is done with.
  void finish(const std::vector<FileChange>& changes) {
    std::optional<bool> begun;
    for (const auto& change : changes) {
      if (change.kind == FileChange::Kind::replace && !begun) {
        begun = still_before(change);
      }
    }
    for (const auto& change : changes) {
      const fs::path path = folder_ / change.path;
      const bool lost = change.kind == FileChange::Kind::append && is_after(changes) &&
                        size_of(path) < change.offset + change.text.size();
      if (change.kind == FileChange::Kind::replace ? still_before(change)
                                                   : begun.value_or(true) || lost) {
        carry_out(change);
      }
    }
  }

  [[nodiscard]] bool still_before(const FileChange& change) const {
    const std::string now = content_digest(folder_ / change.path);
    return now == change.before || (!now.empty() && size_of(folder_ / change.path) == 0);
  }

  [[nodiscard]] bool is_after(const std::vector<FileChange>& changes) const {
    return std::any_of(changes.begin(), changes.end(), [&](const FileChange& change) {
      return change.kind == FileChange::Kind::replace &&
             content_digest(folder_ / change.path) == digest(std::as_bytes(std::span(change.text)));
    });
  }

  fs::path folder_, own_;
  FolderLock lock_;
  FileReplacer replacer_;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::unique_ptr<OpenFile> file_;
  int which_ = 0;
  std::uint64_t next_ = 1, synced_ = 0;  // records
  std::uint64_t end_ = 0, ahead_ = 0;    // of the journal in bytes, and of the zeros after it
  int working_ = 0;                      // changes written to the journal and not carried out
  bool syncing_ = false, switching_ = false, ending_ = false;
  std::thread keeper_;
};

ChangeJournal::ChangeJournal(fs::path folder) : impl_(std::make_unique<Impl>(std::move(folder))) {}

ChangeJournal::~ChangeJournal() = default;

void ChangeJournal::apply(const std::vector<FileChange>& changes, bool lasting) {
  impl_->apply(changes, lasting);
}

}  // namespace tyto
