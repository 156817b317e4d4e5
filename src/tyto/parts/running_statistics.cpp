// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/running_statistics.hpp"

#include <functional>
#include <memory>
#include <mutex>

#include "tyto/core/hash_bytes.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kStatisticRows = 8192;

using VisitFeatures =
    std::function<void(const Matrix& features, std::span<const std::int32_t> keys)>;

// By features alone: what else the evidence of a block would hold is not worked out for it.
void each_fresh_block(const Experience& experience, const VisitFeatures& visit) {
  const std::vector<Index> rows = experience.labelled(Role::fit, experience.fresh());
  in_blocks(std::ssize(rows), kStatisticRows, [&](Index first, Index some) {
    const Rows chunk = Rows(rows).subspan(at(first), at(some));
    in_blocks(some, samples_per_block(experience.samples(chunk), kStatisticRows),
              [&](Index begin, Index count) {
                const Rows block = chunk.subspan(at(begin), at(count));
                std::vector<std::int32_t> keys;
                keys.reserve(block.size());
                for (const Index row : block) {
                  keys.push_back(static_cast<std::int32_t>(experience.labels()[at(row)]));
                }
                visit(experience.features(block), keys);
              });
  });
}

std::uint64_t statistics_hash(const ClassStatistics& statistics, Scatter scatter) {
  std::uint64_t hash = static_cast<std::uint64_t>(scatter) + 1;
  if (statistics.count() > 0) {
    hash = hash_numbers(statistics.keys(), hash);
    hash = hash_numbers(statistics.counts(), hash);
    hash = hash_numbers(statistics.means(), hash);
    hash = scatter == Scatter::full ? hash_numbers(statistics.covariance(), hash)
                                    : hash_numbers(statistics.diagonal(), hash);
  }
  return hash;
}

// What the last lesson came to, by hashes of what was known before it and of its blocks, each with
// those before it: several parts of a predictor keep the same statistics, and one adds them up.
struct LastLesson {
  std::vector<std::uint64_t> hashes;
  ClassStatistics after{Scatter::full};
};

}  // namespace

void learn_statistics(ClassStatistics& statistics, Scatter scatter, const Experience& experience,
                      Work& work) {
  constexpr Index kWidestKept = 2048;
  static std::mutex mutex;
  static std::shared_ptr<const LastLesson> last = std::make_shared<LastLesson>();
  if (experience.starts_over()) {
    statistics = ClassStatistics(scatter);
  }
  const auto known = [&] {
    const std::scoped_lock lock(mutex);
    return last;
  }();
  LastLesson now;
  now.hashes.push_back(statistics_hash(statistics, scatter));
  const auto is_known = [&] {
    const std::size_t place = now.hashes.size() - 1;
    return place < known->hashes.size() && known->hashes[place] == now.hashes[place];
  };
  bool same = is_known();  // so far
  bool skipped = false;    // blocks that count after all
  each_fresh_block(experience, [&](const Matrix& features, std::span<const std::int32_t> keys) {
    now.hashes.push_back(hash_numbers(features, hash_numbers(keys, now.hashes.back())));
    const bool was_same = same;
    same = same && is_known();
    skipped = skipped || (was_same && !same && now.hashes.size() > 2);
    if (!same && !skipped) {
      statistics.add(features, keys);
    }
    work.progress.pulse();
  });
  if (same && now.hashes.size() == known->hashes.size()) {
    statistics = known->after;
    return;
  }
  if (same || skipped) {
    each_fresh_block(experience, [&](const Matrix& features, std::span<const std::int32_t> keys) {
      statistics.add(features, keys);
    });
  }
  if (statistics.width() <= kWidestKept && now.hashes.size() > 1) {
    now.after = statistics;
    const std::scoped_lock lock(mutex);
    last = std::make_shared<const LastLesson>(std::move(now));
  }
}

std::vector<Label> class_labels(const ClassStatistics& statistics) {
  std::vector<Label> labels;
  for (const std::int32_t key : statistics.keys()) {
    labels.push_back(static_cast<Label>(key));
  }
  return labels;
}

}  // namespace tyto
