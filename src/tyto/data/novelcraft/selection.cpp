// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/novelcraft/selection.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/data/importers/pieces.hpp"

namespace tyto {

namespace {

constexpr std::size_t kNamesTold = 3;  // of what was left out

struct EpisodeClass {
  Index first_novel = -1;  // -1: never
  bool used = true;
};

std::map<std::string, EpisodeClass> episode_classes(const std::filesystem::path& folder) {
  if (!std::filesystem::is_regular_file(folder / "episode_classes.csv")) {
    return {{"normal", {-1}},
            {"fence", {14}},
            {"tree_easy", {15}},
            {"supplier", {12}},
            {"thief", {16}}};
  }
  const CsvTable csv = CsvTable::load(folder / "episode_classes.csv");
  std::map<std::string, EpisodeClass> out;
  for (Index row = 0; row < csv.rows(); ++row) {
    const Index column = csv.column("first_novel_episode");
    const auto first = number_in<Index>(csv.text(row, column));
    if (!first) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: \"{}\" is not the number of an episode, or -1 for never",
                              csv.place(row, column), csv.text(row, column)));
    }
    out[std::string(csv.text(row, csv.column("class")))] = {
        *first, csv.text(row, csv.column("used_in_table4")) != "0"};
  }
  return out;
}

// Names of one kind that were left out, as a sentence.
class LeftOut {
 public:
  void add(const std::string& name) {
    ++count_;
    if (names_.size() < kNamesTold) {
      names_.push_back(name);
    }
  }

  void tell(const char* key, std::string_view what, std::map<std::string, std::string>& about) {
    if (count_ > 0) {
      about[key] = fmt::format("{} {}: {}{}", count_, what, fmt::join(names_, ", "),
                               count_ > std::ssize(names_) ? ", ..." : "");
    }
  }

 private:
  Index count_ = 0;
  std::vector<std::string> names_;
};

class Selecting {
 public:
  Selecting(const std::filesystem::path& folder, const NovelCraftOptions& options)
      : options_(options), tables_(read_novelcraft_tables(folder)) {
    const CsvTable csv = CsvTable::load(needed_file(folder, "targets.csv"));
    for (Index row = 0; row < csv.rows(); ++row) {
      shares_.emplace(csv.text(row, csv.column("id")),
                      csv.number(row, csv.column("novel_percent")));
    }
    if (options.of == "episodes") {
      gameplay_ = episode_classes(folder);
    }
  }

  NovelCraftSelection select(const NovelCraftFiles& found) {
    for (const NovelCraftFile& file : found.files) {
      if (file.is_plus()) {
        if (options_.plus) {
          add(file, "normal", "train", false, {});
        }
      } else if (options_.of == "episodes") {
        select_of_episode(file);
      } else {
        select_frame(file);
      }
    }
    tell(found);
    return std::move(out_);
  }

 private:
  void select_of_episode(const NovelCraftFile& file) {
    const auto of = gameplay_.find(file.class_name);
    if (of == gameplay_.end() || !of->second.used) {
      return;
    }
    if (file.class_name == kNovelCraftNormal) {
      add_normal(file);
      return;
    }
    const bool novel = of->second.first_novel >= 0 && file.number >= of->second.first_novel;
    add(file, novel ? file.class_name : std::string(kNovelCraftNormal), "test", novel, {});
  }

  void add_normal(const NovelCraftFile& file) {
    const auto episode = tables_.episodes.find({file.class_name, file.number});
    if (episode == tables_.episodes.end() || episode->second.split.empty()) {
      no_split_.add(file.id());
      return;
    }
    add(file, file.class_name, episode->second.split, false, {});
  }

