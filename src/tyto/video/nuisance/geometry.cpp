// SPDX-License-Identifier: Apache-2.0
// Changes of where pixels are: flip, rotation, perspective. What comes from outside is black.
#include <array>
#include <numbers>

#include <Eigen/LU>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/video/nuisance/kinds.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kFlips{"vertical", "horizontal"};

struct FlipOptions {
  std::vector<std::string> axes{"vertical", "horizontal"};

  void describe(OptionVisitor& v) {
    v.field("axes", axes, kFlips,
            "vertical: upside down; horizontal: left to right. Each with probability 1/2, but at "
            "least one of those named");
  }
};

Picture flipped(const Picture& frame, bool vertical, bool horizontal) {
  Picture out(frame.width, frame.height);
  for (Index y = 0; y < frame.height; ++y) {
    for (Index x = 0; x < frame.width; ++x) {
      std::copy_n(
          frame.pixel(horizontal ? frame.width - 1 - x : x, vertical ? frame.height - 1 - y : y), 3,
          out.pixel(x, y));
    }
  }
  return out;
}

class Flip final : public VisualNuisance {
 public:
  explicit Flip(FlipOptions options) : options_(std::move(options)) {
    if (options_.axes.empty()) {
      throw Error(ErrorKind::config, "flip: axes names none of vertical, horizontal");
    }
  }

  [[nodiscard]] DrawnNuisance draw(Rng rng) const override {
    std::vector<std::string> drawn;
    while (drawn.empty()) {
      for (const std::string& axis : options_.axes) {
        if (rng.uniform() < 0.5) {
          drawn.push_back(axis);
        }
      }
    }
    const auto has = [&](std::string_view axis) {
      return std::find(drawn.begin(), drawn.end(), axis) != drawn.end();
    };
    return {fmt::format("{}", fmt::join(drawn, " and ")),
            [vertical = has("vertical"), horizontal = has("horizontal")](
                const Picture& frame, Index) { return flipped(frame, vertical, horizontal); }};
  }

 private:
  FlipOptions options_;
};

struct RotationOptions {
  double degrees = 45;

  void describe(OptionVisitor& v) {
    v.field("degrees", degrees, {0, 180}, "d: an angle in [-d, d], to the left if positive");
  }
};

Picture rotated(const Picture& frame, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  const double centre_x = static_cast<double>(frame.width - 1) / 2;
  const double centre_y = static_cast<double>(frame.height - 1) / 2;
  Picture out(frame.width, frame.height);
  for (Index y = 0; y < frame.height; ++y) {
    for (Index x = 0; x < frame.width; ++x) {
      const double dx = static_cast<double>(x) - centre_x;
      const double dy = static_cast<double>(y) - centre_y;
      const auto from_x = static_cast<Index>(std::floor(centre_x + cosine * dx - sine * dy + 0.5));
      const auto from_y = static_cast<Index>(std::floor(centre_y + sine * dx + cosine * dy + 0.5));
      if (from_x >= 0 && from_x < frame.width && from_y >= 0 && from_y < frame.height) {
        std::copy_n(frame.pixel(from_x, from_y), 3, out.pixel(x, y));
      }
    }
  }
  return out;
}

class Rotation final : public VisualNuisance {
 public:
  explicit Rotation(RotationOptions options) : options_(options) {}

  [[nodiscard]] DrawnNuisance draw(Rng rng) const override {
    const double degrees = drawn_between(-options_.degrees, options_.degrees, rng);
    return {fmt::format("angle {:+.1f}", degrees),
            [degrees](const Picture& frame, Index) { return rotated(frame, degrees); }};
  }

 private:
  RotationOptions options_;
};

struct PerspectiveOptions {
  double distortion = 0.5;

  void describe(OptionVisitor& v) {
    v.field("distortion", distortion, {0, 1},
            "each corner moves inwards by a drawn share, up to this, of half the width and height");
  }
};

using Corners = std::array<std::array<double, 2>, 4>;  // x, y as shares of width - 1, height - 1

constexpr Corners kUnitSquare{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};

