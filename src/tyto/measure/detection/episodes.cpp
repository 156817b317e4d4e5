// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/detection/episodes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/math/quantile.hpp"

namespace tyto {

namespace {

constexpr Index kMostMissing = 1'000'000;  // of one episode: more is a mistaken number

Index whole_number(const CsvTable& csv, Index row, Index column) {
  const auto value = number_in<Index>(csv.text(row, column));
  if (!value) {
    throw Error(ErrorKind::data, fmt::format("{}: \"{}\" is not a whole number",
                                             csv.place(row, column), csv.text(row, column)));
  }
  return *value;
}

struct FrameRow {
  Index frame, row;
};

std::vector<double> frame_scores(const CsvTable& csv, Index score_column,
                                 std::vector<FrameRow> frames, MissingFrames missing,
                                 Index& filled) {
  std::stable_sort(frames.begin(), frames.end(),
                   [](const FrameRow& a, const FrameRow& b) { return a.frame < b.frame; });
  std::vector<double> scores;
  Index last = -1;
  for (const FrameRow& at : frames) {
    if (at.frame == last) {
      throw Error(ErrorKind::data, fmt::format("{}: line {}: frame {} of its episode stands in "
                                               "the table before",
                                               csv.name(), csv.line(at.row), at.frame));
    }
    const Index gap = at.frame - last - 1;
    last = at.frame;
    if (missing == MissingFrames::zero && gap > 0) {
      if (gap > kMostMissing) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: line {}: frame {} comes after {} frames that no row tells of",
                                csv.name(), csv.line(at.row), at.frame, gap));
      }
      scores.resize(scores.size() + static_cast<std::size_t>(gap), 0.0);
      filled += gap;
    }
    const double score = csv.number(at.row, score_column);
    if (std::isnan(score)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the score is not a number", csv.place(at.row, score_column)));
    }
    scores.push_back(score);
  }
  return scores;
}

}  // namespace

EpisodeTypes read_episode_types(const CsvTable& csv) {
  const Index name = csv.column("class");
  const Index first = csv.column("first_novel_episode");
  const auto used = std::find_if(csv.columns().begin(), csv.columns().end(),
                                 [](const std::string& c) { return c.starts_with("used"); });
  EpisodeTypes types;
  std::set<std::string> seen;
  for (Index row = 0; row < csv.rows(); ++row) {
    EpisodeType type{std::string(csv.text(row, name)), whole_number(csv, row, first)};
    if (!seen.insert(type.name).second) {
      throw Error(ErrorKind::data, fmt::format("{}: \"{}\" stands in the table before",
                                               csv.place(row, name), type.name));
    }
    if (used != csv.columns().end() &&
        whole_number(csv, row, static_cast<Index>(used - csv.columns().begin())) == 0) {
      types.left_out.push_back(type.name);
    } else {
      types.used.push_back(std::move(type));
    }
  }
  return types;
}

std::vector<Index> all_rows(const CsvTable& csv) {
  std::vector<Index> rows(static_cast<std::size_t>(csv.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

ScoredEpisodes read_scored_episodes(const CsvTable& csv, std::span<const Index> rows,
                                    std::string_view score, const EpisodeTypes& types,
                                    MissingFrames missing) {
  const Index type_column = csv.column("class");
  const Index episode_column = csv.column("episode");
  const Index frame_column = csv.column("frame");
  const Index score_column = csv.column(score);
  ScoredEpisodes out;
  out.types = types.used;
  std::map<std::string, Index, std::less<>> type_of;
  for (const std::string& name : types.left_out) {
    type_of[name] = -1;
  }
  for (std::size_t i = 0; i < types.used.size(); ++i) {
    type_of[types.used[i].name] = static_cast<Index>(i);
  }
  std::map<std::pair<Index, Index>, std::size_t> place;
  std::vector<std::vector<FrameRow>> frames;
  for (const Index row : rows) {
    const auto type = type_of.find(csv.text(row, type_column));
    if (type == type_of.end()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the table of episodes does not list \"{}\"",
                              csv.place(row, type_column), csv.text(row, type_column)));
    }
    if (type->second < 0) {
      ++out.rows_left_out;
      continue;
    }
    const Index number = whole_number(csv, row, episode_column);
    const Index frame = whole_number(csv, row, frame_column);
    if (frame < 0) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: frame {} is below 0", csv.place(row, frame_column), frame));
    }
    const auto [at, is_new] = place.try_emplace({type->second, number}, frames.size());
    if (is_new) {
      const Index first = out.types[static_cast<std::size_t>(type->second)].first_novel;
      out.episodes.push_back({type->second, number, first >= 0 && number >= first, {}});
      frames.emplace_back();
    }
    frames[at->second].push_back({frame, row});
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    out.episodes[i].score =
        frame_scores(csv, score_column, std::move(frames[i]), missing, out.filled);
  }
  return out;
}

