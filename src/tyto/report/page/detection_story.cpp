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

std::string dealt_text(const PageSeed& seed, std::string_view learned_how, bool validates) {
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
      fmt::format("{} were {}, from {}. Of {} {} are of {} that nobody taught.",
                  counted(std::ssize(normal), "class"), learned_how, counted(learned, "sample"),
                  counted(test.samples[0] + test.samples[1], "test sample"),
                  grouped(test.samples[1]), counted(std::ssize(test.classes[1]), "class"));
  if (validates && validate.samples[0] + validate.samples[1] > 0) {
    text += fmt::format(" Thresholds were chosen on {} and {} of {}.",
                        counted(validate.samples[0], "normal sample"), grouped(validate.samples[1]),
                        validate.classes[1].empty()
                            ? std::string("no other class")
                            : counted(std::ssize(validate.classes[1]), "other class"));
  }
  return text;
}

bool has_headline(const PageRun& run, std::string_view name) {
  return std::any_of(run.headline.begin(), run.headline.end(),
                     [&](const HeadlineColumn& column) { return column.name == name; });
}

// The arm with the greatest value of that name, ties to the first, and how many have one.
struct BestArm {
  const PageArm* arm = nullptr;
  const std::vector<HeadlineNumber>* headline = nullptr;
  Index arms = 0;

  [[nodiscard]] RangedValue number(std::string_view name) const {
    return number_called(*headline, name);
  }
};

BestArm best_by(const PageSource& source, std::size_t run,
                const std::vector<std::vector<HeadlineNumber>>& headlines, std::string_view name) {
  BestArm best;
  for (std::size_t i = 0; i < source.arms.size(); ++i) {
    const RangedValue value = number_called(headlines[i], name);
    if (source.arms[i].run != run || !value.value) {
      continue;
    }
    ++best.arms;
    if (best.arm == nullptr || *value.value > *best.number(name).value) {
      best.arm = &source.arms[i];
      best.headline = &headlines[i];
    }
  }
  return best;
}

}  // namespace

bool tells_of_detection(const PageRun& run) {
  return has_headline(run, kDetectionRecall);
}

std::string detection_story_of(const PageSource& source, std::size_t run,
                               const std::vector<std::vector<HeadlineNumber>>& headlines) {
  std::string text = dealt_text(source.runs[run].seeds.front(), "learned as normal", true);
  const BestArm best = best_by(source, run, headlines, "auroc");
  if (best.arm == nullptr) {
    return text;
  }
  text += fmt::format(
      " {} told new from normal {}: a novel sample scored above a normal one with "
      "the chance {} (AUROC).",
      best.arm->name, best.arms > 1 ? fmt::format("best of {} arms", best.arms) : "by its score",
      plain(best.number("auroc")));
  const RangedValue recall = best.number(kDetectionRecall);
  const RangedValue alarms = best.number("false_alarms_at_1pct");
  if (recall.value && alarms.value) {
    text += fmt::format(
        " At the threshold that 1 in 100 normal samples of validate reaches, it found {} of the "
        "novel test samples and raised an alarm on {} of the normal ones.",
        percent(recall), percent(alarms));
  }
  return text;
}

bool tells_of_categories(const PageRun& run) {
  return has_headline(run, "old") && has_headline(run, "new");
}

std::string category_story_of(const PageSource& source, std::size_t run,
                              const std::vector<std::vector<HeadlineNumber>>& headlines) {
  std::string text = dealt_text(source.runs[run].seeds.front(), "taught", false);
  const BestArm best = best_by(source, run, headlines, "all");
  if (best.arm == nullptr) {
    return text;
  }
  text += fmt::format(" {} sorted {} of the samples into the group of their class{}",
                      best.arm->name, percent(best.number("all")),
                      best.arms > 1 ? fmt::format(", the most of {} arms", best.arms) : "");
  if (const RangedValue old = best.number("old"); old.value) {
    text += fmt::format("; of those of classes it was taught {}", percent(old));
  }
  if (const RangedValue fresh = best.number("new"); fresh.value) {
    text += fmt::format("; of those of new ones {}", percent(fresh));
  }
  return text + ".";
}

}  // namespace tyto