// The homography that takes each corner of `from` to that of `to`, its last entry 1.
Eigen::Matrix3d homography(const Corners& from, const Corners& to) {
  Eigen::Matrix<double, 8, 8> system;
  Eigen::Matrix<double, 8, 1> wanted;
  for (int i = 0; i < 4; ++i) {
    const auto [x, y] = from[static_cast<std::size_t>(i)];
    const auto [u, v] = to[static_cast<std::size_t>(i)];
    system.row(2 * i) << x, y, 1, 0, 0, 0, -u * x, -u * y;
    system.row(2 * i + 1) << 0, 0, 0, x, y, 1, -v * x, -v * y;
    wanted(2 * i) = u;
    wanted(2 * i + 1) = v;
  }
  const Eigen::Matrix<double, 8, 1> h = system.partialPivLu().solve(wanted);
  Eigen::Matrix3d out;
  out << h(0), h(1), h(2), h(3), h(4), h(5), h(6), h(7), 1;
  return out;
}

// Between four pixels; black outside.
void take_between(const Picture& frame, double x, double y, std::uint8_t* out) {
  const auto left = static_cast<Index>(std::floor(x));
  const auto top = static_cast<Index>(std::floor(y));
  const double right_share = x - static_cast<double>(left);
  const double low_share = y - static_cast<double>(top);
  for (Index c = 0; c < 3; ++c) {
    double sum = 0;
    for (Index j = 0; j < 2; ++j) {
      for (Index i = 0; i < 2; ++i) {
        if (left + i >= 0 && left + i < frame.width && top + j >= 0 && top + j < frame.height) {
          sum += (i == 1 ? right_share : 1 - right_share) * (j == 1 ? low_share : 1 - low_share) *
                 frame.pixel(left + i, top + j)[c];
        }
      }
    }
    out[c] = nearest_byte(sum);
  }
}

Picture seen_from_aside(const Picture& frame, const Eigen::Matrix3d& back) {
  const auto wide = static_cast<double>(std::max<Index>(1, frame.width - 1));
  const auto high = static_cast<double>(std::max<Index>(1, frame.height - 1));
  Picture out(frame.width, frame.height);
  for (Index y = 0; y < frame.height; ++y) {
    for (Index x = 0; x < frame.width; ++x) {
      const Eigen::Vector3d from =
          back * Eigen::Vector3d(static_cast<double>(x) / wide, static_cast<double>(y) / high, 1);
      const double place_x = wide * from(0) / from(2);
      const double place_y = high * from(1) / from(2);
      const bool near =
          from(2) > 0 && place_x > -1 && place_x < wide + 1 && place_y > -1 && place_y < high + 1;
      if (near) {
        take_between(frame, place_x, place_y, out.pixel(x, y));
      }
    }
  }
  return out;
}

class Perspective final : public VisualNuisance {
 public:
  explicit Perspective(PerspectiveOptions options) : options_(options) {}

  [[nodiscard]] DrawnNuisance draw(Rng rng) const override {
    Corners moved = kUnitSquare;
    for (auto& corner : moved) {
      for (double& place : corner) {
        const double way = options_.distortion / 2 * rng.uniform();
        place = place < 0.5 ? way : 1 - way;
      }
    }
    std::string text = "corners";
    for (const auto& [x, y] : moved) {
      text += fmt::format(" {:.2f},{:.2f}", x, y);
    }
    return {std::move(text), [back = homography(moved, kUnitSquare)](const Picture& frame, Index) {
              return seen_from_aside(frame, back);
            }};
  }

 private:
  PerspectiveOptions options_;
};

}  // namespace

NuisanceSpec flip_nuisance() {
  return nuisance_spec<FlipOptions, Flip>("flip", "upside down, left to right, or both");
}

NuisanceSpec rotation_nuisance() {
  return nuisance_spec<RotationOptions, Rotation>(
      "rotation", "turned about the centre by an angle drawn for the video");
}

NuisanceSpec perspective_nuisance() {
  return nuisance_spec<PerspectiveOptions, Perspective>(
      "perspective", "seen from aside: the corners moved inwards as drawn for the video");
}

}  // namespace tyto
