// SPDX-License-Identifier: Apache-2.0
// Who is tested, and what becomes of them.
#include <algorithm>
#include <limits>

#include "predictor/contract.hpp"
#include <fmt/format.h>

#include "tyto/predictor/presets.hpp"

namespace tyto::contract {

namespace {

Weighs weighs(std::string_view name) {
  return name == "blend" ? Weighs::members : name == "bic" ? Weighs::outputs : Weighs::nothing;
}

using testing_support::make_blobs;

Given::Columns columns_by_name(const Matrix& values, const std::vector<Label>& columns,
                               const LabelSpace& space) {
  Given::Columns out;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto column = values.col(static_cast<Index>(c));
    out[space.name(columns[c])] = std::vector<float>(column.begin(), column.end());
  }
  return out;
}

Given given_by(const Composition& predictor) {
  const Samples& samples = fresh_samples().samples;
  const Evidence evidence = predictor.evidence(samples);
  const LabelSpace& space = predictor.labels();
  Given given;
  given.features = evidence.features;
  given.logits = columns_by_name(evidence.logits, evidence.classes, space);
  given.groups = columns_by_name(evidence.membership, evidence.groups, space);
  given.prediction = predictor.predict(samples);
  if (predictor.parts().detector != nullptr) {
    for (const auto& notes : predictor.parts().detector->explain(evidence)) {
      for (const ScoreNote& note : notes) {
        given.scores[note.score].push_back(note.value);
      }
    }
  }
  Progress silent;
  Work work{Rng(2), silent};
  given.order = predictor.request(samples, 20, work);
  given.change = predictor.change();
  if (const Memory* memory = predictor.parts().memory) {
    for (Index i = 0; i < memory->samples().size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      given.remembered.push_back(fmt::format(
          "{} {} {}", static_cast<std::uint32_t>(memory->samples().id(i)),
          space.name(memory->labels()[at]), memory->roles()[at] == Role::fit ? "fit" : "held out"));
    }
  }
  return given;
}

}  // namespace

Subject mounted(Slot slot, std::string_view name, std::string part, Replace replace) {
  Subject subject{fmt::format("{}_{}", slot_name(slot), name), slot, weighs(name), {}};
  subject.maker = [slot, called = std::string(name), part, replace](std::uint64_t seed,
                                                                    Around around) {
    std::map<Slot, std::string> parts{
        {Slot::classifier, around == Around::given_logits ? "precomputed" : "ncm"},
        {Slot::detector, around == Around::no_threshold ? "always" : "softmax"},
        {Slot::feedback, "random"},
        {Slot::memory, "unlimited"}};
    parts[slot] = part;
    std::string yaml = fmt::format("name: {}\n", called);
    for (const auto& [where, what] : parts) {
      yaml += fmt::format("{}: {}\n", slot_name(where), what);
    }
    const PredictorConfig config = read_predictor(parse_yaml(yaml, called), "predictor");
    if (!replace) {
      return std::make_unique<Composition>(config, seed);
    }
    return std::make_unique<Composition>(config, seed, [=] {
      Parts made;
      for (const auto& [where, choice] : config.parts) {
        auto one = find_part(where, choice.name).make(choice.options, slot_name(where));
        made.fill(where, where == slot ? replace(std::move(one)) : std::move(one));
      }
      return made;
    });
  };
  return subject;
}

Subject composed(const std::string& name, const std::string& slots) {
  const std::string yaml =
      fmt::format("name: {}\n{}feedback: random\nmemory: unlimited\n", name, slots);
  const PredictorConfig config = read_predictor(parse_yaml(yaml, name), "predictor");
  return {"composed_" + name, std::nullopt, Weighs::nothing, [config](std::uint64_t seed, Around) {
            return std::make_unique<Composition>(config, seed);
          }};
}

Subject preset_subject(const std::string& name, const std::string& lighter) {
  std::string tame = name;
  std::replace(tame.begin(), tame.end(), '-', '_');
  const std::string yaml = fmt::format("preset: {}\n{}", name, lighter);
  const PredictorConfig config = read_predictor(parse_yaml(yaml, name), "predictor");
  const PartChoice* classifier = config.find(Slot::classifier);
  return {
      "preset_" + tame, std::nullopt,
      classifier != nullptr ? weighs(classifier->name) : Weighs::nothing,
      [config](std::uint64_t seed, Around) { return std::make_unique<Composition>(config, seed); }};
}

const Blobs& first_lesson() {
  static const Blobs blobs = make_blobs(0, 3, 60, 1, 0);
  return blobs;
}

const Blobs& second_lesson() {
  static const Blobs blobs = make_blobs(2, 5, 40, 2, 1000);
  return blobs;
}

const Blobs& fresh_samples() {
  static const Blobs blobs = make_blobs(0, 6, 30, 3, 5000);
  return blobs;
}

void teach(Predictor& predictor, const Lesson& lesson, std::uint64_t step) {
  Progress silent;
  Work work{Rng(kSeed, "test", step), silent};
  predictor.learn(lesson, work);
}

void watch(Predictor& predictor, const Samples& unlabelled) {
  Progress silent;
  Work work{Rng(4), silent};
  const Index half = unlabelled.size() / 2;  // what is found twice is a class
  predictor.observe(unlabelled.slice(0, half), work);
  predictor.observe(unlabelled.slice(half, unlabelled.size() - half), work);
}

Lesson lesson_of(const Blobs& blobs) {
  return {blobs.samples, blobs.names, {}};
}

bool is_blind(const Detector& detector) {
  const Needs needs = dynamic_cast<const Part&>(detector).needs();
  return dynamic_cast<const StatelessPart*>(&detector) != nullptr && needs.sources.empty() &&
         !needs.classifier && !needs.embedding && !needs.head && !needs.gradient &&
         needs.neighbours == 0 && !needs.rivals && needs.batch_neighbours == 0;
}

std::string best_of(const Given::Columns& columns, std::size_t row) {
  std::string best;
  float most = -std::numeric_limits<float>::infinity();
  for (const auto& [name, values] : columns) {
    if (values[row] > most || best.empty()) {
      most = values[row];
      best = name;
    }
  }
  return best;
}

Life live(std::unique_ptr<Composition> predictor, const Lesson& one, const Lesson& two) {
  Life life;
  teach(*predictor, one, 0);
  life.taught = given_by(*predictor);
  watch(*predictor, second_lesson().samples);
  life.watched = given_by(*predictor);
  teach(*predictor, two, 1);
  life.grown = given_by(*predictor);
  life.predictor = std::move(predictor);
  return life;
}

const Life& life_of(const Subject& subject) {
  static std::map<std::string, Life> lives;
  auto found = lives.find(subject.name);
  if (found == lives.end()) {
    found = lives
                .emplace(subject.name, live(subject.make(), lesson_of(first_lesson()),
                                            lesson_of(second_lesson())))
                .first;
  }
  return found->second;
}

}  // namespace tyto::contract
