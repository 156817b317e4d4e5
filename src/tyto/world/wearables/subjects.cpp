// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/wearables/subjects.hpp"

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

namespace tyto {

namespace {

constexpr double kHabit = 0.5;  // how far an activity departs from its person's ways

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

Eigen::Vector3d normal_vector(Rng& rng) {
  Eigen::Vector3d v;
  for (double& x : v) {
    x = rng.normal();
  }
  return v;
}

// The deviations of one level (person, habit, window), added to what is there.
void deviate(Motion& motion, const SpreadOptions& spread, double share, Rng rng) {
  motion.tempo *= std::exp(share * spread.tempo * rng.normal());
  motion.vigour *= std::exp(share * spread.vigour * rng.normal());
  motion.pose *= tilted(share * spread.tilt, rng);
}

void restyle(Motion& motion, double style, Rng rng) {
  for (auto* values : {&motion.style, &motion.shift}) {
    for (Motion::PerChannel& harmonic : *values) {
      for (double& value : harmonic) {
        value += style * rng.normal();
      }
    }
  }
}

}  // namespace

void SpreadOptions::describe(OptionVisitor& visitor) {
  visitor.field("tempo", tempo, {0, 1}, "between people, of the frequency's logarithm");
  visitor.field("vigour", vigour, {0, 2}, "between people, of the amplitude's logarithm");
  visitor.field("tilt", tilt, {0, 180}, "between people, of the sensor's seat, degrees per axis");
  visitor.field("style", style, {0, 2},
                "between people, of each harmonic's amplitude (logarithm) and phase (rad)");
  visitor.field("variation", variation, {0, 5},
                "of one person from window to window, as a share of the above");
  visitor.field("left_handed", left_handed, {0, 1}, "share of people, whose axes are mirrored");
}

SpreadOptions SpreadOptions::scaled(double difficulty) const {
  SpreadOptions out = *this;
  out.tempo *= difficulty;
  out.vigour *= difficulty;
  out.tilt *= difficulty;
  out.style *= difficulty;
  return out;
}

Rotation tilted(double degrees, Rng& rng) {
  const Eigen::Vector3d turn = radians(degrees) * normal_vector(rng);
  const double angle = turn.norm();
  return angle > 0 ? Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix()
                   : Rotation::Identity();
}

Rotation turned(double degrees, Rng& rng) {
  return Eigen::AngleAxisd(radians(degrees), normal_vector(rng).normalized()).toRotationMatrix();
}

Motion draw_motion(Index subject, const Activity& activity, Index window,
                   const SpreadOptions& spread, const Rng& world) {
  const Rng person = world.fork("subject", static_cast<std::uint64_t>(subject));
  const Rng habit = person.fork(activity.name);
  const Rng now = habit.fork("window", static_cast<std::uint64_t>(window));
  Motion motion;
  motion.left = person.fork("hand").uniform() < spread.left_handed;
  deviate(motion, spread, 1, person.fork("ways"));
  deviate(motion, spread, kHabit, habit.fork("ways"));
  deviate(motion, spread, spread.variation, now.fork("ways"));
  restyle(motion, spread.style, habit.fork("style"));
  restyle(motion, spread.style * spread.variation, now.fork("style"));
  return motion;
}

}  // namespace tyto
