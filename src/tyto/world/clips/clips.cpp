// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/clips/clips.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/parallel.hpp"
#include "tyto/core/random.hpp"
#include "tyto/world/clips/clip_store.hpp"
#include "tyto/world/clips/drawing.hpp"

namespace tyto {

namespace {

constexpr double kMostBytes = 4e9;
// Shares of the shorter side.
constexpr double kRing = 0.28, kCircle = 0.04, kRadius = 0.13;

struct ClipPerson {
  double size = 1, brightness = 1;
};

double shorter_side(const ClipOptions& options) {
  return static_cast<double>(std::min(options.width, options.height));
}

ClipLook any_look(Rng& rng) {
  return {rng.uniform(), rng.below(std::ssize(kClipShapes)), rng.below(kClipTextures)};
}

std::vector<ClipPerson> draw_people(const ClipOptions& options, Rng rng) {
  std::vector<ClipPerson> people(at(options.subjects));
  for (ClipPerson& person : people) {
    person.size = 1 + options.subject_spread * (2 * rng.uniform() - 1);
    person.brightness = 1 - options.subject_spread * rng.uniform();
  }
  return people;
}

// Where the camera looks: a walk of small steps that turns back at the border.
class ShakyCamera {
 public:
  ShakyCamera(double most, Rng rng) : most_(most), rng_(rng) {}

  std::array<Index, 2> step() {
    for (double& place : place_) {
      place = std::clamp(place + most_ * (rng_.uniform() - 0.5), -most_, most_);
    }
    return {std::lround(place_[0]), std::lround(place_[1])};
  }

