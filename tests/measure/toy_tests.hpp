// SPDX-License-Identifier: Apache-2.0
// Runs of SAIL-ON tests written row by row.
#pragma once

#include <string>
#include <vector>

#include "measure/toy_record.hpp"

#include "tyto/measure/formulas/test_stream.hpp"

namespace tyto {

struct ToyRow {
  std::string label;
  bool novel = false, changed = false;
  std::string decision;  // further ranks after blanks: "A B unknown"
  float p_changed = 0.0F;
  Index round = 1;
};

struct ToyTests {
  Truth truth;
  std::vector<Phase> phases;

  ToyTests() {
    truth.annotations["test"];
    truth.annotations["novel"];
    truth.annotations["changed"];
  }

  // `known` when the test begins; from round r on also granted[r - 1], where there is such a name.
  // Discovered classes are those that are called.
  void add(Index step, const std::string& setting, const std::string& id,
           const std::vector<std::string>& known, const std::vector<ToyRow>& rows,
           const std::vector<std::string>& granted = {}, bool with_alarm = true) {
    for (std::size_t i = 0; i < rows.size();) {
      Phase phase;
      phase.key = {step, setting, "test", rows[i].round};
      phase.known = known;
      for (Index r = 0; r < rows[i].round && r < std::ssize(granted); ++r) {
        if (!granted[at(r)].empty()) {
          phase.known.push_back(granted[at(r)]);
        }
      }
      phase.shown = phase.known;
      for (const std::string& name : phase.known) {
        phase.space.add_known(name);
      }
      std::vector<std::vector<std::int32_t>> ranked;
      for (; i < rows.size() && rows[i].round == phase.key.batch; ++i) {
        phase.sample.push_back(static_cast<SampleId>(truth.label.size()));
        truth.name.push_back(id + "/" + std::to_string(i));
        truth.label.push_back(rows[i].label);
        truth.annotations["test"].push_back(id);
        truth.annotations["novel"].push_back(rows[i].novel ? "1" : "0");
        truth.annotations["changed"].push_back(rows[i].changed ? "1" : "0");
        ranked.push_back(entries(phase.space, rows[i].decision));
        if (with_alarm) {
          phase.changed.push_back(rows[i].p_changed);
        }
      }
      phase.top.resize(std::ssize(ranked), std::ssize(ranked.front()));
      for (Index r = 0; r < phase.top.rows(); ++r) {
        for (Index c = 0; c < phase.top.cols(); ++c) {
          phase.top(r, c) = ranked[at(r)][at(c)];
        }
      }
      phases.push_back(std::move(phase));
    }
  }

  [[nodiscard]] ToyRecord record() const { return {phases, truth}; }

  // The only test of the only setting.
  [[nodiscard]] TestStream stream() const {
    const ToyRecord own = record();
    return test_streams(RunView(own)).begin()->second.front();
  }

 private:
  static std::vector<std::int32_t> entries(LabelSpace& space, const std::string& names) {
    std::vector<std::int32_t> out;
    for (std::size_t begin = 0; begin <= names.size();) {
      const std::size_t end = std::min(names.find(' ', begin), names.size());
      const std::string name = names.substr(begin, end - begin);
      while (!space.find(name)) {
        space.add_discovered();
      }
      out.push_back(static_cast<std::int32_t>(*space.find(name)));
      begin = end + 1;
    }
    return out;
  }
};

}  // namespace tyto
