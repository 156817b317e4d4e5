// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/recogniser/discovery.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/math/assignment.hpp"
#include "tyto/parts/recogniser/identity.hpp"

namespace tyto {

namespace {

constexpr Index kGuidesPerUnknown = 4;
constexpr float kNever = -1e9F;  // a log score

constexpr std::array<std::string_view, 3> kConditions{"size", "consistency", "separation"};

bool is_asked(const std::vector<std::string>& conditions, std::string_view one) {
  return std::find(conditions.begin(), conditions.end(), one) != conditions.end();
}

// The known class that each group is: one to one the classes with half of their guides there, by
// the greatest overlap; else of a group with no fewer guides than others, that of most of them.
std::vector<Label> classes_of_groups(std::span<const std::int32_t> group,
                                     std::span<const std::int32_t> labels,
                                     std::span<const Index> others) {
  std::vector<Label> out(others.size(), Label::unknown);
  std::map<std::int32_t, Index> place;
  for (const std::int32_t label : labels) {
    place.emplace(label, 0);
  }
  std::vector<std::int32_t> classes;
  for (auto& [label, number] : place) {
    number = std::ssize(classes);
    classes.push_back(label);
  }
  const auto groups = static_cast<Index>(others.size());
  Dense<std::int64_t> shared = Dense<std::int64_t>::Zero(std::ssize(classes), groups);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    shared(place.at(labels[i]), group[i]) += 1;
  }
  if (shared.size() == 0) {
    return out;
  }
  const std::vector<Index> pairs = least_cost_pairs(-shared);
  for (Index g = 0; g < groups; ++g) {
    Index most = 0;
    shared.col(g).maxCoeff(&most);
    if (shared.col(g).sum() > 0 && shared.col(g).sum() >= others[static_cast<std::size_t>(g)]) {
      out[static_cast<std::size_t>(g)] =
          static_cast<Label>(classes[static_cast<std::size_t>(most)]);
    }
  }
  for (Index c = 0; c < shared.rows(); ++c) {
    const Index g = pairs[static_cast<std::size_t>(c)];
    if (g >= 0 && shared(c, g) > 0 && 2 * shared(c, g) >= shared.row(c).sum()) {
      out[static_cast<std::size_t>(g)] = static_cast<Label>(classes[static_cast<std::size_t>(c)]);
    }
  }
  return out;
}

}  // namespace

void DiscoveryOptions::describe(OptionVisitor& v) {
  v.field("pool", pool, {10, 1e6}, "unknown samples kept for grouping; the oldest leave first");
  v.field(
      "guides", guides, {0, 1e6},
      "remembered samples of known classes that are grouped along, at most so many and four for "
      "each unknown one, drawn evenly from the classes: they choose the level, and what joins them "
      "is no discovery");
  v.field("promote", promote, kConditions,
          "what makes a group a discovered class: size (fewest members), consistency (it was "
          "found in rounds batches in a row, most of its members together), separation (its centre "
          "lies separation times its radius from every known class); all that are named must hold");
  v.field("fewest", fewest, {1, 1e6}, "members of a discovered class");
  v.field("rounds", rounds, {1, 1e3},
          "batches in a row in which a group must be found for consistency: at least half of the "
          "members it had are together again, and at least half of its members that were in any "
          "group were in this one");
  v.field("sure", sure, {0, 1e6},
          "members with which a group counts as consistent at once; 0: no number of them will do");
  v.field("separation", separation, {0.0, 1e3},
          "distance to the nearest known class over the group's radius");
  v.field("known", known,
          "score known classes beside the discovered ones, by the guides: for fusion groups, where "
          "the recogniser decides for every sample");
  v.field("decide_all", decide_all,
          "no sample is left in no group, however far it lies from all of them");
  v.field("cluster", cluster, "options of the grouping, as the clusterer of that name has them");
}

Discovery::Discovery(DiscoveryOptions options, std::unique_ptr<Clusterer> clusterer,
                     std::unique_ptr<GroupModel> model, std::unique_ptr<LearnedSpace> learned)
    : options_(std::move(options)),
      clusterer_(std::move(clusterer)),
      model_(std::move(model)),
      learned_(std::move(learned)) {}

