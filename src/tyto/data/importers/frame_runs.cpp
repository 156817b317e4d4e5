// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/importers/frame_runs.hpp"

#include <numeric>
#include <unordered_set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/sample/stores/picked_store.hpp"

namespace tyto {

std::vector<FrameSpan> read_recordings(const CsvTable& index, std::string_view length) {
  const Index seq = index.column("seq");
  const Index size = index.column(length);
  const auto numbers = index.counts(seq);
  const auto sizes = index.counts(size);
  const auto start = index.find("start");
  const auto starts = start ? index.counts(*start) : std::vector<Index>{};
  std::vector<FrameSpan> recordings;
  Index next = 0;
  for (Index row = 0; row < index.rows(); ++row) {
    if (numbers[at(row)] != row) {
      throw Error(ErrorKind::data, fmt::format("{}: the recordings are counted from 0, so {} must "
                                               "stand here, not {}",
                                               index.place(row, seq), row, numbers[at(row)]));
    }
    if (sizes[at(row)] == 0) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: a recording needs at least one frame", index.place(row, size)));
    }
    if (start && starts[at(row)] != next) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the recordings follow one another, so this one begins at {}, "
                              "not at {}",
                              index.place(row, *start), next, starts[at(row)]));
    }
    recordings.push_back({next, next + sizes[at(row)]});
    next = recordings.back().end;
  }
  return recordings;
}

void expect_frames(const std::vector<FrameSpan>& recordings, Index rows, std::string_view index) {
  const Index needed = recordings.empty() ? 0 : recordings.back().end;
  if (needed != rows) {
    throw Error(ErrorKind::data, fmt::format("{}: the recordings have {} frames in all, but there "
                                             "are {}",
                                             index, needed, rows));
  }
}

std::vector<FrameSegment> read_segments(const CsvTable& csv, const SegmentColumns& columns,
                                        const std::vector<FrameSpan>& recordings) {
  const Index seq = csv.column("seq");
  const Index label = csv.column("class");
  const Index first = csv.column(columns.first);
  const Index end = csv.column(columns.end);
  const auto numbers = csv.counts(seq);
  const auto firsts = csv.counts(first);
  const auto ends = csv.counts(end);
  std::vector<FrameSegment> segments;
  for (Index row = 0; row < csv.rows(); ++row) {
    const Index recording = numbers[at(row)];
    if (recording >= std::ssize(recordings)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: there is no recording {}; they are 0 to {}", csv.place(row, seq),
                              recording, std::ssize(recordings) - 1));
    }
    const Index length = recordings[at(recording)].size();
    FrameSpan span{firsts[at(row)], ends[at(row)] + (columns.end_is_last ? 1 : 0)};
    if (span.end > length && span.end <= length + columns.beyond) {
      span.end = length;
    }
    if (span.size() <= 0 || span.end > length) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: frames {} to {} are no stretch of recording {}, which has {}",
                              csv.place(row, end), span.first, span.end - 1, recording, length));
    }
    if (!segments.empty() &&
        (segments.back().recording > recording ||
         (segments.back().recording == recording && segments.back().span.end > span.first))) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: a segment begins at frame {} of recording {} before the one "
                              "above it has ended",
                              csv.place(row, first), span.first, recording));
    }
    segments.push_back({recording, std::string(csv.text(row, label)), span});
  }
  return segments;
}

std::vector<FrameSpan> runs_around(const std::vector<FrameSegment>& segments,
                                   const std::vector<FrameSpan>& recordings) {
  const auto middle = [](Index a, Index b) { return a + (b - a) / 2; };
  std::vector<FrameSpan> runs;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const FrameSegment& here = segments[i];
    FrameSpan run{0, recordings[at(here.recording)].size()};
    if (i > 0 && segments[i - 1].recording == here.recording) {
      const FrameSpan before = segments[i - 1].span;
      run.first =
          middle(before.end == here.span.first ? before.first : before.end, here.span.first);
    }
    if (i + 1 < segments.size() && segments[i + 1].recording == here.recording) {
      const FrameSpan after = segments[i + 1].span;
      run.end = middle(here.span.end, after.first == here.span.end ? after.end : after.first);
    }
    runs.push_back(run);
  }
  return runs;
}

std::vector<FrameRun> runs_of(const std::vector<FrameSegment>& segments,
                              const std::vector<FrameSpan>& recordings, bool trimmed) {
  const std::vector<FrameSpan> around = runs_around(segments, recordings);
  std::vector<FrameRun> runs;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const FrameSpan inner = segments[i].span;
    const FrameSpan outer = trimmed ? inner : around[i];
    const Index begin = recordings[at(segments[i].recording)].first;
    FrameRun run;
    run.label = segments[i].label;
    run.rows = {begin + outer.first, begin + outer.end};
    if (!trimmed) {
      run.segment = FrameSpan{inner.first - outer.first, inner.end - outer.first};
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

void put_runs(Dataset& dataset, const std::vector<FrameRun>& runs,
              std::shared_ptr<const FeatureStore> frames) {
  IndexTable& table = dataset.table;
  const bool in_splits = !runs.empty() && !runs.front().split.empty();
  std::vector<Index> rows;
  for (const FrameRun& run : runs) {
    TYTO_ASSERT(run.rows.size() > 0 && run.split.empty() != in_splits);
    table.id.push_back(run.id);
    table.label.push_back(run.label);
    table.group.push_back(run.group);
    if (in_splits) {
      table.split.push_back(run.split);
    }
    table.frames.push_back(run.rows.size());
    if (run.segment) {
      TYTO_ASSERT(run.segment->first >= 0 && run.segment->end <= run.rows.size());
      table.annotations["segment_first"].push_back(std::to_string(run.segment->first));
      table.annotations["segment_end"].push_back(std::to_string(run.segment->end));
    }
    for (Index row = run.rows.first; row < run.rows.end; ++row) {
      rows.push_back(row);
    }
  }
  dataset.store = std::make_shared<const PickedStore>(std::move(frames), std::move(rows));
}

void expect_distinct_ids(const IndexTable& table, std::string_view file) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& id : table.id) {
    if (!seen.insert(id).second) {
      throw Error(ErrorKind::data, fmt::format("{}: the sample {} stands there twice", file, id));
    }
  }
}

Matrix all_frames(const FeatureStore& store) {
  std::vector<Index> rows(at(store.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  Matrix values(store.rows(), store.shape("features").front());
  store.gather("features", rows, values);
  return values;
}

std::shared_ptr<const FeatureStore> frame_store(Matrix frames, std::vector<std::string> columns) {
  std::vector<DenseStore::Source> sources;
  sources.push_back({"features", std::move(frames), std::move(columns)});
  return std::make_shared<const DenseStore>(std::move(sources));
}

}  // namespace tyto
