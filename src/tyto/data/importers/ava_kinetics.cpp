// SPDX-License-Identifier: Apache-2.0
// A sample per annotated video, out of a table of key frames or of the published lists of boxes.
// What the source leaves open is decided here: of two key frames of a video the first counts; the
// label is that of the clip around the key frame.
#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include <fmt/ranges.h>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/ava_boxes.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/math/quantile_parts.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFrames = "ava_kinetics_val_per_video.csv.gz";
constexpr std::array<std::string_view, 4> kBoxLists{
    "kinetics_train_v1.0.csv", "kinetics_train_v1.0.csv.gz", "kinetics_val_v1.0.csv",
    "kinetics_val_v1.0.csv.gz"};
constexpr std::string_view kActions = "ava_actions.csv";
constexpr std::string_view kLabels = "kinetics_unified_partial.csv.gz";
constexpr std::array<std::string_view, 5> kFeatures{
    "persons", "distinct_actions", "person_action_pairs", "mean_box_area", "sum_box_area"};
constexpr std::array<std::string_view, 3> kTypeNames{"PERSON_MOVEMENT", "OBJECT_MANIPULATION",
                                                     "PERSON_INTERACTION"};
constexpr std::array<std::string_view, 3> kTypes{"PM", "OM", "PI"};
constexpr std::array<std::string_view, 3> kThirds{"SM", "AVG", "LG"};

// The release that AVA-Kinetics annotates; a clip in it is meant before one that is not.
constexpr std::string_view kAnnotatedRelease = "split_kinetics700_2020";

struct AvaClip {
  double start, end;
  std::string_view label, split, first_dataset;
  bool is_annotated_release;
};

fs::path label_file(const fs::path& folder) {
  const fs::path inside = folder / kLabels;
  const fs::path beside =
      fs::absolute(folder / "").parent_path().parent_path() / "kinetics" / kLabels;
  for (const fs::path& path : {inside, beside}) {
    if (fs::is_regular_file(path)) {
      return path;
    }
  }
  throw Error(ErrorKind::io, fmt::format("{}: the file with the labels is missing, here and in {}",
                                         inside.string(), beside.parent_path().string()));
}

// The table of key frames, else what the lists of boxes come to.
CsvTable key_frames(const fs::path& folder) {
  if (fs::is_regular_file(folder / kFrames)) {
    return CsvTable::load(folder / kFrames);
  }
  std::vector<fs::path> lists;
  for (const std::string_view name : kBoxLists) {
    if (fs::is_regular_file(folder / name)) {
      lists.push_back(folder / name);
    }
  }
  if (lists.empty()) {
    throw Error(ErrorKind::io,
                fmt::format("{}: the file is missing, and so are the lists of boxes {}, one of "
                            "which will do; is this the right folder?",
                            (folder / kFrames).string(), fmt::join(kBoxLists, ", ")));
  }
  return ava_key_frames(lists);
}

class ClipTable {
 public:
  explicit ClipTable(const fs::path& path) : csv_(CsvTable::load(path)) {
    const auto starts = csv_.numbers(csv_.column("time_start"));
    const auto ends = csv_.numbers(csv_.column("time_end"));
    const Index id = csv_.column("youtube_id");
    const Index label = csv_.column("label_unified");
    const Index split = csv_.column("split_unified");
    const Index first = csv_.column("first_dataset");
    const Index release = csv_.column(kAnnotatedRelease);
    for (Index row = 0; row < csv_.rows(); ++row) {
      const auto at = static_cast<std::size_t>(row);
      clips_[csv_.text(row, id)].push_back({starts[at], ends[at], csv_.text(row, label),
                                            csv_.text(row, split), csv_.text(row, first),
                                            !csv_.text(row, release).empty()});
    }
  }

  // The clip of that video around that second; null where there is none, or where two of equal
  // right have different labels.
  [[nodiscard]] const AvaClip* find(std::string_view video, double second) const {
    const auto found = clips_.find(video);
    if (found == clips_.end()) {
      return nullptr;
    }
    const AvaClip* best = nullptr;
    bool agrees = true;
    for (const AvaClip& clip : found->second) {
      if (second < clip.start || second > clip.end) {
        continue;
      }
      if (best == nullptr || (clip.is_annotated_release && !best->is_annotated_release)) {
        best = &clip;
        agrees = true;
      } else if (clip.is_annotated_release == best->is_annotated_release) {
        agrees = agrees && clip.label == best->label;
      }
    }
    return agrees ? best : nullptr;
  }