void Discovery::discover(const Evidence& batch, const Experience& past, LabelSpace& space,
                         Work& work) {
  const std::vector<Index> had = group_sizes(pool_.groups(), groups_.size());
  take_in(batch);
  if (pool_.size() == 0) {
    return;
  }
  Guides guides = pick_guides(past, work);
  learn_space(guides, work);
  Matrix room;
  const Matrix& pool = seen(pool_.rows(), room);
  Regrouped now = regroup(pool, guides, work);
  follow(now.found, had, space);
  promote(pool, guides, space);
  refit(now, pool, guides);
}

const Matrix& Discovery::seen(const Matrix& rows, Matrix& room) const {
  if (!learned_ || rows.rows() == 0) {
    return rows;
  }
  room = learned_->of(rows);
  return room;
}

void Discovery::learn_space(Guides& guides, Work& work) {
  if (!learned_) {
    return;
  }
  const Index known = guides.rows.rows();
  Matrix rows(known + pool_.size(), pool_.rows().cols());
  if (known > 0) {
    rows.topRows(known) = guides.rows;
  }
  rows.bottomRows(pool_.size()) = pool_.rows();
  std::vector<std::int32_t> labels = guides.labels;
  labels.resize(static_cast<std::size_t>(rows.rows()), -1);
  Work own = work.fork("space");
  learned_->learn(rows, labels, own);
  if (known > 0) {
    guides.rows = learned_->of(guides.rows);
  }
}

void Discovery::take_in(const Evidence& batch) {
  std::vector<std::uint8_t> gone(static_cast<std::size_t>(pool_.size()), 0);
  for (Index i = 0; i < batch.size(); ++i) {
    const bool novel = batch.novel.empty() || batch.novel[static_cast<std::size_t>(i)] != 0;
    const auto place = pool_.find(batch.samples.id(i));
    if (novel) {
      pool_.add(batch.samples.id(i), batch.features.row(i));
      gone.resize(static_cast<std::size_t>(pool_.size()), 0);
    } else if (place) {
      gone[static_cast<std::size_t>(*place)] = 1;  // thought known by now
    }
  }
  pool_.finish_adding();
  pool_.remove(gone);
  pool_.keep_newest(options_.pool);
}

Discovery::Guides Discovery::pick_guides(const Experience& past, Work& work) const {
  std::map<Label, std::vector<Index>> by_class;
  for (const Index row : past.labelled(Role::fit)) {
    by_class[past.labels()[static_cast<std::size_t>(row)]].push_back(row);
  }
  Guides guides;
  std::vector<Index> rows;
  if (!by_class.empty() && options_.guides > 0) {
    // Far more guides than unknown samples would close around every small group of these.
    const Index most = options_.known ? options_.guides
                                      : std::min(options_.guides, kGuidesPerUnknown * pool_.size());
    const auto each = std::max<Index>(1, most / std::ssize(by_class));
    for (auto& [label, members] : by_class) {
      Rng rng = work.rng.fork("guides", static_cast<std::uint64_t>(label));
      rng.shuffle(members);
      for (std::size_t i = 0; i < members.size() && static_cast<Index>(i) < each; ++i) {
        rows.push_back(members[i]);
        guides.labels.push_back(static_cast<std::int32_t>(label));
      }
    }
    guides.rows = past.features(rows);
  }
  return guides;
}