  void select_frame(const NovelCraftFile& file) {
    const auto role = tables_.role.find(file.class_name);
    if (role == tables_.role.end()) {
      no_role_.insert(file.class_name);
      return;
    }
    if (file.class_name == kNovelCraftNormal) {
      add_normal(file);
      return;
    }
    const auto share = shares_.find(file.id());
    if (share == shares_.end()) {
      not_named_.add(file.id());
      return;
    }
    on_disk_.insert(file.id());
    const auto& split = tables_.episodes.at({file.class_name, file.number}).split;
    if (role->second == NovelCraftRole::dropped || share->second < options_.visible) {
      return;
    }
    if (split.empty()) {
      no_split_.add(file.id());
      return;
    }
    add(file, file.class_name, split, role->second != NovelCraftRole::normal, share->second);
  }

  void add(const NovelCraftFile& file, std::string label, std::string_view split, bool novel,
           std::optional<double> share) {
    IndexTable& table = out_.table;
    out_.files.push_back(file);
    table.id.push_back(file.id());
    table.label.push_back(std::move(label));
    table.split.emplace_back(split);
    table.group.push_back(file.group());
    table.time.push_back(static_cast<double>(file.frame));
    table.annotations["novel"].emplace_back(novel ? "1" : "0");
    if (options_.of == "frames") {
      const auto role = tables_.role.find(file.class_name);
      table.annotations["role"].emplace_back(
          novelcraft_role_word(role == tables_.role.end() ? NovelCraftRole::normal : role->second));
      table.annotations["visible_share"].push_back(share ? fmt::format("{}", *share) : "");
    } else {
      table.annotations["class"].push_back(file.class_name);
    }
  }

  void tell(const NovelCraftFiles& found) {
    LeftOut lost;
    for (const auto& [id, share] : shares_) {
      if (options_.of == "frames" && share >= options_.visible && !on_disk_.contains(id)) {
        lost.add(id);
      }
    }
    auto& about = out_.about;
    lost.tell("not_on_disk", "frames of targets.csv are not there", about);
    not_named_.tell("not_in_targets", "frames that targets.csv does not name were left out", about);
    no_split_.tell("in_no_split", "frames are of episodes that splits.csv puts nowhere", about);
    if (!no_role_.empty()) {
      about["in_no_role"] =
          fmt::format("classes without a role were left out: {}", fmt::join(no_role_, ", "));
    }
    if (found.ignored > 0) {
      about["ignored"] = fmt::format(
          "{} files and folders are called otherwise than the layout "
          "has them",
          found.ignored);
    }
  }

  const NovelCraftOptions& options_;
  NovelCraftTables tables_;
  std::map<std::string, double, std::less<>> shares_;
  std::map<std::string, EpisodeClass> gameplay_;
  std::set<std::string> on_disk_, no_role_;
  LeftOut not_named_, no_split_;
  NovelCraftSelection out_;
};

}  // namespace

void NovelCraftOptions::describe(OptionVisitor& visitor) {
  constexpr std::array<std::string_view, 2> kOf{"frames", "episodes"};
  visitor.field("of", of, kOf,
                "frames: those that count, by class; episodes: all of the classes whose gameplay "
                "changes (states are always of these)");
  visitor.field("visible", visible, {0, 1},
                "least share of its novel block that a frame shows in order to count");
  visitor.field("plus", plus, "frames of NovelCraft+ train too");
  visitor.field("history", history, {0, 1000}, "of states: frames before a sample's own");
  visitor.field("state", state, {},
                "of states: a YAML file that describes their variables; standard: the paper's");
}

NovelCraftSelection select_novelcraft(const std::filesystem::path& folder, std::string_view suffix,
                                      const NovelCraftOptions& options) {
  const NovelCraftFiles found = novelcraft_files(folder, suffix);
  NovelCraftSelection selection = Selecting(folder, options).select(found);
  if (selection.files.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: no <class>/<episode>/<frame>{} of {} is a sample of the {}; {} "
                            "such files are there",
                            folder.string(), suffix, folder.filename().string(), options.of,
                            found.files.size()));
  }
  return selection;
}

}  // namespace tyto
