// SPDX-License-Identifier: Apache-2.0
// Clips, and lessons of them as a composition shows them to a memory.
#pragma once

#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "parts/toy_experience.hpp"

namespace tyto {

// Clips of so many frames each; a frame is (id, place, two random numbers).
inline Samples clips_of(const std::vector<Index>& counts, std::uint32_t first_id,
                        std::uint64_t seed = 5) {
  Samples::Table table;
  table.first.push_back(0);
  const Index all = std::accumulate(counts.begin(), counts.end(), Index{0});
  Matrix rows(all, 4);
  rows.rightCols(2) = random_rows(all, 2, seed + first_id);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    table.id.push_back(SampleId{first_id + static_cast<std::uint32_t>(i)});
    for (Index k = 0; k < counts[i]; ++k) {
      rows(std::ssize(table.row), 0) = static_cast<float>(first_id + i);
      rows(std::ssize(table.row), 1) = static_cast<float>(k);
      table.row.push_back(std::ssize(table.row));
    }
    table.first.push_back(std::ssize(table.row));
  }
  return Samples(std::make_shared<const DenseStore>(rows), std::move(table));
}

struct ToyClipLesson {
  Samples samples;
  std::vector<int> labels;
  std::vector<Role> roles;

  ToyClipLesson(Samples clips, std::vector<int> numbers, std::vector<Role> given = {})
      : samples(std::move(clips)), labels(std::move(numbers)), roles(std::move(given)) {
    roles.resize(labels.size(), Role::fit);
  }
};

// As a composition shows it: what is remembered, then the new ones.
inline void teach_clips(Memory& memory, const ToyClipLesson& lesson, Work& work) {
  const Samples& old = memory.samples();
  std::vector<int> labels;
  for (const Label label : memory.labels()) {
    labels.push_back(static_cast<int>(label));
  }
  labels.insert(labels.end(), lesson.labels.begin(), lesson.labels.end());
  std::vector<Role> roles = memory.roles();
  roles.insert(roles.end(), lesson.roles.begin(), lesson.roles.end());
  const Index fresh = old.size();
  ToyExperience all(
      old.empty() ? lesson.samples : Samples::stacked(std::array{old, lesson.samples}), labels,
      roles, fresh);
  memory.keep(all, work);
}

// Some lessons of one to four classes, old or new, of clips of 1 to 20 frames, some held out.
inline std::vector<ToyClipLesson> random_lessons(std::uint64_t seed) {
  Rng rng(seed, "lessons");
  std::vector<ToyClipLesson> lessons;
  std::uint32_t id = 0;
  int classes = 0;
  for (int lesson = 0; lesson < 5; ++lesson) {
    classes += static_cast<int>(rng.below(4)) + (lesson == 0 ? 1 : 0);
    std::vector<Index> counts;
    std::vector<int> labels;
    std::vector<Role> roles;
    const Index samples = 1 + rng.below(12);
    for (Index i = 0; i < samples; ++i) {
      counts.push_back(1 + rng.below(20));
      labels.push_back(i == 0 ? classes : 1 + static_cast<int>(rng.below(classes)));
      roles.push_back(rng.uniform() < 0.3 ? Role::hold : Role::fit);
    }
    lessons.emplace_back(clips_of(counts, id, seed), labels, roles);
    id += static_cast<std::uint32_t>(samples);
  }
  return lessons;
}

}  // namespace tyto
