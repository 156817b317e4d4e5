// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/config.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/predictor/presets.hpp"

namespace tyto {

namespace {

using Text = std::string_view;

constexpr std::array<Text, 4> kFusions{"soft", "flag", "joint", "groups"};
constexpr std::array<Text, 2> kHoldouts{"groups", "samples"};
constexpr std::array<Text, 2> kHoldoutLessons{"all", "first"};
constexpr std::array<Text, 2> kThresholds{"refreshed", "frozen"};
constexpr std::array<Text, 2> kRules{"promise", "quantile"};
constexpr std::array<Text, 3> kSpaces{"features", "embedding", "logits"};
constexpr std::array<Text, 3> kCounts{"samples", "classes", "recent"};

Slot slot_of(const ConfigNode& node, std::string_view path) {
  for (const Slot slot : kSlots) {
    if (slot_name(slot) == node.text) {
      return slot;
    }
  }
  throw Error(ErrorKind::config,
              fmt::format("{}: {}.also: \"{}\" is not a slot", node.place(), path, node.text));
}

Space space_of(const ConfigNode& node, Slot slot, const std::string& path) {
  const auto found = std::find(kSpaces.begin(), kSpaces.end(), Text(node.text));
  if (node.kind != ConfigNode::Kind::scalar || found == kSpaces.end()) {
    throw Error(ErrorKind::config, fmt::format("{}: {}.space: must be one of {}", node.place(),
                                               path, fmt::join(kSpaces, ", ")));
  }
  if (slot != Slot::detector && slot != Slot::recogniser) {
    throw Error(ErrorKind::config,
                fmt::format("{}: {}.space: only the parts named in the slots detector and "
                            "recogniser may look at what the classifier makes of the features",
                            node.place(), path));
  }
  return static_cast<Space>(found - kSpaces.begin());
}

PartChoice read_part(const ConfigNode& node, Slot slot, const std::string& path) {
  PartChoice choice;
  if (node.kind == ConfigNode::Kind::scalar) {
    choice.name = node.text;
    choice.options = ConfigNode::empty_map();
  } else {
    const ConfigNode* name = node.find("name");
    if (name == nullptr || name->kind != ConfigNode::Kind::scalar) {
      throw Error(ErrorKind::config, fmt::format("{}: {}: a part needs a name, as in \"{}: "
                                                 "{{name: ...}}\"",
                                                 node.place(), path, slot_name(slot)));
    }
    choice.name = name->text;
    choice.options = node;
    choice.options.remove("name");
    if (const ConfigNode* also = node.find("also")) {
      for (const ConfigNode& item : also->items) {
        choice.also.push_back(slot_of(item, path));
      }
      choice.options.remove("also");
    }
    if (const ConfigNode* space = node.find("space")) {
      choice.space = space_of(*space, slot, path);
      choice.options.remove("space");
    }
  }
  try {
    const PartSpec& spec = find_part(slot, choice.name);
    for (const Slot more : choice.also) {
      if (std::find(spec.slots.begin(), spec.slots.end(), more) == spec.slots.end()) {
        throw Error(ErrorKind::config,
                    fmt::format("{} does not fill the slot {}", spec.name, slot_name(more)));
      }
    }
    choice.options = spec.resolve(choice.options, path);
  } catch (const Error& problem) {
    const std::string what = problem.what();  // options already name their place
    throw Error(problem.kind(), what.find(path) != what.npos
                                    ? what
                                    : fmt::format("{}: {}: {}", node.place(), path, what));
  }
  return choice;
}

// `detector: none` leaves a slot empty, unless a part of that slot is called so.
bool empties(Slot slot, const ConfigNode& part) {
  const auto specs = part_specs();
  return part.text == "none" && std::none_of(specs.begin(), specs.end(), [&](const PartSpec& spec) {
           return spec.name == "none" && spec.slots.front() == slot;
         });
}

// A score by name, or options.
SetOptions read_sets(const ConfigNode& node, std::string_view path) {
  ConfigNode options = node;
  if (node.kind == ConfigNode::Kind::scalar) {
    options = ConfigNode::empty_map();
    options.file = node.file;
    options.line = node.line;
    options.put("score", node);
  }
  return read_options<SetOptions>(options, path);
}

struct Fields {  // the keys of a predictor, read and explained by one description
  std::string name, summary, preset;
  double holdout = 0, accepted_error = 0, suspected = 0, heed = 0;
  bool group_evidence = false;
  Index folds = 0;
  std::string threshold = "refreshed", fusion = "soft", holdout_by = "groups";
  std::string holdout_lessons = "all", threshold_rule = "promise", threshold_by = "samples";
  std::string stream, features, prior_knowledge;
  ConfigNode sets, expects;
  std::map<Slot, ConfigNode> parts;

