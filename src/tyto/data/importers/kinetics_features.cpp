// SPDX-License-Identifier: Apache-2.0
// Features of clips as extractors leave them, joined by id to the manifest that `tyto split` made.
#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include <fmt/ranges.h>

#include "tyto/core/files/files.hpp"
#include "tyto/data/feature_files/feature_folder.hpp"
#include "tyto/data/import.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/data/join.hpp"
#include "tyto/data/releases/release_list.hpp"
#include "tyto/sample/stores/joined_store.hpp"
#include "tyto/sample/stores/picked_store.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kLostClips{"refuse", "leave_out"};

struct KineticsFeaturesOptions {
  std::string manifest = "manifest.csv", lost = "refuse", lost_list, dataset = "/features";
  std::vector<std::string> sources;

  void describe(OptionVisitor& v) {
    v.field("manifest", manifest, {}, "of tyto split; relative to the folder");
    v.field("sources", sources, {}, "which sources to take, by name; none: all that are found");
    v.field("lost", lost, kLostClips,
            "clips of the manifest that a source lacks: refused, or left out of the dataset");
    v.field("lost_list", lost_list, {},
            "file to write their ids to, a line each, as the black list of tyto split takes them; "
            "relative to the working folder");
    v.field("dataset", dataset, {}, "of the features in HDF5 files");
  }
};

// The rows of a source by sample. A clip whose times no list knows has the features of the only
// clip of its video.
class FeatureRows {
 public:
  FeatureRows(const FeatureSource& source, const CsvTable& manifest)
      : source_(source), manifest_(manifest) {
    for (std::size_t i = 0; i < source.ids.size(); ++i) {
      row_of_.emplace(source.ids[i], static_cast<Index>(i));
      if (const ClipKey key = ClipKey::parse(source.ids[i]); key.is_timed()) {
        of_video_[key.video].push_back(static_cast<Index>(i));
      }
    }
  }

  // -1: it has none.
  [[nodiscard]] Index find(const std::string& id, Index line) const {
    if (const auto found = row_of_.find(id); found != row_of_.end()) {
      return found->second;
    }
    const auto video = of_video_.find(id);
    if (video == of_video_.end()) {
      return -1;
    }
    if (video->second.size() > 1) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: line {}: \"{}\" has no times, and {} has features of {} clips "
                      "of that video, {} and {} among them",
                      manifest_.name(), line, id, source_.name, video->second.size(),
                      source_.ids[at(video->second[0])], source_.ids[at(video->second[1])]));
    }
    return video->second.front();
  }

 private:
  const FeatureSource& source_;
  const CsvTable& manifest_;
  std::unordered_map<std::string_view, Index> row_of_;
  std::unordered_map<std::string, std::vector<Index>> of_video_;
};

std::vector<std::string> releases_of(const IndexTable& table) {
  const auto column = table.annotations.find("dataset");
  std::set<std::string> names;
  if (column != table.annotations.end()) {
    names.insert(column->second.begin(), column->second.end());
  }
  names.erase("");
  return {names.begin(), names.end()};
}

struct JoinedClips {
  std::vector<Index> kept;               // rows of the manifest with features in every source
  std::vector<std::vector<Index>> rows;  // of each source, for those kept
  std::vector<Index> lost;               // the other rows
  std::vector<std::string> notes;        // a sentence per source that lacks or has too many
};

