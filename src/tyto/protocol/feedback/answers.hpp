// SPDX-License-Identifier: Apache-2.0
// What an oracle is asked, and what it has said of samples, on its way to the predictor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tyto/predictor/predictor.hpp"
#include "tyto/world/world.hpp"

namespace tyto {

// Rows of train in the order in which they are wanted; `begin` to `end` is what is shown of it now.
struct OracleRequest {
  World& world;
  const Predictor& predictor;
  const Split& train;
  Index begin = 0, end = 0;
  Rows order;
  Index answers = 0;  // that the purse pays for
};

struct OracleAnswers {
  Index asked = 0;  // answers to be paid for, also where nothing was said
  Samples samples = {};
  std::vector<std::string> truth =
      {};  // of each sample, for the account; a predictor never sees it
  // Of each sample: its class, or all that it is called in another vocabulary.
  std::vector<std::vector<std::string>> words = {};
};

// What an oracle says of a class when asked by this sample: at times another class.
using Speak = std::function<std::string(const std::string& name, SampleId asked)>;

// What a predictor makes of each sample, as it is recorded.
struct Decisions {
  std::shared_ptr<const LabelSpace> space = {};
  std::vector<Label> label = {};

  [[nodiscard]] const std::string& name(Index i) const { return space->name(label[at(i)]); }
};

Decisions decided(const Predictor& predictor, const Samples& samples, Work& work);

// The first rows of an order that the purse pays for, none of them twice.
std::vector<Index> paid_rows(const OracleRequest& request);

// Labels of those samples of known classes that the predictor takes for something else.
OracleAnswers corrections(const OracleRequest& request, const Speak& speak, Work& work);

}  // namespace tyto
