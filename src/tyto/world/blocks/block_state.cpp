// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/blocks/block_state.hpp"

#include <iterator>

#include <fmt/format.h>

namespace tyto {

namespace {

// Who is in a cell is told by `entities`; the cell itself is air.
Block told_block(const BlockGrid& grid, BlockPlace place) {
  const Block& block = grid.block(place.x, place.z);
  return block.name.starts_with("entity:") ? Block{std::string(kAir)} : block;
}

void append_slot(std::string& out, std::string_view item, Index count) {
  fmt::format_to(std::back_inserter(out), R"("item":"{}","count":{},"damage":0,"maxdamage":0}})",
                 item, count);
}

void append_block(std::string& out, const Block& block) {
  fmt::format_to(std::back_inserter(out), R"("name":"{}")", block.name);
  if (!block.variant.empty()) {
    fmt::format_to(std::back_inserter(out), R"(,"variant":"{}")", block.variant);
    if (block.name == kLog) {
      out += R"(,"axis":"y")";
    }
  }
}

void append_inventory(std::string& out, const BlockGame& game) {
  out += R"("inventory":{)";
  Index slot = 0;
  Index selected = 0;
  for (const HeldItem& item : game.inventory()) {
    if (item.name == game.selected()) {
      selected = slot;
    }
    fmt::format_to(std::back_inserter(out), R"("{}":{{)", slot++);
    append_slot(out, item.name, item.count);
    out += ',';
  }
  fmt::format_to(std::back_inserter(out), R"("selectedItem":{{"slot":{},)", selected);
  append_slot(out, game.selected(), game.held(game.selected()));
  out += "},";
}

void append_map(std::string& out, const BlockGame& game) {
  const BlockGrid& grid = game.grid();
  out += R"("map":{)";
  for (Index x = grid.x0(); x < grid.x0() + grid.width(); ++x) {
    for (Index z = grid.z0(); z < grid.z0() + grid.depth(); ++z) {
      const Block block = told_block(grid, {x, z});
      fmt::format_to(std::back_inserter(out), R"({}"{},{},{}":{{)",
                     x == grid.x0() && z == grid.z0() ? "" : ",", x, grid.level(), z);
      append_block(out, block);
      fmt::format_to(std::back_inserter(out), R"(,"isAccessible":{}}})", block.name == kAir);
    }
  }
  out += "},";
}

}  // namespace

std::string block_state_json(const BlockGame& game, const Camera& told, bool over) {
  std::string out = R"({"blockInFront":{)";
  out.reserve(std::size_t{64} << 10);
  append_block(out, told_block(game.grid(), game.front()));
  out += "},";
  append_inventory(out, game);
  const auto to = std::back_inserter(out);
  fmt::format_to(to,
                 R"("player":{{"pos":[{},{},{}],"facing":"{}","yaw":{},"pitch":{}}},)"
                 R"("destinationPos":[0,0,0],"entities":{{)",
                 told.x, told.y, told.z, kFacings[at(game.facing())], told.yaw, told.pitch);
  if (game.has_stranger()) {
    fmt::format_to(to,
                   R"("101":{{"type":"EntityPogoist","name":"entity.polycraft.pogoist",)"
                   R"("id":101,"pos":[{},{},{}]}})",
                   game.stranger().x, game.grid().level(), game.stranger().z);
  }
  out += "},";
  append_map(out, game);
  const CommandOutcome& done = game.outcome();
  fmt::format_to(to,
                 R"("goal":{{"goalType":"ITEM","goalAchieved":{},"Distribution":"Uninformed"}},)"
                 R"("command_result":{{"command":"{}","argument":"{}","result":"{}",)"
                 R"("message":"{}","stepCost":{}}},"step":{},"gameOver":{}}})",
                 game.is_won(), done.command.name, done.command.argument,
                 done.success ? "SUCCESS" : "FAIL", done.message, done.cost, game.step(), over);
  return out;
}

}  // namespace tyto
