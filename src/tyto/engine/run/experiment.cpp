// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/experiment.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/engine/search/trial.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

namespace {

struct Fields {
  std::string name, summary;
  Index seed = 1;
  std::vector<std::string> data, each, arms;
  ConfigNode world, protocol, predictors, prior_knowledge;
  std::vector<double> feedback, feedback_total, seeds;
  bool each_fold = false;
  ConfigNode world_seed;
  RecordOptions record;
  Limits limits;
  StartFrom from;
  SearchOptions search;
  Index novel_again = 0;
  bool report = true;

  void describe(OptionVisitor& v) {
    v.field("name", name, {}, "names the run folder");
    v.field("summary", summary, {}, "one line on what is asked");
    v.field("seed", seed, {0, 1e15}, "of everything random; same seed and threads, same bytes");
    v.field("seeds", seeds, {0, 1e15},
            "several seeds: a run of its own for each, and the spread over them");
    v.field(
        "each_fold", each_fold,
        "a run of its own for each fold of world.split (by: folds), with the seeds seed, seed + "
        "1, ... unless given, and the spread over them; every sample tests once");
    v.field("world_seed", world_seed,
            "of the world, where it is to be the same in runs of other seeds; none: seed");
    v.field("prior_knowledge", prior_knowledge,
            "what was learned outside these data (a pre-trained backbone, say), or none; required. "
            "Where predictors read several sources: a map, {features: none, x3d: \"X3D-M, "
            "Kinetics-400\"}; what a predictor itself brings along stands with it, under the same "
            "key");
    v.field("data", data, {}, "a dataset by name, or several in the order in which they appear");
    v.field(
        "each", each, {},
        "instead of data: datasets that take turns, such as official splits: a run of its own "
        "for each, with the seed in its place (seed, seed + 1, ... unless given), and the spread");
    v.field("world", world, "how the data are shown over time: {kind: increments, ...}");
    v.field("protocol", protocol, "the exchange: owl, or {kind: owl, ...}");
    v.field("feedback", feedback, {0, 1},
            "shares of each increment's training samples whose labels may be asked for");
    v.field("feedback_total", feedback_total, {0, 1e12},
            "numbers of labels that may be asked for over the whole run");
    v.field("predictors", predictors,
            "presets by name, or {preset: ..., overrides}, or own parts; tyto unless given");
    v.field("arms", arms, {},
            "those that run, by name, as in [ann-0pct, tyto-50pct]; every predictor with every "
            "feedback unless given");
    v.section(
        "record", [this](OptionVisitor& w) { record.describe(w); }, "what is kept");
    v.section(
        "limits", [this](OptionVisitor& w) { limits.describe(w); },
        "what a predictor may take for one call; what it learned in one that took more is undone");
    v.section(
        "from",
        [this](OptionVisitor& w) {
          w.field("run", from.run, {}, "folder of a run that kept its states (record.states)");
          w.field("increment", from.increment, {1, 1e9}, "the first increment of this run");
          w.field("arm", from.arm, {}, "arm of that run to start from; the one of the same name");
          w.field("model", from.model, {},
                  "instead: file of a predictor (tyto predict --save) with which every arm begins. "
                  "Protocols that learn the start once (ond, condda) take it for what they would "
                  "have learned; owl begins with it at the increment. Classes are matched by name");
        },
        "start at a later increment, with what another run had learned and been granted");
    v.section(
        "search", [this](OptionVisitor& w) { search.describe(w); },
        "options tried out on the start's data before the run");
    v.field("novel_again", novel_again, {0, 1e9},
            "measure also by an evaluator to whom a class is novel again that no split has shown "
            "in the last so many increments (novel_to: evaluator_again_N); 0: never");
    v.field("report", report, "write report.html into the folder at the end");
  }
};

bool is_folder_name(std::string_view name) {
  return !name.empty() && name.front() != '.' &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "_-.") == name.npos;
}

