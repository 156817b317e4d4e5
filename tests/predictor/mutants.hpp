// SPDX-License-Identifier: Apache-2.0
// Parts that break a promise, each around a sound one: the suite must find every one of them.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tyto/parts/registry.hpp"

namespace tyto::mutants {

// An experience told otherwise.
class Retold : public Experience {
 public:
  explicit Retold(const Experience& told) : told_(told) {}

  [[nodiscard]] Index size() const override { return told_.size(); }

  [[nodiscard]] Index fresh() const override { return told_.fresh(); }

  [[nodiscard]] std::span<const Label> labels() const override { return told_.labels(); }

  [[nodiscard]] std::span<const Role> roles() const override { return told_.roles(); }

  [[nodiscard]] const LabelSpace& space() const override { return told_.space(); }

  [[nodiscard]] Samples samples(Rows which) const override { return told_.samples(which); }

  [[nodiscard]] Matrix features(Rows which) const override { return told_.features(which); }

  void each_block(Role role, Index from, const Visit& visit) const override {
    told_.each_block(role, from, visit);
  }

  [[nodiscard]] bool starts_over() const override { return told_.starts_over(); }

 protected:
  const Experience& told_;
};

// Held-out samples as ones to fit on, and the others as held out.
class Swapped final : public Retold {
 public:
  explicit Swapped(const Experience& told) : Retold(told) {
    for (const Role role : told.roles()) {
      roles_.push_back(other(role));
    }
  }

  [[nodiscard]] std::span<const Role> roles() const override { return roles_; }

  void each_block(Role role, Index from, const Visit& visit) const override {
    told_.each_block(other(role), from, visit);
  }

 private:
  static Role other(Role role) { return role == Role::fit ? Role::hold : Role::fit; }

  std::vector<Role> roles_;
};

// All samples as ones to fit on.
class AllFit final : public Retold {
 public:
  explicit AllFit(const Experience& told)
      : Retold(told), roles_(static_cast<std::size_t>(told.size()), Role::fit) {}

  [[nodiscard]] std::span<const Role> roles() const override { return roles_; }

  void each_block(Role role, Index from, const Visit& visit) const override {
    told_.each_block(role, from, visit);
    if (role == Role::fit) {
      told_.each_block(Role::hold, from, visit);
    }
  }

 private:
  std::vector<Role> roles_;
};

// As if there had been no lesson before this one.
class OnlyFresh final : public Retold {
 public:
  explicit OnlyFresh(const Experience& told)
      : Retold(told), labels_(told.labels().begin(), told.labels().end()) {
    std::fill(labels_.begin(), labels_.begin() + told.fresh(), Label::unknown);
  }

  [[nodiscard]] std::span<const Label> labels() const override { return labels_; }

  void each_block(Role role, Index from, const Visit& visit) const override {
    told_.each_block(role, std::max(from, told_.fresh()), visit);
  }

  [[nodiscard]] bool starts_over() const override { return true; }

 private:
  std::vector<Label> labels_;
};

// Does what the part inside does.
template <class Slotted>
class AroundOne : public Part, public Slotted {
 public:
  explicit AroundOne(std::unique_ptr<Part> inner)
      : inner_(std::move(inner)), as_(dynamic_cast<Slotted&>(*inner_)) {}

  [[nodiscard]] Needs needs() const override { return inner_->needs(); }

  void save(State& state) const override { inner_->save(state); }

  void load(const State& state, const Shelf& shelf) override { inner_->load(state, shelf); }

 private:
  std::unique_ptr<Part> inner_;

 protected:
  Slotted& as_;
};

struct SoundDetector : AroundOne<Detector> {
  using AroundOne::AroundOne;

  void profile(const Experience& experience, Work& work) override { as_.profile(experience, work); }

  void detect(Evidence& evidence) const override { as_.detect(evidence); }
};

struct Inverted final : SoundDetector {
  using SoundDetector::SoundDetector;

  void detect(Evidence& evidence) const override {
    as_.detect(evidence);
    for (float& novelty : evidence.novelty) {
      novelty = -novelty;
    }
  }
};

struct AlwaysAsNovel final : SoundDetector {
  using SoundDetector::SoundDetector;

  void detect(Evidence& evidence) const override {
    as_.detect(evidence);
    std::fill(evidence.novelty.begin(), evidence.novelty.end(), 1.0F);
  }
};

template <class Told>
struct ToldDetector final : SoundDetector {
  using SoundDetector::SoundDetector;

  void profile(const Experience& experience, Work& work) override {
    as_.profile(Told(experience), work);
  }
};

struct SoundClassifier : AroundOne<Classifier> {
  using AroundOne::AroundOne;

  void learn(const Experience& experience, Work& work) override { as_.learn(experience, work); }

  void classify(Evidence& evidence) const override { as_.classify(evidence); }
};

template <class Told>
struct ToldClassifier final : SoundClassifier {
  using SoundClassifier::SoundClassifier;

  void learn(const Experience& experience, Work& work) override {
    as_.learn(Told(experience), work);
  }
};

struct Undecided final : SoundClassifier {
  using SoundClassifier::SoundClassifier;

  void classify(Evidence& evidence) const override {
    as_.classify(evidence);
    evidence.logits.setZero();
  }
};

}  // namespace tyto::mutants