GroupedEpisodes read_grouped_episodes(const CsvTable& csv, std::span<const Index> rows,
                                      std::string_view score,
                                      std::span<const std::uint8_t> is_novel) {
  TYTO_ASSERT(is_novel.size() == rows.size());
  const Index episode_column = csv.column("episode");
  const Index frame_column = csv.column("frame");
  const Index score_column = csv.column(score);
  const std::optional<Index> type_column = csv.find("class");

  struct Grouped {
    std::vector<FrameRow> frames;
    std::optional<FrameRow> first_novel;
    Index first = 0;  // frame
  };

  std::map<std::string_view, std::size_t> place;
  std::vector<Grouped> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const FrameRow at{whole_number(csv, rows[i], frame_column), rows[i]};
    const auto [found, is_new] = place.try_emplace(csv.text(rows[i], episode_column), all.size());
    if (is_new) {
      all.push_back({{}, {}, at.frame});
    }
    Grouped& own = all[found->second];
    own.frames.push_back(at);
    own.first = std::min(own.first, at.frame);
    if (is_novel[i] != 0 && (!own.first_novel || at.frame < own.first_novel->frame)) {
      own.first_novel = at;
    }
  }
  GroupedEpisodes out;
  std::map<std::string, Index, std::less<>> type_of;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& novel = all[i].first_novel;
    const std::string type = !novel        ? "normal"
                             : type_column ? std::string(csv.text(novel->row, *type_column))
                                           : "novel";
    const auto [found, is_new] = type_of.try_emplace(type, std::ssize(out.episodes.types));
    if (is_new) {
      out.episodes.types.push_back({type, novel ? Index{0} : Index{-1}});
    }
    out.late += novel && novel->frame > all[i].first ? 1 : 0;
    out.episodes.episodes.push_back({found->second, static_cast<Index>(i), novel.has_value(), {}});
    out.episodes.episodes.back().score = frame_scores(csv, score_column, std::move(all[i].frames),
                                                      MissingFrames::skip, out.episodes.filled);
  }
  return out;
}

double episode_score(std::span<const double> evidence) {
  TYTO_ASSERT(!evidence.empty());
  const auto end = evidence.size() > 1 ? evidence.end() - 1 : evidence.end();
  return *std::max_element(evidence.begin(), end);
}

std::optional<Index> detection_moment(std::span<const double> evidence, double threshold) {
  const auto first = std::find_if(evidence.begin(), evidence.end(),
                                  [&](double value) { return value >= threshold; });
  return first == evidence.end() ? std::nullopt : std::optional<Index>(first - evidence.begin());
}

std::optional<EpisodeDelays> detection_delays(const ScoredEpisodes& episodes,
                                              std::span<const std::vector<double>> evidence,
                                              double threshold) {
  TYTO_ASSERT(evidence.size() == episodes.episodes.size());
  std::vector<double> sum(episodes.types.size());
  std::vector<Index> count(episodes.types.size());
  std::vector<std::vector<double>> detected(episodes.types.size());
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    if (!episodes.episodes[i].is_novel) {
      continue;
    }
    const auto type = static_cast<std::size_t>(episodes.episodes[i].type);
    const auto moment = detection_moment(evidence[i], threshold);
    ++count[type];
    sum[type] += static_cast<double>(moment.value_or(std::ssize(evidence[i])));
    if (moment) {
      detected[type].push_back(static_cast<double>(*moment));
    }
  }
  EpisodeDelays out;
  double all = 0.0;
  double means = 0.0;
  Index novel = 0;
  for (std::size_t type = 0; type < sum.size(); ++type) {
    if (count[type] == 0) {
      continue;
    }
    TypeDelay delay;
    delay.type = episodes.types[type].name;
    delay.episodes = count[type];
    delay.undetected = count[type] - std::ssize(detected[type]);
    delay.mean = sum[type] / static_cast<double>(count[type]);
    if (!detected[type].empty()) {
      delay.median_detected = quantile(std::span<const double>(detected[type]), 0.5);
    }
    all += sum[type];
    means += delay.mean;
    novel += count[type];
    out.undetected += delay.undetected;
    out.types.push_back(std::move(delay));
  }
  if (novel == 0) {
    return std::nullopt;
  }
  out.published = means / static_cast<double>(episodes.types.size());
  out.over_types = means / static_cast<double>(out.types.size());
  out.per_episode = all / static_cast<double>(novel);
  return out;
}

}  // namespace tyto