 private:
  CsvTable csv_;
  std::unordered_map<std::string_view, std::vector<AvaClip>> clips_;
};

class AvaReader {
 public:
  explicit AvaReader(const fs::path& folder)
      : csv_(key_frames(folder)),
        video_(csv_.column("youtube_id")),
        seconds_(csv_.numbers(csv_.column("key_frame_sec"))) {
    read_types(CsvTable::load(needed_file(folder, kActions)));
    for (const std::string_view name : kFeatures) {
      columns_.push_back(csv_.column(name));
    }
  }

  Dataset read(const ClipTable& clips) {
    choose_rows();
    Dataset dataset;
    dataset.name = "ava_kinetics";
    IndexTable& table = dataset.table;
    Index unlabelled = 0;
    for (const Index row : rows_) {
      table.id.emplace_back(csv_.text(row, video_));
      const AvaClip* clip = clips.find(csv_.text(row, video_), second(row));
      table.label.emplace_back(clip == nullptr ? "" : clip->label);
      unlabelled += table.label.back().empty() ? 1 : 0;
      table.annotations["kinetics_split"].emplace_back(clip == nullptr ? "" : clip->split);
      table.annotations["kinetics_first"].emplace_back(clip == nullptr ? "" : clip->first_dataset);
    }
    annotate(table);
    dataset.summary = fmt::format(
        "what {} Kinetics videos show in one key frame: people, actions, boxes", rows_.size());
    dataset.about = {
        {"origin",
         "AVA-Kinetics v1.0 (Google); labels of Kinetics-400, -600 and "
         "-700-2020, unified"},
        {"licence", "CC BY 4.0"},
        {"citation",
         "A. Li, M. Thotakuri, D. A. Ross, J. Carreira, A. Vostrikov, A. Zisserman, The "
         "AVA-Kinetics Localized Human Actions Video Dataset, arXiv:2005.00214, 2020"},
        {"units", "persons, actions and pairs are counts; areas are fractions of the frame"},
        {"choices", fmt::format("{} later key frames of a video left out; {} videos without a "
                                "label, as no clip or clips of different labels lie around the "
                                "key frame",
                                csv_.rows() - std::ssize(rows_), unlabelled)}};
    dataset.store = features();
    return dataset;
  }

 private:
  [[nodiscard]] double second(Index row) const { return seconds_[static_cast<std::size_t>(row)]; }

  void read_types(const CsvTable& actions) {
    const Index id = actions.column("action_id");
    const Index type = actions.column("type");
    for (Index row = 0; row < actions.rows(); ++row) {
      const auto found = std::find(kTypeNames.begin(), kTypeNames.end(), actions.text(row, type));
      if (found == kTypeNames.end()) {
        throw Error(ErrorKind::data, fmt::format("{}: \"{}\" is not one of {}, {}, {}",
                                                 actions.place(row, type), actions.text(row, type),
                                                 kTypeNames[0], kTypeNames[1], kTypeNames[2]));
      }
      types_.emplace(actions.text(row, id), found - kTypeNames.begin());
    }
  }

  // The earliest key frame of each video, videos in the order of the file.
  void choose_rows() {
    std::unordered_map<std::string_view, std::size_t> place;
    for (Index row = 0; row < csv_.rows(); ++row) {
      const auto [known, fresh] = place.emplace(csv_.text(row, video_), rows_.size());
      if (fresh) {
        rows_.push_back(row);
      } else if (second(row) < second(rows_[known->second])) {
        rows_[known->second] = row;
      }
    }
  }

