// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/novelcraft/state_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

using StateJson = nlohmann::json;

constexpr Index kMostAcross = 4096;              // cells; a map that claims more is damaged
constexpr Index kFarthestCell = Index{1} << 40;  // beyond it differences would overflow

[[noreturn]] void refuse_state(const std::string& file, const std::string& reason) {
  throw Error(ErrorKind::data, fmt::format("{}: {}", file, reason));
}

const StateJson& needed(const StateJson& from, const char* key, const std::string& file,
                        std::string_view within) {
  const auto found = from.is_object() ? from.find(key) : from.end();
  if (!from.is_object() || found == from.end()) {
    refuse_state(file, fmt::format("the state has no \"{}{}\"", within, key));
  }
  return *found;
}

double needed_number(const StateJson& value, const std::string& file, std::string_view what) {
  if (!value.is_number()) {
    refuse_state(file, fmt::format("{} is not a number but {}", what, value.dump().substr(0, 60)));
  }
  return value.get<double>();
}

std::optional<std::array<Index, 3>> cell_in(std::string_view key) {
  const auto first = key.find(',');
  const auto second = first == key.npos ? first : key.find(',', first + 1);
  if (second == key.npos) {
    return std::nullopt;
  }
  const auto x = number_in<Index>(key.substr(0, first));
  const auto y = number_in<Index>(key.substr(first + 1, second - first - 1));
  const auto z = number_in<Index>(key.substr(second + 1));
  const auto is_near = [](const std::optional<Index>& at) {
    return at && *at > -kFarthestCell && *at < kFarthestCell;
  };
  if (!is_near(x) || !is_near(y) || !is_near(z)) {
    return std::nullopt;
  }
  return std::array{*x, *y, *z};
}

std::string text_or_none(const StateJson& from, const char* key) {
  const auto found = from.find(key);
  return found != from.end() && found->is_string() ? found->get<std::string>() : "";
}

std::array<double, 3> position_in(const StateJson& value, const std::string& file,
                                  const std::string& what) {
  if (!value.is_array() || value.size() != 3) {
    refuse_state(file, fmt::format("{} is not [x, y, z] but {}", what, value.dump().substr(0, 60)));
  }
  std::array<double, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = needed_number(value[i], file, what);
  }
  return out;
}

BlockGrid grid_of(const StateJson& map, const std::string& file) {
  if (!map.is_object() || map.empty()) {
    refuse_state(file, "its map has no cells");
  }
  std::array<Index, 3> low{}, high{};
  bool first = true;
  for (const auto& [key, cell] : map.items()) {
    const auto place = cell_in(key);
    if (!place) {
      refuse_state(file, fmt::format("the cell \"{}\" of its map is not x,y,z", key));
    }
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = first ? (*place)[i] : std::min(low[i], (*place)[i]);
      high[i] = first ? (*place)[i] : std::max(high[i], (*place)[i]);
    }
    first = false;
  }
  if (low[1] != high[1]) {
    refuse_state(file, fmt::format("its map has cells at the heights {} and {}; one layer is known",
                                   low[1], high[1]));
  }
  const Index width = high[0] - low[0] + 1;
  const Index depth = high[2] - low[2] + 1;
  if (width > kMostAcross || depth > kMostAcross) {
    refuse_state(file, fmt::format("its map has {} x {} cells; at most {} x {} are taken", width,
                                   depth, kMostAcross, kMostAcross));
  }
  BlockGrid grid(low[0], low[2], width, depth, low[1]);
  for (const auto& [key, cell] : map.items()) {
    const auto place = *cell_in(key);
    const StateJson& name = needed(cell, "name", file, fmt::format("map.{}.", key));
    if (!name.is_string()) {
      refuse_state(file, fmt::format("the name of the cell \"{}\" is no text", key));
    }
    grid.put(place[0], place[2], {name.get<std::string>(), text_or_none(cell, "variant")});
  }
  return grid;
}

}  // namespace

nlohmann::json read_state_file(const std::filesystem::path& file, StatePart part) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(file, problem);
  if (problem) {
    throw Error(ErrorKind::io, fmt::format("{}: {}", file.string(), problem.message()));
  }
  if (size > static_cast<std::uintmax_t>(kMostStateBytes)) {
    refuse_state(file.string(), fmt::format("has {} bytes; the state of a frame has at most {}",
                                            size, kMostStateBytes));
  }
  const std::string text = read_file(file);
  const auto keep = [](int depth, StateJson::parse_event_t event, const StateJson& parsed) {
    return depth != 1 || event != StateJson::parse_event_t::key || parsed != "map";
  };
  StateJson state;
  try {
    state = part == StatePart::all ? StateJson::parse(text) : StateJson::parse(text, keep);
  } catch (const StateJson::parse_error& wrong) {
    refuse_state(file.string(),
                 fmt::format("is not JSON at byte {} of {}; is it cut short?", wrong.byte, size));
  } catch (const StateJson::out_of_range&) {
    refuse_state(file.string(), "has a number beyond all that can be held");
  }
  if (!state.is_object()) {
    refuse_state(file.string(), "is JSON, but no state: it has no keys");
  }
  return state;
}

std::vector<std::string> unknown_state_keys(const nlohmann::json& state) {
  std::vector<std::string> out;
  for (const auto& [key, value] : state.items()) {
    if (std::find(kStateKeys.begin(), kStateKeys.end(), key) == kStateKeys.end()) {
      out.push_back(key);
    }
  }
  return out;
}

BlockScene scene_of(const nlohmann::json& state, const std::string& file) {
  BlockScene scene{grid_of(needed(state, "map", file, ""), file), {}};
  const StateJson& player = needed(state, "player", file, "");
  const auto place = position_in(needed(player, "pos", file, "player."), file, "player.pos");
  scene.camera = {place[0], place[1], place[2],
                  needed_number(needed(player, "yaw", file, "player."), file, "player.yaw"),
                  needed_number(needed(player, "pitch", file, "player."), file, "player.pitch")};
  const auto entities = state.find("entities");
  if (entities != state.end() && entities->is_object()) {
    for (const auto& [id, entity] : entities->items()) {
      const std::string what = fmt::format("entities.{}.pos", id);
      const auto [x, y, z] =
          position_in(needed(entity, "pos", file, fmt::format("entities.{}.", id)), file, what);
      const auto column = static_cast<Index>(std::lround(x));
      const auto row = static_cast<Index>(std::lround(z));
      if (scene.grid.holds(column, row)) {
        scene.grid.put(column, row, {fmt::format("entity:{}", text_or_none(entity, "type"))});
      }
    }
  }
  return scene;
}

}  // namespace tyto
