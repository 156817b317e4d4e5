// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/extract.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/extract/recipe_options.hpp"
#include "tyto/engine/extract/row_log.hpp"
#include "tyto/engine/extract/shard_folder.hpp"

namespace tyto {

namespace {

ShardSettings settings_of(const Backbone& backbone, const ExtractOptions& options) {
  ShardSettings out;
  out.network = backbone.name();
  out.digest = backbone.digest();
  out.recipe = to_yaml(recipe_node(backbone.recipe()));
  out.classes = backbone.classes();
  for (const FeedVariant& change : options.changes) {
    out.changes.push_back(change.name);
  }
  out.per_clip = options.per_clip;
  out.logits = options.logits;
  out.pixels = options.pixels;
  out.type = options.type;
  out.batch = options.batch;
  return out;
}

// The mean over the crops of each input.
Matrix mean_of_crops(const Matrix& rows, Index crops) {
  Matrix out(rows.rows() / crops, rows.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    out.row(i) = rows.middleRows(i * crops, crops).colwise().mean();
  }
  return out;
}

// Rows of a unit's samples on their way to the log.
class UnitRows {
 public:
  UnitRows(const Backbone& backbone, const ExtractOptions& options, RowLog& log)
      : backbone_(backbone), options_(options), log_(log) {}

  // Samples of a shape that the network cannot take fail; the others go on.
  void take_batch(const FeedEvent& event) {
    try {
      run_batch(event);
    } catch (const Error& problem) {
      if (problem.kind() != ErrorKind::data) {
        throw;
      }
      for (const FeedEvent::Input& input : event.of) {
        refused_[input.sample] = problem.what();
      }
    }
  }

  void done(const FeedEvent& event) {
    finished_.push_back({event.sample, 0, "", event.thumbnail_frames});
  }

  // What it has sent already is taken back.
  void failed(const FeedEvent& event) {
    finished_.push_back({event.sample, 0, event.reason, 0});
    if (sums_.erase(event.sample) > 0 && options_.per_clip) {
      log_.cut(rows_before(event.sample));
    }
  }

  // To the log, in the order of the samples.
  void finish() {
    for (LoggedSample& sample : finished_) {
      const auto refusal = refused_.find(sample.sample);
      if (refusal != refused_.end()) {
        sample.reason = refusal->second;
        sample.thumbnail_frames = 0;
        continue;
      }
      const auto it = sums_.find(sample.sample);
      if (it == sums_.end()) {
        continue;
      }
      if (options_.per_clip) {
        sample.rows = it->second.front().count;
        continue;
      }
      sample.rows = 1;
      for (std::size_t s = 0; s < it->second.size(); ++s) {
        const Sum& sum = it->second[s];
        const Eigen::RowVectorXd mean = sum.total / static_cast<double>(sum.count);
        log_.append(s, mean.cast<float>());
      }
    }
    log_.finish_unit(finished_);
    finished_.clear();
    sums_.clear();
    refused_.clear();
  }

 private:
  struct Sum {
    Eigen::RowVectorXd total;  // not kept where every clip has its row
    Index count = 0;
  };

  void run_batch(const FeedEvent& event) {
    const Index crops = backbone_.recipe().crops;
    const auto inputs = static_cast<Index>(event.of.size()) * crops;
    const BackboneAnswer answer = backbone_.run(event.inputs, inputs, event.shape);
    if (options_.logits && answer.logits.cols() == 0) {
      throw Error(ErrorKind::config,
                  fmt::format("{} has no class scores; leave --logits out", backbone_.name()));
    }
    const Matrix features = mean_of_crops(answer.features, crops);
    const Matrix logits = options_.logits ? mean_of_crops(answer.logits, crops) : Matrix();
    log_.expect_sources(sources(features.cols(), logits.cols()));
    for (std::size_t i = 0; i < event.of.size(); ++i) {
      const auto row = static_cast<Index>(i);
      const FeedEvent::Input& input = event.of[i];
      add(input.sample, source_of(input.variant, false), features.row(row));
      if (options_.logits) {
        add(input.sample, source_of(input.variant, true), logits.row(row));
      }
    }
  }

  [[nodiscard]] std::vector<RowSource> sources(Index features, Index logits) const {
    std::vector<RowSource> out;
    for (std::size_t v = 0; v <= options_.changes.size(); ++v) {
      const std::string tail = v == 0 ? "" : "_" + options_.changes[v - 1].name;
      out.push_back({(options_.pixels ? "rgb" : "features") + tail, features});
      if (options_.logits) {
        out.push_back({"logits" + tail, logits});
      }
    }
    return out;
  }

