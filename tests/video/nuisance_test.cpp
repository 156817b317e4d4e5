// SPDX-License-Identifier: Apache-2.0
// What each visual nuisance does, and that all frames of a video suffer the same.
#include "tyto/video/nuisance.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

DrawnNuisance drawn(const std::string& yaml, const std::string& video = "v1",
                    std::uint64_t seed = 3) {
  const ConfigNode node = parse_yaml(yaml, "n.yaml");
  const ConfigNode* name = node.find("name");
  return make_nuisance(node, "nuisance")
      ->draw(nuisance_stream(seed, name == nullptr ? node.text : name->text, video));
}

Picture coloured(Index width, Index height, std::uint64_t seed) {
  Picture picture(width, height);
  Rng rng(seed, "coloured");
  for (std::uint8_t& value : picture.rgb) {
    value = static_cast<std::uint8_t>(rng.below(256));
  }
  return picture;
}

Picture constant(Index width, Index height, std::uint8_t value) {
  Picture picture(width, height);
  std::fill(picture.rgb.begin(), picture.rgb.end(), value);
  return picture;
}

double mean_of(const Picture& picture) {
  return std::accumulate(picture.rgb.begin(), picture.rgb.end(), 0.0) /
         static_cast<double>(picture.rgb.size());
}

TEST(Nuisance, inversion_twice_is_the_picture_again) {
  const Picture before = coloured(7, 5, 1);
  const DrawnNuisance invert = drawn("invert");
  const Picture after = invert.change(before, 0);
  EXPECT_EQ(after.pixel(3, 2)[1], 255 - before.pixel(3, 2)[1]);
  EXPECT_EQ(invert.change(after, 1), before);
}

TEST(Nuisance, flips_go_where_they_say_and_back) {
  const Picture before = coloured(6, 5, 1);
  const DrawnNuisance down = drawn("{name: flip, axes: [vertical]}");
  const DrawnNuisance across = drawn("{name: flip, axes: [horizontal]}");
  EXPECT_EQ(down.text, "vertical");
  EXPECT_EQ(down.change(before, 0).pixel(2, 0)[0], before.pixel(2, 4)[0]);
  EXPECT_EQ(across.change(before, 0).pixel(0, 3)[2], before.pixel(5, 3)[2]);
  std::set<std::string> seen;
  for (int v = 0; v < 40; ++v) {
    const DrawnNuisance flip = drawn("flip", "video " + std::to_string(v));
    seen.insert(flip.text);
    EXPECT_NE(flip.change(before, 0), before) << "a flip that does nothing is none";
    EXPECT_EQ(flip.change(flip.change(before, 0), 0), before);
  }
  EXPECT_EQ(seen, (std::set<std::string>{"vertical", "horizontal", "vertical and horizontal"}));
}

TEST(Nuisance, a_rotation_by_nothing_is_the_picture) {
  const Picture before = coloured(9, 6, 1);
  EXPECT_EQ(drawn("{name: rotation, degrees: 0}").change(before, 0), before);
  EXPECT_EQ(drawn("{name: perspective, distortion: 0}").change(before, 0), before);
  EXPECT_EQ(drawn("{name: blur, sigma_least: 0, sigma_most: 0}").change(before, 0), before);
  EXPECT_EQ(drawn("{name: noise, deviation: 0}").change(before, 0), before);
  EXPECT_EQ(drawn("{name: jitter, brightness: 0, hue: 0}").change(before, 0), before);
}

TEST(Nuisance, a_rotation_turns_to_the_left_by_the_angle_it_says) {
  Picture before = constant(41, 41, 0);
  before.pixel(35, 20)[0] = 255;  // to the right of the centre
  const DrawnNuisance rotation = drawn("{name: rotation, degrees: 60}");
  const double degrees = std::stod(rotation.text.substr(6));
  ASSERT_GT(std::abs(degrees), 5);
  const Picture after = rotation.change(before, 0);
  double best = 1e9;  // nearest lit pixel to where it should be: upwards if positive
  for (Index y = 0; y < 41; ++y) {
    for (Index x = 0; x < 41; ++x) {
      if (after.pixel(x, y)[0] == 255) {
        best = std::min(
            best, std::hypot(static_cast<double>(x) - 20 - 15 * std::cos(degrees * M_PI / 180),
                             static_cast<double>(y) - 20 + 15 * std::sin(degrees * M_PI / 180)));
      }
    }
  }
  EXPECT_LT(best, 1.0);
}

TEST(Nuisance, a_perspective_moves_the_corners_inwards) {
  const Picture after = drawn("perspective").change(constant(40, 30, 200), 0);
  EXPECT_EQ(after.pixel(0, 0)[0], 0) << "outside is black";
  EXPECT_EQ(after.pixel(20, 15)[0], 200);
  EXPECT_LT(mean_of(after), 200);
  EXPECT_GT(mean_of(after), 40) << "corners come no further than half way";
}

