// SPDX-License-Identifier: Apache-2.0
// tyto data visible: how much of its novel block each frame of NovelCraft shows, by its state
// alone.
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/cli/commands.hpp"
#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/data/novelcraft/visible_shares.hpp"

namespace tyto {

namespace {

struct VisibleCall {
  std::filesystem::path folder, out;
  Index size = 0;
};

void tell_difference(const CsvTable& targets, const std::vector<VisibleShare>& shares) {
  std::map<std::string_view, double> ours;
  for (const VisibleShare& share : shares) {
    ours.emplace(share.id, share.share());
  }
  Index same = 0, missing = 0;
  double most = 0;
  std::string where;
  for (Index row = 0; row < targets.rows(); ++row) {
    const auto found = ours.find(targets.text(row, targets.column("id")));
    if (found == ours.end()) {
      ++missing;
      continue;
    }
    const double apart =
        std::abs(found->second - targets.number(row, targets.column("novel_percent")));
    same += apart == 0 ? 1 : 0;
    if (apart > most) {
      most = apart;
      where = found->first;
    }
  }
  fmt::print("{}: {} of {} rows are the same", targets.name(), same, targets.rows());
  if (most > 0) {
    fmt::print(", the furthest apart is {} by {:.6f}", where, most);
  }
  if (missing > 0) {
    fmt::print(", {} have no state here", missing);
  }
  fmt::print("\n");
}

void show_visible(const VisibleCall& call) {
  if (const auto into = call.out.parent_path(); !into.empty() && !std::filesystem::exists(into)) {
    throw Error(ErrorKind::io, fmt::format("{}: there is no such folder", into.string()));
  }
  Progress::catch_interrupts();
  Progress progress(stderr);
  const std::vector<VisibleShare> shares = visible_shares(call.folder, call.size, progress);
  std::string csv = "id,novel_percent\n";
  Index seen = 0;
  for (const VisibleShare& share : shares) {
    csv += fmt::format("{},{}\n", share.id, share.share());
    seen += share.pixels > 0 ? 1 : 0;
  }
  if (call.out.empty()) {
    fmt::print("{}", csv);
    return;
  }
  write_file(call.out, csv);
  fmt::print("{}: {} frames, of which {} show their novel block\n", call.out.string(),
             shares.size(), seen);
  if (std::filesystem::exists(call.folder / "targets.csv")) {
    tell_difference(CsvTable::load(call.folder / "targets.csv"), shares);
  }
}

}  // namespace

void add_data_visible(CLI::App& data) {
  auto call = std::make_shared<VisibleCall>();
  CLI::App* word = data.add_subcommand(
      "visible", "visible shares of the novel blocks of NovelCraft, from the states alone");
  word->add_option("folder", call->folder, "where the folders of the classes are")->required();
  word->add_option("--out", call->out,
                   "the table to write, compared with targets.csv; standard: to the terminal");
  word->add_option("--size", call->size, "pixels across and down; standard: those of the pictures")
      ->check(CLI::Range(1, 4096));
  word->footer("Example:\n  tyto data visible craft --out shares.csv");
  word->callback([call] { show_visible(*call); });
}

}  // namespace tyto
