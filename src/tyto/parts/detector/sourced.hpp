// SPDX-License-Identifier: Apache-2.0
// A part that looks at another source of the samples than the features: pictures beside states.
#pragma once

#include <string>

#include "tyto/parts/slots.hpp"

namespace tyto {

// The same evidence with the rows of this source as features; frames where asked for. Neighbours
// are those of the features, so there are none. Throws Error(data) for rows that are not finite.
Evidence sourced(const Evidence& evidence, const std::string& source, bool frames);

// The same experience with the rows of this source as features. Borrows the other.
class SourcedExperience final : public Experience {
 public:
  SourcedExperience(const Experience& from, std::string source, bool frames)
      : from_(from), source_(std::move(source)), frames_(frames) {}

  [[nodiscard]] Index size() const override { return from_.size(); }

  [[nodiscard]] Index fresh() const override { return from_.fresh(); }

  [[nodiscard]] std::span<const Label> labels() const override { return from_.labels(); }

  [[nodiscard]] std::span<const Role> roles() const override { return from_.roles(); }

  [[nodiscard]] const LabelSpace& space() const override { return from_.space(); }

  [[nodiscard]] bool starts_over() const override { return from_.starts_over(); }

  [[nodiscard]] Samples samples(Rows which) const override {
    return from_.samples(which).reading(source_);
  }

  [[nodiscard]] Matrix features(Rows which) const override { return samples(which).rows(); }

  void each_block(Role role, Index from, const Visit& visit) const override;

 private:
  const Experience& from_;
  std::string source_;
  bool frames_;
};

}  // namespace tyto