TEST(Nuisance, blur_keeps_a_constant_picture_and_spreads_a_point) {
  const DrawnNuisance blur = drawn("{name: blur, sigma_least: 1.5, sigma_most: 1.5}");
  EXPECT_EQ(blur.change(constant(9, 4, 77), 0), constant(9, 4, 77));
  EXPECT_EQ(blur.change(constant(1, 1, 77), 0), constant(1, 1, 77));
  Picture point = constant(31, 31, 0);
  point.pixel(15, 15)[1] = 255;
  const Picture after = blur.change(point, 0);
  // The density of a Gaussian of sigma 1.5, at its centre and one and a half pixels along the axis.
  EXPECT_NEAR(after.pixel(15, 15)[1], 255 / (2 * M_PI * 2.25), 1);
  EXPECT_NEAR(after.pixel(18, 15)[1], 255 / (2 * M_PI * 2.25) * std::exp(-2), 1);
  EXPECT_EQ(after.pixel(18, 15)[1], after.pixel(15, 12)[1]);
  EXPECT_EQ(after.pixel(15, 15)[0], 0) << "channels stay apart";
}

TEST(Nuisance, noise_has_its_mean_and_deviation_and_one_value_a_pixel) {
  const DrawnNuisance noise = drawn("{name: noise, deviation: 12}");
  const Picture before = constant(100, 100, 128);
  const Picture after = noise.change(before, 0);
  double squares = 0;
  for (std::size_t i = 0; i < after.rgb.size(); i += 3) {
    const double way = after.rgb[i] - 128.0;
    squares += way * way;
    EXPECT_EQ(after.rgb[i], after.rgb[i + 2]);
  }
  EXPECT_NEAR(mean_of(after), 128, 0.5);
  EXPECT_NEAR(std::sqrt(squares / 10000), 12, 0.4);
  EXPECT_NE(noise.change(before, 1), after) << "another frame, another noise";
  EXPECT_EQ(noise.change(before, 0), after);
}

TEST(Nuisance, jitter_scales_brightness_and_turns_hue) {
  const DrawnNuisance bright = drawn("{name: jitter, hue: 0, brightness: 0.5}");
  const double factor = std::stod(bright.text.substr(11));
  EXPECT_NEAR(mean_of(bright.change(constant(4, 4, 100), 0)), 100 * factor, 1);
  Picture red(2, 2);
  for (std::size_t i = 0; i < red.rgb.size(); i += 3) {
    red.rgb[i] = 240;
  }
  const DrawnNuisance turned = drawn("{name: jitter, hue: 0.3, brightness: 0}");
  const double turn = std::stod(turned.text.substr(turned.text.find("hue") + 4));
  const Picture after = turned.change(red, 0);
  const int most = std::max({after.rgb[0], after.rgb[1], after.rgb[2]});
  const int least = std::min({after.rgb[0], after.rgb[1], after.rgb[2]});
  EXPECT_EQ(most, 240) << "a turn of the hue keeps value and saturation";
  EXPECT_EQ(least, 0);
  EXPECT_GT(std::abs(turn), 0.02);
  EXPECT_GT(turn > 0 ? after.rgb[1] : after.rgb[2], turn > 0 ? after.rgb[2] : after.rgb[1])
      << "to green, or to blue";
}

TEST(Nuisance, is_the_same_for_all_frames_of_a_video_and_another_for_another_video) {
  const Picture frame = coloured(24, 18, 2);
  for (const NuisanceSpec& spec : nuisance_specs()) {
    const DrawnNuisance first = drawn(spec.name);
    EXPECT_EQ(first.change(frame, 0), drawn(spec.name).change(frame, 0)) << spec.name;
    EXPECT_EQ(first.text, drawn(spec.name).text);
    EXPECT_EQ(first.change(frame, 0) == first.change(frame, 5), spec.name != "noise") << spec.name;
    EXPECT_NE(first.change(frame, 0), frame) << spec.name;
    std::set<std::vector<std::uint8_t>> seen;
    for (int v = 0; v < 20; ++v) {
      seen.insert(drawn(spec.name, "video " + std::to_string(v)).change(frame, 0).rgb);
    }
    const bool few = spec.name == "invert" || spec.name == "flip";
    EXPECT_GE(seen.size(), spec.name == "invert" ? 1U : few ? 3U : 15U) << spec.name;
    if (!few) {
      EXPECT_NE(drawn(spec.name, "v1", 4).change(frame, 0), first.change(frame, 0))
          << spec.name << ": the seed counts";
    }
    EXPECT_EQ(first.change(Picture(1, 1), 0).rgb.size(), 3U) << spec.name;
  }
}

TEST(Nuisance, wrong_names_and_options_are_told_in_a_sentence) {
  const auto problem = [](const std::string& yaml) {
    try {
      make_nuisance(parse_yaml(yaml, "n.yaml"), "nuisance");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(problem("blurr"), HasSubstr("did you mean \"blur\"?"));
  EXPECT_THAT(problem("{sigma_most: 2}"), HasSubstr("a nuisance is a name"));
  EXPECT_THAT(problem("{name: blur, sigma: 2}"), HasSubstr("nuisance.sigma: unknown key"));
  EXPECT_THAT(problem("{name: blur, sigma_least: 4}"), HasSubstr("sigma_most 2 is below"));
  EXPECT_THAT(problem("{name: flip, axes: []}"), HasSubstr("names none of"));
}

}  // namespace
}  // namespace tyto
