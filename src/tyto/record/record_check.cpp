// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/record_check.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"

namespace tyto {

namespace {

using NameCounts = std::unordered_map<std::string, Index>;

NameCounts counted(const std::vector<std::string>& names) {
  NameCounts counts;
  for (const std::string& name : names) {
    ++counts[name];
  }
  return counts;
}

class RecordCheck {
 public:
  RecordCheck(const RunFolder& folder, std::string_view arm, const Truth* truth,
              const RecordFacts& facts)
      : folder_(folder), arm_(arm), truth_(truth), facts_(facts) {}

  std::vector<std::string> run() {
    const std::vector<PhaseKey> there = stored_phases(folder_, arm_);
    for (const PhaseKey& key : there) {
      there_.insert(key.name());
    }
    for (const std::string& name : facts_.committed.value_or(std::vector<std::string>())) {
      if (!there_.contains(name)) {
        say(name, "is missing: the run committed that phase");
        note_unsure(name);
      }
    }
    for (const PhaseKey& key : there) {
      if (is_committed(key.name()) || facts_.complete || !facts_.committed) {
        check(key);
      }
    }
    if (facts_.manifest != nullptr && truth_ != nullptr) {
      for (const auto& [place, samples] : samples_) {
        if (!unsure_.contains(place)) {
          check_samples(place, samples);
        }
      }
    }
    return std::move(problems_);
  }

 private:
  struct Place {
    Index step;
    std::string phase, split;
    auto operator<=>(const Place&) const = default;
  };

  [[nodiscard]] bool is_committed(const std::string& name) const {
    return facts_.committed && std::find(facts_.committed->begin(), facts_.committed->end(),
                                         name) != facts_.committed->end();
  }

  void say(const std::string& name, std::string_view what) {
    problems_.push_back(
        fmt::format("{} {}", (folder_.record(arm_) / (name + ".npz")).string(), what));
  }

  // Its samples cannot be told whole: a file of it was named already.
  void note_unsure(const std::string& name) {
    if (const auto key = phase_key_of(name)) {
      unsure_.insert({key->step, key->phase, key->split});
    }
  }

  void check(const PhaseKey& key) {
    const std::string name = key.name();
    const StoredPhase stored = read_stored_phase(folder_, arm_, key);
    const std::string inside = stored.phase.key.name();
    if (inside != name) {
      say(name,
          there_.contains(inside)
              ? fmt::format("is a copy: it holds the phase {}, which has a file of its own", inside)
              : fmt::format("is of another place: it holds the phase {}", inside));
    } else if (stored.arm && *stored.arm != arm_) {
      say(name, fmt::format("is of another arm: it was written for {}", *stored.arm));
    } else if (facts_.complete && facts_.committed && !is_committed(name)) {
      say(name, "is one too many: the run committed no such phase");
    } else {
      add_samples(stored.phase);
      return;
    }
    note_unsure(name);
  }

  void add_samples(const Phase& phase) {
    if (truth_ == nullptr) {
      return;
    }
    std::vector<std::string>& names = samples_[{phase.key.step, phase.key.phase, phase.key.split}];
    for (const SampleId id : phase.sample) {
      const auto at = static_cast<std::size_t>(id);
      if (at >= truth_->label.size()) {
        say(phase.key.name(), fmt::format("is of another world: it holds sample {}, and the run "
                                          "has {} samples",
                                          at, truth_->label.size()));
        note_unsure(phase.key.name());
        return;
      }
      names.push_back(at < truth_->name.size() ? truth_->name[at] : std::to_string(at));
    }
  }

  // What the manifest has for the place: its split, or all that was shown until then where the
  // protocol makes its own splits.
  [[nodiscard]] std::vector<std::string> shown_at(const Place& place) const {
    std::vector<std::string> names;
    const std::string own = nuisance_of(place.split).empty() ? place.split : "test";
    for (const auto& [at, samples] : facts_.manifest->shown) {
      const auto& [step, split] = at;
      if (facts_.whole_splits ? step == place.step && split == own : step <= place.step) {
        names.insert(names.end(), samples.begin(), samples.end());
      }
    }
    return names;
  }

  void check_samples(const Place& place, const std::vector<std::string>& names) {
    NameCounts shown = counted(shown_at(place));
    Index foreign = 0;
    Index twice = 0;
    std::string first_foreign;
    std::string first_twice;
    const NameCounts recorded = counted(names);
    for (const std::string& name : names) {
      const auto found = shown.find(name);
      if (found == shown.end()) {
        first_foreign = foreign++ == 0 ? name : first_foreign;
      } else if (found->second-- == 0) {
        found->second = 0;
        first_twice = twice++ == 0 ? name : first_twice;
      }
    }
    const std::string where =
        fmt::format("{}: increment {}, phase {}, split {}", folder_.record(arm_).string(),
                    place.step, place.phase, place.split);
    if (foreign > 0) {
      problems_.push_back(fmt::format(
          "{}: {} of its {} samples {} not shown there by manifest.csv, the first of them {}",
          where, foreign, names.size(), foreign == 1 ? "is" : "are", first_foreign));
    }
    if (twice > 0) {
      problems_.push_back(fmt::format("{}: {} of its {} samples {} double, the first of them {}",
                                      where, twice, names.size(), twice == 1 ? "is" : "are",
                                      first_twice));
    }
    if (facts_.whole_splits) {
      Index missing = 0;
      std::string first_missing;
      for (const std::string& name : shown_at(place)) {
        if (!recorded.contains(name)) {
          first_missing = missing++ == 0 ? name : first_missing;
        }
      }
      if (missing > 0) {
        problems_.push_back(fmt::format(
            "{}: {} samples that manifest.csv shows there are missing, the first of them {}", where,
            missing, first_missing));
      }
    }
  }

  const RunFolder& folder_;
  std::string_view arm_;
  const Truth* truth_;
  const RecordFacts& facts_;
  std::set<std::string> there_;
  std::set<Place> unsure_;
  std::map<Place, std::vector<std::string>> samples_;
  std::vector<std::string> problems_;
};

}  // namespace

Manifest Manifest::load(const std::filesystem::path& file) {
  const CsvTable csv = CsvTable::load(file);
  const Index id = csv.column("id");
  const Index split = csv.column("split");
  const std::vector<Index> step = csv.counts(csv.column("increment"));
  Manifest manifest;
  for (Index row = 0; row < csv.rows(); ++row) {
    manifest.shown[{step[static_cast<std::size_t>(row)], std::string(csv.text(row, split))}]
        .emplace_back(csv.text(row, id));
  }
  return manifest;
}

std::vector<std::string> record_problems(const RunFolder& folder, std::string_view arm,
                                         const Truth* truth, const RecordFacts& facts) {
  return RecordCheck(folder, arm, truth, facts).run();
}

}  // namespace tyto
