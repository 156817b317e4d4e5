// SPDX-License-Identifier: Apache-2.0
// What every predictor promises, as checks that say what is wrong: the suite runs them for every
// part and preset, and its own test for parts that break a promise.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "support/blobs.hpp"

#include "tyto/predictor/composition/composition.hpp"

namespace tyto::contract {

using testing_support::Blobs;

constexpr std::uint64_t kSeed = 5;

// What stands around the part under test.
enum class Around {
  plain_parts,
  no_threshold,  // everything is novel: held-out samples decide nothing for those who follow
  given_logits   // the classifier learns nothing
};

// Puts another part in the place of the one it is given.
using Replace = std::function<std::shared_ptr<Part>(std::unique_ptr<Part>)>;

// What a classifier fits on held-out samples: the weights of its members, or a scale and a shift
// of the outputs of a lesson's classes.
enum class Weighs { nothing, members, outputs };

struct Subject {
  std::string name;
  std::optional<Slot> slot;  // of the part under test; none: a preset
  Weighs weighs = Weighs::nothing;
  std::function<std::unique_ptr<Composition>(std::uint64_t seed, Around around)> maker;

  [[nodiscard]] std::unique_ptr<Composition> make(std::uint64_t seed = kSeed,
                                                  Around around = Around::plain_parts) const {
    return maker(seed, around);
  }
};

inline std::ostream& operator<<(std::ostream& out, const Subject& subject) {
  return out << subject.name;
}

// A predictor around one part: plain parts everywhere else. `part` is YAML, a name or a map.
Subject mounted(Slot slot, std::string_view name, std::string part, Replace replace = {});
Subject preset_subject(const std::string& name, const std::string& lighter);
// Of these slots, with random requests and an unlimited memory.
Subject composed(const std::string& name, const std::string& slots);

const Blobs& first_lesson();   // three classes, a to c
const Blobs& second_lesson();  // c again, and new: d and e
const Blobs& fresh_samples();  // a to e, and f that is never taught

Lesson lesson_of(const Blobs& blobs);
// The same samples; those of one role bear the name of another class of the lesson. Only once every
// class has come, so that the entries of the label space stay in their order.
Lesson lied_about(const Blobs& blobs, double holdout, Role role);

void teach(Predictor& predictor, const Lesson& lesson, std::uint64_t step);
void watch(Predictor& predictor, const Samples& unlabelled);

// What the slots give for the fresh samples, and what the memory holds. Columns by name.
struct Given {
  using Columns = std::map<std::string, std::vector<float>, std::less<>>;
  Matrix features;
  Columns logits;
  Prediction prediction;
  Columns scores;  // of the detector's members, where it tells them
  Columns groups;
  std::vector<Index> order;
  std::optional<Change> change;
  std::vector<std::string> remembered;  // id, class and role of each sample
};

struct Life {
  std::unique_ptr<Composition> predictor;
  Given taught;   // after the first lesson
  Given watched;  // after it has seen the second one's samples without their labels
  Given grown;    // after the second lesson
};

Life live(std::unique_ptr<Composition> predictor, const Lesson& one, const Lesson& two);

// Of the honest lessons; lived once for all checks that only look.
const Life& life_of(const Subject& subject);

// Knows nothing of what was taught, by itself or from others: it can rank nothing.
bool is_blind(const Detector& detector);
// Name of the highest column.
std::string best_of(const Given::Columns& columns, std::size_t row);

// Nothing in it: the promise is kept.
using Failures = std::vector<std::string>;

// What is fitted follows neither the labels nor the features of held-out samples.
Failures holds_out(const Subject& subject);
// New classes lie above known ones; old classes stay known, taught ones become known.
Failures ranks_new_above_known(const Subject& subject);
// Classes of both lessons are told apart.
Failures names_old_and_new(const Subject& subject);
// Groups tell new classes apart.
Failures groups_new_classes(const Subject& subject);
// Each row at most once, and as many as the budget.
Failures asks_for_each_row_once(const Subject& subject);
// A remembered sample keeps its role.
Failures remembers_roles(const Subject& subject);
// A calibrator is tuned on held-out samples, and on them alone.
Failures tunes_on_held_out(const Subject& subject);
// Silent while all is known, and raised by new classes.
Failures alarms_at_new_classes(const Subject& subject);

}  // namespace tyto::contract
