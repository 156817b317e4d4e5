// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/observed.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/record/observed_columns.hpp"

namespace tyto {

namespace {

constexpr float kNotTold = std::numeric_limits<float>::quiet_NaN();

using TruthColumn = std::vector<std::string>;

const TruthColumn* truth_column(const Truth& truth, std::string_view name) {
  const auto found = truth.annotations.find(std::string(name));
  return found == truth.annotations.end() ? nullptr : &found->second;
}

const std::string& told_of(const TruthColumn* column, SampleId id) {
  static const std::string nothing;
  const auto place = static_cast<std::size_t>(id);
  return column == nullptr || place >= column->size() ? nothing : (*column)[place];
}

class Observation {
 public:
  Observation(const Phase& phase, const Truth& truth)
      : phase_(phase),
        truth_(truth),
        altered_(truth_column(truth, kAlteredColumn)),
        altered_from_(truth_column(truth, kAlteredFromColumn)),
        seen_as_(truth_column(truth, kSeenAsColumn)),
        under_nuisance_(!nuisance_of(phase.key.split).empty()) {}

  [[nodiscard]] bool is_told() const {
    return altered_ != nullptr || altered_from_ != nullptr || seen_as_ != nullptr;
  }

  [[nodiscard]] bool is_altered(SampleId id) const {
    const std::string& how = told_of(altered_, id);
    if (under_nuisance_ || (!how.empty() && how != kUnaltered)) {
      return true;
    }
    const std::optional<double> from = number(altered_from_, kAlteredFromColumn, id);
    return from && static_cast<double>(phase_.key.step) >= *from;
  }

  [[nodiscard]] std::string_view look(SampleId id) const {
    const std::string& as = told_of(seen_as_, id);
    return as.empty() ? truth_.label_of(id) : as;
  }

  // What the known classes look like.
  [[nodiscard]] std::unordered_set<std::string_view> looks(
      const std::vector<std::string>& known) const {
    const std::unordered_set<std::string_view> names(known.begin(), known.end());
    if (seen_as_ == nullptr) {
      return names;
    }
    std::unordered_set<std::string_view> all;
    for (std::size_t i = 0; i < truth_.label.size(); ++i) {
      if (names.contains(truth_.label[i])) {
        all.insert(look(static_cast<SampleId>(i)));
      }
    }
    return all;
  }

  [[nodiscard]] std::vector<float> numbers(std::string_view name, bool also_altered) const {
    std::vector<float> values;
    const TruthColumn* column = truth_column(truth_, name);
    if (column != nullptr) {
      for (std::size_t i = 0; i < phase_.sample.size(); ++i) {
        const SampleId id = phase_.sample[i];
        const bool holds = !under_nuisance_ && (also_altered || !is_altered(id));
        const std::optional<double> value = holds ? number(column, name, id) : std::nullopt;
        values.push_back(value ? static_cast<float>(*value) : kNotTold);
      }
    }
    return values;
  }

 private:
  [[nodiscard]] std::optional<double> number(const TruthColumn* column, std::string_view name,
                                             SampleId id) const {
    const std::string& text = told_of(column, id);
    if (text.empty()) {
      return std::nullopt;
    }
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      throw Error(ErrorKind::data,
                  fmt::format("phase {}: the annotation {} of sample {} must be a number, not "
                              "\"{}\"",
                              phase_.key.name(), name, static_cast<std::uint32_t>(id), text));
    }
    return value;
  }

  const Phase& phase_;
  const Truth& truth_;
  const TruthColumn *altered_, *altered_from_, *seen_as_;
  bool under_nuisance_;
};

}  // namespace

Observed observe(const Phase& phase, const Truth& truth, const std::vector<std::string>& known) {
  const Observation observation(phase, truth);
  Observed out;
  if (observation.is_told()) {
    const std::unordered_set<std::string_view> looks = observation.looks(known);
    for (const SampleId id : phase.sample) {
      const bool is_new = observation.is_altered(id) || !looks.contains(observation.look(id));
      out.is_new.push_back(is_new ? 1 : 0);
    }
  }
  out.least_error = observation.numbers(kLeastErrorColumn, false);
  out.least_error_unknown = observation.numbers(kLeastErrorUnknownColumn, false);
  out.dissimilarity = observation.numbers(kDissimilarityColumn, true);
  return out;
}

}  // namespace tyto
