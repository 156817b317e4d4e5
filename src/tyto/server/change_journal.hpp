// SPDX-License-Identifier: Apache-2.0
// Changes of several files that happen wholly or not at all, though the program be killed or the
// power fail: what is to change is written to a journal first, many changes at one turn of the
// disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tyto {

// Paths are relative to the folder.
struct FileChange {
  enum class Kind : std::uint8_t {
    append,   // `text` at `offset`, which was the file's end
    replace,  // the file by `text`, in one step; `before` is the digest of what was there
    remove
  };
  Kind kind = Kind::append;
  std::string path;
  std::string text;
  std::uint64_t offset = 0;
  std::string before;
};

// Of one folder, by one program at a time. Readers see each file before or after a change; of the
// files of one change the replaced ones come last and in order.
class ChangeJournal {
 public:
  // Takes hold of the folder and finishes what another life of it began. Throws Error(io).
  explicit ChangeJournal(std::filesystem::path folder);
  ~ChangeJournal();  // what was done is on the disk, and the journal is gone
  ChangeJournal(const ChangeJournal&) = delete;
  ChangeJournal& operator=(const ChangeJournal&) = delete;

  // From any thread; the caller sees to it that no two changes of one file overlap. `lasting`: back
  // only once the change survives a failure of the power; else it survives the end of the program.
  void apply(const std::vector<FileChange>& changes, bool lasting);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Digest of a file's content; "": there is no such file.
std::string content_digest(const std::filesystem::path& path);

}  // namespace tyto
