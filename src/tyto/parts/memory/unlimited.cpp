// SPDX-License-Identifier: Apache-2.0
// Keeps every labelled sample.
#include "tyto/parts/memory/kept_memory.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct UnlimitedOptions {
  bool unlabelled = false;

  void describe(OptionVisitor& v) {
    v.field("unlabelled", unlabelled, "keep samples whose label was not granted as well");
  }
};

class Unlimited final : public KeptMemory {
 public:
  explicit Unlimited(UnlimitedOptions options) : options_(options) {}

  void keep(const Experience& all, Work&) override {
    std::vector<Candidate> chosen = candidates(kept_, all);
    if (!options_.unlabelled) {
      std::erase_if(chosen, [](const Candidate& c) { return c.label == Label::unknown; });
    }
    kept_ = kept(kept_, all, chosen, false);
  }

 private:
  UnlimitedOptions options_;
};

}  // namespace

PartSpec unlimited_spec() {
  return part_spec<UnlimitedOptions, Unlimited>(
      "unlimited", {Slot::memory},
      "keeps every labelled sample: by reference where the data last, copied where they are lent",
      "O(m log m) time per lesson; O(m) memory by reference, O(m d) copied");
}

}  // namespace tyto
