// SPDX-License-Identifier: Apache-2.0
// Normal classes to learn, other classes to notice: all at once, some of the new ones where
// detectors are chosen, others where they are judged.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/world/increments/increment_world.hpp"
#include "tyto/world/novel_classes/class_roles.hpp"
#include "tyto/world/simulated_data.hpp"

namespace tyto {

namespace {

struct NovelClassWorldOptions {
  ConfigNode simulated;
  NovelClassOptions deal;

  void describe(OptionVisitor& visitor) {
    visitor.field("simulated", simulated,
                  "a simulated world whose samples stand for the data, with its options, as in "
                  "{kind: clips, classes: 8}");
    deal.describe(visitor);
  }
};

// Rows come in a drawn order: files are often sorted by class.
Schedule one_step(const Series& series, const NovelClassRows& dealt, const SplitRows& rows,
                  const Rng& rng) {
  Schedule schedule;
  Increment& all = schedule.increments.emplace_back();
  all.dataset = series.joined.name;
  const auto is_normal = [&](Index c) { return dealt.role[at(c)] == ClassRole::normal; };
  std::vector<bool> shown(dealt.names.size());
  for (std::size_t side = 0; side < rows.size(); ++side) {
    all.splits[side].row = rows[side];
    rng.fork("order", side).shuffle(all.splits[side].row);
    for (const Index row : all.splits[side].row) {
      const Index c = dealt.class_of[at(row)];
      shown[at(c)] = true;
      all.splits[side].novel.push_back(!is_normal(c));
    }
  }
  for (const bool normal : {true, false}) {
    for (Index c = 0; c < std::ssize(dealt.names); ++c) {
      if (is_normal(c) == normal && shown[at(c)]) {
        schedule.first_shown.emplace_back(dealt.names[at(c)], normal ? -1 : 0);
        if (normal) {
          all.introduced.push_back(dealt.names[at(c)]);
        }
      }
    }
  }
  schedule.unlabelled = dealt.unlabelled;
  schedule.in_no_split = dealt.in_no_split;
  return schedule;
}

std::shared_ptr<IncrementPlan> plan_of(Series series, const NovelClassRows& dealt,
                                       const SplitRows& rows, std::uint64_t seed) {
  const Rng rng(seed, "world");
  Schedule schedule = one_step(series, dealt, rows, rng);
  auto plan = make_plan(std::move(series), std::move(schedule), rng.fork("ids"));
  plan->novel_unnamed = true;
  return plan;
}

class NovelClassSource final : public PlanSource {
 public:
  NovelClassSource(const std::shared_ptr<const IncrementPlan>& plan, NovelClassRows dealt)
      : PlanSource(plan), dealt_(std::move(dealt)) {}

  [[nodiscard]] WorldFacts facts() const override {
    WorldFacts facts = PlanSource::facts();
    facts.text = fmt::format("{:<9} {:>8} {:>8} {:>8} {:>8}\n", "split", "classes", "normal",
                             "classes", "novel");
    const Increment& all = plan_->schedule.increments.front();
    for (std::size_t side = 0; side < kSideNames.size(); ++side) {
      std::array<Index, 2> samples{};
      std::array<std::set<Index>, 2> classes;
      for (std::size_t i = 0; i < all.splits[side].row.size(); ++i) {
        const std::size_t novel = all.splits[side].novel[i] ? 1 : 0;
        ++samples[novel];
        classes[novel].insert(dealt_.class_of[at(all.splits[side].row[i])]);
      }
      facts.text += fmt::format("{:<9} {:>8} {:>8} {:>8} {:>8}\n", kSideNames[side],
                                classes[0].size(), samples[0], classes[1].size(), samples[1]);
    }
    if (dealt_.by_splits) {
      facts.notes.emplace_back(
          "classes are novel where the data's own splits have them and train "
          "has not");
    }
    if (dealt_.novel_elsewhere > 0) {
      facts.notes.push_back(
          fmt::format("{} rows left out: of a novel class, but in a split or a group that its "
                      "role has no place in",
                      dealt_.novel_elsewhere));
    }
    return facts;
  }

  // Options are tried out on the validate rows, with the novel classes there; the test is out of
  // reach. Without such classes, some of the normal ones play their part.
  [[nodiscard]] std::unique_ptr<WorldSource> rehearsal(const RehearsalOptions& options,
                                                       std::uint64_t seed) const override {
    const ScheduledSplit& validate = plan_->schedule.increments.front().split(Side::validate);
    if (std::find(validate.novel.begin(), validate.novel.end(), true) == validate.novel.end()) {
      return PlanSource::rehearsal(options, seed);
    }
    const SplitRows rows{dealt_.rows[0], {}, dealt_.rows[1]};
    return std::make_unique<NovelClassSource>(plan_of(plan_->series, dealt_, rows, seed), dealt_);
  }

 private:
  NovelClassRows dealt_;
};

}  // namespace

WorldSpec novel_class_world_spec() {
  WorldSpec spec;
  spec.name = "novel_classes";
  spec.summary =
      "normal classes to learn; samples of other classes among those that validate and test";
  spec.paper =
      "Feeney et al., NovelCraft: A Dataset for Novelty Detection and Discovery in Open "
      "Worlds, TMLR 2023";
  const auto read = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<NovelClassWorldOptions>(node, path);
    options.deal.path = path;
    options.deal.split.check(fmt::format("{}.split", path));
    return options;
  };
  describe_options<NovelClassWorldOptions>(spec, read);
  spec.does_without_data = names_simulated;
  spec.build = [read](const ConfigNode& node, std::string_view path, std::vector<Dataset> datasets,
                      std::uint64_t seed) -> std::unique_ptr<WorldSource> {
    const NovelClassWorldOptions options = read(node, path);
    add_simulated(options.simulated, path, seed, datasets);
    if (datasets.size() != 1) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: novel classes are those of one dataset, {} are given", path,
                              datasets.size()));
    }
    Series series = join_series(std::move(datasets));
    NovelClassRows dealt =
        deal_roles(series.joined, options.deal, Rng(seed, "world").fork("roles"));
    auto plan = plan_of(std::move(series), dealt, dealt.rows, seed);
    return std::make_unique<NovelClassSource>(plan, std::move(dealt));
  };
  return spec;
}

}  // namespace tyto
