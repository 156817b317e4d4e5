// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tyto/core/parallel.hpp"
#include "tyto/predictor/composition/neighbourhood.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kExplainedRows = 4096;

// Of the part that detects, by whatever slot it is named.
std::string detector_name(const PredictorConfig& config) {
  for (const auto& [slot, choice] : config.parts) {
    const auto& also = choice.also;
    if (slot == Slot::detector ||
        std::find(also.begin(), also.end(), Slot::detector) != also.end()) {
      return choice.name;
    }
  }
  return "novelty";
}

std::vector<std::vector<ScoreNote>> notes_of(const Composition& predictor,
                                             const Evidence& evidence) {
  const Detector* detector = predictor.parts().detector;
  if (detector == nullptr) {
    return std::vector<std::vector<ScoreNote>>(at(evidence.size()));
  }
  auto notes = detector->explain(predictor.seen_by_detector(evidence));
  if (notes.empty()) {
    const std::string name = detector_name(predictor.config());
    for (std::size_t i = 0; i < evidence.novelty.size(); ++i) {
      const float p_value = evidence.p_value.empty() ? 1.0F : evidence.p_value[i];
      notes.push_back({{name, evidence.novelty[i], p_value}});
    }
  }
  return notes;
}

}  // namespace

NoveltyExplainer::NoveltyExplainer(const Composition& predictor, Index exemplars, Index features)
    : predictor_(predictor), exemplars_(exemplars), features_(features) {
  const Memory* memory = predictor.parts().memory;
  if (memory == nullptr) {
    return;
  }
  std::vector<std::int32_t> keys;
  for (std::size_t i = 0; i < memory->labels().size(); ++i) {
    if (memory->roles()[i] == Role::fit && memory->labels()[i] != Label::unknown) {
      fit_.push_back(static_cast<Index>(i));
      keys.push_back(static_cast<std::int32_t>(memory->labels()[i]));
    }
  }
  if (fit_.empty()) {
    return;
  }
  ClassStatistics statistics(Scatter::diagonal);
  const Index most = samples_per_block(memory->samples(), kExplainedRows);
  in_blocks(static_cast<Index>(fit_.size()), most, [&](Index begin, Index count) {
    const Rows rows = Rows(fit_).subspan(at(begin), at(count));
    statistics.add(memory->samples().pick(rows).rows(),
                   std::span(keys).subspan(at(begin), at(count)));
  });
  const Index freedom = std::max<Index>(statistics.count() - statistics.classes(), 1);
  scale_ = (statistics.diagonal() / static_cast<double>(freedom)).cwiseSqrt();
  const double mean = scale_.mean();
  scale_ = scale_.cwiseMax(mean > 0 ? 1e-3 * mean : 1.0);
}

std::vector<WhyNovel> NoveltyExplainer::explain(const Samples& given) const {
  const Samples samples = predictor_.seen(given);
  std::vector<WhyNovel> out(at(samples.size()));
  if (samples.empty()) {
    return out;
  }
  auto notes = notes_of(predictor_, predictor_.evidence(samples));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].scores = std::move(notes[i]);
    std::stable_sort(out[i].scores.begin(), out[i].scores.end(),
                     [](const ScoreNote& a, const ScoreNote& b) { return a.p_value < b.p_value; });
  }
  if (!fit_.empty() && exemplars_ > 0) {
    add_nearest(samples, out);
  }
  return out;
}

void NoveltyExplainer::add_nearest(const Samples& samples, std::vector<WhyNovel>& out) const {
  const Memory& memory = *predictor_.parts().memory;
  const auto near = find_neighbours(
      predictor_.represented(samples), &memory,
      [this](const Samples& remembered) { return predictor_.represented(remembered); },
      {exemplars_, 0});
  const Neighbours& found = near->remembered();
  const Matrix raw = samples.rows();
  std::vector<std::string> names = samples.column_names("features");
  if (names.empty()) {
    names = memory.samples().column_names("features");
  }
  for (Index i = 0; i < samples.size(); ++i) {
    WhyNovel& why = out[at(i)];
    std::vector<Index> rows;
    for (Index j = 0; j < found.row.cols(); ++j) {
      rows.push_back(fit_[at(found.row(i, j))]);
      why.nearest.push_back({memory.samples().id(rows.back()), memory.labels()[at(rows.back())],
                             std::sqrt(found.distance(i, j))});
    }
    const Vector usual = memory.samples().pick(rows).rows().colwise().mean();
    const Vector value = raw.row(i);
    const Eigen::VectorXd deviation = (value - usual).cast<double>().cwiseQuotient(scale_);
    std::vector<Index> columns(at(value.size()));
    std::iota(columns.begin(), columns.end(), Index{0});
    std::stable_sort(columns.begin(), columns.end(), [&](Index a, Index b) {
      return std::abs(deviation[a]) > std::abs(deviation[b]);
    });
    columns.resize(std::min(columns.size(), at(features_)));
    for (const Index c : columns) {
      why.features.push_back(
          {c, names.empty() ? "" : names[at(c)], value[c], usual[c], deviation[c]});
    }
  }
}

}  // namespace tyto
