// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/condda.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "tyto/measure/formulas/matching.hpp"
#include "tyto/measure/formulas/scores.hpp"

namespace tyto {

namespace {

using ConddaColumn = ProgrammeMeasure<ConddaScores>;

constexpr std::array kConddaMeasures{
    ConddaColumn{"condda_accuracy",
                 "Share of right answers over known classes, discovered ones and unknown.",
                 "samples of known classes called by their name, and novel ones called by the "
                 "cluster matched with their class (unknown before that cluster is first called, "
                 "or where the class has none) / samples; mean over tests",
                 "", Better::higher, &ConddaScores::accuracy},
    ConddaColumn{"condda_characterisation",
                 "Share of novel samples called by the cluster that stands for their class.",
                 "novel samples called by the cluster matched with their class, or by its name / "
                 "novel samples; one assignment of clusters to novel classes over the test "
                 "(Hungarian); mean over tests",
                 "", Better::higher, &ConddaScores::characterisation},
    ConddaColumn{"condda_purity",
                 "Share of novel samples that are of the commonest class of their group.",
                 "sum over groups of its commonest novel class / novel samples; a group is all "
                 "novel samples of one decision; mean over tests",
                 "", Better::higher, &ConddaScores::purity},
    ConddaColumn{"condda_nmi", "Do the groups of novel samples agree with their classes?",
                 "nmi of the novel samples' classes and decisions; mean over tests", "",
                 Better::higher, &ConddaScores::nmi},
    ConddaColumn{"condda_ari",
                 "Do pairs of novel samples stand together as their classes do, beyond chance?",
                 "ari of the novel samples' classes and decisions; mean over tests", "",
                 Better::higher, &ConddaScores::ari},
    ConddaColumn{"condda_stability", "Does a cluster stay the same from round to round?",
                 "of the novel samples called by a cluster: the next sample of the class that is "
                 "in a later round and called by a cluster is called by the same one; share of "
                 "those that have such a next one; mean over tests",
                 "", Better::higher, &ConddaScores::stability},
    ConddaColumn{"condda_discovered", "Share of the novel classes that were discovered.",
                 "novel classes discovered / novel classes with two samples or more; discovered: "
                 "from one of its samples on at least half of them, and at least two, are called "
                 "by its matched cluster; mean over tests",
                 "", Better::higher, &ConddaScores::discovered},
    ConddaColumn{"condda_samples_until_discovery",
                 "Samples of a novel class that went by before it was discovered.",
                 "samples of the class before the one that discovers it (see condda_discovered); "
                 "mean over the discovered classes of a test, then over tests",
                 "", Better::lower, &ConddaScores::until},
    ConddaColumn{"condda_clusters_per_class",
                 "Clusters found for each novel class there is: 1 as many as there are.",
                 "discovered classes that were called / novel classes that occur; mean over tests",
                 "", Better::neither, &ConddaScores::clusters_per_class}};

struct HitCount {
  Index hits = 0, all = 0;

  void add(bool is_hit) {
    hits += is_hit ? 1 : 0;
    ++all;
  }

  [[nodiscard]] std::optional<double> share() const {
    return all > 0 ? std::optional(static_cast<double>(hits) / static_cast<double>(all))
                   : std::nullopt;
  }
};

std::optional<double> purity_of(const Confusion& matrix) {
  std::map<Index, Confusion::Count> commonest;  // by group
  for (const auto& [cell, count] : matrix.cells()) {
    Confusion::Count& most = commonest[cell.second];
    most = std::max(most, count);
  }
  if (matrix.total() == 0) {
    return std::nullopt;
  }
  const auto sum = std::accumulate(commonest.begin(), commonest.end(), Confusion::Count{0},
                                   [](auto total, const auto& one) { return total + one.second; });
  return static_cast<double>(sum) / static_cast<double>(matrix.total());
}

class ConddaTest {
 public:
  explicit ConddaTest(const TestStream& test) : test_(test), names_(test.names.size()) {
    first_call_.assign(names_, test.size());
    cluster_of_.assign(names_, -1);
    samples_of_.resize(names_);
    is_cluster_.resize(names_);
    for (std::size_t name = 0; name < names_; ++name) {
      is_cluster_[name] = test.is_cluster(static_cast<std::int32_t>(name)) ? 1 : 0;
    }
    for (Index i = 0; i < test.size(); ++i) {
      Index& first = first_call_[decision(i)];
      first = std::min(first, i);
      if (is_novel(i)) {
        samples_of_[actual(i)].push_back(i);
      }
    }
    match();
    find_next();
  }

