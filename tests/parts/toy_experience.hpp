// SPDX-License-Identifier: Apache-2.0
// An experience held in memory, for testing parts one at a time.
#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <utility>

#include "math/random_rows.hpp"

#include "tyto/core/files/archive.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

inline Samples toy_samples(const Matrix& features, std::uint32_t first_id = 0,
                           Lifetime lifetime = Lifetime::lasting) {
  Samples::Table table;
  for (Index i = 0; i < features.rows(); ++i) {
    table.id.push_back(static_cast<SampleId>(first_id + static_cast<std::uint32_t>(i)));
    table.row.push_back(i);
  }
  return Samples(std::make_shared<const DenseStore>(features), std::move(table), lifetime);
}

// Labels as in the space with classes "c1", "c2", ...; 0 is unknown.
inline std::vector<Label> toy_labels(const std::vector<int>& numbers) {
  std::vector<Label> labels;
  for (const int number : numbers) {
    labels.push_back(static_cast<Label>(number));
  }
  return labels;
}

class ToyExperience final : public Experience {
 public:
  ToyExperience(Samples samples, const std::vector<int>& labels, std::vector<Role> roles = {},
                Index fresh = 0)
      : samples_(std::move(samples)),
        labels_(toy_labels(labels)),
        roles_(std::move(roles)),
        fresh_(fresh) {
    roles_.resize(labels_.size(), Role::fit);
    for (int c = 1; c <= *std::max_element(labels.begin(), labels.end()); ++c) {
      space_.add_known("c" + std::to_string(c));
    }
  }

  ToyExperience(const Matrix& features, const std::vector<int>& labels,
                std::vector<Role> roles = {}, Index fresh = 0)
      : ToyExperience(toy_samples(features), labels, std::move(roles), fresh) {}

  [[nodiscard]] Index size() const override { return samples_.size(); }

  [[nodiscard]] Index fresh() const override { return fresh_; }

  [[nodiscard]] std::span<const Label> labels() const override { return labels_; }

  [[nodiscard]] std::span<const Role> roles() const override { return roles_; }

  [[nodiscard]] const LabelSpace& space() const override { return space_; }

  [[nodiscard]] bool starts_over() const override { return starts_over_.value_or(fresh_ == 0); }

  [[nodiscard]] Samples samples(Rows which) const override { return samples_.pick(which); }

  [[nodiscard]] Matrix features(Rows which) const override { return samples_.pick(which).rows(); }

  void each_block(Role role, Index from, const Visit& visit) const override {
    const std::vector<Index> rows = labelled(role, from);
    for (std::size_t begin = 0; begin < rows.size(); begin += 16) {
      const Rows block = Rows(rows).subspan(begin, std::min<std::size_t>(16, rows.size() - begin));
      Evidence evidence;
      evidence.samples = samples_.pick(block);
      evidence.features = evidence.samples.rows();
      std::vector<Label> labels;
      for (const Index i : block) {
        labels.push_back(labels_[static_cast<std::size_t>(i)]);
      }
      visit(evidence, labels);
    }
  }

  std::optional<bool> starts_over_;  // set: whatever fresh() says

 private:
  Samples samples_;
  std::vector<Label> labels_;
  std::vector<Role> roles_;
  Index fresh_;
  LabelSpace space_;
};

struct ToyWork {
  Progress progress;
  Work work;

  explicit ToyWork(std::uint64_t seed = 1) : work{Rng(seed, "toy"), progress} {}

  operator Work&() { return work; }  // NOLINT(google-explicit-constructor)
};

// A part by its registered name, as its slot and as a whole.
template <class Slotted>
struct Made {
  std::unique_ptr<Part> part;
  Slotted* slot;

  Slotted* operator->() const { return slot; }
};

template <class Slotted>
Made<Slotted> make_part(Slot slot, std::string_view name, std::string_view yaml = "{}") {
  auto part = find_part(slot, name).make(parse_yaml(yaml, "test.yaml"), slot_name(slot));
  auto* slotted = dynamic_cast<Slotted*>(part.get());
  return {std::move(part), slotted};
}

// A second part of the same kind that has loaded the first one's state.
template <class Slotted>
Made<Slotted> reloaded(const Made<Slotted>& from, Slot slot, std::string_view name,
                       std::string_view yaml = "{}", const Shelf& shelf = EmptyShelf()) {
  State state;
  from.part->save(state);
  auto again = make_part<Slotted>(slot, name, yaml);
  again.part->load(from_archive(to_archive(state), "test"), shelf);
  return again;
}

inline Evidence toy_evidence(const Matrix& features) {
  Evidence evidence;
  evidence.samples = toy_samples(features);
  evidence.features = features;
  return evidence;
}

inline Evidence classified(const Classifier& classifier, const Matrix& features) {
  Evidence evidence = toy_evidence(features);
  classifier.classify(evidence);
  return evidence;
}

// Random classes about random means, `per_class` rows each, interleaved.
struct ToyClasses {
  Matrix features;
  std::vector<int> labels;

  ToyClasses(Index classes, Index per_class, Index width, std::uint64_t seed, double apart = 3.0) {
    features = random_rows(classes * per_class, width, seed);
    const Matrix means = random_rows(classes, width, seed + 1000);
    for (Index i = 0; i < features.rows(); ++i) {
      features.row(i) += static_cast<float>(apart) * means.row(i % classes);
      labels.push_back(static_cast<int>(i % classes) + 1);
    }
  }
};

}  // namespace tyto
