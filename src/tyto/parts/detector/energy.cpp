// SPDX-License-Identifier: Apache-2.0
// Energy of the logits.
#include "tyto/math/softmax.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct EnergyOptions {
  double temperature = 1.0;

  void describe(OptionVisitor& v) {
    v.field("temperature", temperature, {1e-3, 1e6},
            "divides the logits; low: the highest logit alone counts, high: all count alike");
  }
};

class Energy final : public StatelessPart, public Detector {
 public:
  explicit Energy(EnergyOptions options) : temperature_(static_cast<float>(options.temperature)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  void detect(Evidence& evidence) const override {
    const Matrix known = known_part(evidence, evidence.logits, "detector energy") / temperature_;
    evidence.novelty.resize(static_cast<std::size_t>(known.rows()));
    Vector::Map(evidence.novelty.data(), known.rows()) = -temperature_ * log_sum_exp(known);
  }

 private:
  float temperature_;
};

}  // namespace

PartSpec energy_spec() {
  return part_spec<EnergyOptions, Energy>(
      "energy", {Slot::detector}, "-T log sum exp(logits / T) over the known classes",
      "O(n k) time, no memory",
      "Liu et al., Energy-based Out-of-distribution Detection, NeurIPS 2020");
}

}  // namespace tyto
