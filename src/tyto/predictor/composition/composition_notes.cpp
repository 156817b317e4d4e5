// SPDX-License-Identifier: Apache-2.0
// What a composition tells of itself.
#include <fmt/format.h>

#include "tyto/predictor/composition/composition.hpp"
#include "tyto/predictor/make_predictor.hpp"
#include "tyto/predictor/notes.hpp"

namespace tyto {

void Composition::tell(Notes& notes) const {
  if (parts_.calibrator != nullptr) {
    notes.calibration = parts_.calibrator->fitted();
  }
  notes.change = change();
  notes.remembered = remembered();
  notes.cautions = cautions();
}

std::vector<std::string> Composition::cautions() const {
  if (parts_.detector == nullptr || !is_fitted()) {
    return {};
  }
  std::vector<std::string> said = threshold_.cautions(parts_.detector->own_threshold());
  for (std::string& sentence : said) {
    sentence = fmt::format("{}: {}", config_.name, sentence);
  }
  return said;
}

std::unique_ptr<Predictor> make_predictor(const PredictorConfig& config, std::uint64_t seed) {
  return std::make_unique<Composition>(config, seed);
}

}  // namespace tyto
