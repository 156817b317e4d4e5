// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/novelcraft/tables.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/data/split_word.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 4> kRoles{"normal", "novel_valid", "novel_test", "dropped"};

std::map<std::string, NovelCraftRole> read_roles(const CsvTable& csv) {
  std::map<std::string, NovelCraftRole> roles;
  for (Index row = 0; row < csv.rows(); ++row) {
    const std::string_view word = csv.text(row, csv.column("role"));
    const auto found = std::find(kRoles.begin(), kRoles.end(), word);
    if (found == kRoles.end()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: \"{}\" is not one of {}", csv.place(row, csv.column("role")),
                              word, fmt::join(kRoles, ", ")));
    }
    const std::string name(csv.text(row, csv.column("class")));
    if (!roles.emplace(name, static_cast<NovelCraftRole>(found - kRoles.begin())).second) {
      throw Error(ErrorKind::data, fmt::format("{}: \"{}\" stands in the table before",
                                               csv.place(row, csv.column("class")), name));
    }
  }
  return roles;
}

// What the release calls a class, which has no table of them.
NovelCraftRole published_role(std::string_view class_name) {
  constexpr std::array<std::string_view, 5> kNormal{"normal", "fence", "item_anvil", "item_sand",
                                                    "item_coal_block"};
  constexpr std::array<std::string_view, 5> kValidation{
      "item_quartz_block", "item_obsidian", "item_prismarine", "item_tnt", "item_sea_lantern"};
  const auto is_in = [&](const auto& names) {
    return std::find(names.begin(), names.end(), class_name) != names.end();
  };
  return is_in(kNormal)                 ? NovelCraftRole::normal
         : is_in(kValidation)           ? NovelCraftRole::novel_valid
         : class_name == "item_bedrock" ? NovelCraftRole::dropped
                                        : NovelCraftRole::novel_test;
}

NovelCraftRole role_of(NovelCraftTables& tables, const std::string& class_name,
                       const std::string& place) {
  const auto found = tables.role.find(class_name);
  if (found == tables.role.end() && tables.published_roles) {
    return tables.role[class_name] = published_role(class_name);
  }
  if (found == tables.role.end()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: classes.csv does not list \"{}\"", place, class_name));
  }
  return found->second;
}

void read_targets(const CsvTable& csv, NovelCraftTables& tables) {
  const Index id_column = csv.column("id");
  const Index share_column = csv.column("novel_percent");
  std::set<std::string, std::less<>> seen;
  for (Index row = 0; row < csv.rows(); ++row) {
    const std::string place = csv.place(row, id_column);
    const NovelCraftId id = novelcraft_id(csv.text(row, id_column), place);
    if (!seen.emplace(csv.text(row, id_column)).second) {
      throw Error(ErrorKind::data, fmt::format("{}: \"{}\" stands in the table before", place,
                                               csv.text(row, id_column)));
    }
    const double share = csv.number(row, share_column);
    if (!(share >= 0.0 && share <= 1.0)) {
      throw Error(ErrorKind::data, fmt::format("{}: {} is not a share from 0 to 1",
                                               csv.place(row, share_column), share));
    }
    NovelCraftEpisode& episode = tables.episodes[{id.class_name, id.episode}];
    episode.role = role_of(tables, id.class_name, place);
    ++episode.frames;
    episode.visible += share >= kNovelCraftVisible ? 1 : 0;
  }
}

void read_episode_splits(const CsvTable& csv, NovelCraftTables& tables) {
  const Index column = csv.column("episode");
  const std::vector<Index> counts = csv.counts(csv.column("num_frames"));
  for (Index row = 0; row < csv.rows(); ++row) {
    const std::string place = csv.place(row, column);
    // The id of a frame without the frame.
    const NovelCraftId id = novelcraft_id(std::string(csv.text(row, column)) + "/0", place);
    const std::string_view split = canonical_split(csv.text(row, csv.column("split")));
    if (split.empty()) {
      throw Error(ErrorKind::data, fmt::format("{}: the split \"{}\" is not one of train, valid, "
                                               "test",
                                               place, csv.text(row, csv.column("split"))));
    }
    const Index frames = counts[static_cast<std::size_t>(row)];
    NovelCraftEpisode& episode = tables.episodes[{id.class_name, id.episode}];
    if (id.class_name == kNovelCraftNormal) {
      episode.role = role_of(tables, id.class_name, place);
      episode.frames = episode.visible = frames;
    } else if (episode.visible != frames) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} frames are said to show {} of their novel block, but "
                              "targets.csv has {}",
                              place, frames, kNovelCraftVisible, episode.visible));
    }
    episode.split = split;
  }
}

}  // namespace

std::string_view novelcraft_role_word(NovelCraftRole role) {
  return kRoles[static_cast<std::size_t>(role)];
}

NovelCraftId novelcraft_id(std::string_view text, const std::string& place) {
  const auto first = text.find('/');
  const auto second = first == text.npos ? first : text.find('/', first + 1);
  if (second != text.npos && first > 0) {
    const auto episode = number_in<Index>(text.substr(first + 1, second - first - 1));
    const auto frame = number_in<Index>(text.substr(second + 1));
    if (episode && frame) {
      return {std::string(text.substr(0, first)), *episode, *frame};
    }
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: \"{}\" is not class/episode/frame with two numbers", place, text));
}

NovelCraftTables read_novelcraft_tables(const std::filesystem::path& folder) {
  NovelCraftTables tables;
  tables.published_roles = !std::filesystem::exists(folder / "classes.csv");
  if (!tables.published_roles) {
    tables.role = read_roles(CsvTable::load(folder / "classes.csv"));
  }
  read_targets(CsvTable::load(needed_file(folder, "targets.csv")), tables);
  read_episode_splits(CsvTable::load(needed_file(folder, "splits.csv")), tables);
  for (auto& [key, episode] : tables.episodes) {
    if (episode.role == NovelCraftRole::novel_valid) {
      episode.split = "validate";
    } else if (episode.role == NovelCraftRole::novel_test) {
      episode.split = "test";
    }
  }
  return tables;
}

std::vector<NovelCraftCount> novelcraft_splits(const NovelCraftTables& tables) {
  std::vector<NovelCraftCount> out{
      {"train"}, {"validate"}, {"validate", true}, {"test"}, {"test", true}};
  for (const auto& [key, episode] : tables.episodes) {
    const bool novel = episode.role != NovelCraftRole::normal;
    for (NovelCraftCount& count : out) {
      if (count.split == episode.split && count.is_novel == novel) {
        ++count.episodes;
        count.frames += episode.frames;
        count.visible += episode.visible;
        if (episode.visible > 0) {
          ++count.with_visible;
          count.frames_with_visible += episode.frames;
        }
      }
    }
  }
  return out;
}

std::vector<NovelCraftClassCount> novelcraft_classes(const NovelCraftTables& tables) {
  std::map<std::string, NovelCraftClassCount> by_class;
  for (const auto& [key, episode] : tables.episodes) {
    NovelCraftClassCount& count = by_class[key.first];
    count.class_name = key.first;
    count.episodes += episode.visible > 0 ? 1 : 0;
    count.visible += episode.visible;
  }
  std::vector<NovelCraftClassCount> out;
  for (auto& [name, count] : by_class) {
    out.push_back(std::move(count));
  }
  return out;
}

}  // namespace tyto
