// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/committee.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/parts/detector/sourced.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr float kSameScore = 1e-4F;  // relative: kernels differ by the shape of a batch

const std::vector<std::string_view> kMemberKeys{"features"};

std::string member_key(std::size_t number) {
  return fmt::format("member_{}", number);
}

}  // namespace

std::vector<Label> predicted_classes(const Evidence& evidence) {
  std::vector<Label> out(static_cast<std::size_t>(evidence.size()), Label::unknown);
  const Matrix probability = own_probability(evidence);
  for (Index i = 0; i < probability.rows(); ++i) {
    float most = -1.0F;
    for (Index c = 0; c < probability.cols(); ++c) {
      const Label label = evidence.classes[static_cast<std::size_t>(c)];
      if (label != Label::unknown && probability(i, c) > most) {
        most = probability(i, c);
        out[static_cast<std::size_t>(i)] = label;
      }
    }
  }
  return out;
}

ConfigNode resolved_committee(const ConfigNode& list, std::string_view path) {
  return resolved_nested_list(Slot::detector, list, path, kMemberKeys);
}

Committee::Committee(const ConfigNode& list, std::string_view path)
    : members_(make_nested_list<Detector>(Slot::detector, list, path, kMemberKeys)) {
  for (const ConfigNode& item : list.items) {
    const ConfigNode* source = item.find("features");
    sources_.push_back(source == nullptr ? "" : source->text);
    const Needs needs = members_[sources_.size() - 1].part->needs();
    if (!sources_.back().empty() &&
        (needs.neighbours > 0 || needs.rivals || needs.batch_neighbours > 0)) {
      throw Error(ErrorKind::config,
                  fmt::format("{}.{}: {} looks up neighbours, which are found by the features; it "
                              "cannot look at the source \"{}\"",
                              path, sources_.size() - 1, item.find("name")->text, sources_.back()));
    }
    const std::string& called = item.find("name")->text;
    const auto taken = [&](const std::string& name) {
      return std::find(names_.begin(), names_.end(), name) != names_.end();
    };
    std::string name = called;
    for (int number = 2; taken(name); ++number) {
      name = fmt::format("{}_{}", called, number);
    }
    names_.push_back(std::move(name));
  }
}

Needs Committee::needs() const {
  Needs all;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Needs own = members_[m].part->needs();
    if (!sources_[m].empty()) {
      own.frames = false;  // of the features
      own.sources.push_back(sources_[m]);
    }
    all = joined_needs(all, own);
  }
  return all;
}

void Committee::profile(const Experience& experience, Work& work) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Work own = work.fork(member_key(m));
    if (sources_[m].empty()) {
      members_[m].as->profile(experience, own);
    } else {
      members_[m].as->profile(
          SourcedExperience(experience, sources_[m], members_[m].part->needs().frames), own);
    }
  }
  HeldScores held;
  std::vector<Matrix> blocks;
  experience.each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label>) {
    Evidence evidence = block;
    blocks.push_back(scores(evidence));
    for (Index i = 0; i < evidence.size(); ++i) {
      held.ids.push_back(static_cast<std::uint32_t>(evidence.samples.id(i)));
    }
    const auto predicted = predicted_classes(evidence);
    held.predicted.insert(held.predicted.end(), predicted.begin(), predicted.end());
    work.progress.pulse();
  });
  if (held.ids.empty()) {
    return;
  }
  held.scores.resize(static_cast<Index>(held.ids.size()), static_cast<Index>(members_.size()));
  Index row = 0;
  for (const Matrix& block : blocks) {
    held.scores.middleRows(row, block.rows()) = block;
    row += block.rows();
  }
  held_ = std::move(held);
  index_held();
}

void Committee::take(std::span<const HeldScores* const> folds) {
  HeldScores all;
  Index rows = 0;
  for (const HeldScores* fold : folds) {
    rows += fold->scores.rows();
  }
  all.scores.resize(rows, static_cast<Index>(members_.size()));
  rows = 0;
  for (const HeldScores* fold : folds) {
    all.ids.insert(all.ids.end(), fold->ids.begin(), fold->ids.end());
    all.predicted.insert(all.predicted.end(), fold->predicted.begin(), fold->predicted.end());
    all.scores.middleRows(rows, fold->scores.rows()) = fold->scores;
    rows += fold->scores.rows();
  }
  held_ = std::move(all);
  index_held();
}

Matrix Committee::scores(Evidence& evidence) const {
  Matrix out(evidence.size(), static_cast<Index>(members_.size()));
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (sources_[m].empty()) {
      members_[m].as->detect(evidence);
    } else {
      Evidence own = sourced(evidence, sources_[m], members_[m].part->needs().frames);
      members_[m].as->detect(own);
      evidence.novelty = std::move(own.novelty);
    }
    TYTO_ASSERT(static_cast<Index>(evidence.novelty.size()) == out.rows());
    out.col(static_cast<Index>(m)) = Vector::Map(evidence.novelty.data(), out.rows());
  }
  return out;
}

std::vector<Index> Committee::places_in_held(const Evidence& evidence, const Matrix& scores) const {
  std::vector<Index> places(static_cast<std::size_t>(evidence.size()), -1);
  for (Index i = 0; i < evidence.size(); ++i) {
    const auto found = place_.find(static_cast<std::uint32_t>(evidence.samples.id(i)));
    if (found == place_.end()) {
      continue;
    }
    bool same = true;
    for (Index m = 0; m < scores.cols(); ++m) {
      const float then = held_.scores(found->second, m);
      const float now = scores(i, m);
      same = same &&
             (then == now || std::abs(then - now) <= kSameScore * std::max(1.0F, std::abs(then)));
    }
    if (same) {
      places[static_cast<std::size_t>(i)] = found->second;
    }
  }
  return places;
}

void Committee::index_held() {
  place_.clear();
  for (std::size_t i = 0; i < held_.ids.size(); ++i) {
    place_.emplace(held_.ids[i], static_cast<Index>(i));
  }
}

void Committee::save(State& state) const {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    members_[m].part->save(state.make_child(member_key(m)));
  }
  state.set("held_ids", std::vector<std::int64_t>(held_.ids.begin(), held_.ids.end()));
  save_labels(state, "held_predicted", held_.predicted);
  state.set("held_scores", held_.scores);
}

void Committee::load(const State& state, const Shelf& shelf) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    members_[m].part->load(state.child(member_key(m)), shelf);
  }
  held_ = {};
  for (const std::int64_t id : state.get<std::vector<std::int64_t>>("held_ids")) {
    held_.ids.push_back(static_cast<std::uint32_t>(id));
  }
  held_.predicted = load_labels(state, "held_predicted");
  held_.scores = state.get<Matrix>("held_scores");
  index_held();
}

}  // namespace tyto