Discovery::Regrouped Discovery::regroup(const Matrix& pool, const Guides& guides,
                                        Work& work) const {
  const Index known = guides.rows.rows();
  Matrix rows(known + pool.rows(), pool.cols());
  if (known > 0) {
    rows.topRows(known) = guides.rows;
  }
  rows.bottomRows(pool.rows()) = pool;
  std::vector<std::int32_t> labels = guides.labels;
  labels.resize(static_cast<std::size_t>(rows.rows()), -1);
  Work own = work.fork("cluster");
  Partitions partitions = clusterer_->cluster({rows, labels, expected_}, own);
  const Grouping& groups = partitions.levels.at(partitions.chosen);

  const auto count = static_cast<std::size_t>(*std::max_element(groups.begin(), groups.end())) + 1;
  const auto all = std::span(groups);
  const auto of_guides = all.first(static_cast<std::size_t>(known));
  const auto guided = group_sizes(of_guides, count);
  const auto unknown = group_sizes(all.subspan(static_cast<std::size_t>(known)), count);
  Regrouped out;
  out.label = options_.known ? classes_of_groups(of_guides, guides.labels, unknown)
                             : std::vector<Label>(count, Label::unknown);
  out.number.assign(count, GroupPool::kNone);
  std::int32_t next = 0;
  for (const std::int32_t group : all.subspan(static_cast<std::size_t>(known))) {
    const auto g = static_cast<std::size_t>(group);
    // A group with more guides than unknown samples is a known class with its false alarms.
    const bool is_new = options_.known ? out.label[g] == Label::unknown : unknown[g] > guided[g];
    if (is_new && unknown[g] >= std::min<Index>(2, options_.fewest) &&
        out.number[g] == GroupPool::kNone) {
      out.number[g] = next++;
    }
    out.found.push_back(out.number[g]);
    out.known.push_back(out.label[g]);
  }
  out.scores = std::move(partitions.scores);
  return out;
}

void Discovery::follow(std::vector<std::int32_t> found, const std::vector<Index>& had,
                       LabelSpace& space) {
  const Index count = found.empty() ? 0 : *std::max_element(found.begin(), found.end()) + Index{1};
  const Lineage lineage = trace_groups(pool_.groups(), std::ssize(groups_), found, count);
  const auto members = group_sizes(found, static_cast<std::size_t>(count));
  std::vector<Group> now(static_cast<std::size_t>(count));
  std::vector<Index> continued(groups_.size(), -1);
  for (std::size_t g = 0; g < now.size(); ++g) {
    if (const Index former = lineage.former[g]; former >= 0) {
      now[g] = groups_[static_cast<std::size_t>(former)];
      const bool again = 2 * lineage.kept[g] >= had[static_cast<std::size_t>(former)] &&
                         2 * lineage.kept[g] >= lineage.settled[g];
      now[g].rounds = again ? now[g].rounds + 1 : 1;
      continued[static_cast<std::size_t>(former)] = static_cast<Index>(g);
    } else if (const Index source = lineage.source[g];
               source >= 0 && groups_[static_cast<std::size_t>(source)].label != Label::unknown &&
               2 * lineage.inherited[g] >= members[g]) {
      now[g].origin =
          fmt::format("split from {}: {} of its {} members",
                      space.name(groups_[static_cast<std::size_t>(source)].label),
                      lineage.inherited[g], lineage.size[static_cast<std::size_t>(source)]);
    }
  }
  for (std::size_t f = 0; f < groups_.size(); ++f) {
    const Label label = groups_[f].label;
    if (continued[f] >= 0 || label == Label::unknown) {
      continue;
    }
    if (lineage.size[f] == 0) {
      space.retire(label, Label::unknown, "forgotten: none of its members is kept");
    } else if (lineage.heir[f] < 0) {
      space.retire(
          label, Label::unknown,
          fmt::format("dissolved: its {} members form no group of unknowns", lineage.size[f]));
    } else {
      const Label heir = now[static_cast<std::size_t>(lineage.heir[f])].label;
      space.retire(label, heir,
                   heir == Label::unknown
                       ? fmt::format("dissolved: {} of its {} members joined a group that is no "
                                     "discovered class",
                                     lineage.shared[f], lineage.size[f])
                       : fmt::format("merged: {} of its {} members joined {}", lineage.shared[f],
                                     lineage.size[f], space.name(heir)));
    }
  }
  groups_ = std::move(now);
  pool_.set_groups(std::move(found));
}

bool Discovery::is_consistent(const Group& group, Index members) const {
  return group.rounds >= options_.rounds || (options_.sure > 0 && members >= options_.sure);
}

