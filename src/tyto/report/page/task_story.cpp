// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/task_story.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "tyto/report/page/story_text.hpp"

namespace tyto {

namespace {

constexpr std::string_view kFinal = "final_accuracy";

struct RankedArm {
  const PageArm* arm = nullptr;
  const std::vector<HeadlineNumber>* headline = nullptr;
  RangedValue accuracy;
};

// Best first, ties in the order of the page.
std::vector<RankedArm> ranked_arms(const PageSource& source, std::size_t run,
                                   const std::vector<std::vector<HeadlineNumber>>& headlines) {
  std::vector<RankedArm> all;
  for (std::size_t i = 0; i < source.arms.size(); ++i) {
    const RangedValue accuracy = number_called(headlines[i], kFinal);
    if (source.arms[i].run == run && accuracy.value) {
      all.push_back({&source.arms[i], &headlines[i], accuracy});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const RankedArm& a, const RankedArm& b) {
    return *a.accuracy.value > *b.accuracy.value;
  });
  return all;
}

bool is_joint(const RankedArm& one) {
  return one.arm->predictor == "joint";
}

// Tasks learned by the first seed; 0 where the record does not tell.
Index tasks_of(const PageArm& arm) {
  const RunRecord& record = *arm.seeds.front().record;
  Index tasks = 0;
  PhaseKey last;
  for (const PhaseKey& key : record.phases()) {
    if (key.phase == "post" && key.split == "test" && key.step >= last.step) {
      last = key;
    }
  }
  if (!last.phase.empty()) {
    for (const auto& [name, task] : record.phase(last).task_of_class) {
      tasks = std::max(tasks, task + 1);
    }
  }
  return tasks;
}

std::string came(const PageSeed& seed, Index tasks) {
  std::set<std::string> classes;
  Index train = 0;
  Index last = 0;
  for (const ShownCount& count : seed.shown) {
    classes.insert(count.label);
    train += count.split == "train" ? count.samples : 0;
    last = std::max(last, count.step);
  }
  Index test = 0;  // every step tests what came before once more: the last has them all
  for (const ShownCount& count : seed.shown) {
    test += count.split == "test" && count.step == last ? count.samples : 0;
  }
  if (classes.empty()) {
    return "";
  }
  return fmt::format("{} came in {}, {} to learn from and {} to be tested on.",
                     counted(static_cast<Index>(classes.size()), "class"),
                     tasks > 0 ? counted(tasks, "task") : counted(last + 1, "step"),
                     counted(train, "sample"), grouped(test));
}

std::string forgot_tasks(const RankedArm& best) {
  const RangedValue lost = number_called(*best.headline, "backward_forgetting");
  const RangedValue learned = number_called(*best.headline, "learning_accuracy");
  if (!lost.value) {
    return "";
  }
  const double points = std::round(100 * *lost.value);
  const std::string amount = points > 0 ? fmt::format("{:.0f} points", points) : "nothing";
  return learned.value ? fmt::format(
                             " Of a task just learned it had {} right; {} of that {} lost to "
                             "later tasks.",
                             percent(learned), amount, points > 1 ? "were" : "was")
                       : fmt::format(" Later tasks cost it {} of what it had learned.", amount);
}

// What memory.csv of the first seed says at the end.
std::string kept_text(const PageSource& source, const PageArm& arm) {
  const PageTable* table = source.seed_of(arm, arm.seeds.front()).table("memory.csv");
  std::optional<std::size_t> last;
  if (table != nullptr) {
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
      if (table->text(row, "arm") == arm.name && table->text(row, "class").empty()) {
        last = row;
      }
    }
  }
  if (!last) {
    return "";
  }
  const auto frames = static_cast<Index>(table->number(*last, "frames").value_or(0));
  const auto shown = static_cast<Index>(table->number(*last, "frames_shown").value_or(0));
  const bool single = table->number(*last, "samples") == table->number(*last, "frames");
  if (frames == 0) {
    return " It kept no sample.";
  }
  return shown == 0 ? ""
                    : fmt::format(" It kept {} of {} shown, {:.3g} %.",
                                  counted(frames, single ? "sample" : "frame"), grouped(shown),
                                  100.0 * static_cast<double>(frames) / static_cast<double>(shown));
}

}  // namespace

bool tells_of_tasks(const PageRun& run) {
  return std::any_of(run.headline.begin(), run.headline.end(),
                     [](const HeadlineColumn& column) { return column.name == kFinal; });
}

std::string task_story_of(const PageSource& source, std::size_t run,
                          const std::vector<std::vector<HeadlineNumber>>& headlines) {
  const std::vector<RankedArm> all = ranked_arms(source, run, headlines);
  const PageRun& of = source.runs[run];
  std::string text = came(of.seeds.front(), all.empty() ? 0 : tasks_of(*all.front().arm));
  std::vector<RankedArm> methods = all;
  std::erase_if(methods, is_joint);
  const std::vector<RankedArm>& told = methods.empty() ? all : methods;
  if (told.empty()) {
    return text;
  }
  const RankedArm& best = told.front();
  text += of.done ? " After the last task " : " After the last task committed so far ";
  text += fmt::format("{} named {} of the test samples of a task right, mean over the tasks",
                      best.arm->name, percent(best.accuracy));
  if (told.size() > 1) {
    text +=
        *told[1].accuracy.value == *best.accuracy.value
            ? fmt::format(", the most of {} arms, and {} as many", told.size(), told[1].arm->name)
            : fmt::format(", the most of {} arms; next came {} with {}", told.size(),
                          told[1].arm->name, percent(told[1].accuracy));
  }
  text += ".";
  const auto joint = std::find_if(all.begin(), all.end(), is_joint);
  if (joint != all.end() && !methods.empty()) {
    text += fmt::format(" Who learned all tasks together ({}) had {}.", joint->arm->name,
                        percent(joint->accuracy));
  }
  text += forgot_tasks(best);
  text += kept_text(source, *best.arm);
  if (best.arm->seeds.size() > 1) {
    text += repeated_text(source, *best.arm);
  }
  return text;
}

}  // namespace tyto