  [[nodiscard]] ConddaValues values(Rows rows) const {
    ConddaValues out;
    HitCount all, novel, stable;
    std::vector<std::int32_t> classes, groups;
    for (const Index i : rows) {
      all.add(is_right(i));
      if (!is_novel(i)) {
        continue;
      }
      novel.add(is_characterised(i));
      classes.push_back(test_.actual[at(i)]);
      groups.push_back(test_.decision[at(i)]);
      if (next_[at(i)] >= 0) {
        stable.add(decision(next_[at(i)]) == decision(i));
      }
    }
    out.samples = all.all;
    out.novel_samples = novel.all;
    out.accuracy = all.share();
    out.characterisation = novel.share();
    out.stability = stable.share();
    const Confusion matrix = Confusion::from(test_.names, classes, groups);
    out.purity = purity_of(matrix);
    out.nmi = nmi(matrix);
    out.ari = ari(matrix);
    return out;
  }

  [[nodiscard]] std::vector<NovelClass> classes() const {
    std::vector<std::size_t> order;
    for (std::size_t name = 0; name < names_; ++name) {
      if (!samples_of_[name].empty()) {
        order.push_back(name);
      }
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return samples_of_[a].front() < samples_of_[b].front();
    });
    std::vector<NovelClass> out;
    for (const std::size_t name : order) {
      out.push_back({test_.names[name],
                     cluster_of_[name] < 0 ? "" : test_.names[at(cluster_of_[name])],
                     std::ssize(samples_of_[name]), discovery(samples_of_[name])});
    }
    return out;
  }

  [[nodiscard]] std::vector<ConddaRound> rounds() const {
    std::vector<ConddaRound> out;
    std::set<std::size_t> clusters, seen;
    for (Index begin = 0; begin < test_.size();) {
      Index end = begin;
      std::vector<Index> rows;
      for (; end < test_.size() && test_.round[at(end)] == test_.round[at(begin)]; ++end) {
        rows.push_back(end);
        if (is_cluster_[decision(end)] != 0) {
          clusters.insert(decision(end));
        }
        if (is_novel(end)) {
          seen.insert(actual(end));
        }
      }
      out.push_back({test_.round[at(begin)], values(rows), std::ssize(clusters), std::ssize(seen)});
      begin = end;
    }
    return out;
  }

 private:
  [[nodiscard]] bool is_novel(Index i) const { return test_.novel[at(i)] != 0; }

  [[nodiscard]] std::size_t actual(Index i) const {
    return static_cast<std::size_t>(test_.actual[at(i)]);
  }

  [[nodiscard]] std::size_t decision(Index i) const {
    return static_cast<std::size_t>(test_.decision[at(i)]);
  }

  // Novel samples called by a cluster decide which cluster stands for which class.
  void match() {
    std::vector<std::int32_t> classes, clusters;
    for (Index i = 0; i < test_.size(); ++i) {
      if (is_novel(i) && is_cluster_[decision(i)] != 0) {
        classes.push_back(test_.actual[at(i)]);
        clusters.push_back(test_.decision[at(i)]);
      }
    }
    const Confusion matrix = Confusion::from(test_.names, classes, clusters);
    const Matching matching = match_groups(matrix);
    for (std::size_t group = 0; group < names_; ++group) {
      // A pair that no sample supports would name a cluster by chance.
      if (const Index given = matching.class_of[group];
          given >= 0 && matrix.count(test_.names[at(given)], test_.names[group]) > 0) {
        cluster_of_[at(given)] = static_cast<Index>(group);
      }
    }
  }

