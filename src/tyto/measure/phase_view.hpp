// SPDX-License-Identifier: Apache-2.0
// One phase joined with the truth: what every measure reads, prepared once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tyto/measure/calibration/scored_samples.hpp"
#include "tyto/measure/formulas/matching.hpp"
#include "tyto/measure/formulas/novelty_sets.hpp"
#include "tyto/measure/formulas/ranking.hpp"
#include "tyto/measure/lazy.hpp"
#include "tyto/measure/observed.hpp"
#include "tyto/measure/views.hpp"
#include "tyto/record/record.hpp"

namespace tyto {

constexpr Index kAllSteps = -1;  // the step of a sum over increments

// The vectors have an entry per sample, in the order of the phase. A sum over increments has the
// key and the counts alone.
struct PhaseView {
  PhaseKey key;
  NovelTo novel_to = NovelTo::predictor;

  Views views;
  // Samples whose class is the entry of that rank, for kTopRanks ranks; empty if fewer were
  // recorded. The first k of them are the hits of top-k accuracy.
  std::vector<Confusion::Count> hits_at_rank;
  // Samples of known classes whose first known entry is their class: right if nothing could be
  // called novel. Entries that were not recorded cannot help.
  Confusion::Count closed_right = 0;
  std::optional<NoveltySetCounts> novelty_sets;  // none where the world says nothing of them

  // `unknown` first. A name stands twice if it was novel in one batch and known in a later one.
  std::vector<std::string> names;
  std::vector<std::uint8_t> is_known;  // by name: in the reference's known set
  Index known_at_first = 0;  // so many of them, behind `unknown`, were known to the first batch
  std::map<std::string, Index> task_of_class;  // as recorded
  std::vector<SampleId> sample;
  std::vector<std::int32_t> actual, decision;  // places in `names`
  Dense<std::int32_t> ranked;  // places: the decision, then the next ranks; -1 none; <= kTopRanks
  std::vector<std::uint8_t> is_novel;         // of a class outside the reference's known set
  std::vector<std::uint8_t> is_called_novel;  // decided for a name outside of it
  std::vector<float> novelty;                 // empty if not recorded
  std::vector<float> p_true, confidence;      // as recorded
  std::vector<float> changed;                 // p(the world has changed); empty if not recorded
  std::vector<std::int32_t> batch;            // of the increment, as the key had it
  GivenKnown given_known;                     // as recorded, but `best` are places in `names`
  Observed observed;                          // as far as the world says it

  [[nodiscard]] Index size() const { return static_cast<Index>(sample.size()); }

  [[nodiscard]] const std::string& actual_name(Index i) const;
  [[nodiscard]] const std::string& decision_name(Index i) const;

  [[nodiscard]] bool is_closed_right(Index i) const;

  // These are worked out when first asked for and kept until count().
  [[nodiscard]] const NoveltyRanking& ranking() const;  // empty if no scores were recorded
  [[nodiscard]] const Matching& matching() const;       // of the raw view
  // Samples of classes the predictor knows, given that it is told so, the least sure first;
  // `truth` and `predicted` are places in `names`. Empty if this was not recorded.
  [[nodiscard]] const ScoredSamples& sure() const;

  // The samples of these rows, in this order, counted anew; a row may come more than once.
  [[nodiscard]] PhaseView pick(Rows rows) const;
  // Puts the next batch of the same increment behind this one. A column that only one has is
  // dropped.
  void append(const PhaseView& next);
  // Adds the counts of another increment; the entries per sample are dropped.
  void merge(const PhaseView& other);

  void count();  // views and hits, from the entries per sample; to be called if those change

 private:
  Lazy<NoveltyRanking> ranking_;
  Lazy<Matching> matching_;
  Lazy<ScoredSamples> sure_;
};

// Throws Error(data) naming phase and sample if the truth has no label for it or the phase's
// columns differ in length, and Error(state) if a class may be novel again but the record does not
// say when each was last shown.
PhaseView view_phase(const Phase& phase, const Truth& truth, NovelTo novel_to = NovelTo::predictor);

}  // namespace tyto