  [[nodiscard]] std::size_t source_of(Index variant, bool logits) const {
    return at(variant) * (options_.logits ? 2 : 1) + (logits ? 1 : 0);
  }

  [[nodiscard]] Index rows_before(Index sample) const {
    Index rows = 0;
    for (const auto& [other, sums] : sums_) {
      rows += other < sample ? sums.front().count : 0;
    }
    return rows;
  }

  void add(Index sample, std::size_t source, const Eigen::RowVectorXf& row) {
    auto& sums = sums_[sample];
    sums.resize(log_.sources().size());
    Sum& sum = sums[source];
    ++sum.count;
    if (options_.per_clip) {
      log_.append(source, row);
    } else if (sum.total.size() == 0) {
      sum.total = row.cast<double>();
    } else {
      sum.total += row.cast<double>();
    }
  }

  const Backbone& backbone_;
  const ExtractOptions& options_;
  RowLog& log_;
  std::vector<LoggedSample> finished_;
  std::map<Index, std::vector<Sum>> sums_;  // by sample, per source
  std::map<Index, std::string> refused_;
};

void expect_shard(const ExtractOptions& options) {
  if (options.shards < 1 || options.shard < 0 || options.shard >= options.shards) {
    throw Error(ErrorKind::config, fmt::format("there is no shard {} of {}; shards count from 0",
                                               options.shard, options.shards));
  }
}

}  // namespace

ExtractOutcome extract_shard(const Backbone& backbone, const MediaList& found,
                             const ExtractOptions& options, Progress& progress) {
  expect_shard(options);
  if (std::filesystem::exists(options.out)) {
    throw Error(ErrorKind::io,
                fmt::format("{}: the folder exists already; remove it or choose another",
                            options.out.string()));
  }
  const auto folder = shard_folder(options.out, options.shard, options.shards);
  make_folder(folder);
  const FolderLock lock(folder);
  const MediaList media = begin_shard(folder, found, settings_of(backbone, options));
  const std::vector<MediaUnit> all = units_of_shard(media, options.shard, options.shards);
  RowLog log(folder, options.type);
  ExtractOutcome outcome;
  outcome.found_done = static_cast<Index>(log.samples().size());
  const std::vector<MediaUnit> left(all.begin() + log.units(), all.end());

  FeedOptions feeding;
  feeding.recipe = backbone.recipe();
  feeding.batch = options.batch;
  feeding.variants.push_back({"", {}});
  feeding.variants.insert(feeding.variants.end(), options.changes.begin(), options.changes.end());
  const auto samples = static_cast<Index>(media.samples.size());
  const Index apart =
      options.thumbnails == 0 ? 0 : (samples + options.thumbnails - 1) / options.thumbnails;
  feeding.thumbed = [apart](Index sample) { return apart > 0 && sample % apart == 0; };
  if (apart > 0) {
    make_folder(folder / "thumbnails");
  }

  Index todo = 0;
  for (const MediaUnit& unit : left) {
    todo += unit.count;
  }
  progress.begin(fmt::format("extract with {}", backbone.name()), static_cast<double>(todo));
  UnitRows rows(backbone, options, log);
  FrameFeed feed(media, left, feeding);
  for (std::size_t unit = 0; unit < left.size();) {
    FeedEvent event = feed.next();
    progress.pulse();
    switch (event.kind) {
      case FeedEvent::Kind::batch: rows.take_batch(event); break;
      case FeedEvent::Kind::sample_done:
        if (!event.thumbnail.empty()) {
          write_file(thumbnail_file(folder, event.sample), event.thumbnail);
        }
        rows.done(event);
        progress.note(media.samples[at(event.sample)].id);
        progress.advance(1);
        break;
      case FeedEvent::Kind::sample_failed:
        rows.failed(event);
        progress.advance(1);
        break;
      case FeedEvent::Kind::unit_done:
        rows.finish();
        ++unit;
        break;
    }
  }
  progress.end();
  for (const LoggedSample& sample : log.samples()) {
    ++outcome.samples;
    outcome.rows += sample.rows;
    if (sample.rows == 0) {
      outcome.problems.push_back({media.samples[at(sample.sample)].id, sample.reason});
    }
  }
  return outcome;
}

}  // namespace tyto