// `owl` or `{kind: owl, ...}`, every option filled in by `resolve(kind, options)`.
template <class Resolve>
ConfigNode resolve_kind(const ConfigNode& node, std::string_view key, const Resolve& resolve) {
  const ConfigNode* kind = node.kind == ConfigNode::Kind::scalar ? &node : node.find("kind");
  if (kind == nullptr || kind->kind != ConfigNode::Kind::scalar) {
    throw Error(ErrorKind::config, fmt::format("{}: {}: needs a kind, as in \"{}: {{kind: ...}}\"",
                                               node.place(), key, key));
  }
  ConfigNode options = node.kind == ConfigNode::Kind::scalar ? ConfigNode::empty_map() : node;
  options.remove("kind");
  ConfigNode out = ConfigNode::empty_map();
  out.put("kind", ConfigNode::scalar(kind->text));
  try {
    return merge(out, resolve(kind->text, options));
  } catch (const Error& problem) {
    const std::string what = problem.what();  // options already name their place
    const bool placed = what.find(fmt::format("{}.", key)) != what.npos;
    throw Error(problem.kind(),
                placed ? what : fmt::format("{}: {}: {}", kind->place(), key, what));
  }
}

bool asks_for_labels(const Experiment& experiment) {
  return find_protocol(experiment.protocol.find("kind")->text).asks_for_labels;
}

[[noreturn]] void refuse(const ConfigNode& node, std::string_view what) {
  throw Error(ErrorKind::config, fmt::format("{}: {}", node.place(), what));
}

// A seed for every dataset of `each`.
void take_turns(Experiment& experiment, const ConfigNode& node) {
  const std::vector<std::string>& each = experiment.each;
  if (!experiment.data.empty()) {
    refuse(node, "each: stands beside data; name the datasets in one of them");
  }
  if (experiment.seeds.empty()) {
    for (std::size_t i = 0; i < each.size(); ++i) {
      experiment.seeds.push_back(experiment.seed + i);
    }
  }
  if (experiment.seeds.size() != each.size()) {
    refuse(node, fmt::format("each: {} datasets take turns with {} seeds; give as many seeds, or "
                             "none",
                             each.size(), experiment.seeds.size()));
  }
  if (each.size() == 1) {
    experiment.data = std::exchange(experiment.each, {});
  }
}

std::vector<Arm> all_arms(const Experiment& experiment) {
  std::vector<Arm> arms;
  for (const PredictorConfig& predictor : experiment.predictors) {
    for (const LabelBudget& budget : experiment.feedback) {
      if (!asks_for_labels(experiment)) {
        arms.push_back({predictor.name, predictor, budget});
        continue;
      }
      std::string name = fmt::format("{}-{}", predictor.name, budget_text(budget));
      std::erase(name, ' ');
      if (name.back() == '%') {
        name.replace(name.size() - 1, 1, "pct");
      }
      arms.push_back({std::move(name), predictor, budget});
    }
  }
  return arms;
}

// Each is an arm, and no predictor is left without one.
void check_arms(const Experiment& experiment, const ConfigNode& node) {
  std::vector<std::string> names;
  std::set<std::string> idle;
  for (const Arm& arm : all_arms(experiment)) {
    names.push_back(arm.name);
    const bool runs = std::find(experiment.arms.begin(), experiment.arms.end(), arm.name) !=
                      experiment.arms.end();
    if (!runs && !experiment.arms.empty()) {
      idle.insert(arm.predictor.name);
    }
  }
  for (const std::string& name : experiment.arms) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      refuse(node, fmt::format("arms: there is no \"{}\"{}; there are {}", name,
                               did_you_mean(name, names), fmt::join(names, ", ")));
    }
    if (std::count(experiment.arms.begin(), experiment.arms.end(), name) > 1) {
      refuse(node, fmt::format("arms: \"{}\" stands twice", name));
    }
  }
  for (const Arm& arm : arms_of(experiment)) {
    idle.erase(arm.predictor.name);
  }
  if (!idle.empty()) {
    refuse(node, fmt::format("arms: none is of the predictor \"{}\"; leave it out of predictors",
                             *idle.begin()));
  }
}

const ConfigNode* split_of(const Experiment& experiment) {
  const ConfigNode* split = experiment.world.find("split");
  const ConfigNode* by = split == nullptr ? nullptr : split->find("by");
  return by != nullptr && by->text == "folds" ? split : nullptr;
}

