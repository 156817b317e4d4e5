// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/registry.hpp"

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/parts/nested_part.hpp"

namespace tyto {
namespace {

TEST(Registry, describes_every_part_well_enough_to_explain_it) {
  EXPECT_GE(part_specs().size(), 20U);
  for (const PartSpec& spec : part_specs()) {
    EXPECT_FALSE(spec.summary.empty()) << spec.name;
    EXPECT_FALSE(spec.cost.empty()) << spec.name;
    for (const OptionHelp& option : spec.options) {
      EXPECT_GT(option.help.size(), 10U) << spec.name << '.' << option.key;
    }
    EXPECT_NO_THROW(spec.resolve(ConfigNode(), "part")) << spec.name;
  }
}

TEST(Registry, makes_parts_that_fill_their_slots) {
  for (const PartSpec& spec : part_specs()) {
    if (spec.name == "mlp") {
      continue;  // opens a module
    }
    const auto part = spec.make(ConfigNode(), "part");
    for (const Slot slot : spec.slots) {
      const bool fills =
          (slot == Slot::representation && dynamic_cast<Representation*>(part.get()) != nullptr) ||
          (slot == Slot::classifier && dynamic_cast<Classifier*>(part.get()) != nullptr) ||
          (slot == Slot::calibrator && dynamic_cast<Calibrator*>(part.get()) != nullptr) ||
          (slot == Slot::detector && dynamic_cast<Detector*>(part.get()) != nullptr) ||
          (slot == Slot::recogniser && dynamic_cast<Recogniser*>(part.get()) != nullptr) ||
          (slot == Slot::alarm && dynamic_cast<Alarm*>(part.get()) != nullptr) ||
          (slot == Slot::feedback && dynamic_cast<Requester*>(part.get()) != nullptr) ||
          (slot == Slot::memory && dynamic_cast<Memory*>(part.get()) != nullptr);
      EXPECT_TRUE(fills) << spec.name << " in " << slot_name(slot);
    }
  }
}

TEST(Registry, suggests_the_likely_name) {
  try {
    find_part(Slot::detector, "mahalanobiss");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"mahalanobis\"?"), std::string::npos);
  }
}

TEST(Registry, says_which_classifiers_can_do_what_a_part_needs) {
  EXPECT_EQ(classifiers_that(&Classifier::has_head),
            (std::vector<std::string>{"bic", "derpp", "er", "ewc", "finetune", "icarl", "lwf",
                                      "mas", "mlp", "naive", "ncm", "ndcc", "ridge", "slda"}));
  EXPECT_EQ(classifiers_that(&Classifier::has_embedding),
            (std::vector<std::string>{"bic", "derpp", "er", "ewc", "finetune", "icarl", "lwf",
                                      "mas", "mc_dropout", "mlp", "naive", "ndcc", "ridge"}));
}

TEST(JoinedNeeds, are_those_of_both) {
  Needs a;
  a.sources = {"logits", "pose"};
  a.frames = true;
  Needs b;
  b.sources = {"pose", "sound"};
  b.embedding = true;
  const Needs both = joined_needs(a, b);
  EXPECT_EQ(both.sources, (std::vector<std::string>{"logits", "pose", "sound"}));
  EXPECT_TRUE(both.frames && both.embedding);
  EXPECT_FALSE(both.classifier);
}

}  // namespace
}  // namespace tyto
