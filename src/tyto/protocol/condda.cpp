// SPDX-License-Identifier: Apache-2.0
// CONDDA: what is new is to be told apart too, K + D + 1 columns, without feedback.
#include "tyto/protocol/registry.hpp"
#include "tyto/protocol/round_protocol.hpp"

namespace tyto {

namespace {

struct ConddaOptions {
  bool monotone = true;

  void describe(OptionVisitor& visitor) {
    visitor.field("monotone", monotone, "p(the world has changed) never falls within a test");
  }
};

// Continual open-set novelty detection and discovery: nobody ever names a class, so that what is
// new must be grouped, and the answer is over K known classes, D discovered ones and unknown.
class Condda final : public RoundProtocol {
 public:
  explicit Condda(const ConddaOptions& options)
      : RoundProtocol("condda", "CONDDA", options.monotone) {}
};

}  // namespace

ProtocolSpec condda_spec() {
  ProtocolSpec spec = protocol_spec<ConddaOptions, Condda>(
      "condda",
      "tests in rounds without feedback: has the world changed, and which new things are the same "
      "thing?",
      "the CONDDA protocol of the SAIL-ON evaluation");
  spec.asks_for_labels = false;
  spec.order = {{"system", "given", "ignored"}, {"test"}};
  spec.headline = {
      {"detected", "change noticed",
       "System detection: share of the tests whose change was declared, and not before it came.",
       "system", "raw", "change_detected"},
      {"delay", "noticed after",
       "System detection: samples after the change until it was declared, mean over the tests in "
       "which it was noticed.",
       "system", "raw", "change_detection_delay"},
      {"right", "right",
       "System detection: share of right answers: its class, or the cluster matched to a new one, "
       "which is to be called unknown until then; mean over tests.",
       "system", "raw", "condda_accuracy"},
      {"new_grouped", "new grouped",
       "System detection: share of the novel samples in the cluster that is matched to their "
       "class, one cluster a class.",
       "system", "raw", "condda_characterisation"},
      {"discovered", "discovered",
       "System detection: share of the novel classes that were discovered.", "system", "raw",
       "condda_discovered"},
      {"until_discovery", "after samples",
       "System detection: samples of a novel class until it was discovered.", "system", "raw",
       "condda_samples_until_discovery"},
      {"new_grouped_given", "told: grouped",
       "The same as new grouped where the moment of the change is told.", "given", "raw",
       "condda_characterisation"},
  };
  return spec;
}

}  // namespace tyto
