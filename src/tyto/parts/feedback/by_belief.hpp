// SPDX-License-Identifier: Apache-2.0
// Requesters that order rows by what the classifier believes of each.
#pragma once

#include "tyto/parts/registry.hpp"

namespace tyto {

class ByBelief : public StatelessPart, public Requester {
 public:
  explicit ByBelief(std::string_view name) : name_(name) {}

  [[nodiscard]] Needs needs() const final;
  std::vector<Index> order(const Evidence& batch, Index budget, Work& work) const final;
  void drop_unused(Evidence& block) const override;

 protected:
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  // What it goes by: unless overridden the probabilities of the known classes.
  [[nodiscard]] virtual Matrix belief(const Evidence& batch) const;
  // Of each row of these; the lowest come first, ties to the lower row.
  [[nodiscard]] virtual Vector certainty(const Matrix& belief) const = 0;

  std::string name_;
};

}  // namespace tyto
