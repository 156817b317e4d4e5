// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/novelcraft/frame_files.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/data/novelcraft/tables.hpp"

namespace tyto {

namespace {

constexpr std::string_view kPlusFolder = "normal_";

std::optional<Index> plain_number(const std::string& name) {
  const bool digits = !name.empty() && name.find_first_not_of("0123456789") == name.npos;
  return digits ? number_in<Index>(name) : std::nullopt;
}

class FrameSearch {
 public:
  explicit FrameSearch(std::string_view suffix) : suffix_(suffix) {}

  void add_class(const std::filesystem::path& folder) {
    class_name_ = folder.filename().string();
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      const auto number = plain_number(name);
      const bool plus = class_name_ == kNovelCraftNormal && name.starts_with(kPlusFolder);
      if (!entry.is_directory() || (!number && !plus)) {
        ++out_.ignored;
        continue;
      }
      add_episode(entry.path(), name, plus ? -1 : *number);
    }
  }

  NovelCraftFiles take() {
    std::sort(out_.files.begin(), out_.files.end(),
              [](const NovelCraftFile& a, const NovelCraftFile& b) {
                const auto key = [](const NovelCraftFile& f) {
                  return std::tie(f.class_name, f.number, f.episode, f.frame);
                };
                if (a.class_name == b.class_name && a.is_plus() != b.is_plus()) {
                  return b.is_plus();
                }
                return key(a) < key(b);
              });
    return std::move(out_);
  }

 private:
  void add_episode(const std::filesystem::path& folder, const std::string& name, Index number) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::filesystem::path& path = entry.path();
      if (entry.is_directory() && number < 0) {
        add_episode(path, name + '/' + path.filename().string(), number);
      } else if (path.extension() == suffix_) {
        if (const auto frame = plain_number(path.stem().string())) {
          out_.files.push_back({class_name_, name, number, *frame});
        } else {
          ++out_.ignored;
        }
      }
    }
  }

  std::string suffix_, class_name_;
  NovelCraftFiles out_;
};

}  // namespace

NovelCraftFiles novelcraft_files(const std::filesystem::path& folder, std::string_view suffix) {
  FrameSearch search(suffix);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory()) {
      search.add_class(entry.path());
    }
  }
  return search.take();
}

}  // namespace tyto