  void annotate(IndexTable& table) const {
    const Index ids = csv_.column("action_ids");
    const Index area = csv_.column("mean_box_area");
    add_count(table, "persons", "persons");
    add_count(table, "actions", "distinct_actions");
    const auto thirds = box_thirds();
    auto& notes = table.annotations;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Index row = rows_[i];
      const std::array<Index, 3> count = types_in(row, ids);
      const std::array<bool, 3> has{count[0] > 0, count[1] > 0, count[2] > 0};
      std::string together;
      for (std::size_t type = 0; type < kTypes.size(); ++type) {
        together += has[type] ? fmt::format("{}{}", together.empty() ? "" : "+", kTypes[type]) : "";
      }
      notes["activity_type"].push_back(together.empty() ? "N/A" : together);
      notes["main_type"].emplace_back(main_type(count));
      notes["has_pm"].emplace_back(has[0] ? "yes" : "no");
      notes["has_om"].emplace_back(has[1] ? "yes" : "no");
      notes["has_pi"].emplace_back(has[2] ? "yes" : "no");
      notes["box_area"].emplace_back(thirds[i] < 0 ? "N/A"
                                                   : kThirds[static_cast<std::size_t>(thirds[i])]);
      notes["mean_box_area"].emplace_back(thirds[i] < 0 ? "" : csv_.text(row, area));
      notes["key_frame_sec"].emplace_back(csv_.text(row, csv_.column("key_frame_sec")));
      notes["action_ids"].emplace_back(csv_.text(row, ids));
    }
  }

  // 0 to 4 as they are and "5+", and the exact number beside it.
  void add_count(IndexTable& table, const std::string& name, std::string_view column) const {
    const auto counts = csv_.counts(csv_.column(column));
    for (const Index row : rows_) {
      const Index count = counts[static_cast<std::size_t>(row)];
      table.annotations[name].push_back(count < 5 ? std::to_string(count) : "5+");
      table.annotations[name + "_exact"].push_back(std::to_string(count));
    }
  }

  // Ascending mean area over the videos with people; equal ones by their id.
  [[nodiscard]] std::vector<Index> box_thirds() const {
    const auto persons = csv_.counts(csv_.column("persons"));
    const auto areas = csv_.numbers(csv_.column("mean_box_area"));
    std::vector<std::size_t> by_id(rows_.size());
    std::iota(by_id.begin(), by_id.end(), std::size_t{0});
    std::sort(by_id.begin(), by_id.end(), [&](std::size_t a, std::size_t b) {
      return csv_.text(rows_[a], video_) < csv_.text(rows_[b], video_);
    });
    std::vector<double> values;
    for (const std::size_t i : by_id) {
      const auto row = static_cast<std::size_t>(rows_[i]);
      values.push_back(persons[row] == 0 ? std::numeric_limits<double>::quiet_NaN() : areas[row]);
    }
    const auto parts = equal_count_parts(values, 3);
    std::vector<Index> out(rows_.size());
    for (std::size_t rank = 0; rank < by_id.size(); ++rank) {
      out[by_id[rank]] = parts[rank];
    }
    return out;
  }

  // That of most of the distinct actions. Of as many, the rarer one in AVA: nearly everybody
  // stands, sits or walks besides whatever else is done.
  static std::string_view main_type(const std::array<Index, 3>& count) {
    if (std::accumulate(count.begin(), count.end(), Index{0}) == 0) {
      return "N/A";
    }
    std::size_t best = kTypes.size() - 1;
    for (std::size_t type = kTypes.size() - 1; type-- > 0;) {
      best = count[type] > count[best] ? type : best;
    }
    return kTypes[best];
  }

  // How many distinct actions are of each type.
  [[nodiscard]] std::array<Index, 3> types_in(Index row, Index ids) const {
    std::array<Index, 3> count{};
    std::string_view rest = csv_.text(row, ids);
    while (!rest.empty()) {
      const std::string_view id = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), id.size() + 1));
      if (id.empty()) {
        continue;
      }
      const auto found = types_.find(std::string(id));
      if (found == types_.end()) {
        throw Error(ErrorKind::data, fmt::format("{}: the action \"{}\" is not in {}",
                                                 csv_.place(row, ids), id, kActions));
      }
      ++count[static_cast<std::size_t>(found->second)];
    }
    return count;
  }

  [[nodiscard]] std::shared_ptr<const FeatureStore> features() const {
    const Matrix all = csv_.matrix(columns_);
    std::vector<DenseStore::Source> sources(1);
    sources.front().name = "features";
    sources.front().columns.assign(kFeatures.begin(), kFeatures.end());
    sources.front().values.resize(std::ssize(rows_), all.cols());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      sources.front().values.row(static_cast<Index>(i)) = all.row(rows_[i]);
    }
    return std::make_shared<DenseStore>(std::move(sources));
  }

  CsvTable csv_;
  Index video_;
  std::vector<double> seconds_;
  std::vector<Index> columns_;
  std::unordered_map<std::string, Index> types_;  // of an action, by its id
  std::vector<Index> rows_;                       // of the CSV, one per video
};

Dataset read_ava_kinetics(const fs::path& folder, std::string_view) {
  AvaReader reader(folder);
  return reader.read(ClipTable(label_file(folder)));
}

}  // namespace

ImportSpec ava_kinetics_import() {
  return {"ava_kinetics",
          "699 classes of Kinetics, 5 counts and areas of a key frame; annotated for ablations",
          {std::string(kFrames), std::string(kActions)},
          {},
          read_ava_kinetics};
}

}  // namespace tyto
