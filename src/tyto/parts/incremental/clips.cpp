// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/incremental/clips.hpp"

namespace tyto {

namespace {

constexpr Index kGatheredAtOnce = Index{1} << 27;  // floats: half a gigabyte

void copy_frames(const Frames& frames, Index sample, const std::vector<Index>& chosen, Matrix& out,
                 Index& row) {
  const Index first = frames.first[static_cast<std::size_t>(sample)];
  for (const Index frame : chosen) {
    if (frame < 0) {
      out.row(row++).setZero();
    } else {
      out.row(row++) = frames.features.row(first + frame);
    }
  }
}

Index count_of(const Frames& frames, Index sample) {
  const auto i = static_cast<std::size_t>(sample);
  return frames.first[i + 1] - frames.first[i];
}

}  // namespace

Clips::Clips(const Experience& experience, std::vector<Index> rows)
    : experience_(experience), rows_(std::move(rows)) {
  if (rows_.empty()) {
    return;
  }
  width_ = experience_.frame_features(Rows(rows_).first(1)).features.cols();
  const Samples samples = experience_.samples(rows_);
  Index frames = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    frames += samples.frame_count(i);
  }
  if (frames * width_ <= kGatheredAtOnce) {
    all_ = experience_.frame_features(rows_);
  }
}

Matrix Clips::frames(Rows which, const Choose& choose) const {
  if (!all_) {
    std::vector<Index> rows;
    for (const Index i : which) {
      rows.push_back(rows_[static_cast<std::size_t>(i)]);
    }
    return chosen_frames(experience_.frame_features(rows), [&](Index i, Index n) {
      return choose(static_cast<std::size_t>(which[static_cast<std::size_t>(i)]), n);
    });
  }
  std::vector<std::vector<Index>> chosen;
  Index total = 0;
  for (const Index i : which) {
    chosen.push_back(choose(static_cast<std::size_t>(i), count_of(*all_, i)));
    total += std::ssize(chosen.back());
  }
  Matrix out(total, width_);
  Index row = 0;
  for (std::size_t k = 0; k < which.size(); ++k) {
    copy_frames(*all_, which[k], chosen[k], out, row);
  }
  return out;
}

Matrix chosen_frames(const Frames& frames,
                     const std::function<std::vector<Index>(Index sample, Index n)>& choose) {
  const Index samples = std::ssize(frames.first) - 1;
  std::vector<std::vector<Index>> chosen;
  Index total = 0;
  for (Index i = 0; i < samples; ++i) {
    chosen.push_back(choose(i, count_of(frames, i)));
    total += std::ssize(chosen.back());
  }
  Matrix out(total, frames.features.cols());
  Index row = 0;
  for (Index i = 0; i < samples; ++i) {
    copy_frames(frames, i, chosen[static_cast<std::size_t>(i)], out, row);
  }
  return out;
}

}  // namespace tyto
