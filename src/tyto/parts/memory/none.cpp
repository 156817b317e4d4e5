// SPDX-License-Identifier: Apache-2.0
// Keeps nothing of the past.
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

class NoMemory final : public StatelessPart, public Memory {
 public:
  explicit NoMemory(NoOptions) {}

  void keep(const Experience&, Work&) override {}

  [[nodiscard]] const Samples& samples() const override { return samples_; }

  [[nodiscard]] const std::vector<Label>& labels() const override { return labels_; }

  [[nodiscard]] const std::vector<Role>& roles() const override { return roles_; }

 private:
  Samples samples_;
  std::vector<Label> labels_;
  std::vector<Role> roles_;
};

}  // namespace

PartSpec none_spec() {
  return part_spec<NoOptions, NoMemory>("none", {Slot::memory}, "keeps nothing of the past",
                                        "no time, no memory");
}

}  // namespace tyto
