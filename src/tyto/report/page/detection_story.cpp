// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/detection_story.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tyto/report/page/story_text.hpp"

namespace tyto {

namespace {

constexpr std::string_view kDetectionRecall = "recall_at_1pct";

// Samples and classes of a split, the normal and the novel ones.
struct ShownKinds {
  Index samples[2] = {0, 0};
  std::set<std::string> classes[2];
};

ShownKinds shown_in(const PageSeed& seed, std::string_view split,
                    const std::set<std::string>& normal) {
  ShownKinds kinds;
  for (const ShownCount& count : seed.shown) {
    if (count.split == split) {
      const int novel = normal.contains(count.label) ? 0 : 1;
      kinds.samples[novel] += count.samples;
      kinds.classes[novel].insert(count.label);
    }
  }
  return kinds;
}

std::string dealt_text(const PageSeed& seed) {
  std::set<std::string> normal;
  Index learned = 0;
  for (const ShownCount& count : seed.shown) {
    if (count.split == "train") {
      normal.insert(count.label);
      learned += count.samples;
    }
  }
  if (normal.empty()) {
    return "";
  }
  const ShownKinds test = shown_in(seed, "test", normal);
  const ShownKinds validate = shown_in(seed, "validate", normal);
  std::string text =
      fmt::format("{} were learned as normal, from {}. Of {} {} are of {} that nobody taught.",
                  counted(std::ssize(normal), "class"), counted(learned, "sample"),
                  counted(test.samples[0] + test.samples[1], "test sample"),
                  grouped(test.samples[1]), counted(std::ssize(test.classes[1]), "class"));
  if (validate.samples[0] + validate.samples[1] > 0) {
    text += fmt::format(" Thresholds were chosen on {} and {} of {}.",
                        counted(validate.samples[0], "normal sample"), grouped(validate.samples[1]),
                        validate.classes[1].empty()
                            ? std::string("no other class")
                            : counted(std::ssize(validate.classes[1]), "other class"));
  }
  return text;
}

}  // namespace

bool tells_of_detection(const PageRun& run) {
  return std::any_of(run.headline.begin(), run.headline.end(),
                     [](const HeadlineColumn& column) { return column.name == kDetectionRecall; });
}

std::string detection_story_of(const PageSource& source, std::size_t run,
                               const std::vector<std::vector<HeadlineNumber>>& headlines) {
  std::string text = dealt_text(source.runs[run].seeds.front());
  const PageArm* best = nullptr;
  std::size_t place = 0;
  Index arms = 0;
  for (std::size_t i = 0; i < source.arms.size(); ++i) {
    const RangedValue auroc = number_called(headlines[i], "auroc");
    if (source.arms[i].run != run || !auroc.value) {
      continue;
    }
    ++arms;
    if (best == nullptr || *auroc.value > *number_called(headlines[place], "auroc").value) {
      best = &source.arms[i];
      place = i;
    }
  }
  if (best == nullptr) {
    return text;
  }
  text += fmt::format(
      " {} told new from normal {}: a novel sample scored above a normal one with "
      "the chance {} (AUROC).",
      best->name, arms > 1 ? fmt::format("best of {} arms", arms) : "by its score",
      plain(number_called(headlines[place], "auroc")));
  const RangedValue recall = number_called(headlines[place], kDetectionRecall);
  const RangedValue alarms = number_called(headlines[place], "false_alarms_at_1pct");
  if (recall.value && alarms.value) {
    text += fmt::format(
        " At the threshold that 1 in 100 normal samples of validate reaches, it found {} of the "
        "novel test samples and raised an alarm on {} of the normal ones.",
        percent(recall), percent(alarms));
  }
  return text;
}

}  // namespace tyto
