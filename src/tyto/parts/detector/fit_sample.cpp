// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/fit_sample.hpp"

#include <algorithm>

#include "tyto/core/parallel.hpp"
#include "tyto/core/random.hpp"
#include "tyto/parts/detector/head_inputs.hpp"

namespace tyto {

namespace {

constexpr Index kSampleBlock = 4096;

}  // namespace

FitSample::FitSample(const Experience& experience, Index most, std::uint64_t key)
    : key_(key), rows_(experience.labelled(Role::fit)) {
  if (static_cast<Index>(rows_.size()) <= most) {
    return;
  }
  const Samples samples = experience.samples(rows_);
  std::vector<Place> places;
  places.reserve(rows_.size());
  for (Index i = 0; i < samples.size(); ++i) {
    places.push_back(place(samples.id(i)));
  }
  std::vector<Place> sorted = places;
  std::nth_element(sorted.begin(), sorted.begin() + (most - 1), sorted.end());
  last_ = sorted[at(most - 1)];
  std::vector<Index> chosen;
  chosen.reserve(at(most));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (places[i] <= *last_) {
      chosen.push_back(rows_[i]);
    }
  }
  rows_ = std::move(chosen);
}

FitSample::Place FitSample::place(SampleId id) const {
  const auto number = static_cast<std::uint32_t>(id);
  return {mix(key_, "fit sample", number), number};
}

bool FitSample::takes(SampleId id) const {
  return !last_ || place(id) <= *last_;
}

Matrix FitSample::features(const Experience& experience, Work& work) const {
  Matrix out;
  in_blocks(std::ssize(rows_), kSampleBlock, [&](Index begin, Index count) {
    const Matrix block = experience.features(Rows(rows_).subspan(at(begin), at(count)));
    if (begin == 0) {
      out.resize(std::ssize(rows_), block.cols());
    }
    out.middleRows(begin, count) = block;
    work.progress.pulse();
  });
  return out;
}

Matrix FitSample::head_inputs(const Experience& experience, Work& work) const {
  Matrix out;
  Index filled = 0;
  experience.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label>) {
    const Matrix& inputs = tyto::head_inputs(block);
    if (out.size() == 0) {
      out.resize(std::ssize(rows_), inputs.cols());
    }
    for (Index i = 0; i < inputs.rows(); ++i) {
      if (takes(block.samples.id(i))) {
        TYTO_ASSERT(filled < out.rows());
        out.row(filled++) = inputs.row(i);
      }
    }
    work.progress.pulse();
  });
  TYTO_ASSERT(filled == out.rows());
  return out;
}

}  // namespace tyto