  // For each novel sample called by a cluster: the next one of its class in a later round that is.
  void find_next() {
    next_.assign(test_.novel.size(), -1);
    for (const std::vector<Index>& samples : samples_of_) {
      std::vector<Index> clustered;
      std::copy_if(samples.begin(), samples.end(), std::back_inserter(clustered),
                   [&](Index i) { return is_cluster_[decision(i)] != 0; });
      std::size_t later = 0;
      for (const Index i : clustered) {
        while (later < clustered.size() &&
               test_.round[at(clustered[later])] <= test_.round[at(i)]) {
          ++later;
        }
        next_[at(i)] = later < clustered.size() ? clustered[later] : -1;
      }
    }
  }

  [[nodiscard]] bool is_characterised(Index i) const {
    return decision(i) == actual(i) || cluster_of_[actual(i)] == test_.decision[at(i)];
  }

  [[nodiscard]] bool is_right(Index i) const {
    if (!is_novel(i)) {
      return decision(i) == actual(i);
    }
    const Index cluster = cluster_of_[actual(i)];
    return is_characterised(i) ||
           (decision(i) == 0 && (cluster < 0 || i < first_call_[at(cluster)]));
  }

  [[nodiscard]] std::optional<Index> discovery(const std::vector<Index>& samples) const {
    std::optional<Index> found;
    Index calls = 0;  // from k on
    for (Index k = std::ssize(samples) - 1; k >= 0; --k) {
      if (!is_characterised(samples[at(k)])) {
        continue;
      }
      ++calls;
      const auto from_here = static_cast<double>(std::ssize(samples) - k);
      if (calls >= kConsistentCalls && static_cast<double>(calls) >= kConsistentShare * from_here) {
        found = k;
      }
    }
    return found;
  }

  const TestStream& test_;
  std::size_t names_;
  std::vector<std::uint8_t> is_cluster_;        // by name
  std::vector<Index> first_call_;               // by name: of a sample decided for it
  std::vector<Index> cluster_of_;               // by class: the cluster matched with it, or -1
  std::vector<std::vector<Index>> samples_of_;  // by class: its novel samples
  std::vector<Index> next_;                     // by sample
};

}  // namespace

ConddaScores score_condda(const TestStream& test) {
  const ConddaTest work(test);
  std::vector<Index> rows(at(test.size()));
  std::iota(rows.begin(), rows.end(), Index{0});
  const ConddaValues whole = work.values(rows);
  ConddaScores scores;
  scores.at = test.at;
  scores.test = test.test;
  scores.samples = test.size();
  scores.accuracy = whole.accuracy;
  scores.characterisation = whole.characterisation;
  scores.purity = whole.purity;
  scores.nmi = whole.nmi;
  scores.ari = whole.ari;
  scores.stability = whole.stability;
  scores.classes = work.classes();
  scores.rounds = work.rounds();
  scores.novel_classes = std::ssize(scores.classes);
  scores.clusters = scores.rounds.empty() ? 0 : scores.rounds.back().clusters;
  HitCount discovered;
  double until = 0.0;
  for (const NovelClass& one : scores.classes) {
    if (one.samples >= kConsistentCalls) {
      discovered.add(one.until.has_value());
    }
    until += static_cast<double>(one.until.value_or(0));
  }
  scores.discovered = discovered.share();
  if (discovered.hits > 0) {
    scores.until = until / static_cast<double>(discovered.hits);
  }
  if (scores.novel_classes > 0) {
    scores.clusters_per_class =
        static_cast<double>(scores.clusters) / static_cast<double>(scores.novel_classes);
  }
  return scores;
}

std::span<const ProgrammeMeasure<ConddaScores>> condda_measures() {
  return kConddaMeasures;
}

std::vector<ProgrammeRow> condda_summary(std::span<const ConddaScores> tests,
                                         const BootstrapOptions& bootstrap) {
  return rows_over_tests(condda_measures(), tests, bootstrap);
}

ConddaBySetting condda_scores(const RunView& run) {
  const TestsBySetting& tests = run.once<TestsBySetting>([&] { return test_streams(run); });
  ConddaBySetting scores;
  bool is_condda = false;
  for (const auto& [setting, streams] : tests) {
    for (const TestStream& stream : streams) {
      scores[setting].push_back(score_condda(stream));
      is_condda =
          is_condda || stream.test.starts_with("CONDDA") || scores[setting].back().clusters > 0;
    }
  }
  return is_condda ? scores : ConddaBySetting();
}

}  // namespace tyto
