// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/arm_records.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/arm/checkpoint.hpp"

namespace tyto {

namespace {

constexpr std::size_t kProblemsTold = 20;

}  // namespace

ArmRecords::ArmRecords(RunFolder folder, const RunInfo& info)
    : folder_(std::move(folder)),
      done_(info.done),
      whole_splits_(info.whole_splits),
      order_(info.order),
      truth_(read_truth(folder_)) {
  if (const auto file = folder_.file("manifest.csv"); std::filesystem::exists(file)) {
    manifest_ = Manifest::load(file);
  }
}

std::shared_ptr<const RunRecord> ArmRecords::open(const std::string& arm) {
  RecordFacts facts;
  facts.manifest = manifest_ ? &*manifest_ : nullptr;
  facts.whole_splits = whole_splits_;
  if (const auto state = Checkpoint(folder_.checkpoint(arm)).peek()) {
    facts.committed = state->get<std::vector<std::string>>("phases");
    facts.complete = done_ && state->get<std::int64_t>("done") != 0;
  }
  std::error_code ignored;
  if (!done_ && (!facts.committed || facts.committed->empty() ||
                 !std::filesystem::is_directory(folder_.record(arm), ignored))) {
    return nullptr;
  }
  const auto problems = record_problems(folder_, arm, truth_.get(), facts);
  problems_.insert(problems_.end(), problems.begin(), problems.end());
  auto record = std::make_shared<StoredRecord>(folder_, arm, order_, truth_);
  if (!done_) {
    record->keep_only(*facts.committed);
  }
  return record;
}

void ArmRecords::expect_whole() const {
  if (problems_.empty()) {
    return;
  }
  const std::size_t told = std::min(problems_.size(), kProblemsTold);
  const std::vector<std::string> first(problems_.begin(),
                                       problems_.begin() + static_cast<std::ptrdiff_t>(told));
  const std::string more = problems_.size() > told
                               ? fmt::format("\n  and {} more", problems_.size() - told)
                               : std::string();
  throw Error(ErrorKind::state,
              fmt::format("{}: the record does not fit together, so it is not measured:\n  {}{}",
                          folder_.path().string(), fmt::join(first, "\n  "), more));
}

}  // namespace tyto
