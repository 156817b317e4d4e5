// SPDX-License-Identifier: Apache-2.0
// Measures of CONDDA, ours: are the novel classes found, each by one lasting cluster? The public
// programme stores these answers and never scores them. One assignment of discovered classes
// (clusters) to novel classes over the whole test names the clusters: one to one, so that as many
// novel samples as possible are right.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tyto/measure/formulas/over_tests.hpp"
#include "tyto/measure/formulas/test_stream.hpp"

namespace tyto {

// A novel class is discovered by the first of its samples that is called by the cluster matched
// with it, if that is consistent: of its samples from then on at least half, and at least two, are.
constexpr double kConsistentShare = 0.5;
constexpr Index kConsistentCalls = 2;

struct NovelClass {
  std::string name, cluster;   // matched with it; "": none
  Index samples = 0;           // novel ones of it
  std::optional<Index> until;  // of those before the one that discovers it; missing: never
};

// The values of some samples; missing where there is nothing to measure.
struct ConddaValues {
  Index samples = 0, novel_samples = 0;
  // K+D+1: known samples by their name; novel ones by the cluster matched with their class or by
  // its name. Before the first call of that cluster, and where there is none, `unknown` is right.
  std::optional<double> accuracy;
  // Of the novel samples.
  std::optional<double> characterisation;  // called by the cluster matched with their class
  std::optional<double> purity, nmi, ari;  // of the groups by decision, any decision being a group
  // Of the novel samples called by a cluster whose class comes again in a later round and is then
  // called by a cluster: the next one is called by the same.
  std::optional<double> stability;
};

struct ConddaRound {
  Index round = 0;
  ConddaValues of;                  // the samples of this round alone
  Index clusters = 0, classes = 0;  // called, and novel ones seen, up to its end
};

struct ConddaScores {
  PhaseKey at;
  std::string test;
  Index samples = 0;
  std::optional<double> accuracy, characterisation, purity, nmi, ari, stability;
  Index clusters = 0, novel_classes = 0;
  std::optional<double> clusters_per_class;
  std::optional<double> discovered;  // share of the novel classes with two samples or more
  std::optional<double> until;       // samples until discovery: mean over the discovered classes
  std::vector<NovelClass> classes;   // by first sample
  std::vector<ConddaRound> rounds;   // the curves over rounds
};

// O(n log n + clusters x classes x their smaller number).
ConddaScores score_condda(const TestStream& test);

std::span<const ProgrammeMeasure<ConddaScores>> condda_measures();

// Means over tests, with intervals over tests.
std::vector<ProgrammeRow> condda_summary(std::span<const ConddaScores> tests,
                                         const BootstrapOptions& bootstrap = {});

// Every setting of a run, its tests by step. Empty where no test is one of CONDDA (by its id) and
// nothing was ever called by a discovered class.
using ConddaBySetting = std::map<std::string, std::vector<ConddaScores>>;
ConddaBySetting condda_scores(const RunView& run);

}  // namespace tyto