void Discovery::promote(const Matrix& pool, const Guides& guides, LabelSpace& space) {
  const auto members = group_sizes(pool_.groups(), groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (group.label != Label::unknown ||
        (is_asked(options_.promote, "size") && members[g] < options_.fewest) ||
        (is_asked(options_.promote, "consistency") && !is_consistent(group, members[g]))) {
      continue;
    }
    if (is_asked(options_.promote, "separation") && guides.rows.rows() > 0) {
      std::vector<Index> own;
      for (Index i = 0; i < pool_.size(); ++i) {
        if (pool_.groups()[static_cast<std::size_t>(i)] == static_cast<std::int32_t>(g)) {
          own.push_back(i);
        }
      }
      const Matrix rows = pool(own, Eigen::all);
      const Eigen::RowVectorXf centre = rows.colwise().mean();
      const float radius = std::sqrt((rows.rowwise() - centre).rowwise().squaredNorm().mean());
      float nearest = std::numeric_limits<float>::infinity();
      for (std::size_t begin = 0; begin < guides.labels.size();) {  // guides come class by class
        std::size_t end = begin;
        while (end < guides.labels.size() && guides.labels[end] == guides.labels[begin]) {
          ++end;
        }
        const Eigen::RowVectorXf known =
            guides.rows.middleRows(static_cast<Index>(begin), static_cast<Index>(end - begin))
                .colwise()
                .mean();
        nearest = std::min(nearest, (known - centre).norm());
        begin = end;
      }
      if (nearest < static_cast<float>(options_.separation) * radius) {
        continue;
      }
    }
    group.label = space.add_discovered(
        group.origin.empty() ? fmt::format("a group of {} unknown samples", members[g])
                             : group.origin);
  }
}

void Discovery::refit(Regrouped& now, const Matrix& pool, const Guides& guides) {
  scores_.reset();
  if (!options_.known || !now.scores) {
    refit(pool, guides, now.known);
    return;
  }
  scores_ = std::move(now.scores);  // decides as the grouping did
  scored_ = now.label;
  for (std::size_t g = 0; g < scored_.size(); ++g) {
    if (now.number[g] >= 0) {
      scored_[g] = groups_[static_cast<std::size_t>(now.number[g])].label;
    }
  }
}

void Discovery::refit(const Matrix& pool, const Guides& guides, std::span<const Label> joined) {
  std::vector<std::int32_t> column(groups_.size(), GroupPool::kNone);
  scored_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].label != Label::unknown) {
      column[g] = static_cast<std::int32_t>(scored_.size());
      scored_.push_back(groups_[g].label);
    }
  }
  std::vector<Index> rows;
  std::vector<std::int32_t> group;
  for (Index i = 0; i < pool_.size(); ++i) {
    const std::int32_t own = pool_.groups()[static_cast<std::size_t>(i)];
    if (own >= 0 && column[static_cast<std::size_t>(own)] >= 0) {
      rows.push_back(i);
      group.push_back(column[static_cast<std::size_t>(own)]);
    }
  }
  Matrix members = pool(rows, Eigen::all);
  if (options_.known && guides.rows.rows() > 0) {
    members.conservativeResize(members.rows() + guides.rows.rows(), guides.rows.cols());
    members.bottomRows(guides.rows.rows()) = guides.rows;
    std::map<Label, std::int32_t> place;
    for (const std::int32_t label : guides.labels) {
      const auto [found, is_new] =
          place.try_emplace(static_cast<Label>(label), static_cast<std::int32_t>(scored_.size()));
      if (is_new) {
        scored_.push_back(found->first);
      }
      group.push_back(found->second);
    }
    std::vector<Index> more;
    for (std::size_t i = 0; i < joined.size(); ++i) {
      if (const auto found = place.find(joined[i]); found != place.end()) {
        more.push_back(static_cast<Index>(i));
        group.push_back(found->second);
      }
    }
    members.conservativeResize(members.rows() + std::ssize(more), guides.rows.cols());
    members.bottomRows(std::ssize(more)) = pool(more, Eigen::all);
  }
  if (!scored_.empty()) {
    model_->fit(members, group, std::ssize(scored_));
  }
}

void Discovery::recognise(Evidence& evidence) const {
  evidence.groups = scored_;
  Matrix room;
  if (scores_) {
    evidence.membership = scores_->of(seen(evidence.features, room));
    return;
  }
  evidence.groups.push_back(Label::unknown);
  evidence.membership = scored_.empty() || evidence.size() == 0
                            ? Matrix::Zero(evidence.size(), std::ssize(evidence.groups)).eval()
                            : model_->score(seen(evidence.features, room));
  if (options_.decide_all && !scored_.empty()) {
    evidence.membership.rightCols(1).setConstant(kNever);
  }
}

}  // namespace tyto
