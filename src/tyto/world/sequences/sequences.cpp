// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/sequences/sequences.hpp"

#include "tyto/core/parallel.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

namespace {

constexpr double kMostValues = 1e9;  // floats, 4 GB

// Everything that videos share.
struct Studio {
  Matrix poses;  // the last one: at rest
  Matrix looks;  // of each class
  Matrix subjects, scenes;
  std::vector<std::vector<Index>> orders;  // of the poses, by class
};

Matrix normals(Index rows, Index columns, double spread, Rng rng) {
  Matrix values(rows, columns);
  for (Index i = 0; i < values.size(); ++i) {
    values.data()[i] = static_cast<float>(spread * rng.normal());
  }
  return values;
}

Studio make_studio(const SequenceOptions& options, const Rng& rng) {
  const Index poses = pose_count(options.classes);
  Studio studio;
  studio.poses = normals(poses + 1, options.width, 1, rng.fork("poses"));
  studio.looks =
      normals(options.classes, options.width, options.has_own_look() ? 0.5 : 0, rng.fork("looks"));
  studio.subjects =
      normals(options.subjects, options.width, options.subject_spread, rng.fork("subjects"));
  studio.scenes = normals(options.scenes, options.width, options.scene_spread, rng.fork("scenes"));
  studio.orders = draw_orders(options.classes, rng.fork("orders"));
  return studio;
}

void film(const Take& take, const Studio& studio, bool own_order, double noise, Rng rng,
          Matrix& frames) {
  const Index poses = studio.poses.rows() - 1;
  std::vector<Index> order = studio.orders[at(take.actor_class)];
  if (!own_order) {
    rng.shuffle(order);
  }
  for (Index f = 0; f < take.frames(poses); ++f) {
    const Index moment = take.moment(f, poses);
    auto row = frames.row(take.begin + f);
    row = studio.scenes.row(take.scene) + studio.subjects.row(take.subject);
    if (moment >= 0) {
      row += studio.poses.row(order[at(moment)]) + studio.looks.row(take.actor_class);
    } else {
      row += studio.poses.row(poses);
    }
    for (Index j = 0; j < frames.cols(); ++j) {
      row(j) += static_cast<float>(noise * rng.normal());
    }
  }
}

}  // namespace

void SequenceOptions::describe(OptionVisitor& visitor) {
  ScreenplayOptions::describe(visitor);
  visitor.field("width", width, {1, 1e5}, "numbers of a frame");
  visitor.field("noise", noise, {0, 100}, "of each number of a frame; poses have deviation 1");
  visitor.field("subject_spread", subject_spread, {0, 100}, "deviation between people");
  visitor.field("scene_spread", scene_spread, {0, 100}, "deviation between scenes");
  deal.describe(visitor);
}

void SequenceOptions::check() const {
  ScreenplayOptions::check(deal.path, width, kMostValues);
  deal.check();
}

Dataset make_sequences(const SequenceOptions& options, std::uint64_t seed) {
  options.check();
  const Rng rng(seed, "sequences");
  const Studio studio = make_studio(options, rng);
  const std::vector<Take> takes = draw_takes(options, rng);
  Dataset dataset;
  dataset.name = "sequences";
  dataset.summary = "simulated videos as runs of frames";
  dataset.table = table_of_takes(takes, pose_count(options.classes));
  Matrix frames(takes.back().begin + dataset.table.frames.back(), options.width);
  for_each_index(std::ssize(takes), [&](Index v) {
    film(takes[at(v)], studio, options.has_own_order(), options.noise,
         rng.fork("film", static_cast<std::uint64_t>(v)), frames);
  });
  dataset.store = std::make_shared<const DenseStore>(std::move(frames));
  return dataset;
}

}  // namespace tyto