 private:
  double most_;
  Rng rng_;
  std::array<double, 2> place_{};
};

struct Film {
  ClipLook look;
  std::vector<Index> order;
};

// Look and order of a video: those of its class, or its own.
Film cast(const ClipOptions& options, const ClipStudio& studio, Index c, const Rng& rng) {
  Film film{studio.looks[at(c)], studio.orders[at(c)]};
  if (!options.has_own_order()) {
    rng.fork("order").shuffle(film.order);
  }
  if (!options.has_own_look()) {
    Rng draw = rng.fork("look");
    film.look = any_look(draw);
  }
  return film;
}

struct Stage {
  const ClipOptions& options;
  const ClipStudio& studio;
  const std::vector<Backdrop>& backdrops;
  const std::vector<ClipPerson>& people;
};

void shoot(const Take& take, const Film& film, const Stage& stage, const Rng& rng,
           std::uint8_t* out) {
  const ClipOptions& options = stage.options;
  const auto poses = std::ssize(stage.studio.places) - 1;
  const double side = shorter_side(options);
  const ClipPerson& person = stage.people[at(take.subject)];
  ShakyCamera camera(options.shake * side / 32, rng.fork("camera"));
  Rng draw = rng.fork("way");
  const double phase = 2 * std::numbers::pi * draw.uniform();
  const double speed = (draw.uniform() < 0.5 ? 1 : -1) * (0.8 + 0.6 * draw.uniform());
  for (Index f = 0; f < take.frames(poses); ++f) {
    const Index moment = take.moment(f, poses);
    const auto& place = stage.studio.places[at(moment < 0 ? poses : film.order[at(moment)])];
    const double turn = phase + speed * static_cast<double>(f);
    const Actor actor{film.look, place[0] + kCircle * side * std::cos(turn),
                      place[1] + kCircle * side * std::sin(turn), kRadius * side * person.size,
                      person.brightness};
    const auto [dx, dy] = camera.step();
    draw_frame(stage.backdrops[at(take.scene)], dx, dy, actor, options.noise,
               rng.fork("noise", static_cast<std::uint64_t>(f)), options.width, options.height,
               out + f * 3 * options.width * options.height);
  }
}

}  // namespace

void ClipOptions::describe(OptionVisitor& visitor) {
  ScreenplayOptions::describe(visitor);
  visitor.field("width", width, {8, 1024}, "pixels of a frame across");
  visitor.field("height", height, {8, 1024}, "and down");
  visitor.field("shake", shake, {0, 16},
                "how far the camera may look beside, in pixels of a picture of 32");
  visitor.field("noise", noise, {0, 255}, "its deviation in every value, where white is 255");
  visitor.field("subject_spread", subject_spread, {0, 0.9},
                "s: people make shapes of 1 - s to 1 + s times the size, and of 1 - s to 1 times "
                "the brightness");
  visitor.field("scene_contrast", scene_contrast, {0, 1}, "of the backgrounds");
  deal.describe(visitor);
}

void ClipOptions::check() const {
  ScreenplayOptions::check(deal.path, 3 * width * height, kMostBytes);
  deal.check();
}

ClipStudio make_clip_studio(const ClipOptions& options, std::uint64_t seed) {
  const Rng rng(seed, "clips");
  const Index poses = pose_count(options.classes);
  const double side = shorter_side(options);
  const double centre_x = static_cast<double>(options.width - 1) / 2;
  const double centre_y = static_cast<double>(options.height - 1) / 2;
  ClipStudio studio;
  const double first = rng.fork("places").uniform();
  for (Index p = 0; p < poses; ++p) {
    const double turn =
        2 * std::numbers::pi * (first + static_cast<double>(p) / static_cast<double>(poses));
    studio.places.push_back(
        {centre_x + kRing * side * std::cos(turn), centre_y + kRing * side * std::sin(turn)});
  }
  studio.places.push_back({centre_x, centre_y});
  studio.orders = draw_orders(options.classes, rng.fork("orders"));
  // Colours as far from each other as they can be; shapes and textures in turn.
  const std::vector<Index> colour = rng.fork("looks").permutation(options.classes);
  for (Index c = 0; c < options.classes; ++c) {
    const auto shapes = std::ssize(kClipShapes);
    studio.looks.push_back(
        {static_cast<double>(colour[at(c)]) / static_cast<double>(options.classes), c % shapes,
         c / shapes % kClipTextures});
  }
  return studio;
}

Dataset make_clips(const ClipOptions& options, std::uint64_t seed) {
  options.check();
  const Rng rng(seed, "clips");
  const ClipStudio studio = make_clip_studio(options, seed);
  const std::vector<Take> takes = draw_takes(options, rng);
  const auto margin = static_cast<Index>(std::ceil(options.shake * shorter_side(options) / 32)) + 1;
  std::vector<Backdrop> backdrops;
  for (Index s = 0; s < options.scenes; ++s) {
    backdrops.push_back(draw_backdrop(options.width, options.height, margin, options.scene_contrast,
                                      rng.fork("scene", static_cast<std::uint64_t>(s))));
  }
  const std::vector<ClipPerson> people = draw_people(options, rng.fork("subjects"));
  Dataset dataset;
  dataset.name = "clips";
  dataset.summary = "simulated videos of moving shapes, as pictures";
  IndexTable& table = dataset.table = table_of_takes(takes, pose_count(options.classes));
  std::vector<Film> films;
  for (std::size_t v = 0; v < takes.size(); ++v) {
    films.push_back(cast(options, studio, takes[v].actor_class, rng.fork("film", v)));
    std::vector<Index> order = films.back().order;
    std::for_each(order.begin(), order.end(), [](Index& pose) { ++pose; });
    table.annotations["motion"].push_back(fmt::format("{}", fmt::join(order, "-")));
    table.annotations["shape"].emplace_back(kClipShapes[at(films.back().look.shape)]);
  }
  const Index bytes = 3 * options.width * options.height;
  std::vector<std::uint8_t> frames(at((takes.back().begin + table.frames.back()) * bytes));
  const Stage stage{options, studio, backdrops, people};
  for_each_index(std::ssize(takes), [&](Index v) {
    shoot(takes[at(v)], films[at(v)], stage, rng.fork("film", static_cast<std::uint64_t>(v)),
          frames.data() + takes[at(v)].begin * bytes);
  });
  dataset.store =
      std::make_shared<const ClipStore>(options.width, options.height, std::move(frames));
  dataset.picture = PictureLayout{"rgb", options.width, options.height, 0, 255, 3};
  return dataset;
}

}  // namespace tyto
