// SPDX-License-Identifier: Apache-2.0
// What a part learns from: the remembered samples, then from row fresh() on the new ones.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tyto/parts/evidence.hpp"

namespace tyto {

// Decided once per sample, by a hash of its id, and never changed: what sets a threshold was never
// fitted on.
enum class Role : std::uint8_t { fit, hold };

struct Experience : Interface {
  using Visit = std::function<void(const Evidence&, std::span<const Label>)>;

  [[nodiscard]] virtual Index size() const = 0;
  [[nodiscard]] virtual Index fresh() const = 0;  // rows before it have been learned from already
  [[nodiscard]] virtual std::span<const Label> labels() const = 0;  // Label::unknown: not granted
  [[nodiscard]] virtual std::span<const Role> roles() const = 0;
  [[nodiscard]] virtual const LabelSpace& space() const = 0;
  [[nodiscard]] virtual Samples samples(Rows which) const = 0;
  // Representation of these rows; a shuffled minibatch. For representations themselves: raw rows.
  [[nodiscard]] virtual Matrix features(Rows which) const = 0;
  // The same of their frames; a sample that is one row has one.
  [[nodiscard]] virtual Frames frame_features(Rows which) const;
  // Blocks of rows with this role from row `from` on, in order, labelled ones only; the evidence is
  // filled as far as the slots have got.
  virtual void each_block(Role role, Index from, const Visit& visit) const = 0;

  // True: what was added up so far no longer counts, since these are the first rows ever or the
  // features moved. Apart from fresh(): a memory that keeps nothing leaves fresh() at 0 for good.
  [[nodiscard]] virtual bool starts_over() const = 0;

  // Rows with this role from row `from` on that carry a label.
  [[nodiscard]] std::vector<Index> labelled(Role role, Index from = 0) const;
};

using RepresentRows = std::function<Matrix(const MatrixView& rows)>;

Frames frames_of(const Samples& samples, const RepresentRows& represent);

}  // namespace tyto