// A seed for every fold.
void take_folds(Experiment& experiment, const ConfigNode& node) {
  if (!experiment.each.empty()) {
    refuse(node, "each_fold: stands beside each; one of them can take turns");
  }
  const ConfigNode* split = split_of(experiment);
  if (split == nullptr) {
    refuse(node, fmt::format(
                     "each_fold: the world {} must be split by folds, as in \"split: {{by: folds, "
                     "folds: 5}}\"",
                     experiment.world.find("kind")->text));
  }
  const auto folds = std::stoul(split->find("folds")->text);  // resolved: a number in its range
  const bool given = !experiment.seeds.empty();
  if (!given) {
    for (std::size_t i = 0; i < folds; ++i) {
      experiment.seeds.push_back(experiment.seed + i);
    }
  }
  if (experiment.seeds.size() != folds) {
    refuse(node, fmt::format("each_fold: {} folds take turns with {} seeds; give as many seeds, or "
                             "none",
                             folds, experiment.seeds.size()));
  }
}

std::optional<std::uint64_t> read_world_seed(const ConfigNode& given, const ConfigNode& node) {
  if (given.is_null()) {
    return std::nullopt;
  }
  std::uint64_t seed = 0;
  const char* end = given.text.data() + given.text.size();
  const auto [stop, problem] = std::from_chars(given.text.data(), end, seed);
  if (given.kind != ConfigNode::Kind::scalar || problem != std::errc() || stop != end ||
      seed > 1'000'000'000'000'000) {
    refuse(given.line > 0 ? given : node,
           fmt::format("world_seed: \"{}\" is no whole number from 0 to 1e15", given.text));
  }
  return seed;
}

}  // namespace

Experiment read_experiment(const ConfigNode& node) {
  Fields fields;
  read_options(node, "", [&](OptionVisitor& visitor) { fields.describe(visitor); });
  Experiment experiment;
  experiment.name = fields.name;
  experiment.summary = fields.summary;
  experiment.seed = static_cast<std::uint64_t>(fields.seed);
  experiment.data = fields.data;
  experiment.record = fields.record;
  experiment.limits = fields.limits;
  experiment.from = fields.from;
  experiment.search = fields.search;
  experiment.novel_again = fields.novel_again;
  experiment.report = fields.report;
  for (const double seed : fields.seeds) {
    experiment.seeds.push_back(static_cast<std::uint64_t>(seed));
  }
  experiment.each = fields.each;
  if (!experiment.each.empty()) {
    take_turns(experiment, node);
  }
  experiment.world_seed = read_world_seed(fields.world_seed, node);
  if (experiment.seeds.size() == 1 && !fields.each_fold) {
    experiment.seed = experiment.seeds.front();
    experiment.seeds.clear();
  }
  if (std::set(experiment.seeds.begin(), experiment.seeds.end()).size() < experiment.seeds.size()) {
    refuse(node, "seeds: one of them stands twice");
  }
  if (!is_folder_name(fields.name)) {
    refuse(node, fmt::format("name: \"{}\" cannot be a folder's name; use letters, digits, _ - .",
                             fields.name));
  }
  if (fields.prior_knowledge.is_null()) {
    (void)read_prior_knowledge(fields.prior_knowledge, node, {});  // says that it is missing
  }
  if (fields.feedback.empty() && fields.feedback_total.empty()) {
    fields.feedback = {1.0};
  }
  for (const double share : fields.feedback) {
    experiment.feedback.push_back({share, std::nullopt});
  }
  for (const double total : fields.feedback_total) {
    experiment.feedback.push_back({0.0, static_cast<Index>(total)});
  }
  experiment.world = resolve_kind(fields.world, "world", [](const auto& kind, const auto& options) {
    return find_world(kind).resolve(options, "world");
  });
  experiment.each_fold = fields.each_fold;
  if (experiment.each_fold) {
    take_folds(experiment, node);
  }
  if (fields.protocol.is_null()) {
    fields.protocol = ConfigNode::scalar(standard_protocol().name);
  }
  experiment.protocol =
      resolve_kind(fields.protocol, "protocol", [](const auto& kind, const auto& options) {
        return find_protocol(kind).resolve(options, "protocol");
      });
  if (!asks_for_labels(experiment) &&
      (experiment.feedback.size() != 1 || experiment.feedback.front().total ||
       experiment.feedback.front().fraction != 1.0)) {
    refuse(node,
           fmt::format("feedback: the protocol {} gives all labels of train at once; leave it "
                       "out",
                       experiment.protocol.find("kind")->text));
  }
  const WorldSpec& world = find_world(experiment.world.find("kind")->text);
  if (fields.data.empty() && fields.each.empty() && world.needs_data &&
      !(world.does_without_data && world.does_without_data(experiment.world))) {
    refuse(node, "data: is missing; name a dataset (`tyto data list` shows them)");
  }
  if (fields.predictors.is_null()) {
    fields.predictors.kind = ConfigNode::Kind::list;
    fields.predictors.items.push_back(ConfigNode::scalar("tyto"));
  }
  if (fields.predictors.kind != ConfigNode::Kind::list || fields.predictors.items.empty()) {
    refuse(fields.predictors.line > 0 ? fields.predictors : node,
           "predictors: must be a list of at least one, as in \"predictors: [ann, slda]\"");
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < fields.predictors.items.size(); ++i) {
    const ConfigNode& item = fields.predictors.items[i];
    auto config = read_predictor(item, fmt::format("predictors.{}", i));
    if (!is_folder_name(config.name)) {
      refuse(item,
             fmt::format("predictors.{}.name: \"{}\" cannot be a folder's name", i, config.name));
    }
    if (!names.insert(config.name).second) {
      refuse(item,
             fmt::format("predictors.{}: the name \"{}\" stands twice; give one a name of its "
                         "own",
                         i, config.name));
    }
    experiment.predictors.push_back(std::move(config));
  }
  experiment.arms = fields.arms;
  check_arms(experiment, node);
  experiment.prior_knowledge =
      read_prior_knowledge(fields.prior_knowledge, node, experiment.predictors);
  check_search(experiment);
  return experiment;
}

