// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/pictures/exemplars.hpp"

#include <algorithm>
#include <tuple>

#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostExemplarClasses = 24;    // of an arm
constexpr std::size_t kMostExemplars = 3;           // of a class
constexpr std::size_t kExemplarPictures = 400'000;  // bytes of a page

struct ClassExemplars {
  std::string label;
  Index task = 0;
  Index samples = 0;  // kept in all
  std::vector<KeptSample> first;
  std::vector<Json> media;  // by sample: the number of its picture, or null
};

struct ArmExemplars {
  const PageArm* arm = nullptr;
  std::vector<ClassExemplars> classes;
};

bool has_budget(const PageSource& source, const PageArm& arm) {
  const PageTable* table = source.seed_of(arm, arm.seeds.front()).table("memory.csv");
  if (table != nullptr) {
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
      if (table->text(row, "arm") == arm.name && !table->text(row, "budget").empty()) {
        return true;
      }
    }
  }
  return false;
}

std::vector<ClassExemplars> by_class(const std::vector<KeptSample>& kept,
                                     const std::map<std::string, Index>& task_of_class) {
  std::map<std::string, ClassExemplars> found;
  for (const KeptSample& sample : kept) {
    ClassExemplars& own = found[sample.label];
    ++own.samples;
    if (own.first.size() < kMostExemplars) {
      own.first.push_back(sample);
    }
  }
  std::vector<ClassExemplars> all;
  for (auto& [label, own] : found) {
    const auto task = task_of_class.find(label);
    own.label = label;
    own.task = task == task_of_class.end() ? 0 : task->second;
    own.media.resize(own.first.size());
    all.push_back(std::move(own));
  }
  std::stable_sort(all.begin(), all.end(), [](const ClassExemplars& a, const ClassExemplars& b) {
    return a.task < b.task;
  });
  if (all.size() <= kMostExemplarClasses) {
    return all;
  }
  std::vector<ClassExemplars> spread;
  for (std::size_t i = 0; i < kMostExemplarClasses; ++i) {
    spread.push_back(std::move(all[i * all.size() / kMostExemplarClasses]));
  }
  return spread;
}

// The first of every class and arm before the second of any.
void add_exemplar_pictures(const PageSource& source, std::vector<ArmExemplars>& arms) {
  PictureShare share{kExemplarPictures};
  for (std::size_t depth = 0; depth < kMostExemplars; ++depth) {
    for (ArmExemplars& own : arms) {
      for (ClassExemplars& one : own.classes) {
        if (depth >= one.first.size()) {
          continue;
        }
        const PictureWish wish{.sample = one.first[depth].sample, .arm = own.arm->name};
        if (const auto place = source.picture(
                source.run_of(*own.arm), *own.arm->seeds.front().record->truth(), wish, share)) {
          one.media[depth] = *place;
        }
      }
    }
  }
}

Json class_json(const PageSource& source, const Truth& truth, const ClassExemplars& one) {
  Json items = Json::array();
  for (std::size_t i = 0; i < one.first.size(); ++i) {
    if (!one.media[i].is_null()) {
      items.push_back({{"sample", truth.name.at(static_cast<std::size_t>(one.first[i].sample))},
                       {"frames", one.first[i].frames},
                       {"media", one.media[i]}});
    }
  }
  return {{"name", source.name(one.label)},
          {"task", one.task},
          {"samples", one.samples},
          {"items", std::move(items)}};
}

}  // namespace

Json exemplars_json(const PageSource& source, const std::vector<ExemplarArm>& arms) {
  std::vector<ArmExemplars> all;
  for (const auto& [arm, task_of_class] : arms) {
    const SampleData& samples = source.run_of(*arm).samples;
    // Samples are those of the first seed.
    if (!samples.kept || !samples.picture || arm->seeds.front().seed != 0 ||
        !has_budget(source, *arm)) {
      continue;
    }
    try {
      all.push_back({arm, by_class(samples.kept(arm->name), task_of_class)});
    } catch (const Error&) {
      continue;  // the data are gone
    }
  }
  add_exemplar_pictures(source, all);
  Json list = Json::array();
  for (const ArmExemplars& own : all) {
    Json classes = Json::array();
    for (const ClassExemplars& one : own.classes) {
      Json shown = class_json(source, *own.arm->seeds.front().record->truth(), one);
      if (!shown.at("items").empty()) {
        classes.push_back(std::move(shown));
      }
    }
    if (!classes.empty()) {
      list.push_back({{"arm", own.arm->number}, {"classes", std::move(classes)}});
    }
  }
  return list;
}

}  // namespace tyto
