// SPDX-License-Identifier: Apache-2.0
#include "predictor/contract.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace tyto::contract {

namespace {

using testing_support::make_blobs;

constexpr double kRanksWell = 0.8;  // AUROC; classes lie seven deviations apart

// Of one class of the fresh samples, or several: "de".
std::vector<Index> rows_of(std::string_view classes) {
  std::vector<Index> rows;
  for (Index i = 0; i < fresh_samples().samples.size(); ++i) {
    if (classes.find(fresh_samples().names[static_cast<std::size_t>(i)].back()) !=
        std::string_view::npos) {
      rows.push_back(i);
    }
  }
  return rows;
}

// Chance that a sample of `above` lies higher than one of `below`.
double chance_above(const std::vector<float>& novelty, std::string_view below,
                    std::string_view above) {
  double won = 0.0;
  const std::vector<Index> low = rows_of(below);
  const std::vector<Index> high = rows_of(above);
  for (const Index i : low) {
    for (const Index j : high) {
      const float a = novelty[static_cast<std::size_t>(i)];
      const float b = novelty[static_cast<std::size_t>(j)];
      won += b > a ? 1.0 : b == a ? 0.5 : 0.0;
    }
  }
  return won / static_cast<double>(low.size() * high.size());
}

}  // namespace

Failures ranks_new_above_known(const Subject& subject) {
  const Life& life = life_of(subject);
  const Detector* detector = life.predictor->parts().detector;
  // The plain detector around another part is sure of much that is new: that is not under test.
  const bool under_test = !subject.slot || subject.slot == Slot::detector;
  if (!under_test || detector == nullptr || is_blind(*detector)) {
    return {};
  }
  Failures failures;
  const auto expect = [&](const Given& given, std::string_view known, std::string_view novel,
                          std::string_view after) {
    const double won = chance_above(given.prediction.novelty, known, novel);
    if (won < kRanksWell) {
      failures.push_back(fmt::format("after {} the new classes {} lie above {} with chance {:.3f}",
                                     after, novel, known, won));
    }
  };
  // d and f lie beside one known class each, and a classifier may well be sure of it.
  expect(life.taught, "abc", "e", "a lesson");
  expect(life.grown, "ab", "f", "two lessons");
  expect(life.grown, "de", "f", "two lessons");
  return failures;
}

// Networks that remember nothing, and nothing else than that is asked of them here.
bool overwrites(const Subject& subject) {
  for (const std::string_view name : {"finetune", "ewc", "mas", "lwf"}) {
    if (subject.name.ends_with(fmt::format("_{}", name))) {
      return true;
    }
  }
  return false;
}