ConfigNode write_experiment(const Experiment& experiment) {
  Fields fields;
  fields.name = experiment.name;
  fields.summary = experiment.summary;
  fields.prior_knowledge = write_prior_knowledge(experiment.prior_knowledge);
  fields.seed = static_cast<Index>(experiment.seed);
  fields.data = experiment.data;
  fields.each = experiment.each;
  fields.arms = experiment.arms;
  fields.world = experiment.world;
  fields.protocol = experiment.protocol;
  fields.record = experiment.record;
  fields.limits = experiment.limits;
  fields.from = experiment.from;
  fields.search = experiment.search;
  fields.novel_again = experiment.novel_again;
  fields.report = experiment.report;
  fields.seeds.assign(experiment.seeds.begin(), experiment.seeds.end());
  fields.each_fold = experiment.each_fold;
  if (experiment.world_seed) {
    fields.world_seed = ConfigNode::scalar(fmt::to_string(*experiment.world_seed));
  }
  for (const LabelBudget& budget : experiment.feedback) {
    if (budget.total) {
      fields.feedback_total.push_back(static_cast<double>(*budget.total));
    } else {
      fields.feedback.push_back(budget.fraction);
    }
  }
  fields.predictors.kind = ConfigNode::Kind::list;
  for (const PredictorConfig& config : experiment.predictors) {
    fields.predictors.items.push_back(write_predictor(config));
  }
  return write_options([&](OptionVisitor& visitor) { fields.describe(visitor); });
}

std::vector<OptionHelp> experiment_options() {
  Fields fields;
  return explain_options([&](OptionVisitor& visitor) { fields.describe(visitor); });
}

std::string budget_text(const LabelBudget& budget) {
  return budget.total ? fmt::format("{} labels", *budget.total)
                      : fmt::format("{:g} %", 100 * budget.fraction);
}

std::vector<Arm> arms_of(const Experiment& experiment) {
  std::vector<Arm> arms = all_arms(experiment);
  if (!experiment.arms.empty()) {
    std::erase_if(arms, [&](const Arm& arm) {
      return std::find(experiment.arms.begin(), experiment.arms.end(), arm.name) ==
             experiment.arms.end();
    });
  }
  return arms;
}

}  // namespace tyto