  void describe(OptionVisitor& v) {
    v.field("name", name, {}, "what tables call it; the preset's name unless given");
    v.field("summary", summary, {}, "one line on what it is");
    v.field("preset", preset, {}, "a preset to start from; the other keys override it");
    for (const Slot slot : kSlots) {
      v.field(slot_name(slot), parts[slot],
              slot == Slot::detector || slot == Slot::recogniser
                  ? "the part in this slot: a name, or {name: ..., options}; `space: embedding` or "
                    "`space: logits` lets one that looks at rows see what the classifier makes of "
                    "the features"
                  : "the part in this slot: a name, or {name: ..., options}");
    }
    v.field("holdout", holdout, {0.0, 0.9},
            "share of granted samples never fitted on; they set thresholds. Of every request this "
            "share is drawn at random for it, so that no threshold rests on chosen samples");
    v.field(
        "holdout_by", holdout_by, kHoldouts,
        "groups: whole groups (subjects, source videos) are held out where at least one is to be "
        "expected; samples: never");
    v.field("holdout_lessons", holdout_lessons, kHoldoutLessons,
            "all: samples of every lesson are held out; first: of the first one alone, and all "
            "later ones are fitted on, for a threshold that is frozen");
    v.field(
        "accepted_error", accepted_error, {0.0, 1.0},
        "share of known samples that may be called novel; n held-out samples can promise no less "
        "than 1 / (n + 1), which is noted where it is more");
    v.field("suspected", suspected, {0.0, 1.0},
            "share of known samples that the recogniser may look at when it groups: where the "
            "accepted error is small, it would else see few of a new class. What joins its guides "
            "is known all the same. 0: those called novel alone");
    v.field("group_evidence", group_evidence,
            "what lies in a discovered group needs less novelty to be called novel, by as much as "
            "lies between what is suspected and the accepted error; the threshold is set anew so "
            "that this error holds. Needs a memory");
    v.field("folds", folds, {0, 100},
            "parts (of whole groups, where there are two) that are left out in turn to set the "
            "threshold while no more than 4000 samples are labelled, so that it rests on all of "
            "them instead of the few held out; learning takes so many times as long. 0: none");
    v.field("threshold", threshold, kThresholds,
            "refreshed after every lesson, or frozen after the first");
    v.field("threshold_rule", threshold_rule, kRules,
            "promise: the least threshold at which a known sample like the held-out ones is called "
            "novel with probability accepted_error at most; quantile: the (1 - accepted_error) "
            "quantile of the held-out samples, interpolated, as papers have it: a little more "
            "may exceed it");
    v.field("threshold_by", threshold_by, kCounts,
            "samples: each held-out sample counts alike; classes: each class does, for where "
            "feedback is partial and the classes learned last have few held-out samples; recent: "
            "each class counts as often as it came in the last lesson, so that the accepted error "
            "is that of a stream which goes on as it was");
    v.field("heed", heed, {0.0, 1.0},
            "where the oracle tells measures only: the error the threshold aims at moves by heed x "
            "(accepted_error - false alarm rate), as in adaptive conformal inference; 0: ignore");
    v.field("fusion", fusion, kFusions,
            "how novelty and class probabilities become one row: soft (graded), flag (as published "
            "for GMM-FINCH), joint (one softmax with the recogniser, then flag), groups (the "
            "recogniser decides for every row, known classes among its columns; needs no "
            "detector)");
    v.field("sets", sets,
            "sets of classes beside each answer that hold the true class of a known sample with "
            "the promised probability: lac, aps, raps, or {score: ..., error: ..., by_class: ...}");
    v.field("features", features, {},
            "source of the data that it reads as features: predictors on two backbones compete in "
            "one run");
    v.field("prior_knowledge", prior_knowledge, {},
            "what this predictor learned outside the data, besides what the experiment says of the "
            "sources it reads");
    v.field("expects", expects,
            "options of the protocol that it was published with, as {observe_order: in_turn}; a "
            "run whose protocol has others says so");
    v.field("stream", stream, {},
            "name of its random stream, its own name unless given: predictors that share one "
            "differ by nothing but their parts, so that they can be compared pair by pair");
  }
};

Fields default_fields() {
  const PredictorConfig standard;
  Fields fields;
  fields.holdout = standard.holdout;
  fields.accepted_error = standard.accepted_error;
  fields.suspected = standard.suspected;
  fields.heed = standard.heed;
  fields.features = standard.features;
  return fields;
}

}  // namespace

const PartChoice* PredictorConfig::find(Slot slot) const {
  const auto found = parts.find(slot);
  return found == parts.end() ? nullptr : &found->second;
}

std::uint64_t PredictorConfig::stream_seed(std::uint64_t seed) const {
  return mix(seed, stream.empty() ? name : stream);
}

PredictorConfig read_predictor(const ConfigNode& given, std::string_view path) {
  ConfigNode node = given;
  if (node.kind == ConfigNode::Kind::scalar) {
    ConfigNode map = ConfigNode::empty_map();
    map.file = node.file;
    map.line = node.line;
    map.column = node.column;
    map.put("preset", node);
    node = std::move(map);
  }
  if (const ConfigNode* preset = node.find("preset")) {
    ConfigNode base;
    try {
      base = load_preset(preset->text);
    } catch (const Error& problem) {
      throw Error(problem.kind(),
                  fmt::format("{}: {}.preset: {}", preset->place(), path, problem.what()));
    }
    if (base.find("preset") != nullptr) {
      throw Error(ErrorKind::config, fmt::format("{}: a preset cannot start from another preset",
                                                 base.find("preset")->place()));
    }
    if (base.find("name") == nullptr) {
      base.put("name", ConfigNode::scalar(preset->text));
    }
    // A part given by another name replaces the preset's part, options and all.
    for (const Slot slot : kSlots) {
      const ConfigNode* mine = node.find(slot_name(slot));
      const ConfigNode* theirs = base.find(slot_name(slot));
      const auto name_of = [](const ConfigNode& part) {
        const ConfigNode* name = part.find("name");
        return name == nullptr ? part.text : name->text;
      };
      if (mine == nullptr || theirs == nullptr) {
        continue;
      }
      if (mine->kind == ConfigNode::Kind::map && mine->find("name") == nullptr) {
        ConfigNode named = *mine;
        named.put("name", ConfigNode::scalar(name_of(*theirs)));
        node.put(slot_name(slot), named);
      } else if (name_of(*mine) != name_of(*theirs)) {
        base.remove(slot_name(slot));
      }
    }
    node.remove("preset");
    node = merge(base, node);
  }

  Fields fields = default_fields();
  read_options(node, path, [&](OptionVisitor& visitor) { fields.describe(visitor); });
  PredictorConfig config;
  config.name = fields.name;
  config.summary = fields.summary;
  config.holdout = fields.holdout;
  config.holdout_groups = fields.holdout_by == "groups";
  config.accepted_error = fields.accepted_error;
  config.suspected = fields.suspected;
  config.group_evidence = fields.group_evidence;
  config.folds = fields.folds;
  config.heed = fields.heed;
  config.holdout_once = fields.holdout_lessons == "first";
  config.threshold_frozen = fields.threshold == "frozen";
  config.threshold_plain = fields.threshold_rule == "quantile";
  const auto counts = std::find(kCounts.begin(), kCounts.end(), fields.threshold_by);
  config.threshold_by = static_cast<ThresholdBy>(counts - kCounts.begin());
  const auto fusion = std::find(kFusions.begin(), kFusions.end(), fields.fusion);
  config.fusion = static_cast<Fusion>(fusion - kFusions.begin());
  config.stream = fields.stream;
  config.features = fields.features;
  config.prior_knowledge = fields.prior_knowledge;
  if (config.threshold_plain && config.threshold_by != ThresholdBy::samples) {
    throw Error(ErrorKind::config,
                fmt::format("{}: {}.threshold_rule: a quantile counts all samples alike; leave "
                            "threshold_by at samples",
                            given.place(), path));
  }
  if (!fields.expects.is_null() && fields.expects.text != "none") {
    if (fields.expects.kind != ConfigNode::Kind::map) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: {}.expects: must be a map of options of the protocol",
                              fields.expects.place(), path));
    }
    config.expects = fields.expects;
  }
  if (!fields.sets.is_null() && fields.sets.text != "none") {
    config.sets = read_sets(fields.sets, fmt::format("{}.sets", path));
  }
  for (const auto& [slot, part] : fields.parts) {
    if (!part.is_null() && !empties(slot, part)) {
      config.parts.emplace(slot,
                           read_part(part, slot, fmt::format("{}.{}", path, slot_name(slot))));
    }
  }
  if (config.name.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: {}: a predictor needs a name or a preset", given.place(), path));
  }
  const bool recognises =
      config.fusion == Fusion::groups && config.find(Slot::recogniser) != nullptr;
  if (config.find(Slot::classifier) == nullptr && config.find(Slot::detector) == nullptr &&
      !recognises) {
    throw Error(ErrorKind::config,
                fmt::format("{}: {}: a predictor needs a classifier or a detector, or a recogniser "
                            "with fusion: groups",
                            given.place(), path));
  }
  return config;
}

