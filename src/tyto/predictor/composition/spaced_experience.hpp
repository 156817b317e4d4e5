// SPDX-License-Identifier: Apache-2.0
// The same experience with rows of another space as features, for a part that looks at what the
// classifier makes of the samples.
#pragma once

#include <functional>

#include "tyto/core/error.hpp"
#include "tyto/parts/experience.hpp"

namespace tyto {

class SpacedExperience final : public Experience {
 public:
  struct See {
    std::function<Evidence(const Evidence&)> evidence;  // of the other experience
    std::function<Matrix(const Samples&)> rows;
  };

  // Borrows the other. `moved`: the classifier has learned since its rows were last looked at, so
  // that all that is remembered counts as new.
  SpacedExperience(const Experience& from, See see, bool moved)
      : from_(from), see_(std::move(see)), moved_(moved) {}

  [[nodiscard]] Index size() const override { return from_.size(); }

  [[nodiscard]] Index fresh() const override { return moved_ ? 0 : from_.fresh(); }

  [[nodiscard]] bool starts_over() const override { return moved_ || from_.starts_over(); }

  [[nodiscard]] std::span<const Label> labels() const override { return from_.labels(); }

  [[nodiscard]] std::span<const Role> roles() const override { return from_.roles(); }

  [[nodiscard]] const LabelSpace& space() const override { return from_.space(); }

  [[nodiscard]] Samples samples(Rows which) const override { return from_.samples(which); }

  [[nodiscard]] Matrix features(Rows which) const override { return see_.rows(samples(which)); }

  // Refused when a predictor is put together.
  [[nodiscard]] Frames frame_features(Rows) const override {
    TYTO_ASSERT(false);
    return {};
  }

  void each_block(Role role, Index from, const Visit& visit) const override {
    from_.each_block(role, from, [&](const Evidence& block, std::span<const Label> labels) {
      visit(see_.evidence(block), labels);
    });
  }

 private:
  const Experience& from_;
  See see_;
  bool moved_;
};

}  // namespace tyto
