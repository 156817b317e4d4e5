// SPDX-License-Identifier: Apache-2.0
// The experience of one lesson: what the memory holds, then the lesson's samples.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tyto/parts/experience.hpp"

namespace tyto {

class Gathered final : public Experience {
 public:
  // Features of samples, as far as the slots have got.
  using Look = std::function<Evidence(const Samples&)>;

  Gathered(const Samples& remembered, std::vector<Label> remembered_labels,
           std::vector<Role> remembered_roles, const Samples& fresh,
           const std::vector<Label>& fresh_labels, const std::vector<Role>& fresh_roles,
           const LabelSpace& space);

  // Of raw rows; `what` a row is, for messages.
  using Represent = std::function<Matrix(const MatrixView& rows, std::string_view what)>;

  // From now on features are these, and evidence holds nothing else; before they are raw rows.
  // Whoever wants features alone is not to wait for what else evidence comes to hold.
  void represented(Represent represent) { represent_ = std::move(represent); }

  // From now on evidence is filled so far.
  void now(Look look) { look_ = std::move(look); }

  // Nothing counts as learned before: the first lesson, or the features have moved.
  void start_again() {
    fresh_from_ = 0;
    starts_over_ = true;
  }

  [[nodiscard]] Index size() const override { return static_cast<Index>(labels_.size()); }

  [[nodiscard]] Index fresh() const override { return fresh_from_; }

  [[nodiscard]] bool starts_over() const override { return starts_over_; }

  [[nodiscard]] std::span<const Label> labels() const override { return labels_; }

  [[nodiscard]] std::span<const Role> roles() const override { return roles_; }

  [[nodiscard]] const LabelSpace& space() const override { return space_; }

  [[nodiscard]] Samples samples(Rows which) const override;
  [[nodiscard]] Matrix features(Rows which) const override;
  [[nodiscard]] Frames frame_features(Rows which) const override;
  void each_block(Role role, Index from, const Visit& visit) const override;

 private:
  [[nodiscard]] Matrix features_of(const Samples& samples) const;

  Samples remembered_, fresh_;
  std::optional<Samples> joined_;  // where both lie in one store
  std::vector<Label> labels_;
  std::vector<Role> roles_;
  const LabelSpace& space_;
  Index fresh_from_;
  bool starts_over_ = false;
  Represent represent_;
  Look look_;
};

}  // namespace tyto