Failures names_old_and_new(const Subject& subject) {
  const Life& life = life_of(subject);
  if (life.predictor->parts().classifier == nullptr) {
    return {};
  }
  const Prediction& out = life.grown.prediction;
  Index right = 0;
  const std::vector<Index> asked = rows_of(overwrites(subject) ? "de" : "abcde");
  for (const Index i : asked) {
    Label best = Label::unknown;
    for (const Label label : out.space->known()) {
      if (best == Label::unknown || out.probability(i, static_cast<Index>(label)) >
                                        out.probability(i, static_cast<Index>(best))) {
        best = label;
      }
    }
    right += out.space->name(best) == fresh_samples().names[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  if (right * 10 < 9 * std::ssize(asked)) {
    return {fmt::format("names {} of {} samples of known classes right", right, asked.size())};
  }
  return {};
}

Failures groups_new_classes(const Subject& subject) {
  const Life& life = life_of(subject);
  if (life.predictor->parts().recogniser == nullptr) {
    return {};
  }
  // Of two classes alike in number, those in a group that is mostly theirs; half of them if one
  // group holds all.
  std::map<std::string, std::map<char, Index>> members;
  const std::vector<Index> asked = rows_of("de");
  for (const Index i : asked) {
    const auto at = static_cast<std::size_t>(i);
    ++members[best_of(life.watched.groups, at)][fresh_samples().names[at].back()];
  }
  Index pure = 0;
  for (const auto& [group, classes] : members) {
    Index most = 0;
    for (const auto& [name, count] : classes) {
      most = std::max(most, count);
    }
    pure += most;
  }
  if (pure * 10 < 8 * std::ssize(asked)) {
    return {fmt::format("{} of {} samples of two new classes are in a group of their class", pure,
                        asked.size())};
  }
  return {};
}

Failures asks_for_each_row_once(const Subject& subject) {
  const Composition& predictor = *life_of(subject).predictor;
  const std::vector<Index>& order = life_of(subject).grown.order;
  Failures failures;
  const std::set<Index> unique(order.begin(), order.end());
  if (order.size() < 20) {
    failures.push_back(fmt::format("orders {} rows where 20 may be asked for", order.size()));
  }
  if (unique.size() != order.size()) {
    failures.push_back(
        fmt::format("orders {} rows, {} of them different", order.size(), unique.size()));
  }
  if (*unique.begin() < 0 || *unique.rbegin() >= fresh_samples().samples.size()) {
    failures.push_back(fmt::format("orders a row from {} to {} of {}", *unique.begin(),
                                   *unique.rbegin(), fresh_samples().samples.size()));
  }
  Progress silent;
  Work work{Rng(2), silent};
  if (!predictor.request(Samples(), 5, work).empty()) {
    failures.push_back("orders rows of nothing");
  }
  return failures;
}

Failures remembers_roles(const Subject& subject) {
  const Composition& predictor = *life_of(subject).predictor;
  const Memory* memory = predictor.parts().memory;
  if (memory == nullptr) {
    return {};
  }
  Failures failures;
  std::set<SampleId> ids;
  for (Index i = 0; i < memory->samples().size(); ++i) {
    const SampleId id = memory->samples().id(i);
    const auto number = static_cast<std::uint32_t>(id);
    if (memory->roles()[static_cast<std::size_t>(i)] !=
        role_of(id, kSeed, predictor.config().holdout)) {
      failures.push_back(fmt::format("sample {} is remembered in another role", number));
    }
    const Blobs& lesson = number < 1000 ? first_lesson() : second_lesson();
    const std::string& name = lesson.names[number < 1000 ? number : number - 1000];
    if (predictor.labels().name(memory->labels()[static_cast<std::size_t>(i)]) != name) {
      failures.push_back(fmt::format("sample {} is remembered as another class", number));
    }
    if (!ids.insert(id).second) {
      failures.push_back(fmt::format("sample {} is remembered twice", number));
    }
  }
  return failures;
}

Failures tunes_on_held_out(const Subject& subject) {
  if (subject.slot != Slot::calibrator) {
    return {};
  }
  const auto belief = [&](std::optional<Role> lied) {
    const auto predictor = subject.make(kSeed, Around::given_logits);
    const double holdout = predictor->config().holdout;
    std::uint64_t step = 0;
    for (const Blobs* blobs : {&first_lesson(), &second_lesson()}) {
      teach(*predictor, lied ? lied_about(*blobs, holdout, *lied) : lesson_of(*blobs), step++);
    }
    return predictor->evidence(fresh_samples().samples).probability;
  };
  Failures failures;
  const Matrix honest = belief(std::nullopt);
  if (honest != belief(Role::fit)) {
    failures.emplace_back("probabilities follow the labels of samples that were fitted on");
  }
  if (honest == belief(Role::hold)) {
    failures.emplace_back("probabilities are the same whatever held-out samples tell");
  }
  return failures;
}

Failures alarms_at_new_classes(const Subject& subject) {
  if (life_of(subject).predictor->parts().alarm == nullptr) {
    return {};
  }
  const auto predictor = subject.make();
  teach(*predictor, lesson_of(first_lesson()), 0);
  Failures failures;
  const Blobs known = make_blobs(0, 3, 40, 11, 3000);
  watch(*predictor, known.samples);
  if (predictor->change()->changed || predictor->change()->seen != known.samples.size()) {
    failures.push_back(fmt::format("after {} samples of known classes it has seen {}, changed: {}",
                                   known.samples.size(), predictor->change()->seen,
                                   predictor->change()->changed));
  }
  watch(*predictor, make_blobs(3, 6, 40, 12, 4000).samples);
  if (!predictor->change()->changed) {
    failures.emplace_back("120 samples of new classes raise no alarm");
  }
  teach(*predictor, lesson_of(second_lesson()), 1);
  if (predictor->change()->seen != 0) {
    failures.emplace_back("a lesson does not start the count again");
  }
  return failures;
}

}  // namespace tyto::contract