JoinedClips join_clips(const std::vector<FeatureSource>& sources, const IndexTable& table,
                       const CsvTable& manifest) {
  constexpr std::size_t kNamed = 5;
  JoinedClips joined;
  std::vector<bool> has_all(table.id.size(), true);
  std::vector<std::vector<Index>> row_of;
  for (const FeatureSource& source : sources) {
    const FeatureRows rows(source, manifest);
    auto& here = row_of.emplace_back();
    std::vector<std::string_view> bare;
    for (std::size_t i = 0; i < table.id.size(); ++i) {
      here.push_back(rows.find(table.id[i], manifest.line(static_cast<Index>(i))));
      if (here.back() < 0) {
        has_all[i] = false;
        bare.push_back(table.id[i]);
      }
    }
    if (!bare.empty()) {
      const std::span<const std::string_view> shown(bare.data(), std::min(bare.size(), kNamed));
      joined.notes.push_back(fmt::format("{} of {} clips of {} have no features in {}: {}{}",
                                         bare.size(), table.id.size(), manifest.name(), source.name,
                                         fmt::join(shown, ", "),
                                         bare.size() > kNamed ? ", ..." : ""));
    }
  }
  joined.rows.resize(sources.size());
  for (std::size_t i = 0; i < has_all.size(); ++i) {
    (has_all[i] ? joined.kept : joined.lost).push_back(static_cast<Index>(i));
    for (std::size_t s = 0; s < sources.size() && has_all[i]; ++s) {
      joined.rows[s].push_back(row_of[s][i]);
    }
  }
  return joined;
}

void write_lost(const std::string& path, const IndexTable& table, const std::vector<Index>& lost) {
  std::string lines;
  for (const Index row : lost) {
    lines += table.id[at(row)] + '\n';
  }
  write_file(path, lines);
}

Dataset read_kinetics_features(const fs::path& folder, std::string_view,
                               const ConfigNode& options) {
  const auto chosen = read_options<KineticsFeaturesOptions>(options, "kinetics_features");
  const CsvTable manifest = CsvTable::load(needed_file(folder, chosen.manifest));
  [[maybe_unused]] const Index needed = manifest.column("increment");  // of tyto split, no other
  IndexTable table = read_index(manifest, {}, {});
  const std::vector<FeatureSource> sources =
      find_features(folder, {releases_of(table), chosen.sources, chosen.dataset});
  JoinedClips joined = join_clips(sources, table, manifest);
  if (!chosen.lost_list.empty()) {
    write_lost(chosen.lost_list, table, joined.lost);
  }
  const std::string notes = fmt::format("{}", fmt::join(joined.notes, "; "));
  if (!joined.lost.empty() && chosen.lost == kLostClips[0]) {
    throw Error(ErrorKind::data, fmt::format("{}; `lost: leave_out` goes on without them, "
                                             "`lost_list: FILE` lists them",
                                             notes));
  }
  if (joined.kept.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}; none is left", notes));
  }
  Dataset dataset;
  dataset.name = "kinetics_features";
  std::vector<StorePiece> pieces;
  std::vector<std::string> widths;
  std::size_t strays = 0;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const std::size_t used = joined.rows[s].size();
    pieces.push_back({sources[s].name, std::make_shared<const PickedStore>(
                                           sources[s].store(), std::move(joined.rows[s]))});
    widths.push_back(fmt::format("{} ({})", sources[s].name,
                                 fmt::join(pieces.back().store->shape(sources[s].name), " x ")));
    strays += sources[s].ids.size() - used;
  }
  dataset.table = joined.lost.empty() ? std::move(table) : picked_rows(table, joined.kept);
  dataset.store = pieces.size() == 1 ? pieces.front().store
                                     : std::make_shared<const CombinedStore>(std::move(pieces));
  dataset.summary = fmt::format("{} clips of a split in increments: {}", dataset.table.size(),
                                fmt::join(widths, ", "));
  dataset.about["manifest"] = chosen.manifest;
  if (!notes.empty()) {
    dataset.about["left out"] = notes;
  }
  if (strays > 0) {
    dataset.about["not used"] =
        fmt::format("{} rows of features, whose clips the manifest lacks or leaves out", strays);
  }
  return dataset;
}

}  // namespace

ImportSpec kinetics_features_import() {
  ImportSpec spec{"kinetics_features",
                  "features of clips, a file per release or per clip, joined to the manifest of a "
                  "split by id; several sources",
                  {"manifest.csv"},
                  {}};
  KineticsFeaturesOptions standard;
  spec.options = explain_options([&](OptionVisitor& visitor) { standard.describe(visitor); });
  spec.read_with = read_kinetics_features;
  return spec;
}

}  // namespace tyto