ConfigNode write_predictor(const PredictorConfig& config) {
  Fields fields = default_fields();
  fields.name = config.name;
  fields.summary = config.summary;
  fields.holdout = config.holdout;
  fields.holdout_by = config.holdout_groups ? "groups" : "samples";
  fields.accepted_error = config.accepted_error;
  fields.suspected = config.suspected;
  fields.group_evidence = config.group_evidence;
  fields.folds = config.folds;
  fields.heed = config.heed;
  fields.holdout_lessons = config.holdout_once ? "first" : "all";
  fields.threshold = config.threshold_frozen ? "frozen" : "refreshed";
  fields.threshold_rule = config.threshold_plain ? "quantile" : "promise";
  fields.threshold_by = kCounts.at(static_cast<std::size_t>(config.threshold_by));
  fields.fusion = kFusions.at(static_cast<std::size_t>(config.fusion));
  fields.stream = config.stream;
  fields.features = config.features;
  fields.prior_knowledge = config.prior_knowledge;
  fields.expects = config.expects;
  if (config.sets) {
    SetOptions sets = *config.sets;
    fields.sets = write_options([&](OptionVisitor& visitor) { sets.describe(visitor); });
  }
  for (const auto& [slot, choice] : config.parts) {
    ConfigNode part = ConfigNode::empty_map();
    part.put("name", ConfigNode::scalar(choice.name));
    if (!choice.also.empty()) {
      ConfigNode also;
      also.kind = ConfigNode::Kind::list;
      for (const Slot more : choice.also) {
        also.items.push_back(ConfigNode::scalar(slot_name(more)));
      }
      part.put("also", std::move(also));
    }
    if (choice.space != Space::features) {
      part.put("space", ConfigNode::scalar(space_name(choice.space)));
    }
    fields.parts[slot] = merge(part, choice.options);
  }
  ConfigNode out = write_options([&](OptionVisitor& visitor) { fields.describe(visitor); });
  out.remove("preset");
  if (config.features == PredictorConfig().features) {
    out.remove("features");  // the rule, not worth a line in every run
  }
  if (config.prior_knowledge.empty()) {
    out.remove("prior_knowledge");
  }
  std::erase_if(out.pairs, [](const auto& pair) { return pair.value.is_null(); });
  return out;
}

std::string_view space_name(Space space) {
  return kSpaces.at(static_cast<std::size_t>(space));
}

std::vector<std::pair<std::string, std::string>> forms_of(const PredictorConfig& config) {
  std::vector<std::pair<std::string, std::string>> forms;
  for (const auto& [slot, choice] : config.parts) {
    const ConfigNode* form = choice.options.find("form");
    if (form != nullptr && form->kind == ConfigNode::Kind::scalar) {
      forms.emplace_back(slot_name(slot), form->text);
    }
  }
  return forms;
}

std::vector<std::string> sources_read(const PredictorConfig& config) {
  std::vector<std::string> sources{config.features};
  for (const auto& [slot, choice] : config.parts) {
    const auto path = fmt::format("{}.{}", config.name, slot_name(slot));
    const auto part = find_part(slot, choice.name).make(choice.options, path);
    for (const std::string& source : part->needs().sources) {
      if (std::find(sources.begin(), sources.end(), source) == sources.end()) {
        sources.push_back(source);
      }
    }
  }
  return sources;
}

std::vector<OptionHelp> predictor_options() {
  Fields fields = default_fields();
  return explain_options([&](OptionVisitor& visitor) { fields.describe(visitor); });
}

}  // namespace tyto
